/** How a client's plugin finds the program, where it brings none. */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { promise } from "./rig/promise.ts";

const LAUNCHER = resolve(import.meta.dirname, "../scripts/clients/pawl.mjs");
const PATH = [dirname(process.execPath), "/usr/bin", "/bin"].join(":");

let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "pawl-launcher-"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function start(words: readonly string[], { cwd = base, path = PATH } = {}) {
  return spawnSync(process.execPath, words, { cwd, env: { PATH: path, HOME: base }, encoding: "utf8" });
}

describe("a plugin without a program", () => {
  const alone = () => {
    const folder = join(base, "alone");
    mkdirSync(folder, { recursive: true });
    cpSync(LAUNCHER, join(folder, "pawl.mjs"));
    return join(folder, "pawl.mjs");
  };

  const plant = (folder: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "pawl"), '#!/bin/sh\necho "planted $*"\n');
    chmodSync(join(folder, "pawl"), 0o755);
    return folder;
  };

  it("starts the one on the PATH", () => {
    promise("clients.own-program");
    const cwd = join(base, "project");
    mkdirSync(cwd);
    const ran = start([alone(), "status"], { cwd, path: `${plant(join(base, "bin"))}:${PATH}` });
    expect([ran.stdout, ran.status]).toEqual(["planted status\n", 0]);
  });

  it("never starts a program of the project, though the PATH leads there", () => {
    promise("clients.own-program");
    const clone = join(base, "clone");
    const planted = plant(join(clone, "node_modules/.bin"));
    mkdirSync(join(clone, "node_modules/pawl/dist"), { recursive: true });
    writeFileSync(join(clone, "node_modules/pawl/package.json"), '{ "name": "pawl" }');
    writeFileSync(join(clone, "node_modules/pawl/dist/main.js"), 'process.stdout.write("planted")');
    const ran = start([alone(), "mcp"], { cwd: clone, path: `${planted}:node_modules/.bin:${PATH}` });
    expect(ran.stdout).toBe("");
    expect(ran.stderr).toContain("brings no program");
    expect(ran.status).toBe(2);
  });

  it("lets a client's hook through, since without the program there is no run to guard", () => {
    promise("clients.own-program");
    expect(start([alone(), "guard", "claude-code"]).status).toBe(0);
  });
});

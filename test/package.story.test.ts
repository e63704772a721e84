/** The package as `npm pack` makes it of what `npm run build` left, in a project that has nothing else and no network. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BY_NPX } from "../src/app/launch.ts";
import { LANGUAGES } from "../src/surfaces/board/server/languages.ts";
import { promise } from "./rig/promise.ts";

const ROOT = resolve(import.meta.dirname, "..");
const MB = 1024 * 1024;
const LIMIT = 25 * MB;

let base: string;
let project: string;
let installed: string;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "pawl-package-"));
  project = join(base, "project");
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "private": true }\n');
  npm(ROOT, "pack", "--ignore-scripts", "--pack-destination", base);
  const packed = readdirSync(base).find((name) => name.endsWith(".tgz")) ?? "";
  npm(project, "install", "--offline", join(base, packed));
  installed = join(project, "node_modules/pawl");
}, 240_000);
afterAll(() => rmSync(base, { recursive: true, force: true }));

function npm(cwd: string, ...args: readonly string[]): void {
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error", `--cache=${join(base, "cache")}`];
  execFileSync("npm", [...args, ...quiet], { cwd, stdio: "pipe" });
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
}

describe("the package", () => {
  it("installs alone, without a network, in less than 25 MB", () => {
    promise("package.whole");
    expect(readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
      "pawl",
    ]);
    const sizes = filesIn(join(project, "node_modules")).map((path) => lstatSync(path).size);
    expect(sizes.length).toBeGreaterThan(500);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(LIMIT);
  });

  it("carries its pages, its licence, and the licence of everything that it brings", () => {
    promise("package.whole");
    for (const file of ["LICENSE", "README.md", "docs/errors.md", "docs/security.md"])
      expect(existsSync(join(installed, file)), file).toBe(true);
    const licences = readFileSync(join(installed, "dist/THIRD-PARTY-LICENSES.txt"), "utf8");
    for (const name of ["fs-native-extensions", "hast-util-to-mdast", "csv-parse", "zod", "yaml", "ink"])
      expect(licences, name).toMatch(new RegExp(`^${name} [\\d.]+ \\(`, "m"));
    expect(existsSync(join(installed, "node_modules"))).toBe(false);
  });

  it("is code that a person can read: an error shows a line, not a page", () => {
    promise("package.whole");
    // Grammars of languages are data.
    const grammars = Object.keys(LANGUAGES).map((name) => `${name}-`);
    const chunks = filesIn(join(installed, "dist/chunks"))
      .filter((path) => lstatSync(path).size > 100_000)
      .filter((path) => !grammars.some((name) => basename(path).startsWith(name)));
    expect(chunks.length).toBeGreaterThan(3);
    for (const name of chunks) {
      const lines = readFileSync(name, "utf8").split("\n");
      expect(lines.length, name).toBeGreaterThan(1000);
      expect(lines.filter((line) => line.length > 400).length, name).toBeLessThan(lines.length / 100);
    }
  });

  it("says that a Node is too old before it loads anything that an old Node lacks", () => {
    const main = join(installed, "dist/main.js");
    expect(readFileSync(main, "utf8")).not.toMatch(/^import /m);
    const old =
      "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.1.0'}})";
    const { status, stderr } = spawnSync(process.execPath, ["--import", old, main, "status"], {
      cwd: project,
      encoding: "utf8",
    });
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /^pawl: Pawl needs Node 22\.12 or newer; this is Node 20\.1\.0\. .*\nfix: {2}Install a newer Node/,
    );
  });

  it("lacks no part: every chunk loads, the trackers' and the forge's too", () => {
    promise("package.whole");
    const chunks = filesIn(join(installed, "dist/chunks")).filter((path) => path.endsWith(".js"));
    for (const name of ["jira", "linear", "confluence-page", "run-acp"])
      expect(
        chunks.some((path) => path.includes(`/${name}-`)),
        name,
      ).toBe(true);
    const text = `for (const path of ${JSON.stringify(chunks)}) await import(path);process.exit(0)`;
    const ran = spawnSync(process.execPath, ["--input-type=module", "-e", text], { encoding: "utf8" });
    expect(ran.stderr).toBe("");
    expect(ran.status).toBe(0);
  });

  it("starts as clients start it, by npx, also if the project has a program of that name", () => {
    promise("package.whole");
    const clientInfo = { name: "a test", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const input = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`;
    const own = readFileSync(join(project, "package.json"), "utf8");
    const planted = { ...JSON.parse(own), bin: { pawl: "planted.js" } };
    writeFileSync(join(project, "package.json"), JSON.stringify(planted));
    writeFileSync(join(project, "planted.js"), "#!/bin/sh\necho planted\n", { mode: 0o755 });
    const [program, ...words] = BY_NPX;
    const ran = spawnSync(program, [...words, "mcp"], { cwd: project, input, encoding: "utf8" });
    writeFileSync(join(project, "package.json"), own);
    expect(JSON.parse(ran.stdout.split("\n")[0] ?? "").result.serverInfo.name).toBe("pawl");
    expect(ran.status).toBe(0);
  });

  it("starts so from what `init` writes if pnpm has linked it and npm may run nothing", () => {
    promise("package.whole");
    const linked = join(base, "linked");
    const real = join(linked, "node_modules/.pnpm/pawl@0.1.0/node_modules/pawl");
    cpSync(installed, real, { recursive: true });
    symlinkSync(real, join(linked, "node_modules/pawl"));
    mkdirSync(join(linked, "node_modules/.bin"));
    symlinkSync("../pawl/dist/main.js", join(linked, "node_modules/.bin/pawl"));
    const packageManager = { name: "pnpm", version: "12.0.0", onFail: "download" };
    writeFileSync(join(linked, "package.json"), JSON.stringify({ devEngines: { packageManager } }));
    execFileSync("git", ["init", "-q"], { cwd: linked });
    const env = { ...process.env, HOME: join(base, "home"), XDG_STATE_HOME: join(base, "state") };
    const pawl = (program: string, ...words: readonly string[]) =>
      spawnSync(program, words, { cwd: linked, env, encoding: "utf8" });
    pawl(process.execPath, join(real, "dist/main.js"), "init", "--guard", "--client", "codex");
    const [, command = "", list = "[]"] =
      /^command = (.+)\nargs = (.+)$/m.exec(readFileSync(join(linked, ".codex/config.toml"), "utf8")) ?? [];
    const started = pawl(JSON.parse(command), ...JSON.parse(list), "--help");
    expect(started.stdout).toContain("pawl mcp");
    expect(started.stderr).toBe("");
    const tried = pawl(process.execPath, join(real, "dist/main.js"), "config", "guard", "--canary");
    expect(tried.stdout).toMatch(/^refused +the hook of Codex/);
    expect(readFileSync(join(linked, ".git/hooks/pre-commit"), "utf8")).not.toContain(".pnpm");
  });

  it("is fetched from nowhere if a clone lacks it", () => {
    promise("package.whole");
    const clone = join(base, "clone");
    mkdirSync(clone);
    cpSync(join(project, "package.json"), join(clone, "package.json"));
    const [program, ...words] = BY_NPX;
    const ran = spawnSync(program, [...words, "mcp"], { cwd: clone, encoding: "utf8" });
    expect(ran.status).not.toBe(0);
    expect(existsSync(join(clone, "node_modules"))).toBe(false);
  });
});

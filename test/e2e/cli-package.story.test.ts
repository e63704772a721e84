/** The package as npm makes it, installed in an empty folder. `npm run test:stories` builds it first. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { end } from "../rig/project.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const MODULES = join(ROOT, "node_modules");

let folder: string;
let app: string;
let packed: { files: { path: string; size: number }[]; unpackedSize: number; filename: string };

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-package-")));
  app = join(folder, "app");
  mkdirSync(join(app, "node_modules"), { recursive: true });
  const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  [packed] = JSON.parse(
    execFileSync("npm", pack, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
  );
  execFileSync("tar", ["-xzf", join(folder, packed.filename), "-C", folder]);
  execFileSync("mv", [join(folder, "package"), join(app, "node_modules/pawl")]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MAIN = () => join(app, "node_modules/pawl/dist/main.js");
const pawl = (...args: string[]) =>
  end(spawn(process.execPath, [MAIN(), ...args], { cwd: app, stdio: ["ignore", "pipe", "pipe"] }));

describe("the package", () => {
  it("contains the program, the library, the texts, the types, the schemas, the docs and the licences, and nothing else", () => {
    const kinds = new Set(
      packed.files.map(({ path }) =>
        path
          .replace(/^dist\/(chunks|library)\/.*\.c?js$/, "chunks")
          .replace(/^dist\/app\/review\.html$/, "page")
          .replace(/^dist\/board\/((enter|index)\.html|assets\/[\w-]+\.(js|css|svg))$/, "page")
          .replace(/^dist\/types\/.*\.d\.ts$/, "types")
          .replace(/^dist\/workflows\/.*\.(md|yml)$/, "texts")
          .replace(/^dist\/(workflows|tasks-file)\/.*\.js$/, "late programs")
          .replace(/^docs\/(board\/)?[a-z-]+\.(md|svg|png|webp)$/, "docs")
          .replace(/^(clients|\.claude-plugin|\.agents)\/.*$/, "clients")
          .replace(/^dist\/locks\/[a-z0-9]+-[a-z0-9]+\.node$/, "locks"),
      ),
    );
    expect([...kinds].sort()).toEqual(
      expect.arrayContaining([
        "LICENSE",
        "chunks",
        "dist/THIRD-PARTY-LICENSES.txt",
        "dist/index.js",
        "dist/main.js",
        "dist/pawl.schema.json",
        "dist/tasks.schema.json",
        "dist/workflow.schema.json",
        "docs",
        "locks",
        "package.json",
        "page",
        "texts",
        "types",
      ]),
    );
    const allowed =
      /^(LICENSE|README\.md|clients|docs|chunks|locks|page|texts|types|late programs|package\.json|dist\/(THIRD-PARTY-LICENSES\.txt|(check-command|end-runs|export-telemetry|forward|index|main|scripted-agent|send-notices)\.js|(pawl|tasks|workflow)\.schema\.json))$/;
    expect([...kinds].filter((kind) => !allowed.test(kind))).toEqual([]);
  });

  it("is under 15 MB with all that it brings", () => {
    expect(packed.unpackedSize).toBeLessThan(15_000_000);
  });

  it("sets a project up, shows it, and proves the shipped tables", async () => {
    const init = await pawl("init", "--client", "claude-code");
    expect(init).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^[^\n]* is in no git repository[^\n]*\n$/),
    });
    expect((await pawl("status")).code).toBe(0);
    expect(await pawl("check")).toMatchObject({ code: 0, err: "" });
  });

  it("tells what nobody foresaw in a few lines, without the line of the bundle that threw", async () => {
    const fails = 'data:text/javascript,setTimeout(() => { throw new Error("unforeseen") }, 1)';
    const args = ["--import", fails, MAIN(), "mcp"];
    const { code, err } = await end(
      spawn(process.execPath, args, { cwd: app, stdio: ["ignore", "pipe", "pipe"] }),
    );
    expect(code).toBe(1);
    expect(err).toMatch(/^pawl: Pawl failed .*unforeseen[\s\S]*\[internal\]\nfix: {2}Report this/);
    expect(Math.max(...err.split("\n").map((line) => line.length))).toBeLessThan(300);
  });

  it("serves MCP", async () => {
    const client = new Client({ name: "test", version: "0" });
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [MAIN(), "mcp"], cwd: app }),
    );
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["start_task", "submit_work", "provide_review"]),
    );
    await client.close();
  });

  it("can be imported, with types that a strict consumer accepts", () => {
    symlinkSync(join(MODULES, "@types"), join(app, "node_modules/@types"));
    writeFileSync(
      join(app, "consumer.ts"),
      `import { check, decide, PawlError, type Workflow } from "pawl";
const workflow: Workflow = {
  name: "w", title: "W", states: { a: { description: "a" }, b: { description: "b", final: true } }, initial: "a",
  events: { go: { description: "go" } }, facts: {},
  rules: [{ id: "1", from: ["a"], on: "go", to: "b", outcome: "moved", reply: "r" }], goals: ["b"],
};
const report = check({ workflow, replies: ["r"] });
if (report.violations.length > 0) throw new PawlError("internal", "The table is not proved.", "Look.");
if (decide.length === 0) throw new Error("decide takes arguments");
console.log(report.counts.rules);
`,
    );
    writeFileSync(
      join(app, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          target: "es2023",
          module: "nodenext",
          strict: true,
          noEmit: true,
          types: ["node"],
        },
        files: ["consumer.ts"],
      }),
    );
    writeFileSync(join(app, "package.json"), '{ "type": "module" }');
    const tsc = join(MODULES, "typescript/bin/tsc");
    const checked = () =>
      execFileSync(process.execPath, [tsc, "-p", "."], { cwd: app, encoding: "utf8", stdio: "pipe" });
    expect(() => checked()).not.toThrow();
    expect(execFileSync(process.execPath, ["consumer.ts"], { cwd: app, encoding: "utf8" })).toBe("1\n");
  });
});

/** What the built program keeps of its own compiled code, so that the next command starts faster. `npm run test:slow` builds it first. */
import { spawn } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Ended, end, testEnvironment } from "../rig/project.ts";
import { until } from "../rig/until.ts";

const MAIN = resolve(import.meta.dirname, "../../dist/main.js");

let folder: string;
let project: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pawl-start-"));
  project = join(folder, "project");
  mkdirSync(project);
  writeFileSync(join(project, "pawl.yaml"), "");
  writeFileSync(join(project, "tasks.yaml"), "tasks:\n  - id: A\n    title: One\n    status: todo\n");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

function start(args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  return spawn(process.execPath, [MAIN, ...args], {
    cwd: project,
    env: {
      ...testEnvironment(),
      XDG_STATE_HOME: join(folder, "state"),
      NODE_COMPILE_CACHE: join(folder, "cache"),
      ...more,
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
}

function pawl(args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = start(args, more);
  child.stdin.end();
  return end(child);
}

/** What is kept, by the script's name. */
function kept(): ReadonlyMap<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    /[\\/]pawl-[a-z]+-[0-9a-f]{16}$/.test(path),
  );
  return new Map(paths.map((path) => [/pawl-([a-z]+)-/.exec(path)?.[1] ?? "", join(folder, path)]));
}

/** The commands that a file was made after: they stand before its last four bytes. */
function verbsIn(path: string): readonly string[] {
  const whole = readFileSync(path);
  const close = whole.length - 4;
  return whole.toString("latin1", close - whole.readUInt32LE(close), close).split(" ");
}

describe("the program's start", () => {
  it("keeps the code that a command ran, adds what the next one runs, and writes nothing where it has all", async () => {
    expect((await pawl(["list"])).code).toBe(0);
    const first = kept();
    expect([...first.keys()].sort()).toEqual(["core", "guard", "read", "status", "tasks"]);
    for (const path of first.values()) expect(verbsIn(path)).toEqual(["list"]);

    expect((await pawl(["status"])).code).toBe(0);
    expect(verbsIn(first.get("core") ?? "")).toEqual(["list", "status"]);

    const files = [...kept().values()].map((path) => ({ path, inode: statSync(path).ino }));
    expect((await pawl(["list"])).out).toContain("One");
    expect([...kept().values()].map((path) => ({ path, inode: statSync(path).ino }))).toEqual(files);
  });

  it.each([
    ["a byte has changed", (whole: Buffer) => whole.fill((whole[5000] ?? 0) ^ 0xff, 5000, 5001)],
    ["its end is gone", (whole: Buffer) => whole.subarray(0, 5000)],
    ["it is empty", () => Buffer.alloc(0)],
    ["a part of it is zeros", (whole: Buffer) => whole.fill(0, 2000)],
  ])("takes no code where %s, and keeps it anew", async (_, harm) => {
    await pawl(["list"]);
    const whole = new Map([...kept().values()].map((path) => [path, statSync(path).size]));
    for (const path of whole.keys()) writeFileSync(path, harm(readFileSync(path)));

    const ended = await pawl(["list"]);
    expect(ended).toMatchObject({ code: 0, err: "" });
    expect(ended.out).toContain("One");
    for (const [path, size] of whole) expect(Math.abs(statSync(path).size - size)).toBeLessThan(size / 10);
  });

  it("keeps nothing where Node's compile cache is off, nor after a command that failed", async () => {
    expect((await pawl(["list"], { NODE_DISABLE_COMPILE_CACHE: "1" })).code).toBe(0);
    expect((await pawl(["list", "--no-such-option"])).code).toBe(2);
    expect(kept().size).toBe(0);
  });

  it("knows a command whose help was asked for only when it has run", async () => {
    expect((await pawl(["status", "--help"])).code).toBe(0);
    expect(verbsIn(kept().get("core") ?? "")).toEqual(["help"]);
    expect((await pawl(["status"])).code).toBe(0);
    expect(verbsIn(kept().get("core") ?? "")).toEqual(["help", "status"]);
  });

  it("keeps a server's code while it runs: at its end V8 has thrown away what only its start called", async () => {
    const server = start(["mcp"]);
    const over = end(server);
    server.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
    const path = await until(() => kept().get("mcp"));
    expect(verbsIn(path)).toEqual(["mcp"]);
    const before = statSync(path).ino;
    server.stdin.end();
    expect((await over).code).toBe(0);
    expect(statSync(path).ino).toBe(before);
  });

  it("ends only when what it worked out of tasks.yaml is kept for the next command", async () => {
    const file = join(project, "tasks.yaml");
    appendFileSync(file, "    steps:\n      - id: A-a\n        instruction: Do it\n");
    expect((await pawl(["step", "done", "A-a"])).code).toBe(0);
    appendFileSync(file, "  - id: B\n    title: Another\n");
    expect((await pawl(["list"])).out).toContain("Another");
    const state = join(folder, "state");
    const parsed = readdirSync(state, { recursive: true, encoding: "utf8" }).filter((path) =>
      /tasks-\d+\.json$/.test(path),
    );
    expect(parsed).toHaveLength(1);
    expect(readFileSync(join(state, parsed[0] ?? ""), "utf8")).toContain("Another");
  });
});

/** What the built program keeps of its own compiled code, so that the next command starts faster. `npm run test:slow` builds it first. */
import { spawn } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
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

const CREATE = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "create_task", arguments: { task_content: "no task" } },
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

/** What is kept for a command, by the script's name. */
function kept(verb: string): ReadonlyMap<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((path) => {
    const [, script, of] = /[\\/]pawl-([a-z]+)-[0-9a-f]{16}-([a-z-]*)$/.exec(path) ?? [];
    return script !== undefined && of === verb ? [[script, join(folder, path)] as const] : [];
  });
  return new Map(paths);
}

/** By the path of each: another number, if it was written again. Without a command: of all that is kept. */
function written(verb?: string): ReadonlyMap<string, number> {
  const all = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /[\\/]pawl-[^\\/]*$/.test(path))
    .map((path) => join(folder, path));
  const paths = verb === undefined ? all : [...kept(verb).values()];
  return new Map(paths.map((path) => [path, statSync(path).ino]));
}

describe("the program's start", () => {
  it("keeps the code that a command ran for that command, and writes nothing where it has all", async () => {
    expect((await pawl(["list"])).code).toBe(0);
    expect([...kept("list").keys()].sort()).toEqual(["core", "guard", "read", "tasks"]);
    expect([...written().keys()].sort()).toEqual([...kept("list").values()].sort());
    const ofList = written("list");

    expect((await pawl(["status"])).code).toBe(0);
    expect([...kept("status").keys()].sort()).toEqual(["cast", "core", "guard", "read", "status", "tasks"]);
    expect(written("list")).toEqual(ofList);
    const all = written();
    expect((await pawl(["list"])).out).toContain("One");
    expect(written()).toEqual(all);
  });

  it("loads for `pawl lumos` neither the tasks' code nor a template engine", async () => {
    // What writes here for the first time keeps the configuration too, as it was parsed.
    expect((await pawl(["init"])).code).toBe(0);
    expect((await pawl(["list"])).code).toBe(0);
    expect((await pawl(["lumos"])).code).toBe(0);
    expect([...kept("lumos").keys()].sort()).toEqual(["cast", "core", "guard"]);
  });

  it("tells the line of a fault in a state file, by a parser that no other start loads", async () => {
    mkdirSync(join(project, ".ai/task"), { recursive: true });
    writeFileSync(join(project, ".ai/task/state.json"), '{\n  "current_state": "GATHER_EDITING",\n  ]\n}\n');
    const { code, err } = await pawl(["lumos"]);
    expect(code).toBe(1);
    expect(err).toContain(
      "state.json cannot be used: line 3: it is not valid JSON (property name expected).",
    );
  });

  it("keeps all that a command loads anew where it went another way and loaded more", async () => {
    appendFileSync(join(project, "tasks.yaml"), "    steps:\n      - id: A-a\n        instruction: Do it\n");
    expect((await pawl(["step", "done", "A-a"])).code).toBe(0);
    expect((await pawl(["list"])).code).toBe(0);
    expect([...kept("list").keys()].sort()).toEqual(["core", "guard", "tasks"]);
    const first = written("list");

    appendFileSync(join(project, "tasks.yaml"), "  - id: B\n    title: Another\n");
    expect((await pawl(["list"])).out).toContain("Another");
    expect(kept("list").has("read")).toBe(true);
    for (const [path, inode] of first) expect(statSync(path).ino).not.toBe(inode);
  });

  it("removes after a week what another build kept, and keeps no more commands than anybody uses", async () => {
    expect((await pawl(["list"])).code).toBe(0);
    const [own] = kept("list").values();
    if (own === undefined) throw new Error("Nothing was kept.");
    const of = (build: string) => join(dirname(own), `pawl-core-0123456789abcdef-${build}`);
    const [old, recent] = [of("old"), of("recent")];
    for (const path of [old, recent]) writeFileSync(path, "");
    const longAgo = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);
    for (const path of [old, own]) utimesSync(path, longAgo, longAgo);

    expect((await pawl(["status"])).code).toBe(0);
    expect([old, recent, own].map((path) => existsSync(path))).toEqual([false, true, true]);

    for (let count = 0; count < 200; count++) writeFileSync(`${own}-${"a".repeat(count + 1)}`, "");
    expect((await pawl(["log"])).code).toBe(0);
    expect(kept("log").size).toBe(0);
  });

  it.each([
    ["a byte has changed", (whole: Buffer) => whole.fill((whole[5000] ?? 0) ^ 0xff, 5000, 5001)],
    ["its end is gone", (whole: Buffer) => whole.subarray(0, 5000)],
    ["it is empty", () => Buffer.alloc(0)],
    ["a part of it is zeros", (whole: Buffer) => whole.fill(0, 2000)],
  ])("takes no code where %s, and keeps it anew", async (_, harm) => {
    await pawl(["list"]);
    const whole = new Map([...kept("list").values()].map((path) => [path, statSync(path).size]));
    for (const path of whole.keys()) writeFileSync(path, harm(readFileSync(path)));

    const ended = await pawl(["list"]);
    expect(ended).toMatchObject({ code: 0, err: "" });
    expect(ended.out).toContain("One");
    for (const [path, size] of whole) expect(Math.abs(statSync(path).size - size)).toBeLessThan(size / 10);
  });

  it("keeps nothing where Node's compile cache is off, nor after a command that failed", async () => {
    expect((await pawl(["list"], { NODE_DISABLE_COMPILE_CACHE: "1" })).code).toBe(0);
    expect((await pawl(["list", "--no-such-option"])).code).toBe(2);
    expect(written().size).toBe(0);
  });

  it("knows a command whose help was asked for only when it has run", async () => {
    expect((await pawl(["status", "--help"])).code).toBe(0);
    expect([...written().keys()].sort()).toEqual([...kept("help").values()].sort());
    expect(kept("help").has("core")).toBe(true);
    expect((await pawl(["status"])).code).toBe(0);
    expect(kept("status").has("core")).toBe(true);
  });

  it("keeps a server's code while it runs: at its end V8 has thrown away what only its start called", async () => {
    const server = start(["mcp"]);
    const over = end(server);
    server.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
    // In the order of their names, and without the one that is being written.
    await until(() => [...kept("mcp").keys()].sort().join() === "cast,core,guard,mcp,read,status,tasks");
    const before = written();
    expect([...before.keys()].sort()).toEqual([...kept("mcp").values()].sort());
    server.stdin.write(`${JSON.stringify(CREATE)}\n`);
    server.stdin.end();
    expect((await over).code).toBe(0);
    // What it loaded later is added, and nothing else is written again.
    expect(kept("mcp").has("templates")).toBe(true);
    for (const [path, inode] of before) expect(statSync(path).ino).toBe(inode);
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

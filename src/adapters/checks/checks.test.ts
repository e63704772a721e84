import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { hangs, shellUntil, until } from "../../../test/rig/until.ts";
import { keepProgramsFrom } from "../process/programs.ts";
import { openChecks } from "./checks.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-checks-"));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const open = (more = {}) => openChecks({ root, environment: process.env, ...more });
const impatient = () => open({ patienceMilliseconds: 1 });

test("a command's exit code, duration and end of output are told", async () => {
  const ended = await open().run("k", "pwd; echo to-stderr >&2; printf '\\033[31mred\\033[0m\\n'; exit 3");
  expect(ended).toMatchObject({ kind: "ended", exitCode: 3, tail: `${root}\nto-stderr\nred` });
  expect(ended.milliseconds).toBeGreaterThanOrEqual(0);
});

test("what follows the command starts no program of the project's, though the PATH begins there", async () => {
  promise("programs.found-once");
  mkdirSync(join(root, "bin"));
  for (const name of ["mv", "rm"])
    writeFileSync(join(root, "bin", name), "#!/bin/sh\necho x >> planted\n", { mode: 0o755 });
  const environment = { ...process.env, PATH: `${join(root, "bin")}:${process.env.PATH}` };
  keepProgramsFrom(root);
  expect(await open({ environment }).run("k", "echo ran")).toMatchObject({ kind: "ended", tail: "ran" });
  expect(readSafely("planted")).toBe("");
});

test("a run is found again by its key, and is not repeated", async () => {
  const command = "echo once >> ran";
  await open().run("k", command);
  await open().run("k", command);
  expect(readFileSync(join(root, "ran"), "utf8")).toBe("once\n");
  await open().run("other", command);
  expect(readFileSync(join(root, "ran"), "utf8")).toBe("once\nonce\n");
});

test("a long command is not waited for; its outcome is there for whoever asks later", async () => {
  const command = `echo begun; ${shellUntil("-e go")}; exit 5`;
  expect((await impatient().run("k", command)).kind).toBe("running");
  writeFileSync(join(root, "go"), "");
  expect(await open().run("k", command)).toMatchObject({ kind: "ended", exitCode: 5, tail: "begun" });
});

test("the run outlives the process that began it", async () => {
  const command = `${shellUntil("-e go")}; echo done`;
  const program = `
    const { openChecks } = await import(${JSON.stringify(join(import.meta.dirname, "checks.ts"))});
    const checks = openChecks({ root: ${JSON.stringify(root)}, environment: process.env, patienceMilliseconds: 1 });
    process.stdout.write((await checks.run("k", ${JSON.stringify(command)})).kind);`;
  const told = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  expect(told).toBe("running");
  writeFileSync(join(root, "go"), "");
  expect(await open().run("k", command)).toMatchObject({ kind: "ended", exitCode: 0, tail: "done" });
});

test("a run that vanished without an outcome is begun again", async () => {
  const command = `echo x >> ran; [ -e go ] || ${hangs()}`;
  await impatient().run("k", command);
  await until(() => readSafely("ran").includes("x"));
  const { pid } = JSON.parse(readFileSync(join(root, ".pawl/checks/k/start.json"), "utf8"));
  process.kill(-pid, "SIGKILL");
  writeFileSync(join(root, "go"), "");
  expect(await open().run("k", command)).toMatchObject({ kind: "ended", exitCode: 0 });
  expect(readSafely("ran")).toBe("x\nx\n");
});

test("past the limit the command is ended with all that it started", async () => {
  const command = `sh -c 'echo $$ > child; exec ${hangs()}'; true`;
  await impatient().run("k", command);
  await until(() => readSafely("child").includes("\n"));
  const child = Number(readSafely("child"));
  expect(await open({ limitMilliseconds: 0 }).run("k", command)).toMatchObject({
    kind: "ended",
    exitCode: null,
  });
  await until(() => !isRunning(child));
});

/** For `node --import`: dies where it would record that the command has begun, and says which process that was. */
const DIES = `data:text/javascript,${encodeURIComponent(`
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  fs.renameSync = (path) => {
    fs.writeSync(1, String(JSON.parse(fs.readFileSync(path)).pid));
    process.kill(process.pid, "SIGKILL");
  };
  syncBuiltinESMExports();`)}`;

test("a command does not run before it is recorded: what was killed until then is begun again, and runs once", async () => {
  const command = "echo once >> ran";
  const program = `
    const { openChecks } = await import(${JSON.stringify(join(import.meta.dirname, "checks.ts"))});
    await openChecks({ root: ${JSON.stringify(root)}, environment: process.env }).run("k", ${JSON.stringify(command)});`;
  const args = ["--import", DIES, "--input-type=module", "-e", program];
  const { signal, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(signal).toBe("SIGKILL");
  await until(() => !isRunning(Number(stdout)));
  expect(readSafely("ran")).toBe("");
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(join(root, ".pawl/checks/k"), longAgo, longAgo);
  expect(await open().run("k", command)).toMatchObject({ kind: "ended", exitCode: 0 });
  expect(readSafely("ran")).toBe("once\n");
});

test("two processes that ask at once share one run", async () => {
  const runs = await Promise.all([1, 2, 3].map(() => open().run("k", "echo once >> ran")));
  expect(runs.map(({ kind }) => kind)).toEqual(["ended", "ended", "ended"]);
  expect(readSafely("ran")).toBe("once\n");
});

test("a key that is no plain name is refused", async () => {
  await expect(open().run("../k", "true")).rejects.toThrow(/plain file name/);
});

function readSafely(name: string): string {
  try {
    return readFileSync(join(root, name), "utf8");
  } catch {
    return "";
  }
}

function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

test("a run of another command is not taken for this one's, whatever its key says", async () => {
  await open().run("k", "true");
  expect(await open().run("k", "echo other; exit 3")).toMatchObject({ exitCode: 3, tail: "other" });
});

test("a run whose outcome or beginning cannot be read is not begun a second time", async () => {
  promise("files.unreadable");
  const command = "echo once >> ran";
  for (const name of ["ended", "start.json"]) {
    expect(await open().run(name, command)).toMatchObject({ exitCode: 0 });
    const path = join(root, ".pawl/checks", name, name);
    rmSync(path);
    mkdirSync(path);
    await expect(open().run(name, command)).rejects.toMatchObject({
      message: expect.stringContaining("EISDIR"),
    });
  }
  expect(readFileSync(join(root, "ran"), "utf8")).toBe("once\nonce\n");
});

test("a link in the place of a run is not followed", async () => {
  promise("state.keys");
  const elsewhere = mkdtempSync(join(tmpdir(), "pawl-checks-elsewhere-"));
  try {
    writeFileSync(join(elsewhere, "ended"), "0");
    const start = { command: "exit 3", pid: 0, birth: null, time: Date.now() };
    writeFileSync(join(elsewhere, "start.json"), JSON.stringify(start));
    mkdirSync(join(root, ".pawl/checks"), { recursive: true });
    symlinkSync(elsewhere, join(root, ".pawl/checks/k"));
    expect(await open().run("k", "exit 3")).toMatchObject({ kind: "ended", exitCode: 3 });
    expect(readdirSync(elsewhere).sort()).toEqual(["ended", "start.json"]);
  } finally {
    rmSync(elsewhere, { recursive: true, force: true });
  }
});

test("a link in the place of all runs is refused", async () => {
  promise("state.keys");
  const elsewhere = mkdtempSync(join(tmpdir(), "pawl-checks-elsewhere-"));
  try {
    mkdirSync(join(root, ".pawl"));
    symlinkSync(elsewhere, join(root, ".pawl/checks"));
    await expect(open().run("k", "true")).rejects.toMatchObject({ code: "path-outside-project" });
    expect(readdirSync(elsewhere)).toEqual([]);
  } finally {
    rmSync(elsewhere, { recursive: true, force: true });
  }
});

test("a failure is tried again if that is asked for and it is old enough; a success never is", async () => {
  const command = "echo x >> ran; test -e mended";
  await open().run("k", command);
  expect(await open().run("k", command, { retry: true })).toMatchObject({ exitCode: 1 });
  writeFileSync(join(root, "mended"), "");
  expect(await open({ retryMilliseconds: -1 }).run("k", command, { retry: true })).toMatchObject({
    exitCode: 0,
  });
  expect(await open({ retryMilliseconds: -1 }).run("k", command, { retry: true })).toMatchObject({
    exitCode: 0,
  });
  expect(readSafely("ran")).toBe("x\nx\n");
});

test("a checkout gets what its repository needs before the check", async () => {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  git("init", "-q");
  writeFileSync(join(root, "a"), "1");
  git("add", "-A");
  const tree = git("write-tree");
  const setup = { run: ["echo it\\'s > made", "test -e a"] };
  const outcome = await open({ setup }).run("k", "cat made", { tree });
  expect(outcome).toMatchObject({ kind: "ended", exitCode: 0, tail: "it's" });
  expect(await open({ setup: { run: ["false"] } }).run("l", "true", { tree })).toMatchObject({
    exitCode: 1,
    tail: "setup failed",
  });
  await expect(open().run("m", "true", { tree: "0".repeat(40) })).rejects.toThrow();
  expect(await open().run("m", "true")).toMatchObject({ exitCode: 0 });
});

test("a checkout lies outside of the project: nothing of the person's is found above it, and nothing is left of it", async () => {
  promise("evidence.checks");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  git("init", "-q");
  writeFileSync(join(root, "a"), "1");
  git("add", "-A");
  const tree = git("write-tree");
  mkdirSync(join(root, "node_modules"));
  writeFileSync(join(root, "node_modules", "undeclared.js"), "");
  const command = `pwd; node -e 'require("undeclared")'`;
  expect(await open().run("here", command)).toMatchObject({ exitCode: 0 });
  const { exitCode, tail } = (await open().run("k", command, { tree })) as { exitCode: number; tail: string };
  expect({ exitCode, tail }).toEqual({ exitCode: 1, tail: expect.stringContaining("MODULE_NOT_FOUND") });
  const [folder = ""] = tail.split("\n");
  expect(folder.startsWith(root)).toBe(false);
  expect(existsSync(dirname(folder))).toBe(false);
  const called = new AbortController();
  const under = open().run("l", hangs(), { tree }, { stop: called.signal });
  const other = folder.replace("@check-k", "@check-l");
  await until(() => existsSync(other));
  called.abort();
  expect((await under).kind).toBe("running");
  expect(existsSync(dirname(other))).toBe(false);
});

test("a command whose test runner ran no test differs from one that passed", async () => {
  promise("bloom.no-test");
  expect(await open().run("none", "echo '  0 passing (1ms)'")).toMatchObject({ exitCode: 0, empty: true });
  expect(await open().run("some", "echo '  2 passing (1ms)'")).not.toHaveProperty("empty");
  expect(await open().run("long", "seq 20000; echo '  0 passing (1ms)'")).toMatchObject({ empty: true });
  // The end of much output is not all of it.
  const much = "seq 20000; echo '  2 passing (1ms)'; seq 200000; echo '  0 passing (1ms)'";
  expect(await open().run("much", much)).not.toHaveProperty("empty");
});

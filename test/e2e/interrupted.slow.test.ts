/** Ctrl-C, typed on a real terminal: each command that lasts ends with 130, and leaves the project as it was. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MAIN, type TemporaryProject, temporaryProject, testEnvironment } from "../rig/project.ts";
import { until } from "../rig/until.ts";

const CTRL_C = "\u0003";
const TASKS = "tasks:\n- { id: T1, title: One }\n";
/** As it comes with a pull: nobody has agreed to it. */
const PROGRAMS = "agents: { helper: { dialect: claude, program: ./helper.sh } }\n";

/** Types Ctrl-C once the terminal shows `ready`. */
async function interrupted(project: TemporaryProject, words: string, ready: RegExp) {
  const command = `exec '${process.execPath}' '${MAIN}' ${words}`;
  const args =
    process.platform === "darwin"
      ? ["-q", "/dev/null", "sh", "-c", command]
      : ["--quiet", "--return", "--command", command, "/dev/null"];
  const child = spawn("script", args, {
    cwd: project.root,
    env: testEnvironment({ DOOR_ONLY: "", SHELL: "/bin/sh", TERM: "xterm" }),
    stdio: ["pipe", "pipe", "inherit"],
    timeout: 55_000,
  });
  let screen = "";
  child.stdout.on("data", (chunk: Buffer) => {
    screen += chunk.toString("utf8");
  });
  const ended = once(child, "close");
  await until(() => ready.test(screen) || child.exitCode !== null);
  child.stdin.write(CTRL_C);
  // As a shell counts it: one that the signal itself ended is 130, too.
  const [code] = await ended;
  return { screen, code };
}

/** Every file and its content, beside locks. */
function contentOf(root: string): Readonly<Record<string, string>> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const paths = files.map(({ name, parentPath }) => join(parentPath, name));
  const kept = paths.filter((path) => !path.includes("/.pawl/locks/"));
  return Object.fromEntries(kept.map((path) => [path.slice(root.length), readFileSync(path, "utf8")]));
}

describe("Ctrl-C on a terminal", () => {
  it.each([
    ["log --follow", /hello/],
    ["board --no-open", /Press Ctrl-C to stop/],
    ["mcp --http", /Press Ctrl-C to stop/],
    ["watch", /q quit/],
    ["trust", /Yes or no/],
  ])("ends `pawl %s` with 130, and nothing is changed", { timeout: 120_000 }, async (words, ready) => {
    using project = temporaryProject({ environment: { DOOR_ONLY: "" } });
    project.write("tasks.yaml", TASKS);
    expect((await project.pawl("note", "T1", "hello")).code).toBe(0);
    if (words === "trust") project.write("pawl.yaml", PROGRAMS);
    const before = contentOf(project.root);
    const { code, screen } = await interrupted(project, words, ready);
    expect(code, screen).toBe(130);
    expect(contentOf(project.root)).toEqual(before);
  });
});

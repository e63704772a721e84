/** Ctrl-C, typed on a real terminal: each command that lasts ends with 130, and leaves the project as it was. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bloomProject } from "../rig/bloom-project.ts";
import { IssuesServer } from "../rig/issues-server.ts";
import { MAIN, temporaryProject, testEnvironment } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { until } from "../rig/until.ts";

const CTRL_C = "\u0003";
const TASKS = "tasks:\n- { id: T1, title: One }\n";
/** As it comes with a pull: nobody has agreed to it. */
const PROGRAMS = "agents: { helper: { dialect: claude, program: ./helper.sh } }\n";

interface ProjectFolder {
  readonly root: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Types Ctrl-C once it is time: once the terminal shows it, or once it is so. */
async function interrupted(project: ProjectFolder, words: string, ready: RegExp | (() => boolean)) {
  const command = `exec '${process.execPath}' '${MAIN}' ${words}`;
  const args =
    process.platform === "darwin"
      ? ["-q", "/dev/null", "sh", "-c", command]
      : ["--quiet", "--return", "--command", command, "/dev/null"];
  const child = spawn("script", args, {
    cwd: project.root,
    env: testEnvironment({ DOOR_ONLY: "", ...project.environment, SHELL: "/bin/sh", TERM: "xterm" }),
    stdio: ["pipe", "pipe", "inherit"],
    timeout: 55_000,
  });
  let screen = "";
  child.stdout.on("data", (chunk: Buffer) => {
    screen += chunk.toString("utf8");
  });
  const ended = once(child, "close");
  const isReady = typeof ready === "function" ? ready : () => ready.test(screen);
  await until(() => isReady() || child.exitCode !== null);
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
    promise("cli.interrupted");
    using project = temporaryProject({ environment: { DOOR_ONLY: "" } });
    project.write("tasks.yaml", TASKS);
    expect((await project.pawl("note", "T1", "hello")).code).toBe(0);
    if (words === "trust") project.write("pawl.yaml", PROGRAMS);
    const before = contentOf(project.root);
    const { code, screen } = await interrupted(project, words, ready);
    expect(code, screen).toBe(130);
    expect(contentOf(project.root)).toEqual(before);
  });

  it("ends the agent of `pawl plan`, and tasks.yaml is as it was", { timeout: 120_000 }, async () => {
    const work = `sleep 600.${process.pid}`;
    const isAtWork = () =>
      execFileSync("ps", ["-A", "-o", "args="], { encoding: "utf8" }).split("\n").includes(work);
    using project = bloomProject({ tasks: TASKS, answers: { "> Let people log in": `RUN: exec ${work}` } });
    const { code, screen } = await interrupted(project, 'plan "Let people log in"', isAtWork);
    expect(code, screen).toBe(130);
    expect(screen).toContain("Interrupted. Nothing was changed.");
    expect(isAtWork()).toBe(false);
    expect(project.read("tasks.yaml")).toBe(TASKS);
    expect(project.read(".pawl/plans")).toBeNull();
  });

  it("ends an import whose forge does not answer, and writes nothing", { timeout: 120_000 }, async () => {
    await using server = await IssuesServer.open("acme/app", []);
    server.faults.push({ path: /\/issues/, answer: { silent: true } });
    using project = bloomProject({ tasks: TASKS });
    const environment = { ...project.environment, GITHUB_TOKEN: "ghp_token", GITHUB_API_URL: server.url };
    const place = { root: project.root, environment };
    const { code, screen } = await interrupted(
      place,
      "import github:acme/app",
      () => server.asked.length > 0,
    );
    expect(code, screen).toBe(130);
    expect(project.read("tasks.yaml")).toBe(TASKS);
  });
});

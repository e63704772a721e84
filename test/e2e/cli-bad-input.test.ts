/** Bad input, on every kind of command: what is wrong and how it is mended, the documented exit code, nothing changed. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { end, MAIN, type TemporaryProject, temporaryProject, testEnvironment } from "../rig/project.ts";

const TASKS = "tasks:\n  - {id: A, title: Do it}\n";
const SHAPE = /^pawl: [^\n]+(\n {6}[^\n]+)* \[[a-z-]+\]\nfix: {2}[^\n]+(\n {6}[^\n]+)*\n$/;

const open = () => temporaryProject({ environment: { DOOR_ONLY: "" } });

async function refused(project: TemporaryProject, ...words: readonly string[]): Promise<string> {
  const { code, out, err } = await project.pawl(...words);
  expect(out).toBe("");
  expect(err).toMatch(SHAPE);
  expect(err).not.toMatch(/^\s+at /m);
  return `${code} ${err}`;
}

describe("bad input", () => {
  it.each([
    [["run", "--task", "nope", "--once"], '2 pawl: No task has the id "nope"'],
    [["run", "--agents", "65"], '2 pawl: --agents is "65": expected a whole number from 1 to 64'],
    [["assign", "A", ""], "2 pawl: The worker's name is not valid"],
    [["log", "alfred:x"], '2 pawl: No run is called "alfred:x"'],
    [["show", "__proto__:1"], '2 pawl: No workflow is called "__proto__"'],
    [["show", "alfred:../../etc/passwd"], "2 pawl: The task id is not valid"],
    [["plan", "export", "nope"], "2 pawl: Task 'nope' not found"],
    [["cast", "acio"], '2 pawl: The spell is "acio": expected one of accio,'],
    [["step"], "2 pawl: `pawl step` needs a second word: expected one of done,"],
    [["repo", "add", "ext::sh -c touch% pwned"], "1 pawl: ext::sh -c touch% pwned could not be cloned"],
    [["--file", "no/where.yaml", "list"], "1 pawl: The tasks file"],
    [["mcp", "--http", "--port", "99999"], '2 pawl: --port is "99999"'],
  ])("%j is refused", async (words, told) => {
    using project = open();
    project.write("tasks.yaml", TASKS);
    expect(await refused(project, ...words)).toContain(told);
    expect(project.read("tasks.yaml")).toBe(TASKS);
    expect(project.read(".pawl/events.jsonl")).toBeNull();
  });

  it.each([
    [["workflow", "new", "--list"], "See `pawl workflow new --help`."],
    [["step", "done", "--quickly", "A"], "See `pawl step done --help`."],
    [["import", "--quickly"], "See `pawl import --help`."],
    [["import", "github:"], "Name the repository: `pawl import github:OWNER/NAME`."],
  ])("%j leads to the very help", async (words, told) => {
    using project = open();
    expect(await refused(project, ...words)).toContain(told);
  });

  it("says of a list without tasks that it has none, not that they are done", async () => {
    using project = open();
    project.write("tasks.yaml", "tasks: []\n");
    expect((await project.pawl("next")).out).toBe("There are no tasks.\n");
  });

  it("keeps a line for each problem of a file", async () => {
    using project = open();
    project.write("tasks.yaml", "tasks:\n  - {id: A}\n  - {id: A, title: 3}\n");
    expect(await refused(project, "list")).toMatch(
      /^1 pawl: tasks\.yaml has 3 problems:\n {6}tasks\.yaml:2:5: .*\n {6}tasks\.yaml:3:10: .*\n {6}tasks\.yaml:3:20: /,
    );
  });

  it("says what keeps every workflow from a run, and not that all of them know it", async () => {
    using project = open();
    project.write("tasks.yaml", TASKS);
    project.write("pawl.yaml", "bloom: {agnt: x}\n");
    expect(await refused(project, "show", "A")).toContain(
      "1 pawl: pawl.yaml:1:9: bloom.agnt is not a setting",
    );
  });

  it("does not wait for a pipe that stands where a file should", async () => {
    using project = temporaryProject({ marked: false, environment: { DOOR_ONLY: "" } });
    execFileSync("mkfifo", [join(project.root, "pawl.yaml")]);
    expect(await refused(project, "config")).toContain("expected a file, found something that is neither");
  });

  it("says that the folder is gone if it was removed", async () => {
    using project = open();
    const gone = join(project.root, "gone");
    mkdirSync(gone);
    const script = 'rmdir "$0"; exec "$1" "$2" status';
    const shell = spawn("sh", ["-c", script, gone, process.execPath, MAIN], {
      cwd: gone,
      env: testEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { code, err } = await end(shell);
    expect(code).toBe(2);
    expect(err).toContain("pawl: The shell's current folder no longer exists");
  });

  it("knows no workflow of which a run is named wrongly", async () => {
    using project = open();
    project.write("pawl.yaml", "workflows: [release.yaml]\n");
    expect(await refused(project, "cast", "releas:1")).toMatch(
      /^2 .*No workflow is called "releas".*\nfix: {2}Use release\./,
    );
  });
});

/** A project with `.ai/` under git: the work is the checkout's, and a state that git brings all the same is followed. */
import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { type TemporaryProject, temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { LOG } from "../rig/spells-project.ts";

const STATE = ".ai/task/state.json";

function git({ root }: TemporaryProject, ...args: readonly string[]): string {
  const who = ["-c", "user.name=Dev", "-c", "user.email=dev@example.com"];
  return execFileSync("git", [...who, ...args], { cwd: root, encoding: "utf8", stdio: "pipe" });
}

function commit(project: TemporaryProject, message: string): void {
  git(project, "add", "-A");
  git(project, "commit", "-q", "-m", message);
}

const stateIn = (project: TemporaryProject) => JSON.parse(project.read(STATE) ?? "{}").current_state;

it("a commit of all files leaves out if the work stands: after a switch of branches the next spell works", async () => {
  promise("gates.history-git");
  using project = temporaryProject({ environment: { DOOR_ONLY: "" } });
  git(project, "init", "-q", "-b", "main");
  await project.pawl("cast", "accio");
  commit(project, "One");
  git(project, "checkout", "-q", "-b", "feat");
  project.write(".ai/task/context.md", "# Context\n\nWhat is to be done.\n");
  project.write("src.txt", "work");
  await project.pawl("cast", "accio");
  commit(project, "Two");
  git(project, "checkout", "-q", "main");
  expect(await project.pawl("lumos")).toMatchObject({ code: 0 });
  expect(await project.pawl("cast", "accio")).toMatchObject({ code: 0 });
  git(project, "checkout", "-q", "-f", "feat");
  expect(await project.pawl("lumos")).toMatchObject({ code: 0 });
  expect(git(project, "ls-files", ".ai").trim().split("\n")).toEqual([
    ".ai/.gitignore",
    ".ai/plan-guide.md",
    ".ai/task-guide.md",
  ]);
});

it("an older state that a checkout brings counts, with the texts that came with it", async () => {
  promise("gates.history-git");
  using project = temporaryProject({ environment: { DOOR_ONLY: "" } });
  git(project, "init", "-q", "-b", "main");
  expect((await project.pawl("cast", "accio")).code).toBe(0);
  project.write(".ai/.gitignore", "");
  commit(project, "One");
  project.write(".ai/task/context.md", "# Context\n\nWhat is to be done.\n");
  await project.pawl("cast", "accio");
  commit(project, "Two");
  git(project, "checkout", "-q", "HEAD~1");
  expect(await project.pawl("lumos")).toMatchObject({ code: 0 });
  expect((await project.pawl("status")).out).toContain("GATHER_EDITING_CONTEXT");
  git(project, "checkout", "-q", "-");
  expect((await project.pawl("lumos")).code).toBe(0);
  expect(stateIn(project)).toBe("GATHER_EDITING");

  git(project, "checkout", "-q", "HEAD~1");
  expect((await project.pawl("cast", "accio")).code).toBe(0);
  expect(stateIn(project)).toBe("GATHER_EDITING");
  expect(project.read(LOG)).toContain('"kind":"returned"');
});

it("a state that git brings and that never was here is held, and a person accepts it", async () => {
  promise("gates.history-git");
  using project = temporaryProject({ environment: { DOOR_ONLY: "" } });
  git(project, "init", "-q", "-b", "main");
  await project.pawl("cast", "accio");
  project.write(".ai/.gitignore", "");
  const other = JSON.stringify({ current_state: "GATHER_EDITING", context: {}, history: [] });
  project.write(STATE, other);
  commit(project, "Another's");
  const held = await project.pawl("lumos");
  expect(held).toMatchObject({ code: 1, err: expect.stringContaining("[state-tampered]") });
  expect(held.err).toContain("`pawl repair`");
  expect((await project.person("repair")).out).toContain("is taken as it is");
  expect((await project.pawl("lumos")).code).toBe(0);
  expect(stateIn(project)).toBe("GATHER_EDITING");
});

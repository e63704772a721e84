/** A project in which git tracks `.ai/`: what a checkout brings is held, and the words lead out. */
import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { type TemporaryProject, temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

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

it("a commit of all files leaves out where the work stands: after a switch of branches the next spell works", async () => {
  promise("gates.history-git");
  using project = temporaryProject({ environment: { DOOR_ONLY: "" } });
  git(project, "init", "-q", "-b", "main");
  await project.pawl("cast", "accio");
  commit(project, "One");
  git(project, "checkout", "-q", "-b", "feat");
  project.write(".ai/task/context.md", "# Context\n\nWhat is to be done.\n");
  await project.pawl("cast", "accio");
  commit(project, "Two");
  git(project, "checkout", "-q", "main");
  expect(await project.pawl("lumos")).toMatchObject({ code: 0 });
  expect(await project.pawl("cast", "accio")).toMatchObject({ code: 0 });
  git(project, "checkout", "-q", "-f", "feat");
  expect(await project.pawl("lumos")).toMatchObject({ code: 0 });
  expect(git(project, "ls-files", ".ai")).not.toContain("state.json");
});

it("an older state that a checkout brings is held with what to do, and each way that it names leads on", async () => {
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
  const held = await project.pawl("lumos");
  expect(held).toMatchObject({ code: 1, err: expect.stringContaining("[state-tampered]") });
  for (const words of [
    "If git brought it (a checkout, a merge, a stash)",
    "`git checkout -`",
    "`pawl repair`",
    `\`git rm --cached ${STATE}\``,
    ".gitignore",
  ])
    expect(held.err).toContain(words);
  expect((await project.pawl("status")).out.replace(/\s+/g, " ")).toContain("If git brought it");

  git(project, "checkout", "-q", "-");
  expect((await project.pawl("lumos")).code).toBe(0);
  expect(stateIn(project)).toBe("GATHER_EDITING");

  git(project, "checkout", "-q", "HEAD~1");
  expect((await project.person("repair")).out).toContain("is taken as it is");
  expect((await project.pawl("lumos")).code).toBe(0);
  expect(stateIn(project)).toBe("GATHER_EDITING_CONTEXT");

  git(project, "checkout", "-q", "-b", "on", "main");
  await project.person("repair");
  git(project, "rm", "-q", "--cached", STATE);
  project.write(".gitignore", `${STATE}\n`);
  commit(project, "The state is the checkout's");
  git(project, "checkout", "-q", "-b", "other");
  project.write("src.txt", "work");
  commit(project, "Work");
  await project.pawl("cast", "accio");
  const before = project.read(STATE);
  git(project, "checkout", "-q", "on");
  expect(project.read(STATE)).toBe(before);
  expect((await project.pawl("lumos")).code).toBe(0);
});

/** A project whose task opens a pull request, on a forge that has the project's own remote. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type BloomOptions, type BloomProject, bloomProject } from "./bloom-project.ts";
import type { PullServer } from "./pull-server.ts";

export const TASKS = `git: {push_to_remote: true}
tasks:
- id: T1
  title: Add the answer
  repo: .
  branch: feat/x
  base_branch: main
  open_pr: true
  instructions: "RUN: true"
  acceptance_criteria: [The file says 42]
  verify: ["grep -q 42 a.txt"]
  steps:
  - id: s1
    instruction: |
      RUN: echo 42 > a.txt; git add -A; git commit -qm a
      RUN: bloom step done s1
    acceptance_criteria: [It is committed]
- id: T2
  title: Needs it
  repo: .
  depends_on: [T1]
  instructions: |
    RUN: cp a.txt "$PAWL_PROJECT/.pawl/seen.txt"
    RUN: bloom done T2 --nothing "it only looks"
`;

/** The forge's repository is the project's bare remote. */
export function shop(forge: PullServer, more: Partial<BloomOptions> = {}): BloomProject {
  const project = bloomProject({
    tasks: TASKS,
    ...more,
    environment: forge.environment,
  });
  const address = `${forge.url}/acme/shop.git`;
  project.git("config", `url.${join(project.root, "../remote.git")}.insteadOf`, address);
  project.git("remote", "set-url", "origin", address);
  forge.heads = (branch) =>
    project.remoteGit("for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`) || null;
  return project;
}

/** As the forge does it when a person presses the button, and then the one that deletes the branch. */
export function mergeThere(
  project: BloomProject,
  forge: PullServer,
  how: "--no-ff" | "--squash" = "--no-ff",
): void {
  const git = mergePull(project, forge, { number: 1, head: "feat/x", base: "main" }, how);
  git("push", "-q", "origin", ":feat/x");
}

/** As the forge does it when a person presses the button; what it gives back runs git in the forge's checkout. */
export function mergePull(
  project: BloomProject,
  forge: PullServer,
  { number, head, base }: { readonly number: number; readonly head: string; readonly base: string },
  how: "--no-ff" | "--squash" = "--no-ff",
): (...args: readonly string[]) => void {
  const folder = join(project.root, "../forge");
  execFileSync("git", ["clone", "-q", join(project.root, "../remote.git"), folder], { stdio: "pipe" });
  const who = ["-c", "user.name=F", "-c", "user.email=f@x.y"];
  const git = (...args: readonly string[]) =>
    void execFileSync("git", ["-C", folder, ...who, ...args], { stdio: "pipe" });
  git(
    "merge",
    "-q",
    how,
    ...(how === "--no-ff" ? ["-m", `Merge pull request #${number}`] : []),
    `origin/${head}`,
  );
  if (how === "--squash") git("commit", "-qm", `Add the answer (#${number})`);
  git("push", "-q", "origin", base);
  forge.close(number, "merged");
  return git;
}

export function statuses(project: BloomProject): readonly string[] {
  return project.tasks().map(({ status }) => status);
}

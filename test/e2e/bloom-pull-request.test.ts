/** `open_pr` through the loop, with a forge on the loopback address: opened once, watched, and waited for. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BloomProject, bloomProject } from "../rig/bloom-project.ts";
import { FORGE_TOKEN, PullRequestServer } from "../rig/pull-request-server.ts";

const LONG = { timeout: 90_000 };
const ADDRESS = "https://forge.example/acme/shop.git";

const TASKS = `git: {push_to_remote: true}
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
    RUN: bloom done T2
`;

/** The forge's repository is the project's bare remote. */
function shop(url: string): BloomProject {
  const project = bloomProject({
    tasks: TASKS,
    environment: { GITHUB_API_URL: url, GITHUB_TOKEN: FORGE_TOKEN },
  });
  project.git("config", `url.${join(project.root, "../remote.git")}.insteadOf`, ADDRESS);
  project.git("remote", "set-url", "origin", ADDRESS);
  return project;
}

/** As the forge does it when a person presses the button. */
function mergeThere(project: BloomProject): void {
  const folder = join(project.root, "../forge");
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=F", "-c", "user.email=f@x.y", ...args], { stdio: "pipe" });
  git("clone", "-q", join(project.root, "../remote.git"), folder);
  git("-C", folder, "merge", "-q", "--no-ff", "-m", "Merge pull request #1", "origin/feat/x");
  git("-C", folder, "push", "-q", "origin", "main");
}

describe("A task with open_pr", () => {
  it(
    "opens one pull request, and what depends on it begins once its commits are in the target",
    LONG,
    async () => {
      await using forge = await PullRequestServer.open("acme/shop");
      using project = shop(forge.url);
      const ran = await project.run();
      expect(ran.code).toBe(3);
      expect(ran.of("git:pr_opened")).toEqual([
        expect.objectContaining({
          taskId: "T1",
          number: 1,
          url: "https://github.com/acme/shop/pull/1",
          found: false,
        }),
      ]);
      const commit = project.remoteGit("rev-parse", "feat/x");
      expect(forge.pulls).toEqual([
        {
          number: 1,
          title: "T1: Add the answer",
          body: [
            "RUN: true",
            "",
            "## Acceptance criteria",
            "",
            "- The file says 42",
            "- It is committed",
            "",
            "## Steps",
            "",
            "- s1: RUN: echo 42 > a.txt; git add -A; git commit -qm a",
            "",
            "## Checks run by Pawl",
            "",
            `- \`grep -q 42 a.txt\` passed at ${commit.slice(0, 12)}`,
          ].join("\n"),
          head: "feat/x",
          base: "main",
          state: "open",
        },
      ]);
      expect((await project.bloom("show", "T1")).out).toContain("https://github.com/acme/shop/pull/1");

      // Merged there, and not known here yet.
      mergeThere(project);
      expect((await project.run()).code).toBe(3);
      expect(statuses(project)).toEqual(["done_pending_merge", undefined]);
      expect(project.runs().map(({ run }) => run)).toEqual(["T1.1"]);

      // The person's own checkout has edits, and stays behind.
      project.write(".gitignore", ".pawl/\ntasks.yaml\nmine\n");
      expect((await project.bloom("repo", "sync")).out).toContain("origin/main: 2 commits");
      expect((await project.run()).code).toBe(0);
      expect(statuses(project)).toEqual(["done", "done"]);
      expect(project.read(".pawl/seen.txt")).toBe("42\n");
      expect(project.git("log", "-1", "--format=%s", "main")).toBe("Begin");
      expect(forge.asked.filter(({ method }) => method === "POST")).toHaveLength(1);
    },
  );

  // The sixth move tells that the pull request is open.
  for (const side of ["before", "after"] as const)
    it(
      `whose loop is killed right after opening, ${side} it is told, finds it and opens no other`,
      LONG,
      async () => {
        await using forge = await PullRequestServer.open("acme/shop");
        using project = shop(forge.url);
        expect((await project.runKilledAt(6, side)).signal).toBe("SIGKILL");
        expect(forge.pulls).toHaveLength(1);
        const told = () => project.stored().filter(({ type }) => type === "git:pr_opened");
        expect(told()).toHaveLength(side === "before" ? 0 : 1);
        expect((await project.run()).code).toBe(3);
        expect(told()).toEqual([expect.objectContaining({ number: 1, found: side === "before" })]);
        expect(forge.asked.filter(({ method }) => method === "POST")).toHaveLength(1);
        expect(project.runs()).toHaveLength(1);
      },
    );

  it("tries again while the forge cannot answer", LONG, async () => {
    await using forge = await PullRequestServer.open("acme/shop");
    using project = shop(forge.url);
    forge.faults.push({ path: /pulls/, answer: { status: 503, json: { message: "Unavailable" } }, times: 2 });
    const ran = await project.run();
    expect(ran.code).toBe(3);
    expect(ran.of("git:pr_failed")).toHaveLength(2);
    expect(ran.of("run:advanced").map(({ row }) => row)).toEqual(
      expect.arrayContaining(["pushed.opens_pr", "pr.again", "pr.watches"]),
    );
    expect(forge.pulls).toHaveLength(1);
  });

  it(
    "is blocked when the forge stays away, with the reason, and opens it later without its agent",
    LONG,
    async () => {
      await using forge = await PullRequestServer.open("acme/shop");
      forge.faults.push({ path: /pulls/, answer: { status: 503, json: { message: "Unavailable" } } });
      using project = shop(forge.url);
      const ran = await project.run();
      expect(ran.code).toBe(1);
      expect(ran.of("task:retried")).toHaveLength(2);
      expect(project.tasks()[0]).toMatchObject({
        status: "blocked",
        ai_notes: [expect.stringContaining("503: Unavailable")],
      });
      forge.faults.length = 0;
      expect((await project.bloom("ready", "T1")).code).toBe(0);
      expect((await project.run()).code).toBe(3);
      expect(forge.pulls).toHaveLength(1);
      expect(project.runs()).toHaveLength(1);
    },
  );
});

function statuses(project: BloomProject): readonly string[] {
  return project.tasks().map(({ status }) => status);
}

import { describe, expect, it } from "vitest";
import { GiteaServer } from "../rig/gitea-server.ts";
import { GitlabServer } from "../rig/gitlab-server.ts";
import { promise } from "../rig/promise.ts";
import { LogHost, PullRequestServer } from "../rig/pull-request-server.ts";
import { mergeThere, shop, statuses, TASKS } from "../rig/pull-request-shop.ts";
import type { PullServer } from "../rig/pull-server.ts";

const FORGES = [
  { name: "GitHub", open: PullRequestServer.open },
  { name: "GitLab", open: GitlabServer.open },
  { name: "Gitea", open: GiteaServer.open },
] as const;
const LONG = { timeout: 90_000 };
describe("A task with open_pr", () => {
  it(
    "opens one pull request, and what depends on it begins once its commits are in the target",
    LONG,
    async () => {
      await using forge = await PullRequestServer.open("acme/shop");
      using project = shop(forge);
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
          merged: false,
          sha: commit,
        },
      ]);
      expect((await project.bloom("show", "T1")).out).toContain("https://github.com/acme/shop/pull/1");

      // Not merged yet: a run looks, and leaves it at that.
      expect((await project.run()).code).toBe(3);
      expect(statuses(project)).toEqual(["done_pending_merge", undefined]);
      expect(project.runs().map(({ run }) => run)).toEqual(["T1.1"]);

      // The person's own checkout has edits, and stays behind.
      project.write(".gitignore", ".pawl/\ntasks.yaml\nmine\n");
      mergeThere(project, forge);
      const last = await project.run();
      expect(last.code).toBe(0);
      expect(last.of("git:pr_merged")).toEqual([expect.objectContaining({ taskId: "T1", number: 1 })]);
      expect(statuses(project)).toEqual(["done", "done"]);
      expect(project.read(".pawl/seen.txt")).toBe("42\n");
      expect(project.git("log", "-1", "--format=%s", "main")).toBe("Begin");
      expect(forge.opened).toBe(1);
    },
  );

  it(
    "takes its worktree and branch away after a squash merge, of which git itself knows nothing",
    LONG,
    async () => {
      await using forge = await PullRequestServer.open("acme/shop");
      using project = shop(forge, {
        tasks: TASKS.replace("push_to_remote: true", "push_to_remote: true, auto_cleanup_merged: true"),
      });
      expect((await project.run("--task", "T1")).code).toBe(3);
      mergeThere(project, forge, "--squash");
      expect((await project.run("--task", "T1")).code).toBe(0);
      expect(project.git("branch", "--format=%(refname:short)")).toBe("main");
      expect(project.git("worktree", "list").split("\n")).toHaveLength(1);
    },
  );

  it.each(FORGES)(
    "whose checks fail on $name mends them in its session, and one that keeps failing waits for a person",
    LONG,
    async ({ open }) => {
      promise("bloom.pull-request.comes-back");
      await using forge: PullServer = await open("acme/shop");
      await using host = await LogHost.open();
      if (forge instanceof PullRequestServer) forge.logHost = host.url;
      using project = shop(forge, {
        settings: { pr: { rounds: 1 } },
        answers: { "no newline allowed": "RUN: printf 42 > a.txt; git commit -qam 'No newline'" },
      });
      const fails = (id: number) => {
        const sha = project.remoteGit("rev-parse", "feat/x");
        forge.checks.push({ id, name: "lint", sha, conclusion: "failure" });
      };
      for (const { logs } of [host, forge]) logs.set("1", "a.txt: no newline allowed\n##[error]exit 1");
      await project.run();
      fails(1);
      const mended = await project.run();
      expect(mended.code).toBe(3);
      expect(mended.of("git:pr_returned")).toEqual([
        expect.objectContaining({ round: 1, of: 1, reason: "its pull request fails lint" }),
      ]);
      expect(project.remoteGit("show", "feat/x:a.txt")).toBe("42");
      // The same pull request has it.
      expect(forge.opened).toBe(1);
      expect(statuses(project)).toEqual(["done_pending_merge", undefined]);

      fails(2);
      const given = await project.run();
      expect(given.code).toBe(1);
      expect(given.of("agent:started")).toEqual([]);
      expect((await project.bloom("show", "T1")).out).toContain(
        "its pull request fails lint; `pr.rounds: 1` is reached",
      );
    },
  );
});

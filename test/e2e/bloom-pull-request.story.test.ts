import { describe, expect, it } from "vitest";
import { PullRequestServer } from "../rig/pull-request-server.ts";
import { mergeThere, shop, statuses, TASKS } from "../rig/pull-request-shop.ts";

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
});

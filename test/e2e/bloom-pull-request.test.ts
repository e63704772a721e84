import { describe, expect, it } from "vitest";
import { ranOf } from "../rig/bloom-project.ts";
import { PullRequestServer } from "../rig/pull-request-server.ts";
import { mergeThere, shop, statuses, TASKS } from "../rig/pull-request-shop.ts";
import { until } from "../rig/until.ts";

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
    "is watched by a loop that has nothing else to do, at its pace and without any agent",
    LONG,
    async () => {
      await using forge = await PullRequestServer.open("acme/shop");
      using project = shop(forge, { settings: { watch_pull_requests: 1 } });
      const child = project.start();
      const ran = ranOf(child);
      await until(() => forge.pulls.length === 1);
      const looks = () => forge.asked.filter(({ path }) => path.endsWith("/pulls/1")).length;
      await until(() => looks() >= 3);
      const [events, commits] = [project.stored().length, project.read(".pawl/runs/T1.json")];
      await until(() => looks() >= 5);
      // Looks are neither events nor commits, and nothing is asked beside them.
      expect([project.stored().length, project.read(".pawl/runs/T1.json")]).toEqual([events, commits]);
      expect(forge.asked.slice(-3).map(({ method, path }) => `${method} ${path}`)).toEqual(
        Array(3).fill("GET /repos/acme/shop/pulls/1"),
      );
      expect(project.runs()).toHaveLength(1);
      mergeThere(project, forge);
      await until(() => statuses(project).every((status) => status === "done"));
      child.kill("SIGINT");
      const { code, events: told } = await ran;
      expect(code).toBe(0);
      expect(told).toContainEqual({
        type: "git:pr_watched",
        taskId: "T1",
        number: 1,
        url: "https://github.com/acme/shop/pull/1",
        every: 1,
      });
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

  it(
    "is blocked when a person closes it, and another is opened when a person wants it so",
    LONG,
    async () => {
      await using forge = await PullRequestServer.open("acme/shop");
      using project = shop(forge);
      expect((await project.run()).code).toBe(3);
      forge.close(1, "closed");
      expect((await project.run()).code).toBe(1);
      expect(project.tasks()[0]).toMatchObject({
        status: "blocked",
        ai_notes: [expect.stringContaining("closed without a merge (https://github.com/acme/shop/pull/1)")],
      });
      expect((await project.bloom("ready", "T1")).code).toBe(0);
      expect((await project.run()).code).toBe(3);
      expect(forge.pulls.map(({ number, state }) => [number, state])).toEqual([
        [1, "closed"],
        [2, "open"],
      ]);
      expect(project.runs()).toHaveLength(1);
    },
  );

  it(
    "waits on while the forge does not answer, and sees by the remote's branch that it was merged",
    LONG,
    async () => {
      await using forge = await PullRequestServer.open("acme/shop");
      using project = shop(forge, { settings: { tries: 1 } });
      expect((await project.run()).code).toBe(3);
      forge.faults.push({
        path: /pulls/,
        answer: { status: 502, json: { message: "Bad gateway" } },
        times: 1000,
      });
      const ran = await project.run();
      expect(ran.code).toBe(3);
      expect(ran.of("git:pr_unseen")).toEqual([
        expect.objectContaining({ taskId: "T1", reason: expect.stringContaining("502") }),
      ]);
      mergeThere(project, forge);
      expect((await project.run()).code).toBe(0);
      expect(statuses(project)).toEqual(["done", "done"]);
    },
  );

  it("lets the run stop at once while the forge is silent", LONG, async () => {
    await using forge = await PullRequestServer.open("acme/shop");
    using project = shop(forge);
    expect((await project.run()).code).toBe(3);
    forge.faults.push({ path: /pulls/, answer: { silent: true }, times: 1000 });
    const asked = forge.asked.length;
    const child = project.start();
    const ran = ranOf(child);
    await until(() => forge.asked.length > asked);
    child.kill("SIGINT");
    expect((await ran).code).toBe(130);
    expect(statuses(project)).toEqual(["done_pending_merge", undefined]);
  });

  it("tries again while the forge cannot answer", LONG, async () => {
    await using forge = await PullRequestServer.open("acme/shop");
    using project = shop(forge);
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
      using project = shop(forge);
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

/** `open_pr` with a loop that dies right after opening: none is opened twice, whatever a person does meanwhile. */
import { describe, expect, it } from "vitest";
import { promise } from "../rig/promise.ts";
import { PullRequestServer } from "../rig/pull-request-server.ts";
import { mergeThere, shop, statuses } from "../rig/pull-request-shop.ts";

const LONG = { timeout: 90_000 };

describe("A task with open_pr", () => {
  // The sixth move tells that the pull request is open.
  for (const side of ["before", "after"] as const)
    it(
      `whose loop is killed right after opening, ${side} it is told, finds it and opens no other`,
      LONG,
      async () => {
        await using forge = await PullRequestServer.open("acme/shop");
        using project = shop(forge);
        expect((await project.runKilledAt(6, side)).signal).toBe("SIGKILL");
        expect(forge.pulls).toHaveLength(1);
        const told = () => project.stored().filter(({ type }) => type === "git:pr_opened");
        expect(told()).toHaveLength(side === "before" ? 0 : 1);
        expect((await project.run()).code).toBe(3);
        expect(told()).toEqual([expect.objectContaining({ number: 1, found: side === "before" })]);
        expect(forge.opened).toBe(1);
        expect(project.runs()).toHaveLength(1);
      },
    );

  it.each(["--no-ff", "--squash"] as const)(
    "whose loop is killed before it is told, and that is merged (%s) meanwhile, goes on from the merge",
    LONG,
    async (how) => {
      await using forge = await PullRequestServer.open("acme/shop");
      using project = shop(forge);
      expect((await project.runKilledAt(6, "before")).signal).toBe("SIGKILL");
      mergeThere(project, forge, how);
      expect((await project.run()).code).toBe(0);
      expect(forge.opened).toBe(1);
      expect(forge.pulls).toHaveLength(1);
      expect(statuses(project)).toEqual(["done", "done"]);
      expect(project.read(".pawl/seen.txt")).toBe("42\n");
      // The branch that the person deleted there is not pushed again.
      expect(project.remoteGit("branch", "--format=%(refname:short)")).not.toContain("feat/x");
      expect(project.runs().map(({ run }) => run)).toEqual(["T1.1", "T2.1"]);
    },
  );

  it("whose loop is killed before it is told, and that is closed meanwhile, is blocked", LONG, async () => {
    promise("git.once");
    await using forge = await PullRequestServer.open("acme/shop");
    using project = shop(forge);
    expect((await project.runKilledAt(6, "before")).signal).toBe("SIGKILL");
    forge.close(1, "closed");
    expect((await project.run()).code).toBe(1);
    expect(forge.opened).toBe(1);
    expect(project.tasks()[0]?.status).toBe("blocked");
  });
});

/** Whose turn it is to merge into a branch that several machines merge into. */
import { describe, expect, it } from "vitest";
import type { LeaseManager, TakenLease } from "../core/ports/leases.ts";
import type { MergeTurn, Repo } from "../core/ports/worktrees.ts";
import { openMergeTurns } from "./merge-queue.ts";

function opened(answer: () => Partial<TakenLease> | null, here?: MergeTurn) {
  const asked: string[] = [];
  const released: string[] = [];
  const lock: MergeTurn = here ?? { kind: "mine", release: async () => void released.push("lock") };
  const leases = {
    isShared: true,
    async take(what: string, owner: string) {
      asked.push(`${owner} takes ${what}`);
      const given = answer();
      return given && { what, abandoned: false, release: async () => void released.push("lease"), ...given };
    },
  } as unknown as LeaseManager;
  const turns = openMergeTurns({ takeTurn: async () => lock }, leases, "worker one");
  return { asked, released, take: () => turns.takeTurn("api" as Repo, "main", "T1") };
}

describe("A turn to merge among several machines", () => {
  it("is a lease on the target besides the lock of this machine; both are given back", async () => {
    const { asked, released, take } = opened(() => ({ epoch: 7 }));
    const turn = await take();
    expect(turn).toMatchObject({
      kind: "mine",
      lease: { what: "@into:api:main", epoch: 7, holder: "worker one" },
    });
    expect(asked).toEqual(["worker one takes @into:api:main"]);
    if (turn.kind === "mine") await turn.release();
    expect(released).toEqual(["lease", "lock"]);
  });

  it("is not had while another machine has it: the lock of this one is free again", async () => {
    const { released, take } = opened(() => null);
    expect(await take()).toEqual({ kind: "taken", owner: "another machine" });
    expect(released).toEqual(["lock"]);
  });

  it("is not asked for while another process of this machine merges", async () => {
    const { asked, take } = opened(() => ({ epoch: 1 }), { kind: "taken", owner: "T2" });
    expect(await take()).toEqual({ kind: "taken", owner: "T2" });
    expect(asked).toEqual([]);
  });

  it("leaves no lock behind if the lease cannot be taken or given back", async () => {
    const away = new Error("the database is away");
    const untaken = opened(() => {
      throw away;
    });
    await expect(untaken.take()).rejects.toBe(away);
    expect(untaken.released).toEqual(["lock"]);
    const kept = opened(() => ({ epoch: 1, release: () => Promise.reject(away) }));
    const turn = await kept.take();
    await expect(turn.kind === "mine" && turn.release()).rejects.toBe(away);
    expect(kept.released).toEqual(["lock"]);
  });
});

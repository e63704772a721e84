import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { stateOf } from "../../test/rig/state-home.ts";
import { newId } from "../adapters/clock/new-id.ts";
import { openStore } from "../adapters/files/store.ts";
import { PawlError } from "../core/error.ts";
import type { Caller } from "../core/event.ts";
import { projectPath } from "../core/path.ts";
import type { Policy } from "../core/policy.ts";
import type { Outside } from "../core/ports/outside.ts";
import type { Policies } from "../core/ports/policies.ts";
import { DEFAULT_SETTINGS } from "../core/settings.ts";
import type { Proposal, Transaction } from "./module.ts";
import { advance, preview, type Runtime } from "./run-transaction.ts";
import { type Context, withFailure, withInput } from "./transaction.ts";

const COUNT = projectPath("count.txt");
const CALLER: Caller = { channel: "library" };

/** Adds one to the number in count.txt. */
const addOne: Transaction<Record<string, never>, number, unknown, string> = {
  run: () => "test:count",
  read: async (view) => Number((await view.read(COUNT)) ?? "0"),
  propose: (count, _gathered, _input, { caller, now }): Proposal<string> => ({
    reply: `now ${count + 1}`,
    changes: [{ type: "write", path: COUNT, text: String(count + 1) }],
    events: [
      {
        ...now,
        type: "run:advanced",
        run: "test:count",
        machine: "count",
        event: "add",
        row: "add",
        from: "counting",
        to: "counting",
        summary: `${count} → ${count + 1}`,
        by: caller,
      },
    ],
    logs: [{ path: projectPath("log.txt"), line: `counted ${count + 1}` }],
  }),
};

describe("an advance", () => {
  let root: string;
  let runtime: Runtime;
  const text = (name: string) => readFileSync(join(root, name), "utf8");

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "pawl-advance-"));
    const store = openStore({ root, state: stateOf(root) });
    runtime = {
      store,
      outside: {} as Outside,
      settings: async () => DEFAULT_SETTINGS,
      now: () => new Date(),
      newId,
    };
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("commits state and event together, then logs, and returns the reply", async () => {
    const { reply } = await advance(runtime, addOne, {}, CALLER);
    expect(reply).toBe("now 1");
    expect(text("count.txt")).toBe("1");
    expect(JSON.parse(text(".pawl/events.jsonl"))).toMatchObject({
      type: "run:advanced",
      summary: "0 → 1",
      by: CALLER,
    });
    expect(text("log.txt")).toBe("counted 1\n");
  });

  it("keeps a policy right before the commit, and does all again where another was kept meanwhile", async () => {
    const kept = new Map<string, Policy>();
    const policies: Policies = {
      find: async (run) => kept.get(run) ?? null,
      keep: async (run, policy) => void kept.set(run, policy),
      forget: async (run) => void kept.delete(run),
      list: async () => [...kept.keys()],
    };
    let looks = 0;
    const pinning = (
      changes?: readonly [],
    ): Transaction<Record<string, never>, number, Policy | null, string> => ({
      ...addOne,
      async observe(_seen, _input, { policies }) {
        const instead = (await policies?.find("test:count")) ?? null;
        looks += 1;
        if (looks === 1) kept.set("test:count", { by: "another" });
        return instead;
      },
      propose: (count, instead, input, context) => ({
        ...addOne.propose(count, null, input, context),
        ...(changes && { changes }),
        pin: { run: "test:count", policy: { looks }, instead },
      }),
    });
    const pinned = { ...runtime, outside: { policies } as Partial<Outside> as Outside };
    expect((await advance(pinned, pinning(), {}, CALLER)).reply).toBe("now 1");
    expect(kept.get("test:count")).toEqual({ looks: 2 });
    looks = 0;
    const looking = { ...pinning([]), run: () => null };
    expect((await advance(pinned, looking, {}, CALLER)).reply).toBe("now 2");
    expect([kept.get("test:count"), text("count.txt")]).toEqual([{ looks: 2 }, "1"]);
    kept.clear();
    await preview(pinned, pinning(), {}, CALLER);
    expect(kept.size).toBe(0);
  });

  it("decides again when what it read changed while it gathered", async () => {
    let gatherings = 0;
    const slow: typeof addOne = {
      ...addOne,
      async observe() {
        gatherings++;
        if (gatherings === 1) writeFileSync(join(root, "count.txt"), "41");
      },
    };
    expect((await advance(runtime, slow, {}, CALLER)).reply).toBe("now 42");
    expect(gatherings).toBe(2);
    expect(text("count.txt")).toBe("42");
    expect(text(".pawl/events.jsonl").trim().split("\n")).toHaveLength(1);
  });

  it("gathers outside every lock: another advance of the same run goes through meanwhile", async () => {
    let gatherings = 0;
    const slow: typeof addOne = {
      ...addOne,
      async observe() {
        gatherings++;
        if (gatherings === 1) await advance(runtime, addOne, {}, CALLER);
      },
    };
    expect((await advance(runtime, slow, {}, CALLER)).reply).toBe("now 2");
  });

  it("loses no count when many run at once", async () => {
    await Promise.all(Array.from({ length: 20 }, () => advance(runtime, addOne, {}, CALLER)));
    expect(text("count.txt")).toBe("20");
  });

  it("commits nothing when a human must be asked first, or when it fails", async () => {
    const asking: typeof addOne = {
      ...addOne,
      propose: (...all) => ({ ...addOne.propose(...all), ask: { message: "Approve?" } }),
    };
    expect((await advance(runtime, asking, {}, CALLER)).ask?.message).toBe("Approve?");
    const failing: typeof addOne = {
      ...addOne,
      propose: () => {
        throw new Error("no such template");
      },
    };
    await expect(advance(runtime, failing, {}, CALLER)).rejects.toThrow("no such template");
    expect(() => text("count.txt")).toThrow("ENOENT");
    expect(() => text(".pawl/events.jsonl")).toThrow("ENOENT");
  });

  it("stands when what follows the commit fails, and says and logs why", async () => {
    const followed: typeof addOne = {
      ...addOne,
      propose: (...all) => ({
        ...addOne.propose(...all),
        afterCommit: {
          plan: { ...addOne, read: async () => Promise.reject(new Error("no such tracker")) },
          input: {},
          merge: (reply: string) => `${reply}, and more`,
          failed: (reply: string, { message }: PawlError) => `${reply}, but ${message}`,
        },
      }),
    };
    expect((await advance(runtime, followed, {}, CALLER)).reply).toMatch(/^now 1, but .*no such tracker/);
    expect(JSON.parse(text(".pawl/failures.log"))).toMatchObject({
      what: "after-commit",
      code: "internal",
      message: expect.stringContaining("no such tracker"),
    });
  });

  it("refuses changes from an advance that says it only reads", async () => {
    await expect(advance(runtime, { ...addOne, run: () => null }, {}, CALLER)).rejects.toMatchObject({
      code: "internal",
      message: "A transaction that only reads proposes changes.",
      fix: "Report this.",
    });
    expect(() => text("count.txt")).toThrow("ENOENT");
  });

  it("gives up, and says so, when something else never stops writing what it reads", async () => {
    let n = 0;
    const disturbed: typeof addOne = {
      ...addOne,
      async observe() {
        writeFileSync(join(root, "count.txt"), String(n++));
      },
    };
    await expect(advance(runtime, disturbed, {}, CALLER)).rejects.toMatchObject({
      code: "commit-restarted-too-often",
      message:
        "The run test:count could not be advanced: what it reads was changed by others during each of 100 attempts.",
      fix: "Find out which program keeps writing to the project's files, then try again.",
    });
    expect(n).toBe(100);
  });

  it("tells what has to be worked out again to the cache, and lines to their logs", async () => {
    const cached: unknown[] = [];
    const cache = { get: async () => null, put: (...entry: unknown[]) => void cached.push(entry) };
    const working: typeof addOne = {
      ...addOne,
      propose: (...all) => ({
        ...addOne.propose(...all),
        cacheEntries: [{ kind: "tasks-1", source: COUNT, value: "parsed" }] as never,
      }),
    };
    await advance({ ...runtime, cache } as unknown as Runtime, working, {}, CALLER);
    expect(cached).toEqual([["tasks-1", COUNT, "parsed"]]);
    expect(text("log.txt")).toBe("counted 1\n");
  });

  it("knows who calls, what a person answered, when it is, and one id however often it is asked for", async () => {
    const contexts: Context[] = [];
    const looking: typeof addOne = {
      ...addOne,
      run: () => null,
      propose: (count, _observeed, _input, context) => {
        contexts.push(context);
        const ids = new Set([context.now.id, context.now.id]);
        return { reply: `${count} ${ids.size}` };
      },
    };
    const now = () => new Date("2026-01-31T09:30:15.250Z");
    const answered = { message: "Merge?" } as NonNullable<Context["answered"]>;
    expect((await advance({ ...runtime, now }, looking, {}, CALLER, answered)).reply).toBe("0 1");
    expect(contexts[0]).toMatchObject({ caller: CALLER, answered, settings: DEFAULT_SETTINGS });
    expect(contexts[0]?.now.time).toBe("2026-01-31T09:30:15.250Z");
    await advance(runtime, looking, {}, CALLER);
    expect(contexts[1]).not.toHaveProperty("answered");
    expect(contexts[1]).not.toHaveProperty("cache");
  });

  it("shows what it would reply, and commits nothing", async () => {
    expect((await preview(runtime, addOne, {}, CALLER)).reply).toBe("now 1");
    expect(() => text("count.txt")).toThrow("ENOENT");
  });

  describe("that somebody waits for", () => {
    const cancelled = {
      code: "cancelled",
      message: "The call was cancelled before anything was committed. Nothing was changed.",
      fix: "Call it again if you still want it; a check that has started in the project's folder runs to its end.",
    };
    const waitingFor = (stop: AbortSignal) => ({
      ...runtime,
      outside: { checks: {} } as Runtime["outside"],
      waiting: { stop } as NonNullable<Runtime["waiting"]>,
    });

    it("ends at once where it is called off, whatever it still waits for, and commits nothing", async () => {
      const calling = new AbortController();
      const endless: typeof addOne = {
        ...addOne,
        observe: () => {
          calling.abort();
          return new Promise(() => {});
        },
      };
      await expect(advance(waitingFor(calling.signal), endless, {}, CALLER)).rejects.toMatchObject(cancelled);
      await expect(advance(waitingFor(AbortSignal.abort()), addOne, {}, CALLER)).rejects.toMatchObject(
        cancelled,
      );
      expect(() => text("count.txt")).toThrow("ENOENT");
    });

    it("commits nothing where it is called off after everything was prepared", async () => {
      const calling = new AbortController();
      const late: typeof addOne = { ...addOne, observe: async () => undefined };
      const { store } = runtime;
      const hold: typeof store.hold = (run, work) => {
        calling.abort();
        return store.hold(run, work);
      };
      const stopped = { ...waitingFor(calling.signal), store: { ...store, hold } };
      await expect(advance(stopped, late, {}, CALLER)).rejects.toMatchObject(cancelled);
      expect(() => text("count.txt")).toThrow("ENOENT");
    });

    it("is committed where nobody calls it off, and its checks know who waits", async () => {
      const asked: unknown[] = [];
      const outside = {
        checks: { run: async (...order: unknown[]) => asked.push(order) },
      } as unknown as Outside;
      const checking: typeof addOne = {
        ...addOne,
        observe: (_seen, _input, { checks }) => checks.run("key", "npm test" as never, "on" as never),
      };
      const { signal } = new AbortController();
      expect((await advance({ ...waitingFor(signal), outside }, checking, {}, CALLER)).reply).toBe("now 1");
      await advance({ ...runtime, outside }, checking, {}, CALLER);
      expect(asked).toEqual([
        ["key", "npm test", "on", { stop: signal }],
        ["key", "npm test", "on"],
      ]);
    });
  });

  it("is the same for another input, which stands for one of its own", async () => {
    const own: Transaction<{ by: number }, number, number, string> = {
      run: ({ by }) => `test:${by}`,
      read: async (_view, { by }) => by,
      observe: async (seen, { by }) => seen + by,
      propose: (seen, observeed, { by }) => ({ reply: `${seen} ${observeed} ${by}` }),
    };
    const other = withInput(own, (word: string) => ({ by: word.length }));
    expect(other.run("four")).toBe("test:4");
    expect((await advance(runtime, other, "four", CALLER)).reply).toBe("4 8 4");
    const { observe: _, ...without } = own;
    expect(withInput(without as typeof own, (word: string) => ({ by: word.length }))).not.toHaveProperty(
      "observe",
    );
  });

  it("says of what was committed that what was to follow it failed", () => {
    const error = new PawlError("internal", "No tracker.", "Set it.");
    const failed = "This is committed, but the step after it failed: No tracker. Set it.";
    const after_commit = { code: "internal", message: "No tracker.", fix: "Set it." };
    expect(withFailure({ text: "Done.\n\n", data: { message: "Done. ", more: 1 } }, error)).toEqual({
      text: `Done.\n\n${failed}\n`,
      data: { message: `Done. ${failed}`, more: 1, after_commit },
    });
    expect(withFailure({ text: "Done.", data: {} }, error).data).toEqual({ after_commit });
  });
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { advanced, RECORDS, RUN, ruleOf, SHARED, write } from "../../../test/rig/door-run.ts";
import { promise } from "../../../test/rig/promise.ts";
import { stateOf } from "../../../test/rig/state-home.ts";
import { newId } from "../../adapters/clock/new-id.ts";
import { openStore } from "../../adapters/files/store.ts";
import { openMemoryStore } from "../../adapters/memory/memory-store.ts";
import { PawlError } from "../../core/error.ts";
import type { Caller } from "../../core/event.ts";
import { projectPath } from "../../core/path.ts";
import type { Policy } from "../../core/policy.ts";
import type { Outside } from "../../core/ports/outside.ts";
import type { Policies } from "../../core/ports/policies.ts";
import { DEFAULT_SETTINGS } from "../../core/settings.ts";
import type { Proposal, Transaction } from "../module.ts";
import { loadLines } from "../run-log/read.ts";
import type { OutOfScopeEdits, ScopeWatch } from "./out-of-scope-edits.ts";
import { logFailure, preview, type Runtime, runTransaction } from "./run-transaction.ts";
import { askedIn, type Context, shownIn, withFailure, withInput } from "./transaction.ts";

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

describe("a transaction", () => {
  let root: string;
  let runtime: Runtime;
  const text = (name: string) => readFileSync(join(root, name), "utf8");

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "pawl-transaction-"));
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
    const { reply } = await runTransaction(runtime, addOne, {}, CALLER);
    expect(reply).toBe("now 1");
    expect(text("count.txt")).toBe("1");
    expect(JSON.parse(text(".pawl/events.jsonl"))).toMatchObject({
      type: "run:advanced",
      summary: "0 → 1",
      by: CALLER,
    });
    expect(text("log.txt")).toBe("counted 1\n");
  });

  it("keeps a policy right before the commit, and does all again if another was kept meanwhile", async () => {
    promise("policy.once");
    const kept = new Map<string, Policy>();
    const policies: Policies = {
      find: async (run) => kept.get(run) ?? null,
      keep: async (run, policy) => void kept.set(run, policy),
      earlier: async () => [],
      acceptEarlier: async () => {},
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
    expect((await runTransaction(pinned, pinning(), {}, CALLER)).reply).toBe("now 1");
    expect(kept.get("test:count")).toEqual({ looks: 2 });
    looks = 0;
    const looking = { ...pinning([]), run: () => null };
    expect((await runTransaction(pinned, looking, {}, CALLER)).reply).toBe("now 2");
    expect([kept.get("test:count"), text("count.txt")]).toEqual([{ looks: 2 }, "1"]);
    kept.clear();
    await preview(pinned, pinning(), {}, CALLER);
    expect(kept.size).toBe(0);
  });

  it("decides again when what it read changed while it gathered", async () => {
    promise("commit.decides-again");
    let gatherings = 0;
    const slow: typeof addOne = {
      ...addOne,
      async observe() {
        gatherings++;
        if (gatherings === 1) writeFileSync(join(root, "count.txt"), "41");
      },
    };
    expect((await runTransaction(runtime, slow, {}, CALLER)).reply).toBe("now 42");
    expect(gatherings).toBe(2);
    expect(text("count.txt")).toBe("42");
    expect(text(".pawl/events.jsonl").trim().split("\n")).toHaveLength(1);
  });

  it("gathers outside every lock: another transaction of the same run goes through meanwhile", async () => {
    promise("commit.decides-again");
    let gatherings = 0;
    const slow: typeof addOne = {
      ...addOne,
      async observe() {
        gatherings++;
        if (gatherings === 1) await runTransaction(runtime, addOne, {}, CALLER);
      },
    };
    expect((await runTransaction(runtime, slow, {}, CALLER)).reply).toBe("now 2");
  });

  it("loses no count when many run at once", async () => {
    await Promise.all(Array.from({ length: 20 }, () => runTransaction(runtime, addOne, {}, CALLER)));
    expect(text("count.txt")).toBe("20");
  });

  it("commits nothing when a human must be asked first, or when it fails", async () => {
    const asking: typeof addOne = {
      ...addOne,
      propose: (...all) => ({ ...addOne.propose(...all), ask: { message: "Approve?" } }),
    };
    expect((await runTransaction(runtime, asking, {}, CALLER)).ask?.message).toBe("Approve?");
    const failing: typeof addOne = {
      ...addOne,
      propose: () => {
        throw new Error("no such template");
      },
    };
    await expect(runTransaction(runtime, failing, {}, CALLER)).rejects.toThrow("no such template");
    expect(() => text("count.txt")).toThrow("ENOENT");
    expect(() => text(".pawl/events.jsonl")).toThrow("ENOENT");
  });

  it("stands when what follows the commit fails, and says and logs why", async () => {
    promise("commit.after-commit-logged");
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
    expect((await runTransaction(runtime, followed, {}, CALLER)).reply).toMatch(
      /^now 1, but .*no such tracker/,
    );
    expect(JSON.parse(text(".pawl/failures.log"))).toMatchObject({
      what: "after-commit",
      code: "internal",
      message: expect.stringContaining("no such tracker"),
    });
  });

  it("refuses changes from a transaction that says it only reads", async () => {
    await expect(runTransaction(runtime, { ...addOne, run: () => null }, {}, CALLER)).rejects.toMatchObject({
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
    await expect(runTransaction(runtime, disturbed, {}, CALLER)).rejects.toMatchObject({
      code: "commit-restarted-too-often",
      message:
        "The run test:count could not be advanced: what it reads was changed by others during each of 100 attempts.",
      fix: "Find out which program keeps writing to the project's files, then try again.",
    });
    expect(n).toBe(100);
  });

  it("sends what must be worked out again to the cache, and lines to their logs", async () => {
    const cached: unknown[] = [];
    const cache = { get: async () => null, put: (...entry: unknown[]) => void cached.push(entry) };
    const working: typeof addOne = {
      ...addOne,
      propose: (...all) => ({
        ...addOne.propose(...all),
        cacheEntries: [{ kind: "tasks-1", source: COUNT, value: "parsed" }] as never,
      }),
    };
    await runTransaction({ ...runtime, cache } as unknown as Runtime, working, {}, CALLER);
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
    const answered = { to: { message: "Merge?" } } as NonNullable<Context["answered"]>;
    expect((await runTransaction({ ...runtime, now }, looking, {}, CALLER, answered)).reply).toBe("0 1");
    expect(contexts[0]).toMatchObject({ caller: CALLER, answered, settings: DEFAULT_SETTINGS });
    expect(contexts[0]?.now.time).toBe("2026-01-31T09:30:15.250Z");
    await runTransaction(runtime, looking, {}, CALLER);
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

    it("ends at once if it is called off, whatever it still waits for, and commits nothing", async () => {
      const calling = new AbortController();
      const endless: typeof addOne = {
        ...addOne,
        observe: () => {
          calling.abort();
          return new Promise(() => {});
        },
      };
      await expect(runTransaction(waitingFor(calling.signal), endless, {}, CALLER)).rejects.toMatchObject(
        cancelled,
      );
      await expect(runTransaction(waitingFor(AbortSignal.abort()), addOne, {}, CALLER)).rejects.toMatchObject(
        cancelled,
      );
      expect(() => text("count.txt")).toThrow("ENOENT");
    });

    it("commits nothing if it is called off after everything was prepared", async () => {
      const calling = new AbortController();
      const late: typeof addOne = { ...addOne, observe: async () => undefined };
      const { store } = runtime;
      const hold: typeof store.hold = (run) => {
        calling.abort();
        return store.hold(run);
      };
      const stopped = { ...waitingFor(calling.signal), store: { ...store, hold } };
      await expect(runTransaction(stopped, late, {}, CALLER)).rejects.toMatchObject(cancelled);
      expect(() => text("count.txt")).toThrow("ENOENT");
    });

    it("is committed if nobody calls it off, and its checks know who waits", async () => {
      const asked: unknown[] = [];
      const outside = {
        checks: { run: async (...order: unknown[]) => asked.push(order) },
      } as unknown as Outside;
      const checking: typeof addOne = {
        ...addOne,
        observe: (_seen, _input, { checks }) => checks.run("key", "npm test" as never, "on" as never),
      };
      const { signal } = new AbortController();
      expect((await runTransaction({ ...waitingFor(signal), outside }, checking, {}, CALLER)).reply).toBe(
        "now 1",
      );
      await runTransaction({ ...runtime, outside }, checking, {}, CALLER);
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
    expect((await runTransaction(runtime, other, "four", CALLER)).reply).toBe("4 8 4");
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

/** A runtime in memory, whose locks are told. */
function inMemory(more: Partial<Runtime> = {}) {
  const store = openMemoryStore();
  const held: string[] = [];
  let isHeld = false;
  const runtime: Runtime = {
    store: {
      ...store,
      async hold(run) {
        const lock = await store.hold(run);
        held.push(run);
        isHeld = true;
        return {
          [Symbol.asyncDispose]() {
            isHeld = false;
            return lock[Symbol.asyncDispose]();
          },
        };
      },
    },
    outside: {} as Outside,
    settings: async () => DEFAULT_SETTINGS,
    now: () => new Date("2026-01-31T09:30:15.250Z"),
    newId: () => "new-id",
    ...more,
  };
  return { held, isHeld: () => isHeld, runtime, store };
}

describe("The lock of a run", () => {
  it("is held from the read on if nothing is observed, and else for the commit alone", async () => {
    const { held, isHeld, runtime } = inMemory();
    const seen: boolean[] = [];
    const reading: typeof addOne = {
      ...addOne,
      async read(...given) {
        seen.push(isHeld());
        return addOne.read(...given);
      },
    };
    await runTransaction(runtime, reading, {}, CALLER);
    await runTransaction(runtime, { ...reading, observe: async () => seen.push(isHeld()) }, {}, CALLER);
    expect([seen, held]).toEqual([
      [true, false, false],
      ["test:count", "test:count"],
    ]);
  });

  it("is not taken by what only reads, nor if nothing is proposed", async () => {
    const { held, runtime, store } = inMemory();
    const nothing: typeof addOne = {
      ...addOne,
      observe: async () => {},
      propose: () => ({ reply: "nothing" }),
    };
    expect((await runTransaction(runtime, { ...nothing, run: () => null }, {}, CALLER)).reply).toBe(
      "nothing",
    );
    expect((await runTransaction(runtime, nothing, {}, CALLER)).reply).toBe("nothing");
    expect([held, store.commits]).toEqual([[], 0]);
  });

  it("is a pinned run's own if the transaction has none", async () => {
    const { held, runtime } = inMemory();
    const pinning: typeof addOne = {
      ...addOne,
      run: () => null,
      observe: async () => {},
      propose: () => ({ reply: "pinned", pin: { run: "other:1", policy: {} } }),
    };
    expect((await runTransaction(runtime, pinning, {}, CALLER)).reply).toBe("pinned");
    expect(held).toEqual(["other:1"]);
  });

  it("is followed by another look: a policy that goes by what has changed since is not kept", async () => {
    const kept: Policy[] = [];
    const policies: Partial<Policies> = { keep: async (_, policy) => void kept.push(policy) };
    const { runtime, store } = inMemory({ outside: { policies } as Partial<Outside> as Outside });
    let looks = 0;
    const pinning: typeof addOne = {
      ...addOne,
      async observe() {
        if (looks++ === 0) store.files.set("count.txt", "5");
      },
      propose: (count, ...given) => ({
        ...addOne.propose(count, ...given),
        pin: { run: "test:count", policy: { own: count } },
      }),
    };
    expect((await runTransaction(runtime, pinning, {}, CALLER)).reply).toBe("now 6");
    expect(kept).toEqual([{ own: 5 }]);
  });
});

describe("What strayed", () => {
  const EDITS: OutOfScopeEdits = { run: "test:count", state: "open", files: ["a"], tree: null };
  function watchOver(edits: OutOfScopeEdits | null, fails = false) {
    const told: unknown[] = [];
    const own: ScopeWatch = {
      async find(run) {
        told.push(["find", run]);
        return edits;
      },
      async note(run, accepted, view) {
        told.push(["note", run, accepted, view !== undefined]);
        if (fails) throw new Error("no tree");
      },
    };
    return { told, own };
  }

  it("is looked for once, before the lock, and noted after a move with what a person accepted", async () => {
    const { own, told } = watchOver(null);
    const { runtime } = inMemory({ scopeWatch: own });
    await runTransaction(runtime, addOne, {}, CALLER);
    expect(told).toEqual([
      ["find", "test:count"],
      ["note", "test:count", null, true],
    ]);
  });

  it("is accepted by the person who saw it", async () => {
    const { own, told } = watchOver(EDITS);
    const { runtime } = inMemory({ scopeWatch: own });
    const asking: typeof addOne = {
      ...addOne,
      propose: (count, observed, input, context) =>
        context.answered
          ? addOne.propose(count, observed, input, context)
          : { reply: "", ask: { message: "Add?" } },
    };
    const person: Caller = { channel: "terminal" };
    const { ask } = await runTransaction(runtime, asking, {}, person);
    expect(ask && shownIn(ask)).toMatch(/^While test:count is at "open".*Add\?$/s);
    expect(told).toEqual([["find", "test:count"]]);
    expect(
      (await runTransaction(runtime, asking, {}, person, { to: askedIn(ask ?? { message: "" }) })).reply,
    ).toBe("now 1");
    expect(told.at(-1)).toEqual(["note", "test:count", EDITS, true]);
  });

  it("is not noted if nothing moved, if a person must be asked, or by what only reads", async () => {
    const { own, told } = watchOver(null);
    const { runtime } = inMemory({ scopeWatch: own });
    const quiet = { ...addOne, propose: () => ({ reply: "" }) };
    await runTransaction(runtime, quiet, {}, CALLER);
    await runTransaction(runtime, { ...quiet, propose: () => ({ reply: "", changes: [] }) }, {}, CALLER);
    await runTransaction(runtime, { ...quiet, run: () => null }, {}, CALLER);
    const asking: typeof addOne = {
      ...addOne,
      propose: (...all) => ({ ...addOne.propose(...all), ask: { message: "?" } }),
    };
    await runTransaction(runtime, asking, {}, CALLER);
    expect(told.filter((each) => (each as readonly string[])[0] === "note")).toEqual([]);
  });

  it("that cannot be noted does not undo the move, and is logged", async () => {
    const { runtime, store } = inMemory({ scopeWatch: watchOver(null, true).own });
    expect((await runTransaction(runtime, addOne, {}, CALLER)).reply).toBe("now 1");
    expect(store.logged.map((line) => JSON.parse(line.startsWith("{") ? line : "null"))).toEqual([
      {
        time: "2026-01-31T09:30:15.250Z",
        what: "guard",
        code: "internal",
        message: expect.stringContaining("no tree"),
      },
      null,
    ]);
  });
});

describe("A secret", () => {
  const mask = ((text: string) => text.replaceAll("s3cret", "***")) as unknown as NonNullable<
    Runtime["mask"]
  >;
  const masking = () => inMemory({ mask });

  it("is in nothing that is said, answered, logged or told", async () => {
    const { runtime, store } = masking();
    const seen: unknown[] = [];
    const saying: Transaction<{ words: string }, number, unknown, string> = {
      ...(addOne as never as Transaction<{ words: string }, number, unknown, string>),
      propose(count, observed, input, context) {
        seen.push(input, context.answered);
        const all = addOne.propose(count, observed, {}, context);
        const [event] = all.events ?? [];
        return {
          ...all,
          events: [{ ...event, summary: "s3cret" } as never],
          logs: [{ path: projectPath("log.txt"), line: "s3cret line" }],
        };
      },
    };
    const answered = { to: { message: "s3cret?" }, notes: "my s3cret" };
    await runTransaction(runtime, saying, { words: "a s3cret" }, { channel: "terminal" }, answered);
    expect(seen).toEqual([{ words: "a ***" }, { to: { message: "s3cret?" }, notes: "my ***" }]);
    expect([store.logged, store.files.get(".pawl/events.jsonl")?.includes("s3cret")]).toEqual([
      ["*** line"],
      false,
    ]);
    await runTransaction(runtime, saying, { words: "" }, CALLER, "vouched");
    await runTransaction(runtime, saying, { words: "" }, CALLER, { to: { message: "Add?" } });
    expect([seen[3], seen[5]]).toEqual(["vouched", { to: { message: "Add?" } }]);
    await preview(runtime, saying, { words: "a s3cret" }, CALLER);
    expect(seen[6]).toEqual({ words: "a ***" });
  });

  it("is in no failure that is logged", async () => {
    const { runtime, store } = masking();
    await logFailure(runtime, "notice", new PawlError("internal", "It was s3cret.", "Look."));
    expect(store.logged.map((line) => JSON.parse(line))).toEqual([
      { time: "2026-01-31T09:30:15.250Z", what: "notice", code: "internal", message: "It was ***." },
    ]);
  });
});

describe("What a transaction knows", () => {
  it("is what there is: a cache, the caller's trace", async () => {
    const contexts: Context[] = [];
    const looking: typeof addOne = {
      ...addOne,
      run: () => null,
      propose(_count, _observed, _input, context) {
        contexts.push(context);
        return { reply: "" };
      },
    };
    const cache = { get: async () => null, put: () => {} };
    await runTransaction(inMemory({ cache, trace: "00-a-b-01" }).runtime, looking, {}, CALLER);
    await runTransaction(inMemory().runtime, looking, {}, CALLER);
    expect([contexts[0]?.cache, contexts[0]?.trace]).toEqual([cache, "00-a-b-01"]);
    expect(["cache", "trace", "answered"].filter((key) => key in (contexts[1] ?? {}))).toEqual([]);
    expect(contexts[0]?.now).toMatchObject({ time: "2026-01-31T09:30:15.250Z", id: "new-id" });
  });

  it("has nothing kept for it without a cache", async () => {
    const { runtime } = inMemory();
    const working: typeof addOne = {
      ...addOne,
      propose: (...all) => ({
        ...addOne.propose(...all),
        cacheEntries: [{ kind: "k", source: "s", value: () => 1 }],
      }),
    };
    expect((await runTransaction(runtime, working, {}, CALLER)).reply).toBe("now 1");
  });
});

describe("Whoever waits", () => {
  it("is let go of once it is done, or has failed", async () => {
    const stop = new AbortController().signal;
    let listening = 0;
    const counted = {
      aborted: false,
      addEventListener: (...given: Parameters<AbortSignal["addEventListener"]>) => {
        listening++;
        stop.addEventListener(...given);
      },
      removeEventListener: (...given: Parameters<AbortSignal["removeEventListener"]>) => {
        listening--;
        stop.removeEventListener(...given);
      },
    } as unknown as AbortSignal;
    const waiting = { stop: counted } as NonNullable<Runtime["waiting"]>;
    const { runtime } = inMemory({ waiting, outside: { checks: {} } as Outside });
    await runTransaction(runtime, addOne, {}, CALLER);
    const failing: typeof addOne = {
      ...addOne,
      propose: () => {
        throw new Error("no");
      },
    };
    await expect(runTransaction(runtime, failing, {}, CALLER)).rejects.toThrow("no");
    expect(listening).toBe(0);
  });

  it("may look at earlier checks, if there are any to look at", async () => {
    const looked: unknown[] = [];
    const checks = {
      kept: "its own",
      run: async () => null,
      recorded(this: { readonly kept: string }, key: string) {
        looked.push([this.kept, key]);
      },
    };
    const waiting = {} as NonNullable<Runtime["waiting"]>;
    const { runtime } = inMemory({ waiting, outside: { checks } as unknown as Outside });
    const looking: typeof addOne = {
      ...addOne,
      async observe(_seen, _input, { checks: given }) {
        (given.recorded as ((key: string) => void) | undefined)?.("key");
      },
    };
    await runTransaction(runtime, looking, {}, CALLER);
    expect(looked).toEqual([["its own", "key"]]);
    const { recorded: _, ...without } = checks;
    const bare = inMemory({ waiting, outside: { checks: without } as unknown as Outside });
    const absent: typeof addOne = {
      ...addOne,
      observe: async (_seen, _input, outside) => looked.push("recorded" in outside.checks),
    };
    await runTransaction(bare.runtime, absent, {}, CALLER);
    expect(looked.at(-1)).toBe(false);
  });

  it("does not wait for what follows the commit: it is not called off with the call", async () => {
    const calling = new AbortController();
    const waiting = { stop: calling.signal } as NonNullable<Runtime["waiting"]>;
    const { runtime, store } = inMemory({ waiting, outside: { checks: {} } as Outside });
    const followed: typeof addOne = {
      ...addOne,
      propose(...all) {
        return {
          ...addOne.propose(...all),
          afterCommit: {
            plan: {
              ...addOne,
              async read(...given: Parameters<typeof addOne.read>) {
                calling.abort();
                return addOne.read(...given);
              },
            },
            input: {},
            merge: (reply: string, followed: string) => `${reply}, ${followed}`,
            failed: (reply: string) => `${reply}, failed`,
          },
        };
      },
    };
    expect((await runTransaction(runtime, followed, {}, CALLER)).reply).toBe("now 1, now 2");
    expect(store.commits).toBe(2);
  });
});

describe("A policy that is to govern", () => {
  const pinning = (instead?: Policy | null): typeof addOne => ({
    ...addOne,
    propose: (...all) => ({
      ...addOne.propose(...all),
      pin: { run: "test:count", policy: { own: 1 }, ...(instead === undefined ? {} : { instead }) },
    }),
  });

  it("is kept if the run only begins, whatever is kept", async () => {
    const kept: unknown[] = [];
    const policies = {
      find: async () => ({ another: 1 }),
      keep: async (...given: unknown[]) => void kept.push(given),
    };
    const { runtime } = inMemory({ outside: { policies } as unknown as Outside });
    await runTransaction(runtime, pinning(), {}, CALLER);
    expect(kept).toEqual([["test:count", { own: 1 }]]);
  });

  it("is kept in the place of none, or of just that one", async () => {
    const found: Policy[] = [];
    const policies = { find: async () => found[0] ?? null, keep: async () => {} };
    const { runtime } = inMemory({ outside: { policies } as unknown as Outside });
    expect((await runTransaction(runtime, pinning(null), {}, CALLER)).reply).toBe("now 1");
    found.push({ b: 1, a: 2 });
    expect((await runTransaction(runtime, pinning({ a: 2, b: 1 }), {}, CALLER)).reply).toBe("now 2");
    await expect(runTransaction(runtime, pinning(null), {}, CALLER)).rejects.toMatchObject({
      code: "commit-restarted-too-often",
    });
  });

  it("is no matter if nothing keeps policies", async () => {
    const { runtime } = inMemory();
    expect((await runTransaction(runtime, pinning(null), {}, CALLER)).reply).toBe("now 1");
  });
});

describe("A call from a device", () => {
  const DEVICE: Caller = { channel: "board", device: "phone" };
  const judging = (reply: string, more: Partial<Proposal<string>> = {}): typeof addOne => ({
    ...addOne,
    propose: (...all) => ({ ...addOne.propose(...all), reply, ...more }),
  });
  const verdict = { gate: "count.gate", run: "test:count", approve: true, strength: "board" } as never;

  it("moves what asks nobody, and agrees to nothing but a verdict", async () => {
    const { runtime, store } = inMemory();
    expect((await runTransaction(runtime, judging("moved"), {}, DEVICE)).reply).toBe("moved");
    const answered = { to: { message: "Do it?" } };
    await expect(runTransaction(runtime, judging("moved"), {}, DEVICE, answered)).rejects.toMatchObject({
      code: "caller-not-allowed",
    });
    expect(store.commits).toBe(1);
  });

  it("needs the passkey for an approval, which is proposed as if the question were answered", async () => {
    const { runtime, store } = inMemory();
    const asking: typeof addOne = {
      ...addOne,
      propose: (count, observed, input, context) =>
        context.answered === undefined
          ? { reply: "", ask: { message: "Do it?" } }
          : { ...addOne.propose(count, observed, input, context), verdict },
    };
    const { ask } = await runTransaction(runtime, asking, {}, DEVICE);
    expect(ask).toMatchObject({ message: "Do it?", passkey: expect.any(String) });
    expect(store.commits).toBe(0);
    const passkey = ask?.passkey ?? "";
    const answered = { to: { message: "Do it?" }, passkey };
    expect((await runTransaction(runtime, asking, {}, DEVICE, answered)).reply).toBe("now 1");
    expect(store.commits).toBe(1);
  });
});

describe("What follows a commit", () => {
  it("has its events beside those of the commit", async () => {
    const { runtime } = inMemory();
    const silent: typeof addOne = { ...addOne, propose: () => ({ reply: "silent" }) };
    const followed = (first: typeof addOne, plan: typeof addOne): typeof addOne => ({
      ...first,
      propose: (...all) => ({
        ...first.propose(...all),
        afterCommit: { plan, input: {}, merge: (_, reply) => reply, failed: (reply) => reply },
      }),
    });
    const summaries = async (plan: typeof addOne) =>
      (await runTransaction(runtime, plan, {}, CALLER)).events?.map((event) =>
        event.type === "run:advanced" ? event.summary : "",
      );
    expect(await summaries(followed(addOne, addOne))).toEqual(["0 → 1", "1 → 2"]);
    expect(await summaries(followed(addOne, silent))).toEqual(["2 → 3"]);
    expect(await summaries(followed(silent, addOne))).toEqual(["3 → 4"]);
  });
});

describe("A call that is called off", () => {
  it("before it begins commits nothing, and says so", async () => {
    const waiting = { stop: AbortSignal.abort() } as NonNullable<Runtime["waiting"]>;
    const { runtime, store } = inMemory({ waiting, outside: { checks: {} } as Outside });
    // What it would never hear of: the end of what it reads.
    const hanging: typeof addOne = { ...addOne, read: () => new Promise(() => {}) };
    await expect(runTransaction(runtime, hanging, {}, CALLER)).rejects.toMatchObject({ code: "cancelled" });
    await expect(runTransaction(runtime, addOne, {}, CALLER)).rejects.toMatchObject({ code: "cancelled" });
    expect(store.commits).toBe(0);
  });
});

describe("A run with a log", () => {
  const moving: typeof addOne = {
    ...addOne,
    runs: SHARED,
    run: () => RUN,
    propose: () => ({
      reply: "moved",
      changes: [write("closed", 1)],
      events: [advanced(ruleOf("opens")), advanced(ruleOf("closes"), { summary: "s3cret" })],
      logged: { notes: "Why" },
    }),
  };

  it("has the move in its log, by the same commit, with the caller and without secrets", async () => {
    const mask = (text: string) => text.replaceAll("s3cret", "***");
    const { runtime, store } = inMemory({ mask });
    await runTransaction(runtime, moving, {}, { channel: "script", who: "ada" });
    expect(store.commits).toBe(1);
    const lines = await loadLines(store.view(), RUN);
    expect(lines.map(({ step }) => [step?.kind, step?.notes])).toEqual([
      ["begun", undefined],
      ["moved", undefined],
      ["moved", "Why"],
    ]);
    expect(lines[0]).toMatchObject({
      id: "new-id",
      step: { by: { channel: "script", who: "ada" }, time: "2026-01-31T09:30:15.250Z" },
    });
    expect(store.files.get(".pawl/log/door/front.jsonl")).not.toContain("s3cret");
    expect(lines.at(-1)?.local?.events).toHaveLength(2);
  });

  it("is recorded for others if the project shares its runs", async () => {
    for (const share of [false, true]) {
      const { runtime, store } = inMemory({ settings: async () => ({ ...DEFAULT_SETTINGS, share }) });
      await runTransaction(runtime, moving, {}, CALLER);
      expect([...store.files.keys()].some((path) => path.startsWith(RECORDS))).toBe(share);
    }
  });

  it("has nothing in its log if nothing is committed", async () => {
    const { runtime, store } = inMemory();
    const asking = {
      ...moving,
      propose: () => ({ reply: "", changes: [write("open", 1)], ask: { message: "?" } }),
    };
    await runTransaction(runtime, asking, {}, CALLER);
    expect([...store.files.keys()]).toEqual([]);
  });
});

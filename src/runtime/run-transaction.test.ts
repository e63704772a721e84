import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { stateOf } from "../../test/rig/state-home.ts";
import { newId } from "../adapters/clock/new-id.ts";
import { openStore } from "../adapters/files/store.ts";
import type { PawlError } from "../core/error.ts";
import type { Caller } from "../core/event.ts";
import { projectPath } from "../core/path.ts";
import type { Outside } from "../core/ports/outside.ts";
import { DEFAULT_SETTINGS } from "../core/settings.ts";
import type { Proposal, Transaction } from "./module.ts";
import { advance, type Runtime } from "./run-transaction.ts";

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
    await expect(advance(runtime, { ...addOne, run: () => null }, {}, CALLER)).rejects.toThrow("only reads");
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
    });
  });
});

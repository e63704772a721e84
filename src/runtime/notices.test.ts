/** Which causes there are, and what a receiver is told of them, at which hour. */
import { describe, expect, it } from "vitest";
import type { PawlEvent } from "../core/event.ts";
import { type Cause, NOTICE_KINDS } from "../core/notice.ts";
import { mayTell } from "./may-tell.ts";
import { causesOf, lastQuietEnd, quietEnd, tellings } from "./notices.ts";
import type { RunOverview } from "./transaction.ts";

const PLACE = { project: "shop", board: null, time: "2026-03-01T12:00:00.000Z" };
const GATE: RunOverview = {
  run: "alfred:T1",
  title: "Add login",
  state: "plan: in review",
  awaits: "human",
  waitsFor: "gate",
  next: "approve or reject the plan",
  since: "2026-03-01T11:00:00.000Z",
};
const SINCE = "2026-03-01T10:00:00.000Z";
const QUESTION = { id: "q1", text: "Which port?", since: SINCE, command: 'pawl answer q1 "…"' };
const TASK: RunOverview = { ...GATE, run: "bloom:T2", command: "pawl questions T2", waitsFor: "question" };
const REST = { time: "2026-03-01T11:30:00.000Z", done: 2, open: 0, blocked: [], waiting: [] };

const kindsOf = (causes: readonly Cause[]) => causes.map(({ kind, run }) => `${kind} ${run}`);
const found = (...runs: readonly RunOverview[]) => kindsOf(causesOf(runs, null));

/** A number of gates that wait since some hour of that day. */
const gates = (count: number, hour = 11) =>
  causesOf(
    Array.from({ length: count }, (_, at) => ({
      ...GATE,
      run: `alfred:T${at + 1}`,
      since: new Date(2026, 2, 1, hour).toISOString(),
    })),
    null,
  );

const told = async (causes: readonly Cause[], more: { told?: Record<string, string>; after?: Date } = {}) =>
  tellings(causes, NOTICE_KINDS, more.told ?? {}, more.after ?? null, PLACE);

describe("A cause", () => {
  it("is a run that waits for a person, if it has begun and can be read", () => {
    expect(found(GATE)).toEqual(["gate alfred:T1"]);
    expect(found({ ...GATE, awaits: "agent" })).toEqual([]);
    expect(found({ ...GATE, since: null })).toEqual([]);
    expect(found({ ...GATE, problem: { code: "state-unreadable", message: "m", fix: "f" } })).toEqual([]);
  });

  it("is a run whose state was edited: a person must decide", () => {
    const problem = { code: "state-tampered", message: "edited", fix: "Run it." } as const;
    expect(found({ ...GATE, since: null, problem })).toEqual(["blocked alfred:T1"]);
  });

  it("is each open question of an agent, in place of the turn that is about it, and beside a gate", () => {
    const asked = { ...TASK, questions: [QUESTION, { ...QUESTION, id: "q2", command: "pawl answer q2" }] };
    expect(found(asked)).toEqual(["question bloom:T2", "question bloom:T2"]);
    expect(new Set(causesOf([asked], null).map(({ key }) => key)).size).toBe(2);
    expect(found({ ...GATE, questions: [QUESTION] })).toEqual(["question alfred:T1", "gate alfred:T1"]);
    expect(found({ ...TASK, awaits: "agent", questions: [QUESTION] })).toEqual(["question bloom:T2"]);
  });

  it("stays the same question while its run moves on", () => {
    const keyIn = (state: string) =>
      causesOf([{ ...TASK, awaits: "agent", state, questions: [QUESTION] }], null)[0]?.key;
    expect(keyIn("working")).toBe(keyIn("verifying"));
  });

  it("is a task that is blocked, by itself or by a check, if no person took it in hand", () => {
    const blocked = { ...TASK, waitsFor: "blocked" } as const;
    expect(found(blocked)).toEqual(["blocked bloom:T2"]);
    expect(causesOf([{ ...TASK, waitsFor: "failed" }], null)[0]?.says).toContain("a check failed");
    expect(found({ ...blocked, since: null })).toEqual([]);
  });

  it("is a budget of which most is spent, until the task is blocked over it", () => {
    const nearing = { limit: "usd", spent: 4.1, of: 5 } as const;
    const [budget] = causesOf([{ ...TASK, awaits: "agent", nearing }], null);
    expect(budget).toMatchObject({ kind: "budget", says: "bloom:T2 has spent 4.10 USD of its 5.00 USD." });
    expect(found({ ...TASK, waitsFor: "blocked", nearing })).toEqual(["blocked bloom:T2"]);
  });

  it("is the rest of the loop: done where nothing is open, else idle", () => {
    const rested = (rest: typeof REST) => causesOf([], rest)[0];
    expect(rested(REST)).toMatchObject({ kind: "done", says: "The loop is done: 2 tasks done." });
    expect(rested({ ...REST, open: 1 })).toMatchObject({
      kind: "idle",
      says: expect.stringContaining("1 open"),
    });
  });
});

describe("A receiver", () => {
  it("is told of each cause by itself, once, and of none that it does not want", async () => {
    const causes = gates(2);
    const [first] = causes;
    expect((await told(causes)).map(({ notice }) => [notice.type, notice.run])).toEqual([
      ["gate", "alfred:T1"],
      ["gate", "alfred:T2"],
    ]);
    const rest = await told(causes, { told: { [first?.key ?? ""]: "then" } });
    expect(rest.map(({ notice }) => notice.run)).toEqual(["alfred:T2"]);
    expect(await tellings(causes, ["question"], {}, null, PLACE)).toEqual([]);
  });

  it("is told of many at once in one notice, which names the first ten", async () => {
    const [telling, ...others] = await told(gates(25));
    expect(others).toEqual([]);
    expect(telling?.keys).toHaveLength(25);
    expect(telling?.notice).toMatchObject({ type: "summary", title: "shop: 25 notices", acts: "person" });
    expect(telling?.notice.text.split("\n")).toHaveLength(11);
    expect(telling?.notice.text).toMatch(/and 15 more$/);
  });

  it("is told afterwards, in one notice, what began in quiet hours; what began since, by itself", async () => {
    const after = new Date(2026, 2, 1, 7);
    const [late] = gates(1, 8);
    const causes = [...gates(2, 3), { ...late, key: "late" } as Cause];
    const notices = await told(causes, { after });
    expect(notices.map(({ keys, notice }) => [notice.type, keys.length])).toEqual([
      ["summary", 2],
      ["gate", 1],
    ]);
    expect((await told(gates(1, 3), { after })).map(({ notice }) => notice.type)).toEqual(["gate"]);
  });

  it("gets the same id for the same cause, and another for another one", async () => {
    const ids = async (causes: readonly Cause[]) => (await told(causes)).map(({ notice }) => notice.id);
    const [one, other] = await ids(gates(2));
    expect(await ids(gates(1))).toEqual([one]);
    expect(one).not.toBe(other);
  });

  it("is told words that are clean, in one line and short, whatever a file or an agent says", async () => {
    const evil = `a\u001b[31mb\u202e\n\n${"x".repeat(10_000)}`;
    const run = { ...GATE, title: evil, next: evil };
    const [telling] = await told(causesOf([run], null));
    const { quote = "", text = "" } = telling?.notice ?? {};
    for (const words of [quote ?? "", text]) {
      expect([...words].length).toBeLessThanOrEqual(500);
      expect(words).toContain("ab<U+202E> xx");
      expect(words).toMatch(/…$/);
    }
  });

  it.each(["\u001b", "\u202e", "<", "@", "\n", "e\u0301", "👩‍👩‍👧", "\ud800"])(
    "is told a megabyte of %j within two seconds of work",
    async (character) => {
      const quote = character.repeat(1_000_000 / character.length);
      const run = { ...TASK, title: quote, next: quote, questions: [{ ...QUESTION, text: quote }] };
      const begun = process.cpuUsage();
      await told(causesOf([run, { ...run, waitsFor: "gate" }], null));
      expect(process.cpuUsage(begun).user).toBeLessThan(2_000_000);
    },
  );
});

describe("Quiet hours", () => {
  const at = (hours: number, minutes = 0) => new Date(2026, 2, 5, hours, minutes);

  it.each([
    ["22:00-07:00", at(23), new Date(2026, 2, 6, 7)],
    ["22:00-07:00", at(6, 59), at(7)],
    ["22:00-07:00", at(7), null],
    ["22:00-07:00", at(21, 59), null],
    ["12:30-13:30", at(13), at(13, 30)],
    ["12:30-13:30", at(14), null],
    ["09:00-09:00", at(8), at(9)],
  ])("%s at %s end at %s", (quiet, now, end) => {
    expect(quietEnd(quiet, now)).toEqual(end);
  });

  it("ended last this morning, or the day before", () => {
    expect(lastQuietEnd("22:00-07:00", at(12))).toEqual(at(7));
    expect(lastQuietEnd("22:00-07:00", at(6))).toEqual(new Date(2026, 2, 4, 7));
    expect(lastQuietEnd("12:30-13:30", at(12))).toEqual(new Date(2026, 2, 4, 13, 30));
    expect(lastQuietEnd(null, at(12))).toBeNull();
    expect(quietEnd(null, at(12))).toBeNull();
  });
});

describe("An event", () => {
  it("is worth a look where it may bring a cause; a task's own events are, its moves are not", () => {
    const may = (event: object) => mayTell({ id: "1", time: "t", ...event } as PawlEvent);
    expect(may({ type: "run:advanced", run: "alfred:T1" })).toBe(true);
    expect(may({ type: "run:advanced", run: "bloom:T1" })).toBe(false);
    expect(may({ type: "task:blocked", taskId: "T1" })).toBe(true);
    expect(may({ type: "git:pushed", taskId: "T1" })).toBe(false);
  });
});

/** Which causes there are, and what a receiver is told of them, at which hour. */
import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import type { PawlEvent } from "../../core/event.ts";
import { type Cause, NOTICE_KINDS } from "../../core/notice.ts";
import type { RestingAccount } from "../../core/ports/agents.ts";
import type { RunOverview } from "../transaction/transaction.ts";
import { mayCauseNotice } from "./notice-events.ts";
import { causesOf, dueNotices, endedNotice, lastQuietEnd, oneLine, quietEnd, testNotice } from "./notices.ts";

const PLACE = { project: "shop", board: null, pages: null, time: "2026-03-01T12:00:00.000Z" };
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
const TASK: RunOverview = {
  ...GATE,
  run: "bloom:T2",
  command: "pawl task questions T2",
  waitsFor: "question",
};
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

const tellingsFor = async (
  causes: readonly Cause[],
  more: { told?: Record<string, string>; after?: Date } = {},
) => dueNotices(causes, NOTICE_KINDS, more.told ?? {}, more.after ?? null, PLACE);

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

  it("is a target that fails by itself, once for all that wait for it, for as long as any does", () => {
    promise("bloom.target-red");
    const target = { repo: ".", into: "main", command: "npm test", since: "0a1b" };
    const next = "`npm test` exited with 1 on main too";
    const red = (run: string): RunOverview => ({ ...GATE, run, awaits: "nobody", next, target });
    const both = causesOf([red("bloom:T1"), red("bloom:T2")], null);
    expect(both).toEqual([
      expect.objectContaining({
        ...{ kind: "blocked", run: null, quote: next, command: "pawl status" },
        says: "main fails a check by itself, and 2 tasks wait for it.",
      }),
    ]);
    const [one] = causesOf([red("bloom:T2")], null);
    expect(one).toMatchObject({ key: both[0]?.key, says: expect.stringContaining("bloom:T2 waits for it.") });
    const other = { ...red("bloom:T3"), target: { ...target, command: "npm run lint" } };
    expect(causesOf([red("bloom:T1"), other], null)).toHaveLength(2);
    expect(mayCauseNotice({ type: "target:red" } as PawlEvent)).toBe(true);
  });

  it("is an agent that rests, once for all that wait for it, for as long as any does", () => {
    promise("agents.limit");
    const next = "claude rests until 03:02 (You've hit your limit)";
    const resets_at = "2026-11-28T03:02:00Z";
    const rest = {
      ...{ agent: "claude", account: "here", state: "limited", source: "event", resets_at },
      ...{ until: resets_at, words: "claude rests until 03:02" },
    } satisfies RestingAccount;
    const resting = (run: string, more: Partial<RestingAccount> = {}): RunOverview => ({
      ...{ ...GATE, run, awaits: "nobody", next, rest: { ...rest, ...more } },
    });
    const [both, ...others] = causesOf([resting("bloom:T1"), resting("bloom:T2")], null);
    expect(others).toEqual([]);
    expect(both).toMatchObject({ run: null, quote: next, says: "claude rests until 03:02; 2 tasks wait." });
    const [later] = causesOf([resting("bloom:T2", { until: "2026-11-28T08:00:00Z" })], null);
    expect(later?.key).toBe(both?.key);
    const [refused] = causesOf([resting("bloom:T2", { state: "exhausted" })], null);
    expect(refused?.key).not.toBe(both?.key);
    expect(mayCauseNotice({ type: "agent:rests" } as PawlEvent)).toBe(true);
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

  it("is the rest of the loop: done if nothing is open, else idle", () => {
    const rested = (rest: typeof REST) => causesOf([], rest)[0];
    expect(rested(REST)).toMatchObject({ kind: "done", says: "The loop is done: 2 tasks done." });
    expect(rested({ ...REST, open: 1 })).toMatchObject({
      kind: "idle",
      says: expect.stringContaining("1 open"),
    });
  });
});

describe("A receiver", () => {
  it("gets each cause by itself, once, and none that it does not want", async () => {
    promise("notices.causes");
    const causes = gates(2);
    const [first] = causes;
    expect((await tellingsFor(causes)).map(({ notice }) => [notice.type, notice.run])).toEqual([
      ["gate", "alfred:T1"],
      ["gate", "alfred:T2"],
    ]);
    const rest = await tellingsFor(causes, { told: { [first?.key ?? ""]: "then" } });
    expect(rest.map(({ notice }) => notice.run)).toEqual(["alfred:T2"]);
    expect(await dueNotices(causes, ["question"], {}, null, PLACE)).toEqual([]);
  });

  it("is told of many at once in one notice, which names the first ten", async () => {
    const [telling, ...others] = await tellingsFor(gates(25));
    expect(others).toEqual([]);
    expect(telling?.keys).toHaveLength(25);
    expect(telling?.notice).toMatchObject({ type: "summary", title: "shop: 25 notices", acts: "person" });
    expect(telling?.notice.text.split("\n")).toHaveLength(11);
    expect(telling?.notice.text).toMatch(/and 15 more$/);
  });

  it("gets afterwards, in one notice, what began in quiet hours; what began since, by itself", async () => {
    promise("notices.quiet");
    const after = new Date(2026, 2, 1, 7);
    const [late] = gates(1, 8);
    const causes = [...gates(2, 3), { ...late, key: "late" } as Cause];
    const notices = await tellingsFor(causes, { after });
    expect(notices.map(({ keys, notice }) => [notice.type, keys.length])).toEqual([
      ["summary", 2],
      ["gate", 1],
    ]);
    expect((await tellingsFor(gates(1, 3), { after })).map(({ notice }) => notice.type)).toEqual(["gate"]);
  });

  it("gets the same id for the same cause, and another for another one", async () => {
    const ids = async (causes: readonly Cause[]) =>
      (await tellingsFor(causes)).map(({ notice }) => notice.id);
    const [one, other] = await ids(gates(2));
    expect(await ids(gates(1))).toEqual([one]);
    expect(one).not.toBe(other);
  });

  it("is told words that are clean, in one line and short, whatever a file or an agent says", async () => {
    promise("notices.words");
    const evil = `a\u001b[31mb\u202e\n\n${"x".repeat(10_000)}`;
    const run = { ...GATE, title: evil, next: evil };
    const [telling] = await tellingsFor(causesOf([run], null));
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
      promise("notices.words");
      const quote = character.repeat(1_000_000 / character.length);
      const run = { ...TASK, title: quote, next: quote, questions: [{ ...QUESTION, text: quote }] };
      const begun = process.cpuUsage();
      await tellingsFor(causesOf([run, { ...run, waitsFor: "gate" }], null));
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
    promise("notices.quiet");
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
  it("is worth a look if it may bring a cause; a task's own events are, its moves are not", () => {
    const may = (event: object) => mayCauseNotice({ id: "1", time: "t", ...event } as PawlEvent);
    expect(may({ type: "run:advanced", run: "alfred:T1" })).toBe(true);
    expect(may({ type: "run:advanced", run: "bloom:T1" })).toBe(false);
    expect(may({ type: "task:blocked", taskId: "T1" })).toBe(true);
    expect(may({ type: "git:pushed", taskId: "T1" })).toBe(false);
  });
});

describe("The words of a cause", () => {
  const only = (run: RunOverview) => causesOf([run], null)[0];
  const since = GATE.since ?? "";

  it("say what waits, with its title or its question as a quote, and the command for it", () => {
    expect(only(GATE)).toEqual({
      ...{ key: `gate alfred:T1 ${since} plan: in review`, kind: "gate", run: "alfred:T1", since },
      ...{ says: "alfred:T1 waits for you: approve or reject the plan.", quote: "Add login" },
      command: "pawl review alfred:T1",
    });
    const { waitsFor: _, ...other } = GATE;
    expect(only({ ...other, title: "" })).toMatchObject({
      ...{ kind: "gate", says: "alfred:T1 waits for you: approve or reject the plan.", quote: null },
    });
    expect(only({ ...TASK, questions: [QUESTION] })).toMatchObject({
      ...{ kind: "question", says: "The agent of bloom:T2 asks.", quote: "Which port?", since: SINCE },
      ...{ key: `question bloom:T2 ${SINCE} ${QUESTION.command}`, command: QUESTION.command },
    });
    expect(only({ ...TASK, waitsFor: "blocked" })).toMatchObject({
      ...{ says: "bloom:T2 is blocked.", key: `blocked bloom:T2 ${since} plan: in review` },
    });
    expect(only({ ...TASK, waitsFor: "failed" })?.says).toBe("bloom:T2 is blocked: a check failed.");
  });

  it("say that a run is held, since nobody knows when", () => {
    const problem = { code: "state-tampered", message: "edited", fix: "Run it." } as const;
    expect(only({ ...GATE, since: null, problem })).toMatchObject({
      ...{ kind: "blocked", says: "alfred:T1 is held: its state was edited.", since: "" },
      key: expect.stringMatching(/^blocked alfred:T1 {2}\S/),
    });
  });

  it("say how much of a budget is spent, in its unit", () => {
    const spent = (nearing: RunOverview["nearing"], more: Partial<RunOverview> = {}) =>
      only({ ...TASK, awaits: "agent", ...(nearing && { nearing }), ...more });
    expect(spent({ limit: "turns", spent: 41, of: 50 })).toEqual({
      ...{ key: "budget bloom:T2 turns 50", kind: "budget", run: "bloom:T2", quote: null, since },
      says: "bloom:T2 has spent 41 turns of its 50 turns.",
      command: "pawl show bloom:T2",
    });
    expect(spent({ limit: "minutes", spent: 9, of: 10 }, { since: null })?.since).toBe("");
    expect(spent({ limit: "usd", spent: 4, of: 5 }, { awaits: "human", waitsFor: "failed" })?.kind).toBe(
      "blocked",
    );
    expect(spent(undefined)).toBeUndefined();
  });

  it("say how the loop rests, five tasks of a kind by name", () => {
    const rest = (more: object) => causesOf([], { ...REST, ...more })[0];
    const ids = (count: number) => Array.from({ length: count }, (_, at) => `T${at}`);
    expect(rest({ done: 1 })).toEqual({
      ...{ key: `rest ${REST.time}`, kind: "done", run: null, quote: null, since: REST.time },
      ...{ says: "The loop is done: 1 task done.", command: "pawl status" },
    });
    expect(rest({ open: 3 })?.says).toBe("The loop is idle: 2 tasks done, 3 open.");
    expect(rest({ open: 3, blocked: ids(1), waiting: ids(5) })?.says).toBe(
      "The loop is idle: 2 tasks done, 3 open. Blocked: T0. Waiting for a person: T0, T1, T2, T3, T4.",
    );
    expect(rest({ open: 9, waiting: ids(7) })?.says).toMatch(
      / Waiting for a person: T0, T1, T2, T3, T4 and 2 more\.$/,
    );
  });
});

describe("The words of a notice", () => {
  const cause = (kind: Cause["kind"], more: Partial<Cause> = {}): Cause => ({
    ...{
      key: `${kind} key`,
      kind,
      run: "a:1",
      says: "It waits.",
      quote: "Quote",
      command: "pawl x",
      since: SINCE,
    },
    ...more,
  });
  const notice = async (...causes: readonly Cause[]) =>
    (await tellingsFor(causes)).map((each) => each.notice)[0];

  it.each<readonly [Cause["kind"], string, "person" | "nobody"]>([
    ["gate", "a gate waits", "person"],
    ["question", "a question", "person"],
    ["blocked", "a task is blocked", "person"],
    ["budget", "most of a budget is spent", "nobody"],
    ["idle", "the loop is idle", "person"],
    ["done", "the loop is done", "nobody"],
  ])("of %s: %s", async (kind, title, acts) => {
    expect(await notice(cause(kind))).toEqual({
      ...{ project: "shop", board: null, id: expect.stringMatching(/^pawl_[0-9a-f]{32}$/), type: kind },
      ...{
        time: SINCE,
        title: `shop: ${title}`,
        text: "It waits.",
        quote: "Quote",
        run: "a:1",
        acts,
        command: "pawl x",
      },
    });
  });

  it("lead to the run's page on the board: a gate's review, else the run itself", async () => {
    const at = { ...PLACE, board: "http://127.0.0.1:1/", pages: "http://127.0.0.1:1/#/k" };
    const board = async (...causes: readonly Cause[]) =>
      (await dueNotices(causes, NOTICE_KINDS, {}, null, at))[0]?.notice.board;
    expect(await board(cause("gate", { run: "alfred:A 1" }))).toBe(
      "http://127.0.0.1:1/#/k/review/alfred%3AA%201",
    );
    expect(await board(cause("blocked"))).toBe("http://127.0.0.1:1/#/k/run/a%3A1");
    expect(await board(cause("idle", { run: null }))).toBe(at.board);
  });

  it("are of now if nobody knows since when, and have no quote if there is none", async () => {
    expect(await notice(cause("gate", { since: "", quote: null }))).toMatchObject({
      time: PLACE.time,
      quote: null,
    });
  });

  it("have an id that is the causes' own", async () => {
    const id = async (...causes: readonly Cause[]) => (await notice(...causes))?.id;
    expect(await id(cause("gate"))).toBe(await id(cause("gate", { says: "Else." })));
    expect(await id(cause("gate"))).not.toBe(await id(cause("gate", { key: "other" })));
    const many = (...keys: readonly string[]) => keys.map((key) => cause("gate", { key }));
    expect(await id(...many("a", "b", "c", "d"))).not.toBe(await id(...many("a", "bc", "", "d")));
  });

  it("are short: a notice's own, its quote, and a line of many", async () => {
    const long = "x".repeat(600);
    const one = await notice(cause("gate", { says: long, quote: long }));
    expect([one?.text.length, one?.quote?.length]).toEqual([500, 300]);
    const many = await notice(...["a", "b", "c", "d"].map((key) => cause("gate", { key, says: long })));
    expect(many?.text.split("\n").map((line) => line.length)).toEqual([120, 120, 120, 120]);
  });

  it("of many are lines, the first ten, and who acts", async () => {
    const many = (count: number, kind: Cause["kind"] = "gate") =>
      Array.from({ length: count }, (_, at) => cause(kind, { key: `k${at}`, says: `It ${at}.` }));
    expect(await notice(...many(4))).toMatchObject({
      ...{ type: "summary", title: "shop: 4 notices", text: "It 0.\nIt 1.\nIt 2.\nIt 3." },
      ...{ quote: null, run: null, acts: "person", command: "pawl status", time: PLACE.time },
    });
    expect((await notice(...many(10)))?.text.split("\n")).toHaveLength(10);
    expect((await notice(...many(12)))?.text.split("\n").slice(9)).toEqual(["It 9.", "and 2 more"]);
    const acts = async (...kinds: readonly Cause["kind"][]) =>
      (await notice(...kinds.map((kind, at) => cause(kind, { key: `k${at}` }))))?.acts;
    expect(await acts("budget", "done", "budget", "done")).toBe("nobody");
    expect(await acts("budget", "done", "gate", "done")).toBe("person");
  });

  it("are apart for three at once, and one for what began before the quiet hours ended", async () => {
    const count = async (number: number) => (await tellingsFor(gates(number))).length;
    expect([await count(3), await count(4)]).toEqual([3, 1]);
    const after = new Date(Date.parse(SINCE));
    const at = (since: string, key: string) => cause("gate", { since, key });
    const keys = async (...causes: readonly Cause[]) =>
      (await tellingsFor(causes, { after })).map((telling) => telling.keys.join());
    const before = new Date(after.getTime() - 1).toISOString();
    expect(await keys(at(before, "a"), at(SINCE, "b"), at(before, "c"))).toEqual(["a,c", "b"]);
    expect(await keys(at(before, "a"), at(SINCE, "b"))).toEqual(["a", "b"]);
  });

  it("say that they end, once for what was agreed to, and what one looks like", async () => {
    const ended = await endedNotice("the settings", PLACE);
    expect(ended.keys).toEqual([expect.stringMatching(/^ended [0-9a-f]{64}$/)]);
    expect(ended.notice).toEqual({
      ...{ project: "shop", board: null, time: PLACE.time, id: expect.stringMatching(/^pawl_[0-9a-f]{32}$/) },
      ...{ type: "ended", title: "shop: notices end here", quote: null, run: null, acts: "person" },
      text: "pawl.yaml no longer has this receiver as a person agreed to it, so this is the last notice. If that was you, nothing is wrong.",
      command: "pawl trust --show",
    });
    expect((await endedNotice("the settings", { ...PLACE, time: "later" })).notice.id).toBe(ended.notice.id);
    expect((await endedNotice("others", PLACE)).keys).not.toEqual(ended.keys);
    const test = await testNotice({ ...PLACE, project: `s\n${"x".repeat(80)}` });
    expect(test).toEqual({
      ...{ project: `s ${"x".repeat(57)}…`, board: null, time: PLACE.time, type: "test" },
      ...{ id: expect.stringMatching(/^pawl_[0-9a-f]{32}$/), title: `s ${"x".repeat(57)}…: a test` },
      ...{
        text: "This is what a notice of Pawl looks like.",
        quote: null,
        run: null,
        acts: "nobody",
        command: null,
      },
    });
    expect((await testNotice({ ...PLACE, time: "later" })).id).not.toBe(test.id);
  });

  it("are cut by letters, not in the middle of one", () => {
    expect([oneLine("abc", 3), oneLine("abcd", 3), oneLine("👩‍🚀👩‍🚀", 2)]).toEqual(["abc", "ab…", "👩…"]);
    expect(oneLine("one\ntwo\u001b[31m", 20)).toBe("one two");
  });
});

describe("Quiet hours, at their edges", () => {
  const at = (hours: number, minutes = 0) => new Date(2026, 2, 1, hours, minutes);

  it("begin at their first minute, and are over at their last", () => {
    expect(quietEnd("22:00-07:30", at(22))).toEqual(new Date(2026, 2, 2, 7, 30));
    expect(quietEnd("22:00-07:30", at(21, 59))).toBeNull();
    expect(quietEnd("22:00-07:30", at(7, 29))).toEqual(at(7, 30));
    expect(quietEnd("22:00-07:30", at(7, 30))).toBeNull();
    expect(quietEnd("12:00-12:00", at(12))).toEqual(new Date(2026, 2, 2, 12));
    expect(quietEnd(null, at(12))).toBeNull();
  });

  it("ended last at that minute, or the day before", () => {
    expect(lastQuietEnd("22:00-07:30", at(7, 30))).toEqual(at(7, 30));
    expect(lastQuietEnd("22:00-07:30", at(7, 29))).toEqual(new Date(2026, 1, 28, 7, 30));
    expect(lastQuietEnd("12:00-13:00", at(13))).toEqual(at(13));
    expect(lastQuietEnd("12:00-13:00", at(12, 30))).toEqual(new Date(2026, 1, 28, 13));
    expect(lastQuietEnd(null, at(12))).toBeNull();
  });
});

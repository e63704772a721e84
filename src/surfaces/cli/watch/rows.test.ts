import { expect, test } from "vitest";
import type { TaskCard } from "../../../runtime/board.ts";
import type { Waiting } from "../../../runtime/review/load.ts";
import type { RunOverview } from "../../../runtime/transaction/transaction.ts";
import { ageOf, deedsOf, matchesSearch, rowsOf, settled, windowOf, wordsOf } from "./rows.ts";

const NOW = Date.parse("2026-01-31T10:00:00.000Z");
const waits = (run: string, more: Partial<Waiting> = {}): Waiting => ({
  ...{ run, title: "T", kind: "gate", state: "in_review", next: "approve it", command: `pawl review ${run}` },
  ...{ since: "2026-01-31T09:30:00.000Z", minutes: 3, ...more },
});
const run = (name: string, awaits: RunOverview["awaits"], more: Partial<RunOverview> = {}) =>
  ({
    ...{ run: name, title: name, state: "s", awaits, next: "n", since: "2026-01-31T09:00:00.000Z" },
    ...more,
  }) as RunOverview;
const card = (column: TaskCard["column"], more: Partial<TaskCard> = {}) =>
  ({ column, state: column, reason: null, ...more }) as TaskCard;

test("questions and reviews come first, then blocked and failed, then what works, waits and is done; what has not begun is left out", () => {
  const runs = [
    run("a:done", "nobody", { next: "nothing" }),
    run("a:waits", "nobody"),
    run("a:works", "agent"),
    run("a:new", "assistant", { since: null }),
    run("a:gate", "human"),
  ];
  const waiting = [waits("a:failed", { kind: "failed" }), waits("a:gate")];
  expect(rowsOf(waiting, [{ runs }]).map(({ run: name, section }) => [name, section])).toEqual([
    ["a:gate", "yours"],
    ["a:failed", "yours"],
    ["a:works", "working"],
    ["a:waits", "waiting"],
    ["a:done", "done"],
  ]);
});

test("two questions of one run are two rows, each with a key of its own, which stays when the other is answered", () => {
  const asked = (question: string) => waits("bloom:T1", { kind: "question", question });
  const rows = rowsOf([asked("q1"), asked("q2")], []);
  expect(rows.map(({ question }) => question)).toEqual(["q1", "q2"]);
  expect(rowsOf([asked("q2")], [])[0]?.key).toBe(rows[1]?.key);
  expect(rows[0]?.key).not.toBe(rows[1]?.key);
});

test("titles and states of agents are one clean line", () => {
  const [row] = rowsOf([waits("a:b", { title: "a\u001b[31m\nb\u202e" })], []);
  expect(JSON.stringify(row?.title)).not.toMatch(/\\u001b|\\u202e|\\n/);
});

test("a task that no loop works on waits for an agent, whatever its state", () => {
  const task = (agentRun: string | null) => new Map([["bloom:T1", card("working", { agentRun })]]);
  const runs = [run("bloom:T1", "agent", { state: "working" })];
  expect(rowsOf([], [{ runs }], task(null))).toMatchObject([
    { section: "waiting", state: "waits for an agent" },
  ]);
  expect(rowsOf([], [{ runs }], task("r1"))).toMatchObject([{ section: "working", state: "working" }]);
});

test("a key does what the board's button does for such a task", () => {
  const keysOf = (kind: Waiting["kind"] | null, task: TaskCard | null) => {
    const [row] = rowsOf([waits("bloom:T1", { kind: kind ?? "other" })], [], new Map());
    if (!row) throw new Error("a row");
    return deedsOf({ ...row, kind, task }).map(({ key }) => key);
  };
  expect(keysOf("gate", null)).toEqual(["a", "r", "v", "l"]);
  expect(keysOf("question", card("waiting"))).toEqual(["w", "v", "l"]);
  expect(keysOf("failed", card("blocked"))).toEqual(["t", "h", "o", "c", "v", "l"]);
  expect(keysOf(null, card("working"))).toEqual(["i", "s", "v", "l"]);
  expect(keysOf(null, card("done"))).toEqual(["v", "l"]);
});

test("an agent's order that waits for a person has the keys of a task's", () => {
  const of = (why: string) => {
    const order = { why, words: "w" };
    const [row] = rowsOf([waits("own:1", { kind: "other" })], [{ runs: [run("own:1", "human", { order })] }]);
    return row && deedsOf(row).map(({ key, label }) => `${key} ${label}`);
  };
  expect(of("asks")?.[0]).toBe("w answer");
  expect(of("budget")?.slice(0, 2)).toEqual(["t give more budget", "h try again with a hint"]);
  expect(of("failed")?.slice(0, 2)).toEqual(["t try again", "h try again with a hint"]);
});

test("a rejection goes on with its reason, whatever it begins with", () => {
  const [gate] = rowsOf([waits("a:b")], []);
  if (!gate) throw new Error("a row");
  expect(wordsOf("reject", gate, "")).toEqual(["reject", "a:b"]);
  expect(wordsOf("reject", gate, "-x")).toEqual(["reject", "a:b", "--notes", "-x"]);
  expect(wordsOf("look", gate, "")).toEqual(["review", "a:b", "--diff"]);
});

test("the filter finds words of the state, the run, the title and the question", () => {
  const [row] = rowsOf(
    [waits("bloom:T1", { kind: "question", title: "Limit", next: "Which Database?" })],
    [],
  );
  if (!row) throw new Error("a row");
  expect(["question", "t1", "limit", "which data", ""].map((text) => matchesSearch(row, text))).toEqual(
    Array.from({ length: 5 }, () => true),
  );
  expect(matchesSearch(row, "gate")).toBe(false);
});

test("what begins to wait while one looks stays out of the list until it is asked for", () => {
  const names = (rows: ReturnType<typeof rowsOf>) => rows.map(({ run: name }) => name);
  const before = rowsOf([waits("a:1"), waits("a:2")], []);
  const order = before.map(({ key }) => key);
  const after = rowsOf([waits("a:3"), waits("a:2"), waits("a:1")], [{ runs: [run("a:works", "agent")] }]);
  const shown = settled(after, order);
  expect(names(shown.rows)).toEqual(["a:1", "a:2", "a:works"]);
  expect(shown.fresh).toBe(1);
  expect(names(settled(after, null).rows)).toEqual(["a:3", "a:2", "a:1", "a:works"]);
  const others = rowsOf([waits("a:8"), waits("a:9")], []);
  expect(settled(others, order)).toEqual({ rows: others, fresh: 0 });
});

test("the list is cut around the cursor", () => {
  expect(windowOf(3, 2, 5)).toEqual({ from: 0, to: 3 });
  expect(windowOf(100, 0, 10)).toEqual({ from: 0, to: 10 });
  expect(windowOf(100, 50, 10)).toEqual({ from: 45, to: 55 });
  expect(windowOf(100, 99, 10)).toEqual({ from: 90, to: 100 });
});

test("an age has the unit that fits", () => {
  const ago = (seconds: number) => ageOf(new Date(NOW - seconds * 1000).toISOString(), NOW);
  expect([ago(5), ago(125), ago(7300), ago(200_000)]).toEqual(["5 s", "2 min", "2 h", "2 d"]);
  expect(ageOf(null, NOW)).toBe("");
  expect(ageOf("never", NOW)).toBe("");
});

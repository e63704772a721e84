import { expect, test } from "vitest";
import type { Waiting } from "../../../runtime/review/load.ts";
import type { RunOverview } from "../../../runtime/transaction/transaction.ts";
import { actsOf, ageOf, rowsOf, windowOf, wordsOf } from "./rows.ts";

const NOW = Date.parse("2026-01-31T10:00:00.000Z");
const waits = (run: string, more: Partial<Waiting> = {}): Waiting => ({
  ...{ run, title: "T", kind: "gate", state: "in review", next: "approve it", command: `pawl review ${run}` },
  ...{ since: "2026-01-31T09:30:00.000Z", minutes: 3, ...more },
});
const run = (
  name: string,
  awaits: RunOverview["awaits"],
  since: string | null = "2026-01-31T09:00:00.000Z",
) => ({ run: name, title: name, state: "s", awaits, next: "n", since }) as RunOverview;

test("what waits for a person comes first, then what is at work, then the rest; what has not begun is left out", () => {
  const runs = [
    run("a:rests", "nobody"),
    run("a:works", "agent"),
    run("a:new", "assistant", null),
    run("a:gate", "human"),
  ];
  const rows = rowsOf([waits("a:gate")], [{ runs }]);
  expect(rows.map(({ run: name, section }) => [name, section])).toEqual([
    ["a:gate", "waits"],
    ["a:works", "works"],
    ["a:rests", "rests"],
  ]);
});

test("two questions of one run are two lines, each with a key of its own", () => {
  const asked = { kind: "question", command: "bloom answer q1 TEXT" } as const;
  const rows = rowsOf(
    [waits("bloom:T1", asked), waits("bloom:T1", { ...asked, command: "bloom answer q2 TEXT" })],
    [],
  );
  expect(new Set(rows.map(({ key }) => key)).size).toBe(2);
  expect(rows.map((row) => wordsOf("answer", row, "yes"))).toEqual([
    ["answer", "q1", "yes"],
    ["answer", "q2", "yes"],
  ]);
});

test("texts of agents are one clean line", () => {
  const [row] = rowsOf([waits("a:b", { title: "a\u001b[31m\nb", next: "x\u202ey" })], []);
  expect(JSON.stringify(row)).not.toMatch(/\\u001b|\\u202e|\\n/);
});

test("a gate can be looked at and decided, a question answered, and an agent at work told something", () => {
  const [gate, question] = rowsOf([waits("a:b"), waits("bloom:T1", { kind: "question" })], []);
  const [works] = rowsOf([], [{ runs: [run("bloom:T2", "agent")] }]);
  if (!gate || !question || !works) throw new Error("three rows");
  expect(actsOf(gate)).toEqual(["review", "approve", "reject", "log"]);
  expect(actsOf(question)).toEqual(["answer", "log"]);
  expect(actsOf(works)).toEqual(["review", "interject", "log"]);
  expect(wordsOf("reject", gate, "")).toEqual(["reject", "a:b"]);
  expect(wordsOf("reject", gate, "-x")).toEqual(["reject", "a:b", "--notes", "-x"]);
  expect(wordsOf("interject", works, "stop")).toEqual(["interject", "T2", "stop"]);
});

test("the list is cut around the cursor", () => {
  expect(windowOf(3, 2, 5)).toEqual({ from: 0, to: 3 });
  expect(windowOf(100, 0, 10)).toEqual({ from: 0, to: 10 });
  expect(windowOf(100, 50, 10)).toEqual({ from: 45, to: 55 });
  expect(windowOf(100, 99, 10)).toEqual({ from: 90, to: 100 });
});

test("an age is told in the unit that fits", () => {
  const ago = (seconds: number) => ageOf(new Date(NOW - seconds * 1000).toISOString(), NOW);
  expect([ago(5), ago(125), ago(7300), ago(200_000)]).toEqual(["5 s", "2 min", "2 h", "2 d"]);
  expect(ageOf(null, NOW)).toBe("");
  expect(ageOf("never", NOW)).toBe("");
});

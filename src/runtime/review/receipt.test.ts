import { expect, test } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import type { Proposal, Verdict } from "../transaction/transaction.ts";
import { receiptOf } from "./receipt.ts";

const VERDICT = {
  ...{ gate: "alfred.plan_task", run: "alfred:T1", approve: true, strength: "terminal" },
  ...{ artifact: "a".repeat(64), judged: "b".repeat(40) },
} as unknown as Verdict;
const MOVED = {
  ...{ id: "1", time: "2026-01-31T09:30:15.250Z", type: "run:advanced", run: "alfred:T1" },
  by: { channel: "terminal", who: "ada@host" },
};
const proposal = (more: Partial<Proposal<string>> = {}) =>
  ({
    reply: "",
    changes: [{ type: "write", path: ".alfred/workspace/T1/task_state.json", text: "" }],
    events: [{ ...MOVED, run: "alfred:T2" }, MOVED],
    verdict: VERDICT,
    ...more,
  }) as unknown as Proposal<string>;

test("a receipt says who decided what, when, on which hashes, and how much that is worth", () => {
  promise("review.terminal");
  expect(receiptOf(proposal())).toEqual({
    ...{ run: "alfred:T1", gate: "alfred.plan_task", approved: true, time: MOVED.time },
    ...{ by: "ada@host", channel: "terminal", strength: "terminal" },
    worth: "given at a terminal; unverified: anyone with your shell",
    ...{ artifact: "a".repeat(64), work: "b".repeat(40), record: null },
  });
});

test("a receipt names the signed record, and not its signature", () => {
  promise("review.terminal");
  const write = (path: string) => ({ type: "write", path, text: "" });
  const changes = [".alfred/gates/alfred/T1/0002.sig", ".alfred/gates/alfred/T1/0002.json"].map(write);
  expect(receiptOf(proposal({ changes } as never))?.record).toBe(".alfred/gates/alfred/T1/0002.json");
});

test("there is no receipt if nothing was decided or committed", () => {
  for (const more of [{ ask: { message: "?" } }, { changes: [] }, { verdict: undefined }, { events: [] }])
    expect(receiptOf(proposal(more as never))).toBeNull();
});

test("a receipt is of the verdict's own move, and of a record that is written", () => {
  const events = [{ ...MOVED, type: "task:waiting", time: "earlier" }, { ...MOVED, run: "alfred:T2" }, MOVED];
  expect(receiptOf(proposal({ events } as never))?.time).toBe(MOVED.time);
  expect(receiptOf(proposal({ events: events.slice(0, 2) } as never))).toBeNull();
  const path = ".alfred/gates/alfred/T1/0002.json";
  const changes = [
    { type: "remove", path },
    { type: "move", from: path, to: "x" },
  ];
  expect(receiptOf(proposal({ changes } as never))?.record).toBeNull();
  expect(receiptOf({ reply: "", verdict: VERDICT })).toBeNull();
  const { events: _, ...silent } = proposal();
  expect(receiptOf(silent)).toBeNull();
});

import { expect, test } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import type { RunOverview } from "../transaction/transaction.ts";
import { inTurn, type Waiting, waitingIn } from "./queue.ts";

const RUN: RunOverview = {
  run: "bloom:T1",
  title: "Limit the rate",
  state: "waiting_for_human",
  awaits: "human",
  waitsFor: "gate",
  next: "approve it, or send it back",
  since: "2026-01-31T09:00:00.000Z",
};

const asked = (id: string, text: string) => ({
  ...{ id, text, since: "2026-01-31T08:00:00.000Z" },
  command: `pawl answer ${id} "…"`,
});

test("a run that awaits nobody's word asks a person nothing", () => {
  expect(waitingIn({ ...RUN, awaits: "agent" })).toEqual([]);
  expect(waitingIn({ ...RUN, awaits: "assistant" })).toEqual([]);
});

test("a gate says how to see what is judged, and another turn keeps its own command", () => {
  expect(waitingIn(RUN)).toEqual([
    {
      ...{ run: "bloom:T1", title: "Limit the rate", kind: "gate", state: "waiting_for_human" },
      ...{ next: "approve it, or send it back", command: "pawl review bloom:T1" },
      ...{ since: "2026-01-31T09:00:00.000Z", minutes: null },
    },
  ]);
  const blocked: RunOverview = { ...RUN, waitsFor: "blocked", command: "pawl task ready T1" };
  expect(waitingIn(blocked)).toMatchObject([{ kind: "blocked", command: "pawl task ready T1" }]);
  const problem = { message: "It was edited.", fix: "Decide." };
  expect(waitingIn({ ...RUN, problem })).toMatchObject([{ kind: "held", next: "It was edited." }]);
  // No verdict is taken of it.
  expect(waitingIn({ ...RUN, problem })).toMatchObject([{ command: "pawl show bloom:T1" }]);
  expect(waitingIn({ ...RUN, problem: { ...problem, code: "records-forked" } })).toMatchObject([
    { command: "pawl adopt bloom:T1 --branch ID" },
  ]);
  const { waitsFor: _, ...other } = RUN;
  expect(waitingIn(other)).toMatchObject([{ kind: "other", command: "pawl approve bloom:T1" }]);
  // Where it waits for a question that is gone, it waits all the same.
  expect(waitingIn({ ...RUN, waitsFor: "question" })).toMatchObject([{ kind: "question" }]);
});

test("each open question of an agent waits, once, though its run goes on", () => {
  promise("review.waiting");
  const questions = [asked("q1", "Which unit?"), asked("q2", "word ".repeat(900))];
  const open = waitingIn({ ...RUN, awaits: "agent", questions });
  expect(open.map(({ command, kind, minutes, next }) => [kind, next, command, minutes])).toEqual([
    ["question", "Which unit?", 'pawl answer q1 "…"', 1],
    ["question", questions[1]?.text, 'pawl answer q2 "…"', 5],
  ]);
  expect(waitingIn({ ...RUN, waitsFor: "question", questions })).toHaveLength(2);
  expect(waitingIn({ ...RUN, questions })).toHaveLength(3);
});

test("what waits longer by days comes first, and within a day what takes less time", () => {
  promise("review.waiting");
  const one = (run: string, since: string | null, minutes: number | null): Waiting => ({
    ...{ run, since, minutes, title: "", kind: "gate", state: "", next: "", command: "" },
  });
  const waiting = [
    one("long today", "2026-01-31T00:00:00Z", 30),
    one("unknown today", "2026-01-31T00:00:00Z", null),
    one("short today", "2026-01-31T11:00:00Z", 2),
    one("older, short too", "2026-01-31T10:00:00Z", 2),
    one("long yesterday", "2026-01-30T09:00:00Z", 90),
    one("at an unknown time", null, 1),
  ];
  expect(inTurn(waiting, new Date("2026-01-31T12:00:00Z")).map(({ run }) => run)).toEqual([
    "at an unknown time",
    "long yesterday",
    "older, short too",
    "short today",
    "long today",
    "unknown today",
  ]);
});

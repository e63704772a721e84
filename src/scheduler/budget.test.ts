/** What a budget allows: which limit ends the work, when a person hears of it, and what a run may still use. */
import { describe, expect, it } from "vitest";
import {
  added,
  type Budget,
  budgetOf,
  exceeded,
  limitsLeft,
  minutesLeft,
  NOTHING_SPENT,
  nearestLimit,
  overspent,
  type Spent,
  spentWords,
} from "./budget.ts";

const MINUTE = 60_000;
const spent = (more: Partial<Spent>): Spent => ({ ...NOTHING_SPENT, ...more });

describe("A budget", () => {
  it("is the task's own, and the project's for the limits that the task does not set", () => {
    const settings = { budget: { usd: 5, turns: 100 } };
    expect(budgetOf({ budget: { usd: 2, minutes: 30 } }, settings)).toEqual({
      usd: 2,
      turns: 100,
      minutes: 30,
    });
    expect(budgetOf({}, settings)).toEqual({ usd: 5, turns: 100 });
  });

  it.each<[string, Budget, Partial<Spent>, ReturnType<typeof overspent>, ReturnType<typeof exceeded>]>([
    ["nothing is spent", { usd: 5, turns: 9, minutes: 2 }, {}, null, null],
    ["nothing is limited", {}, { usd: 1e6, turns: 1e6, milliseconds: 1e9 }, null, null],
    ["a cent is left", { usd: 5 }, { usd: 4.99 }, null, null],
    ["the dollars are spent", { usd: 5 }, { usd: 5 }, "usd", null],
    ["it cost more dollars", { usd: 5 }, { usd: 5.01 }, "usd", "usd"],
    ["a call is left", { turns: 9 }, { turns: 8 }, null, null],
    ["the calls are made", { turns: 9 }, { turns: 9 }, "turns", null],
    ["it took one call more", { turns: 9 }, { turns: 10 }, "turns", "turns"],
    ["a moment is left", { minutes: 2 }, { milliseconds: 2 * MINUTE - 1 }, null, null],
    // A run is stopped by its own time limit, which is what is left of the minutes.
    ["the minutes are over", { minutes: 2 }, { milliseconds: 2 * MINUTE }, "minutes", null],
    [
      "only another limit's number is passed",
      { turns: 9 },
      { usd: 10, milliseconds: 10 * MINUTE },
      null,
      null,
    ],
    ["several limits are passed", { usd: 5, turns: 9 }, { usd: 6, turns: 10 }, "usd", "usd"],
    ["there are no dollars to spend", { usd: 0 }, {}, "usd", null],
  ])("lets no run begin at a limit, and stops one beyond it: %s", (_, budget, used, atLimit, beyond) => {
    expect([overspent(budget, spent(used)), exceeded(budget, spent(used))]).toEqual([atLimit, beyond]);
  });

  it.each<[string, Budget, Partial<Spent>, ReturnType<typeof nearestLimit>]>([
    ["four fifths of the dollars", { usd: 5 }, { usd: 4 }, { limit: "usd", spent: 4, of: 5 }],
    ["less", { usd: 5, turns: 10, minutes: 10 }, { usd: 3.99, turns: 7, milliseconds: 7 * MINUTE }, null],
    [
      "four fifths of the minutes",
      { usd: 5, minutes: 10 },
      { milliseconds: 8 * MINUTE },
      { limit: "minutes", spent: 8, of: 10 },
    ],
    ["nothing that is limited", {}, { usd: 9, turns: 9, milliseconds: MINUTE }, null],
    ["much of two limits", { usd: 5, turns: 10 }, { usd: 4, turns: 9 }, { limit: "turns", spent: 9, of: 10 }],
    [
      "more of the first of two limits",
      { usd: 5, turns: 100 },
      { usd: 4.9, turns: 90 },
      { limit: "usd", spent: 4.9, of: 5 },
    ],
  ])("nears its end once four fifths of a limit are spent: %s", (_, budget, used, nearing) => {
    expect(nearestLimit(budget, spent(used))).toEqual(nearing);
  });

  it("leaves a run what earlier runs have not used, and sets no limit of its own", () => {
    const used = spent({ usd: 1.5, turns: 4, milliseconds: 90_000 });
    expect(limitsLeft({ usd: 5, turns: 9, minutes: 2 }, used)).toEqual({ usd: 3.5, turns: 5 });
    expect(limitsLeft({}, used)).toEqual({});
    expect(["minutes" as const, "usd" as const].map((limit) => minutesLeft({ [limit]: 2 }, used))).toEqual([
      0.5,
      Number.POSITIVE_INFINITY,
    ]);
    expect(minutesLeft({ minutes: 1 }, used)).toBe(0);
  });
});

describe("What is spent", () => {
  it("adds up over the runs, to the millionth of a dollar, also if an agent does not say what it used", () => {
    const usage = { inputTokens: null, outputTokens: null };
    const first = added(NOTHING_SPENT, { ...usage, usd: 0.1, turns: 3 }, 1000);
    const second = added(first, { ...usage, usd: 0.2, turns: 4 }, 2000);
    expect(second).toEqual({ usd: 0.3, turns: 7, milliseconds: 3000 });
    expect(added(second, null, 500)).toEqual({ usd: 0.3, turns: 7, milliseconds: 3500 });
    expect(added(second, { ...usage, usd: null, turns: null }, 0)).toEqual(second);
  });

  it("is told in cents and tenths of a minute", () => {
    expect(spentWords({ usd: 1.239, turns: 7, milliseconds: 95_000 })).toBe("1.24 USD, 7 turns, 1.6 minutes");
    expect(spentWords({ usd: 0, turns: 1, milliseconds: 60_000 })).toBe("0.00 USD, 1 turn, 1 minute");
  });
});

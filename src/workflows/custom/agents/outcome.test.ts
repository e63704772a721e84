import { describe, expect, it } from "vitest";
import type { AgentEnd } from "../../../core/ports/agents.ts";
import { added, exceeded, overspent } from "../../../scheduler/budget.ts";
import type { OrderWork } from "../run-file.ts";
import { UNBEGUN } from "./order-state.ts";
import { outcomeOf } from "./outcome.ts";

const NOW = "2026-01-01T00:00:00.000Z";
const RULES = {
  budget: { usd: 1, turns: 10, minutes: 5 },
  answers: { verdict: ["good"] },
  agent: "claude",
  tries: 2,
  backoff: { first: 10, limit: 15 },
};
const WORK: OrderWork = { ...UNBEGUN, runs: 1, underway: "r", hint: "mind it" };

function ended(more: object): AgentEnd {
  return {
    ...{ outcome: "succeeded", session: "s", text: "", duration: 1000, output: "o" },
    ...{ usage: { usd: 0.1, turns: 1, inputTokens: 1, outputTokens: 1 }, exit: { code: 0, signal: null } },
    leftovers: { ended: 0, alive: 0 },
    ...more,
  } as unknown as AgentEnd;
}

const failed = (reason: string, more: object = {}) =>
  ended({ outcome: "failed", reason, detail: "d", ...more });
const outcome = (end: AgentEnd, work = WORK, stop: "interrupted" | "budget" | null = null) =>
  outcomeOf(work, { end, stop, now: NOW }, RULES);

describe("the end of an agent's run", () => {
  it("is an event only if the answer fits, with the session and what it cost", () => {
    expect(outcome(ended({ text: '{"verdict":"good"}' }))).toEqual({
      refused: expect.any(Function),
      answer: { event: "good", texts: {} },
      work: {
        ...{ runs: 1, failed: 0, spent: { usd: 0.1, turns: 1, milliseconds: 1000 } },
        session: { id: "s", agent: "claude" },
      },
    });
  });

  it("refuses an answer once, and waits for a person after the second", () => {
    const first = outcome(ended({ text: "Done." })).work;
    expect(first.refused).toContain("There is no JSON object");
    expect(outcome(ended({ text: "Done." }), first).work.held).toEqual({
      why: "unclear",
      words: "its answer was refused twice: There is no JSON object in its last message",
      since: NOW,
    });
    const misspelt = outcome(ended({ text: '{"verdict":"goood"}' })).work;
    expect(outcome(ended({ text: "Sorry." }), misspelt).work.held?.words).toMatch(
      /^its answer was refused twice: verdict: .*"goood".* Then: There is no JSON object in its last message$/,
    );
    // The table may refuse the event of one that fits.
    const { refused } = outcome(ended({ text: '{"verdict":"good"}' }));
    expect(refused?.("No file.").refused).toContain("- No file.");
    expect(outcome(ended({ text: '{"verdict":"good"}' }), first).answer?.event).toBe("good");
  });

  it("asks a person what the agent asks", () => {
    const { held } = outcome(ended({ text: "I looked.\n\nWhich one, **a or b?**" })).work;
    expect(held).toEqual({ why: "asks", words: "Which one, **a or b?**", since: NOW });
  });

  it("tries again after a failure, later each time, until the tries are used up", () => {
    const one = outcome(failed("exit")).work;
    expect(one).toMatchObject({ failed: 1, after: "2026-01-01T00:00:10.000Z", hint: "mind it" });
    const two = outcome(failed("exit"), one).work;
    expect(two).toMatchObject({ failed: 2, held: { why: "failed", words: "d" } });
  });

  it("counts no try for a stop, a limit, or a session that is gone", () => {
    expect(outcome(failed("stopped"), WORK, "interrupted").work).toMatchObject({
      failed: 0,
      hint: "mind it",
    });
    const limited = { words: "limit", resets: null };
    expect(outcome(failed("rate-limit", { limited }))).toMatchObject({ limited, work: { failed: 0 } });
    const lost = outcome(failed("bad-session"), { ...WORK, session: { id: "old", agent: "claude" } }).work;
    expect(lost).toMatchObject({ failed: 0 });
    expect(lost.session).toBeUndefined();
  });

  it("waits for a person if the agent is missing or the budget is spent", () => {
    expect(outcome(failed("not-installed")).work.held).toMatchObject({ why: "missing" });
    expect(outcome(failed("stopped"), WORK, "budget").work.held).toMatchObject({ why: "budget" });
    const rich = { ...WORK, spent: { usd: 0.95, turns: 1, milliseconds: 0 } };
    for (const end of [failed("exit"), ended({ text: "Done." })])
      expect(outcome(end, rich).work.held).toMatchObject({
        why: "budget",
        words: "the budget of usd for its order is spent: 1.05 USD, 2 turns, 0 minutes",
      });
  });

  it("may reach a limit, and not exceed it", () => {
    const spent = added({ usd: 0.9, turns: 9, milliseconds: 299_000 }, null, 1000);
    expect([overspent(RULES.budget, spent), exceeded(RULES.budget, spent) !== null]).toEqual([
      "minutes",
      false,
    ]);
    const more = added(spent, { usd: 0.1, turns: 1, inputTokens: 0, outputTokens: 0 }, 0);
    expect([overspent(RULES.budget, more), exceeded(RULES.budget, more) !== null]).toEqual(["usd", false]);
    expect(exceeded(RULES.budget, { ...more, turns: 11 }) !== null).toBe(true);
  });
});

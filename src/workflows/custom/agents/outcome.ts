/**
 * The outcome of an agent's run for its order.
 *
 * O1  Only an answer that fits is an event of the table. Everything else, and an event that moves nothing, leaves
 *     the run where it is.
 * O2  A limit of the agent's account, or a stop of the loop, is no failure: the same order continues, in its session.
 * O3  An order that cannot continue on its own waits for a person, with the reason.
 */
import type { AgentEnd, Limited } from "../../../core/ports/agents.ts";
import {
  type AgentAnswers,
  type Answer,
  readAnswer,
  refusedTwice,
  refusedWords,
} from "../../../runtime/agent-order.ts";
import { lastQuestion } from "../../../scheduler/agent-run.ts";
import { added, type Budget, overspent, spentWords } from "../../../scheduler/budget.ts";
import { type AgentCost, type RunUsage, withRun } from "../../../scheduler/costs.ts";
import { readList } from "../../../tasks-file/proposal.ts";
import type { OrderWork } from "../run-file.ts";
import { ANY_TASKS, type AnswerLimits } from "./answer.ts";

export interface Ended {
  readonly end: AgentEnd;
  /** Why the loop stopped it; null: it ended by itself. */
  readonly stop: "interrupted" | "budget" | null;
  /** ISO 8601 */
  readonly now: string;
}

export interface Rules {
  readonly budget: Budget;
  readonly answers: AgentAnswers;
  /** What may begin from it. */
  readonly limits?: AnswerLimits;
  /** The name of its agent, for its session. */
  readonly agent: string;
  /** How many of an order's runs may fail, and how long the next waits, in seconds. */
  readonly tries: number;
  readonly backoff: { readonly first: number; readonly limit: number };
}

export interface Outcome {
  /** Absent: the order is not at its end. */
  readonly answer?: Answer;
  readonly work: OrderWork;
  /** Present with `answer`: the order's state if the table refuses its event, with these words. */
  readonly refused?: (words: string) => OrderWork;
  /** The agent's account is limited or refused. */
  readonly limited?: Limited;
}

export function outcomeOf(before: OrderWork, { end, now, stop }: Ended, rules: Rules): Outcome {
  const { after: _, hint: __, refused, underway: ___, ...rest } = before;
  const session = end.session === null ? rest.session : { id: end.session, agent: rules.agent };
  const spent = added(rest.spent, end.usage, end.duration);
  const work: OrderWork = { ...rest, ...(session && { session }), spent };
  // An agent that has not worked on it gets the person's message and the faults again.
  const again: OrderWork = {
    ...work,
    ...(before.hint === undefined ? {} : { hint: before.hint }),
    ...(refused === undefined ? {} : { refused }),
  };
  const waits = (why: string, words: string): Outcome => ({
    work: { ...work, held: { why, words, since: now } },
  });
  const limit = overspent(rules.budget, spent);
  const isOver = limit !== null;
  const overBudget = () =>
    waits("budget", `the budget of ${limit ?? "turns"} for its order is spent: ${spentWords(spent)}`);
  const refuse = (faults: readonly string[]): Outcome => {
    if (refused === undefined)
      return isOver ? overBudget() : { work: { ...work, refused: refusedWords(faults) } };
    return waits("unclear", `its answer was refused twice: ${refusedTwice(refused, faults)}`);
  };
  if (end.outcome === "succeeded") {
    const answer = parseAnswer(end.text, rules.answers, rules.limits);
    if (!("faults" in answer)) return { answer, work, refused: (words) => refuse([words]).work };
    const asks = lastQuestion(end);
    return asks === null ? refuse(answer.faults) : waits("asks", asks);
  }
  if (stop === "budget") return overBudget();
  if (stop === "interrupted") return { work: again };
  if (end.reason === "not-installed") return waits("missing", end.detail);
  if (end.limited) return { work: again, limited: end.limited };
  const { session: lost, ...fresh } = again;
  if (end.reason === "bad-session" && lost !== undefined) return { work: fresh };
  if (isOver) return overBudget();
  const failed = before.failed + 1;
  if (failed >= rules.tries) return { work: { ...waits("failed", end.detail).work, failed } };
  const seconds = Math.min(rules.backoff.limit, rules.backoff.first * 2 ** (failed - 1));
  const next = new Date(Date.parse(now) + seconds * 1000).toISOString();
  return { work: { ...again, failed, after: next } };
}

/** The answer to an order, with its lists of tasks. `faults`: what is wrong with it, for the agent. */
export function parseAnswer(
  text: string,
  answers: AgentAnswers,
  limits: AnswerLimits = {},
): Answer | { readonly faults: readonly string[] } {
  return readAnswer(text, answers, (field, value) => {
    const list = readList(value, limits[field] ?? ANY_TASKS);
    return "faults" in list ? list : { text: JSON.stringify(list) };
  });
}

export type Costs = Readonly<Record<string, AgentCost>>;

/** What a run's agents cost so far, with one more run. */
export function withRunCost(costs: Costs = {}, agent: string, run: RunUsage): Costs {
  return { ...costs, [agent]: withRun(costs[agent], run) };
}

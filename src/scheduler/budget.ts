/** What agents may spend on their work, and what they have spent. */
import type { AgentLimits, AgentUsage } from "../core/ports/agents.ts";
import type { BloomSettings } from "../core/settings.ts";
import type { Nearing } from "../runtime/module.ts";

export interface Budget {
  readonly usd?: number | undefined;
  /** Model calls. */
  readonly turns?: number | undefined;
  readonly minutes?: number | undefined;
}

export interface Spent {
  readonly usd: number;
  readonly turns: number;
  readonly milliseconds: number;
}

export const NOTHING_SPENT: Spent = { usd: 0, turns: 0, milliseconds: 0 };

/** The task's budget, else the project's, limit by limit. */
export function budgetOf(
  task: { readonly budget?: Budget | undefined },
  settings: Pick<BloomSettings, "budget">,
): Budget {
  return { ...settings.budget, ...task.budget };
}

export type Limit = "usd" | "turns" | "minutes";

/** The first limit that is reached, or null. No run begins once a limit is reached. */
export function overspent(budget: Budget, spent: Spent): Limit | null {
  const { minutes = Infinity, turns = Infinity, usd = Infinity } = budget;
  if (spent.usd >= usd) return "usd";
  if (spent.turns >= turns) return "turns";
  return spent.milliseconds >= minutes * 60_000 ? "minutes" : null;
}

/**
 * The first limit that is exceeded, or null. A run stops when it exceeds a limit: the call that reaches the
 * limit may still finish, the next one may not.
 */
export function exceeded(budget: Budget, spent: Spent): Limit | null {
  const { turns = Infinity, usd = Infinity } = budget;
  if (spent.usd > usd) return "usd";
  return spent.turns > turns ? "turns" : null;
}

/** What is spent as people read it: minutes to a tenth. */
export function shownSpent({ milliseconds, turns, usd }: Spent): Readonly<Record<Limit, number>> {
  return { usd, turns, minutes: Math.round((milliseconds / 60_000) * 10) / 10 };
}

export function spentWords(spent: Spent): string {
  const { minutes, turns, usd } = shownSpent(spent);
  const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`;
  return `${usd.toFixed(2)} USD, ${counted(turns, "turn")}, ${counted(minutes, "minute")}`;
}

/** Notify a person once this share of a budget is spent. */
const NOTICE_SHARE = 0.8;

/** The budget limit nearest to exhaustion, if at least four fifths of it are spent; else null. */
export function nearestLimit(budget: Budget, total: Spent): Nearing | null {
  const spent = shownSpent(total);
  const [most] = (["usd", "turns", "minutes"] as const)
    .flatMap((limit) => {
      const of = budget[limit];
      return of === undefined ? [] : [{ limit, spent: spent[limit], of }];
    })
    .filter((each) => each.spent >= each.of * NOTICE_SHARE)
    .sort((one, other) => other.spent / other.of - one.spent / one.of);
  return most ?? null;
}

/** What is left of the budget for a run that may begin. */
export function limitsLeft(budget: Budget, spent: Spent): Pick<AgentLimits, "turns" | "usd"> {
  return {
    ...(budget.turns === undefined ? {} : { turns: budget.turns - spent.turns }),
    ...(budget.usd === undefined ? {} : { usd: budget.usd - spent.usd }),
  };
}

/** What is spent with one more run, or with what it has used so far. */
export function added(spent: Spent, usage: AgentUsage | null, duration: number): Spent {
  return {
    usd: rounded(spent.usd + (usage?.usd ?? 0)),
    turns: spent.turns + (usage?.turns ?? 0),
    milliseconds: spent.milliseconds + duration,
  };
}

/** Rounds to a millionth of a dollar, to drop the residue of binary fractions. */
export function rounded(usd: number): number {
  return Math.round(usd * 1e6) / 1e6;
}

export function minutesLeft(budget: Budget, spent: Spent): number {
  const { minutes = Infinity } = budget;
  return Math.max(0, minutes - spent.milliseconds / 60_000);
}

/** What agents' runs cost in all. */
import type { AgentUsage } from "../core/ports/agents.ts";
import { rounded } from "./budget.ts";

/** Of several runs. */
export interface AgentCost {
  /** Null: no agent reported it. */
  readonly usd: number | null;
  readonly tokens: number | null;
  readonly milliseconds: number;
  readonly runs: number;
}

/** One run of an agent. */
export interface RunUsage {
  readonly usage: AgentUsage | null;
  readonly milliseconds: number;
}

/** `before`: of the runs before it. */
export function withRun(before: AgentCost | undefined, { milliseconds, usage }: RunUsage): AgentCost {
  return {
    runs: (before?.runs ?? 0) + 1,
    usd: sum(before?.usd, usage?.usd),
    tokens: sum(before?.tokens, sum(usage?.inputTokens, usage?.outputTokens)),
    milliseconds: (before?.milliseconds ?? 0) + milliseconds,
  };
}

/** Null: neither value is known. */
function sum(one: number | null = null, other: number | null = null): number | null {
  return one === null && other === null ? null : rounded((one ?? 0) + (other ?? 0));
}

const MINUTE = 60_000;

export function totalOf(costs: readonly AgentCost[]): {
  readonly usd: number | null;
  readonly tokens: number | null;
  readonly minutes: number;
} {
  const all = costs.reduce((total, { milliseconds }) => total + milliseconds, 0);
  return {
    usd: costs.reduce((total: number | null, { usd }) => sum(total, usd), null),
    tokens: costs.reduce((total: number | null, { tokens }) => sum(total, tokens), null),
    minutes: Math.round(all / MINUTE),
  };
}

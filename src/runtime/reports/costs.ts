/** The costs of agents' runs and their causes: rows, and their sums for the board's page and `pawl log stats`. */
import type { PawlEvent } from "../../core/event.ts";

/** Folds events into rows. */
export interface Costs {
  /** Lines of the log without one of these texts can be skipped. */
  readonly containing: readonly string[];
  take(event: PawlEvent): void;
  rows(): readonly CostRow[];
}

export interface CostRow {
  /** `2026-01-31`, in UTC. */
  readonly day: string;
  readonly task: string;
  readonly agent: string;
  readonly cause: Cause;
  /** The number of agent runs in this row. */
  readonly runs: number;
  /** Null: the agent does not report it. */
  readonly usd: number | null;
  readonly tokens: number | null;
  readonly minutes: number;
  /** The number of its runs that reported no money, and no tokens. */
  readonly withoutUsd: number;
  readonly withoutTokens: number;
  /** Whether it completed a step. */
  readonly accepted: boolean;
}

export const CAUSES = ["first try", "retry", "rework", "conflict"] as const;
export type Cause = (typeof CAUSES)[number];
export type CostsBy = "task" | "agent" | "day" | "cause";

export interface CostSum extends Omit<CostRow, "day" | "task" | "agent" | "cause" | "accepted"> {
  /** Completed steps. */
  readonly accepted: number;
  /** Null: no money is known, or no step is completed. */
  readonly usdPerStep: number | null;
  /** In dollars, or in minutes if no run reports money. */
  readonly causes: Readonly<Record<Cause, number>>;
  /** The share of repeated work in these, from 0 to 1. */
  readonly again: number;
}

export function sumCosts(rows: readonly CostRow[]): CostSum {
  const add = (of: (row: CostRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const usd = rows.reduce<number | null>((total, row) => plus(total, row.usd), null);
  const weigh = (row: CostRow) => (usd === null ? row.minutes : (row.usd ?? 0));
  const weightOf = (cause: Cause) => add((row) => (row.cause === cause ? weigh(row) : 0));
  const causes = Object.fromEntries(CAUSES.map((cause) => [cause, weightOf(cause)])) as CostSum["causes"];
  const all = add(weigh);
  const accepted = add((row) => (row.accepted ? row.runs : 0));
  return {
    usd,
    tokens: rows.reduce<number | null>((total, row) => plus(total, row.tokens), null),
    minutes: add((row) => row.minutes),
    runs: add((row) => row.runs),
    withoutUsd: add((row) => row.withoutUsd),
    withoutTokens: add((row) => row.withoutTokens),
    accepted,
    usdPerStep: usd === null || accepted === 0 ? null : usd / accepted,
    causes,
    again: all === 0 ? 0 : 1 - causes["first try"] / all,
  };
}

export interface CostGroup extends CostSum {
  readonly name: string;
}

/** By day, the latest first; otherwise the most expensive first. */
export function groupCosts(rows: readonly CostRow[], by: CostsBy): readonly CostGroup[] {
  const groups = [...Map.groupBy(rows, (row) => row[by])].map(([name, group]) => ({
    name,
    ...sumCosts(group),
  }));
  return groups.sort((one, other) =>
    by === "day"
      ? Number(one.name < other.name) - Number(one.name > other.name)
      : (other.usd ?? 0) - (one.usd ?? 0) || other.minutes - one.minutes,
  );
}

/** Merges rows that differ only in figures: tens of thousands of rows would not help a reader. */
export function mergeCosts(rows: readonly CostRow[]): readonly CostRow[] {
  const rowsByKey = new Map<string, CostRow>();
  for (const row of rows) {
    const { accepted, agent, cause, day, task } = row;
    const key = JSON.stringify([day, task, agent, cause, accepted]);
    const existing = rowsByKey.get(key);
    if (existing === undefined) rowsByKey.set(key, row);
    else {
      const { again: _a, causes: _c, usdPerStep: _u, ...sums } = sumCosts([existing, row]);
      rowsByKey.set(key, { ...row, ...sums, accepted });
    }
  }
  return [...rowsByKey.values()];
}

function plus(one: number | null, other: number | null): number | null {
  return one === null ? other : other === null ? one : one + other;
}

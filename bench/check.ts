/**
 * How long a proof takes: `check` on a table that it sees for the first time (nothing kept from an earlier proof).
 * Also what a running program pays: the first question about a position, and one decision.
 */
import { type Checkable, type CheckCounts, check } from "../src/engine/check.ts";
import { decide, initialConfiguration } from "../src/engine/decide.ts";
import { factOf, pairOf } from "../src/engine/lookup.ts";
import { isReachable } from "../src/engine/reach.ts";
import type { FactValue, Workflow } from "../src/engine/workflow.ts";

export interface CheckFigures {
  readonly workflow: string;
  readonly counts: CheckCounts;
  readonly violations: number;
  /** Milliseconds, medians. */
  readonly check: number;
  readonly firstReachable: number;
  /** Microseconds per decision, once the table is known. */
  readonly decision: number;
}

const RUNS = 15;
const DECISIONS = 20_000;

export function measureCheck({ workflow, replies }: Checkable): CheckFigures {
  const report = check({ workflow, replies });
  return {
    workflow: workflow.name,
    counts: report.counts,
    violations: report.violations.length,
    check: median(() => check({ workflow: structuredClone(workflow), replies })),
    firstReachable: median(() =>
      isReachable(structuredClone(workflow), initialConfiguration(workflow, workflow.starts?.[0])),
    ),
    decision: decisionTime(workflow),
  };
}

/** Of several tables, the one with the most rows. */
export function largest(tables: readonly Checkable[]): Checkable | undefined {
  return [...tables].sort((one, other) => other.workflow.rules.length - one.workflow.rules.length)[0];
}

function decisionTime(workflow: Workflow): number {
  const configuration = initialConfiguration(workflow, workflow.starts?.[0]);
  const events = Object.keys(workflow.events).map((event) => {
    const names = pairOf(workflow, configuration.state, event).inputs;
    const facts = names.map((name) => [name, factOf(workflow, name)?.values[0] as FactValue] as const);
    return [event, Object.fromEntries(facts)] as const;
  });
  const begin = performance.now();
  for (let count = 0; count < DECISIONS; count++) {
    const [event, facts] = events[count % events.length] as (typeof events)[number];
    decide(workflow, configuration, event, facts);
  }
  return ((performance.now() - begin) / DECISIONS) * 1000;
}

function median(work: () => void): number {
  const times = Array.from({ length: RUNS }, () => {
    const begin = performance.now();
    work();
    return performance.now() - begin;
  });
  return times.sort((one, other) => one - other)[Math.floor(RUNS / 2)] ?? 0;
}

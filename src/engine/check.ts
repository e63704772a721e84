import { type Budget, type CoverageFault, coverageOf } from "./coverage.ts";
import { hasState, isFinal, keptNames, pairOf, renderFacts, valuesOf } from "./lookup.ts";
import { MAX_CONFIGURATIONS, pathTo, type Reach, reachOf } from "./reach.ts";
import { checkStructure } from "./structure.ts";
import type { Violation } from "./violation.ts";
import type { Position, Workflow } from "./workflow.ts";

/** A table, and the names of the replies that exist for it. */
export interface Checkable {
  readonly workflow: Workflow;
  readonly replies: readonly string[];
}

export interface CheckReport {
  /** The workflow's name. */
  readonly workflow: string;
  readonly counts: CheckCounts;
  /** Empty: the table is proved. */
  readonly violations: readonly Violation[];
}

export interface CheckCounts {
  readonly states: number;
  readonly events: number;
  /** States in which a run goes on × events: each needs its row. */
  readonly pairs: number;
  /** Reachable state × kept facts. */
  readonly configurations: number;
  /** Reachable combinations of state, event and the facts that the rows of that state and event mention. */
  readonly worlds: number;
  readonly rows: number;
  readonly replies: number;
}

/** Branches looked at per pair and in all; hand-written tables need some thousands. */
const MAX_BRANCHES_PER_PAIR = 50_000;
const MAX_BRANCHES = 1_000_000;

/**
 * Proves a table by enumeration, or says all that is wrong with it (laws T1 to T3): every name and value is known;
 * exactly one row applies in each reachable configuration, event and world; every state and row is reached; from
 * everywhere some sequence of events leads to a goal; what does not move changes nothing; rows and replies match.
 */
export function check({ workflow, replies }: Checkable): CheckReport {
  const reach = reachOf(workflow);
  const coverage = checkCoverage(workflow, reach);
  const { states, events, rows } = workflow;
  const going = Object.keys(states).filter((state) => !isFinal(workflow, state));
  return {
    workflow: workflow.name,
    counts: {
      states: Object.keys(states).length,
      events: Object.keys(events).length,
      pairs: going.length * Object.keys(events).length,
      configurations: reach.configurations.length,
      worlds: coverage.worlds,
      rows: rows.length,
      replies: replies.length,
    },
    violations: [
      ...checkStructure(workflow),
      ...coverage.violations,
      ...(reach.cut ? [tooManyConfigurations(workflow)] : checkReach(workflow, reach)),
      ...checkReplies(workflow, replies),
    ],
  };
}

/** The reachable combinations of the given kept facts in a state, each with the configuration first found with it. */
function projections(reach: Reach, state: string, names: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  reach.configurations.forEach(({ position }, index) => {
    if (position.state !== state) return;
    const key = JSON.stringify(names.map((name) => position.kept[name]));
    if (!found.has(key)) found.set(key, index);
  });
  return found;
}

function checkCoverage(
  workflow: Workflow,
  reach: Reach,
): { worlds: number; violations: readonly Violation[] } {
  const violations: Violation[] = [];
  let worlds = 0;
  let branches = MAX_BRANCHES;
  for (const state of Object.keys(workflow.states)) {
    if (isFinal(workflow, state)) continue;
    for (const event of Object.keys(workflow.events)) {
      const budget: Budget = { left: Math.min(MAX_BRANCHES_PER_PAIR, branches) };
      const before = budget.left;
      const faults = new Map<string, { fault: CoverageFault; index: number; times: number }>();
      let cut = false;
      for (const index of projections(reach, state, pairOf(workflow, state, event).kept).values()) {
        const kept = reach.configurations[index]?.position.kept ?? {};
        const coverage = coverageOf(workflow, state, event, kept, budget);
        worlds += coverage.worlds;
        cut ||= coverage.cut;
        for (const fault of coverage.faults) collect(faults, fault, index);
      }
      branches -= before - Math.max(budget.left, 0);
      for (const each of faults.values()) violations.push(notOneRow(reach, state, event, each));
      if (cut) violations.push(tooManyWorlds(workflow, state, event));
    }
  }
  return { worlds, violations };
}

function collect(
  faults: Map<string, { fault: CoverageFault; index: number; times: number }>,
  fault: CoverageFault,
  index: number,
): void {
  const key = JSON.stringify(fault.rows.map((row) => row.id));
  const known = faults.get(key);
  if (known) known.times += fault.worlds;
  else faults.set(key, { fault, index, times: fault.worlds });
}

function notOneRow(
  reach: Reach,
  state: string,
  event: string,
  { fault, index, times }: { fault: CoverageFault; index: number; times: number },
): Violation {
  const rows = fault.rows.map((row) => row.id);
  const found = rows.length === 0 ? "No row applies" : `${rows.length} rows apply (${rows.join(", ")})`;
  const more = times > 1 ? `, and in ${times - 1} more world${times > 2 ? "s" : ""}` : "";
  return {
    kind: rows.length === 0 ? "no-row" : "several-rows",
    message: `${found} to "${event}" in state "${state}" with ${renderFacts(fault.world)}${more}; expected exactly one.`,
    state,
    event,
    facts: fault.world,
    times,
    rows,
    path: pathIds(reach, index),
  };
}

function tooManyWorlds(workflow: Workflow, state: string, event: string): Violation {
  const { kept, observed } = pairOf(workflow, state, event);
  const sizes = [...kept, ...observed].map((name) => `${name} (${valuesOf(workflow, name).length} values)`);
  return {
    kind: "too-many-worlds",
    message: `The rows for "${event}" in state "${state}" tell too many worlds apart to enumerate them: they mention ${sizes.join(", ")}; expected at most ${MAX_BRANCHES_PER_PAIR} branches for one state and event, and ${MAX_BRANCHES} in all.`,
    state,
    event,
    rows: pairOf(workflow, state, event).rows.map((row) => row.id),
  };
}

function tooManyConfigurations(workflow: Workflow): Violation {
  const sizes = keptNames(workflow).map((name) => `${name} (${valuesOf(workflow, name).length} values)`);
  return {
    kind: "too-many-configurations",
    message: `More than ${MAX_CONFIGURATIONS} configurations can be reached, too many to follow: the kept facts are ${sizes.join(", ")}; keep less in the table.`,
    rows: [],
  };
}

function checkReach(workflow: Workflow, reach: Reach): readonly Violation[] {
  const reached = new Set(reach.configurations.map(({ position }) => position.state));
  const states = Object.keys(workflow.states).filter((state) => !reached.has(state));
  const rows = workflow.rows.filter((row) => !reach.rows.has(row));
  return [
    ...states.map((state): Violation => {
      return {
        kind: "state-unreached",
        message: `No sequence of events leads to the state "${state}".`,
        state,
        rows: [],
      };
    }),
    ...rows.map((row): Violation => {
      const message = `The row "${row.id}" (on "${row.on}" from ${row.from.join(", ")}) never applies in any configuration that a run can come to.`;
      return { kind: "row-unreached", message, event: row.on, rows: [row.id] };
    }),
    ...checkTraps(workflow, reach),
  ];
}

/** One violation per state, with the first of its configurations that no way leads out of. */
function checkTraps(workflow: Workflow, reach: Reach): readonly Violation[] {
  const saved = savedConfigurations(workflow, reach);
  const traps = new Map<string, { position: Position; index: number; times: number }>();
  reach.configurations.forEach(({ position }, index) => {
    if (saved.has(index)) return;
    const known = traps.get(position.state);
    if (known) known.times += 1;
    else traps.set(position.state, { position, index, times: 1 });
  });
  const goals = workflow.goals.filter((goal) => hasState(workflow, goal)).join(", ") || "none";
  return [...traps.values()].map(({ position, index, times }) => {
    const more =
      times > 1 ? `, nor from ${times - 1} more configuration${times > 2 ? "s" : ""} of that state` : "";
    return {
      kind: "trap",
      message: `No sequence of events leads from state "${position.state}" with ${renderFacts(position.kept)} to a goal (${goals})${more}.`,
      state: position.state,
      facts: position.kept,
      times,
      rows: [],
      path: pathIds(reach, index),
    };
  });
}

/** Indexes of the configurations from which a goal can be reached. */
function savedConfigurations(workflow: Workflow, reach: Reach): ReadonlySet<number> {
  const comingFrom = reach.configurations.map((): number[] => []);
  reach.configurations.forEach(({ steps }, index) => {
    for (const { to } of steps) comingFrom[to]?.push(index);
  });
  const saved = new Set<number>();
  const open = reach.configurations.flatMap(({ position }, index) =>
    workflow.goals.includes(position.state) ? [index] : [],
  );
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (saved.has(index)) continue;
    saved.add(index);
    open.push(...(comingFrom[index] ?? []));
  }
  return saved;
}

function checkReplies(workflow: Workflow, replies: readonly string[]): readonly Violation[] {
  const used = new Set(workflow.rows.map((row) => row.reply));
  const existing = new Set(replies);
  const missing = [...used].filter((reply) => !existing.has(reply));
  return [
    ...missing.map((reply): Violation => {
      const rows = workflow.rows.filter((row) => row.reply === reply).map((row) => row.id);
      return {
        kind: "reply-missing",
        message: `The reply "${reply}" of ${rows.join(", ")} does not exist.`,
        rows,
      };
    }),
    ...[...existing]
      .filter((reply) => !used.has(reply))
      .map((reply): Violation => {
        return { kind: "reply-unused", message: `The reply "${reply}" belongs to no row.`, rows: [] };
      }),
  ];
}

function pathIds(reach: Reach, index: number): readonly string[] {
  return pathTo(reach, index).map((row) => row.id);
}

export type { Violation } from "./violation.ts";

/**
 * What `check` proves, found out the slow way: every combination of all observed facts in every configuration, without
 * projections, trees or indexes. Only for tables so small that this ends.
 */
import type { Facts, FactValue, Position, Row, Workflow } from "../../src/engine/workflow.ts";

export interface BruteVerdict {
  readonly configurations: readonly Position[];
  /** `kind|state|event`, `kind|row` or `kind|state`, sorted, each once. */
  readonly findings: readonly string[];
}

export function bruteForce(workflow: Workflow): BruteVerdict {
  const findings = new Set<string>();
  const found = new Map<string, Position>();
  const edges: [string, string][] = [];
  const reachedRows = new Set<string>();
  const open = starts(workflow);
  for (let position = open.pop(); position; position = open.pop()) {
    const key = keyOf(position);
    if (found.has(key)) continue;
    found.set(key, position);
    if (workflow.states[position.state]?.final) continue;
    for (const event of Object.keys(workflow.events)) {
      for (const world of allWorlds(workflow, position)) {
        const rows = rowsFor(workflow, position.state, event, world);
        if (rows.length === 0) findings.add(`no-row|${position.state}|${event}`);
        if (rows.length > 1) findings.add(`several-rows|${position.state}|${event}`);
        for (const row of rows) {
          reachedRows.add(row.id);
          const after = afterRow(workflow, row, position);
          edges.push([key, keyOf(after)]);
          open.push(after);
        }
      }
    }
  }
  const configurations = [...found.values()];
  for (const state of Object.keys(workflow.states))
    if (!configurations.some((each) => each.state === state)) findings.add(`state-unreached|${state}`);
  for (const { id } of workflow.rows) if (!reachedRows.has(id)) findings.add(`row-unreached|${id}`);
  const saved = new Set(
    [...found].filter(([, { state }]) => workflow.goals.includes(state)).map(([key]) => key),
  );
  for (let grew = true; grew; ) {
    grew = false;
    for (const [from, to] of edges) {
      if (!saved.has(to) || saved.has(from)) continue;
      saved.add(from);
      grew = true;
    }
  }
  for (const [key, { state }] of found) if (!saved.has(key)) findings.add(`trap|${state}`);
  return { configurations, findings: [...findings].sort() };
}

/** Every combination of all observed facts, with the position's kept ones. */
export function allWorlds(workflow: Workflow, position: Position): readonly Facts[] {
  let worlds: readonly Facts[] = [position.kept];
  for (const [name, fact] of Object.entries(workflow.facts)) {
    if (fact.initial !== undefined) continue;
    worlds = worlds.flatMap((world) => fact.values.map((value) => ({ ...world, [name]: value })));
  }
  return worlds;
}

export function rowsFor(workflow: Workflow, state: string, event: string, world: Facts): readonly Row[] {
  return workflow.rows.filter(
    (row) =>
      row.from.includes(state) &&
      row.on === event &&
      (row.when ?? [{}]).some((box) =>
        Object.entries(box).every(([name, values]) => values.includes(world[name] as FactValue)),
      ),
  );
}

function afterRow(workflow: Workflow, row: Row, { state, kept }: Position): Position {
  const next: Record<string, FactValue> = { ...kept };
  for (const [name, setting] of Object.entries(row.set ?? {})) {
    if (typeof setting !== "object" || setting === null) next[name] = setting;
    else if ("of" in setting) next[name] = setting.of[state] as FactValue;
    else {
      const values = workflow.facts[name]?.values ?? [];
      const wanted = values.indexOf(kept[name] as FactValue) + setting.add;
      next[name] = values[wanted < 0 ? 0 : wanted >= values.length ? values.length - 1 : wanted] as FactValue;
    }
  }
  const to = typeof row.to === "string" ? row.to : (row.to[state] as string);
  return { state: to === "same" ? state : to, kept: next };
}

function starts(workflow: Workflow): Position[] {
  const kept: Record<string, FactValue> = {};
  for (const [name, { initial }] of Object.entries(workflow.facts))
    if (initial !== undefined) kept[name] = initial;
  return (workflow.starts ?? [{}]).map((start) => ({
    state: workflow.initial,
    kept: { ...kept, ...start },
  }));
}

function keyOf({ state, kept }: Position): string {
  return JSON.stringify([state, Object.entries(kept).sort(([one], [other]) => (one < other ? -1 : 1))]);
}

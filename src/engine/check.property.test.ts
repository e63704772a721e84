import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allWorlds, bruteForce, rowsFor } from "../../test/rig/brute-force.ts";
import { anyTable, completeTable } from "../../test/rig/random-tables.ts";
import { agreesWithXState } from "../../test/rig/xstate-oracle.ts";
import { check } from "./check.ts";
import { decide } from "./decide.ts";
import { isReachable, reachOf } from "./reach.ts";
import type { Box, Fact, Row, Workflow } from "./workflow.ts";

const KINDS = ["no-row", "several-rows", "state-unreached", "row-unreached", "trap"];

/** What `check` says of the five things that brute force can find, in the same words. */
function findingsOf(workflow: Workflow): readonly string[] {
  const found = check({ workflow, replies: ["r"] }).violations.filter(({ kind }) => KINDS.includes(kind));
  const texts = found.map(({ kind, state, event, rows }) => {
    if (kind === "row-unreached") return `${kind}|${rows[0]}`;
    return event === undefined ? `${kind}|${state}` : `${kind}|${state}|${event}`;
  });
  return [...new Set(texts)].sort();
}

function agreesWithBruteForce(workflow: Workflow): void {
  const brute = bruteForce(workflow);
  expect(findingsOf(workflow)).toEqual(brute.findings);
  expect(reachOf(workflow).configurations).toHaveLength(brute.configurations.length);
  for (const position of brute.configurations) expect(isReachable(workflow, position)).toBe(true);
}

describe("check, of any small table", () => {
  it("finds the gaps, overlaps, traps and dead rows that brute force over all facts finds", () => {
    fc.assert(fc.property(anyTable, agreesWithBruteForce), { numRuns: 300 });
  });

  it("shows each gap and overlap by facts of which it is true", () => {
    fc.assert(
      fc.property(anyTable, (workflow) => {
        for (const { kind, state = "", event = "", facts = {}, rows } of check({ workflow, replies: ["r"] })
          .violations) {
          if (kind !== "no-row" && kind !== "several-rows") continue;
          const fitting = bruteForce(workflow).configurations.filter(
            (position) =>
              position.state === state &&
              Object.entries(position.kept).every(
                ([name, value]) => !(name in facts) || facts[name] === value,
              ),
          );
          expect(fitting).not.toEqual([]);
          expect(rowsFor(workflow, state, event, facts).map(({ id }) => id)).toEqual(rows);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("counts in `times` the worlds in which it is so", () => {
    fc.assert(
      fc.property(anyTable, (workflow) => {
        for (const violation of check({ workflow, replies: ["r"] }).violations) {
          if (violation.kind !== "no-row" && violation.kind !== "several-rows") continue;
          expect(violation.times).toBe(
            timesOf(workflow, violation.state ?? "", violation.event ?? "", violation.rows),
          );
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("a table with exactly one row for everything", () => {
  it("is never said to have a gap or an overlap", () => {
    fc.assert(
      fc.property(completeTable, (workflow) => {
        agreesWithBruteForce(workflow);
        const kinds = check({ workflow, replies: ["r"] }).violations.map(({ kind }) => kind);
        expect(kinds.filter((kind) => !["state-unreached", "row-unreached", "trap"].includes(kind))).toEqual(
          [],
        );
      }),
      { numRuns: 200 },
    );
  });

  it("is decided in every configuration and world, and always the same way", () => {
    fc.assert(
      fc.property(completeTable, (workflow) => {
        const copy = structuredClone(workflow);
        for (const position of bruteForce(workflow).configurations) {
          if (workflow.states[position.state]?.final) continue;
          for (const event of Object.keys(workflow.events)) {
            for (const world of allWorlds(workflow, position)) {
              const decision = decide(workflow, position, event, world);
              expect(rowsFor(workflow, position.state, event, world)).toEqual([decision.row]);
              expect(decide(copy, position, event, world)).toEqual(decision);
              expect(isReachable(workflow, decision.after)).toBe(true);
            }
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it("is decided as XState decides it", () => {
    fc.assert(
      fc.property(completeTable, (workflow) => {
        agreesWithXState(workflow);
      }),
      { numRuns: 60 },
    );
  });

  it("is refused once a row is dropped that a run can take", () => {
    mutated(
      (workflow, row) => ({ ...workflow, rows: workflow.rows.filter((each) => each !== row) }),
      "no-row",
    );
  });

  it("is refused once a row is there twice that a run can take", () => {
    mutated(
      (workflow, row) => ({ ...workflow, rows: [...workflow.rows, { ...row, id: "again" }] }),
      "several-rows",
    );
  });

  it("is refused once a box is widened into a world that a run can come to, and only then", () => {
    mutated((workflow, row) =>
      replaceRow(workflow, row, { ...row, when: (row.when ?? []).map(widen(workflow)) }),
    );
  });

  it("is refused once a row is led elsewhere and something is then out of reach, and only then", () => {
    mutated((workflow, row) => replaceRow(workflow, row, { ...row, to: "same" }));
    mutated((workflow, row) => replaceRow(workflow, row, { ...row, to: "s1", set: {} }));
  });
});

/** Changes one row that a run can take; the verdict agrees with brute force, and has the kind where one is given. */
function mutated(change: (workflow: Workflow, row: Row) => Workflow, kind?: string): void {
  fc.assert(
    fc.property(completeTable, fc.nat(), (workflow, pick) => {
      const rows = [...reachOf(workflow).rows];
      const changed = change(workflow, rows[pick % rows.length] as Row);
      agreesWithBruteForce(changed);
      if (kind === undefined) return;
      expect(check({ workflow: changed, replies: ["r"] }).violations.map((each) => each.kind)).toContain(
        kind,
      );
    }),
    { numRuns: 80 },
  );
}

function replaceRow(workflow: Workflow, row: Row, other: Row): Workflow {
  return { ...workflow, rows: workflow.rows.map((each) => (each === row ? other : each)) };
}

/** The box without what it asks of its last fact. */
function widen(workflow: Workflow): (box: Box) => Box {
  return (box) => {
    const name = Object.keys(box).at(-1);
    return name === undefined ? box : { ...box, [name]: (workflow.facts[name] as Fact).values };
  };
}

/** Projected worlds, over the facts that the pair's rows mention, in which exactly these rows apply. */
function timesOf(workflow: Workflow, state: string, event: string, rows: readonly string[]): number {
  const pair = workflow.rows.filter((row) => row.from.includes(state) && row.on === event);
  const mentioned = new Set(pair.flatMap((row) => (row.when ?? []).flatMap((box) => Object.keys(box))));
  const worlds = new Set<string>();
  for (const position of bruteForce(workflow).configurations) {
    if (position.state !== state) continue;
    for (const world of allWorlds(workflow, position)) {
      const ids = rowsFor(workflow, state, event, world).map(({ id }) => id);
      if (ids.join() === rows.join()) worlds.add(JSON.stringify([...mentioned].map((name) => world[name])));
    }
  }
  return worlds.size;
}

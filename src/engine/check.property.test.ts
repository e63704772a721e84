import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allCombinations, bruteForce, rulesFor } from "../../test/rig/brute-force.ts";
import { promise } from "../../test/rig/promise.ts";
import { anyTable, completeTable } from "../../test/rig/random-tables.ts";
import { agreesWithXState } from "../../test/rig/xstate-oracle.ts";
import { check } from "./check.ts";
import { decide } from "./decide.ts";
import { isReachable, reachOf } from "./reach.ts";
import type { Box, Fact, Rule, Workflow } from "./workflow.ts";

const KINDS = ["no-rule", "several-rules", "state-unreached", "rule-unreached", "trap"];

/** What `check` says of the five things that brute force can find, in the same words. */
function findingsOf(workflow: Workflow): readonly string[] {
  const found = check({ workflow, replies: ["r"] }).violations.filter(({ kind }) => KINDS.includes(kind));
  const texts = found.map(({ kind, state, event, rules }) => {
    if (kind === "rule-unreached") return `${kind}|${rules[0]}`;
    return event === undefined ? `${kind}|${state}` : `${kind}|${state}|${event}`;
  });
  return [...new Set(texts)].sort();
}

function agreesWithBruteForce(workflow: Workflow): void {
  const brute = bruteForce(workflow);
  expect(findingsOf(workflow)).toEqual(brute.findings);
  expect(reachOf(workflow).configurations).toHaveLength(brute.configurations.length);
  for (const configuration of brute.configurations) expect(isReachable(workflow, configuration)).toBe(true);
}

describe("check, of any small table", () => {
  it("finds the gaps, overlaps, traps and dead rules that brute force over all facts finds", () => {
    promise("table.one-row");
    fc.assert(fc.property(anyTable, agreesWithBruteForce), { numRuns: 300 });
  });

  it("shows each gap and overlap by facts of which it is true", () => {
    fc.assert(
      fc.property(anyTable, (workflow) => {
        for (const { kind, state = "", event = "", facts = {}, rules } of check({ workflow, replies: ["r"] })
          .violations) {
          if (kind !== "no-rule" && kind !== "several-rules") continue;
          const fitting = bruteForce(workflow).configurations.filter(
            (configuration) =>
              configuration.state === state &&
              Object.entries(configuration.variables).every(
                ([name, value]) => !(name in facts) || facts[name] === value,
              ),
          );
          expect(fitting).not.toEqual([]);
          expect(rulesFor(workflow, state, event, facts).map(({ id }) => id)).toEqual(rules);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("counts in `times` the combinations in which it is so", () => {
    fc.assert(
      fc.property(anyTable, (workflow) => {
        for (const violation of check({ workflow, replies: ["r"] }).violations) {
          if (violation.kind !== "no-rule" && violation.kind !== "several-rules") continue;
          expect(violation.times).toBe(
            timesOf(workflow, violation.state ?? "", violation.event ?? "", violation.rules),
          );
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("a table with exactly one rule for everything", () => {
  it("is never said to have a gap or an overlap", () => {
    fc.assert(
      fc.property(completeTable, (workflow) => {
        agreesWithBruteForce(workflow);
        const kinds = check({ workflow, replies: ["r"] }).violations.map(({ kind }) => kind);
        expect(kinds.filter((kind) => !["state-unreached", "rule-unreached", "trap"].includes(kind))).toEqual(
          [],
        );
      }),
      { numRuns: 200 },
    );
  });

  it("is decided in every configuration and combination, and always the same way", () => {
    fc.assert(
      fc.property(completeTable, (workflow) => {
        const copy = structuredClone(workflow);
        for (const configuration of bruteForce(workflow).configurations) {
          if (workflow.states[configuration.state]?.final) continue;
          for (const event of Object.keys(workflow.events)) {
            for (const combination of allCombinations(workflow, configuration)) {
              const decision = decide(workflow, configuration, event, combination);
              expect(rulesFor(workflow, configuration.state, event, combination)).toEqual([decision.rule]);
              expect(decide(copy, configuration, event, combination)).toEqual(decision);
              expect(isReachable(workflow, decision.after)).toBe(true);
            }
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it("is decided as XState decides it", () => {
    promise("table.xstate-agrees");
    fc.assert(
      fc.property(completeTable, (workflow) => {
        agreesWithXState(workflow);
      }),
      { numRuns: 60 },
    );
  });

  it("is refused once a rule is dropped that a run can take", () => {
    mutated(
      (workflow, rule) => ({ ...workflow, rules: workflow.rules.filter((each) => each !== rule) }),
      "no-rule",
    );
  });

  it("is refused once a rule is there twice that a run can take", () => {
    mutated(
      (workflow, rule) => ({ ...workflow, rules: [...workflow.rules, { ...rule, id: "again" }] }),
      "several-rules",
    );
  });

  it("is refused once a box is widened into a combination that a run can come to, and only then", () => {
    mutated((workflow, rule) =>
      replaceRule(workflow, rule, { ...rule, when: (rule.when ?? []).map(widen(workflow)) }),
    );
  });

  it("is refused once a rule is led elsewhere and something is then out of reach, and only then", () => {
    mutated((workflow, rule) => replaceRule(workflow, rule, { ...rule, to: "same" }));
    mutated((workflow, rule) => replaceRule(workflow, rule, { ...rule, to: "s1", set: {} }));
  });
});

/** Changes one rule that a run can take; the verdict agrees with brute force, and has the kind where one is given. */
function mutated(change: (workflow: Workflow, rule: Rule) => Workflow, kind?: string): void {
  fc.assert(
    fc.property(completeTable, fc.nat(), (workflow, pick) => {
      const rules = [...reachOf(workflow).rules];
      const changed = change(workflow, rules[pick % rules.length] as Rule);
      agreesWithBruteForce(changed);
      if (kind === undefined) return;
      expect(check({ workflow: changed, replies: ["r"] }).violations.map((each) => each.kind)).toContain(
        kind,
      );
    }),
    { numRuns: 80 },
  );
}

function replaceRule(workflow: Workflow, rule: Rule, other: Rule): Workflow {
  return { ...workflow, rules: workflow.rules.map((each) => (each === rule ? other : each)) };
}

/** The box without what it asks of its last fact. */
function widen(workflow: Workflow): (box: Box) => Box {
  return (box) => {
    const name = Object.keys(box).at(-1);
    return name === undefined ? box : { ...box, [name]: (workflow.facts[name] as Fact).values };
  };
}

/** Projected combinations, over the facts that the pair's rules mention, in which exactly these rules apply. */
function timesOf(workflow: Workflow, state: string, event: string, rules: readonly string[]): number {
  const pair = workflow.rules.filter((rule) => rule.from.includes(state) && rule.on === event);
  const mentioned = new Set(pair.flatMap((rule) => (rule.when ?? []).flatMap((box) => Object.keys(box))));
  const combinations = new Set<string>();
  for (const configuration of bruteForce(workflow).configurations) {
    if (configuration.state !== state) continue;
    for (const combination of allCombinations(workflow, configuration)) {
      const ids = rulesFor(workflow, state, event, combination).map(({ id }) => id);
      if (ids.join() === rules.join())
        combinations.add(JSON.stringify([...mentioned].map((name) => combination[name])));
    }
  }
  return combinations.size;
}

import { describe, expect, it } from "vitest";
import { CAREFUL } from "../../../../test/rig/life.ts";
import { promise } from "../../../../test/rig/promise.ts";
import { check } from "../../../engine/check.ts";
import { decide } from "../../../engine/decide.ts";
import type { Facts } from "../../../engine/workflow.ts";
import { EXTENSIBLE } from "../../bloom/run/table.ts";
import { boundOf } from "../agents/bound.ts";
import type { Definition } from "./definition.ts";
import { extensionFaults, repliesOver } from "./extending.ts";
import { parseWorkflow } from "./parse.ts";

const parse = (text: string) =>
  parseWorkflow("careful", "careful.yaml", text, EXTENSIBLE).definition as Definition;

function faultsIn(text: string): readonly string[] {
  try {
    parse(text);
    return [];
  } catch (thrown) {
    return (thrown as Error).message
      .split("\n")
      .slice(1)
      .map((line) => line.replace(/^\s*(\(\d+\) )?careful\.yaml:/, ""));
  }
}

const withRow = (row: string) => `${CAREFUL}  - ${row}\n`;
const instead = (before: string, after: string) => {
  expect(CAREFUL).toContain(before);
  return CAREFUL.replace(before, after);
};

describe("A file that extends Bloom's table", () => {
  it("is proved with it: one rule for every configuration, and a bound of its orders", () => {
    promise("own.life");
    const definition = parse(CAREFUL);
    expect(
      check({ workflow: definition.table, replies: repliesOver(EXTENSIBLE, definition.table) }).violations,
    ).toEqual([]);
    expect(boundOf(definition)).toEqual({ orders: 4, usd: 2 });
    expect(extensionFaults(definition)).toEqual([]);
  });

  it("takes its cases from Bloom's rules and decides like them if it says so", () => {
    const { rules } = parse(CAREFUL).table;
    const on = (state: string, event: string) =>
      rules.filter((rule) => rule.on === event && rule.from.includes(state));
    expect(on("committing", "committed").map(({ id }) => id)).toEqual(["reviews"]);
    expect(on("reviewing", "reviewed_well").map(({ id, to }) => [id, to])).toEqual([
      ["well.committed.awaits_approval", "waiting_for_human"],
      ["well.committed.pushes", "pushing"],
      ["well.committed.merges", "merging"],
      ["well.committed.opens_pr", "opening_pr"],
      ["well.committed.cleans", "cleaning"],
    ]);
    expect(on("reviewing", "cancelled").map(({ to }) => to)).toEqual(["cancelled"]);
    expect(rules.find(({ id }) => id === "person.reset")?.set).toEqual({
      awaits: "nothing",
      approved: false,
      rounds: 0,
    });
  });

  it("returns from a rest, a question and a failure to where it was", () => {
    const { table } = parse(CAREFUL);
    const at = (state: string, event: string, variables: Facts, facts: Facts = {}) => {
      const kept = { awaits: "nothing", approved: false, rests_in: "nothing", rounds: 0, ...variables };
      const inputs = { repo: true, push: false, target: "none", ...facts };
      const { after, rule } = decide(table, { state, variables: kept }, event, inputs);
      return [after.state, rule.commands?.[0]?.type];
    };
    expect(at("reviewing", "agent_failed", {}, { tries_left: true })).toEqual(["reviewing", "order-again"]);
    expect(at("reviewing", "agent_failed", {}, { tries_left: false })).toEqual(["blocked", undefined]);
    expect(at("agent_rests", "agent_free", { rests_in: "reviewing" })).toEqual(["reviewing", "order-again"]);
    expect(at("agent_rests", "agent_free", {})).toEqual(["working", "run-agent"]);
    expect(at("waiting_for_human", "answered", { awaits: "answer_in_reviewing" })).toEqual([
      "reviewing",
      "order-again",
    ]);
    expect(at("waiting_for_human", "approved", { awaits: "answer_in_reviewing" })).toEqual([
      "waiting_for_human",
      undefined,
    ]);
  });

  it.each([
    [
      "an answer that is Bloom's own event",
      instead(
        "verdict: [reviewed_well, must_change]",
        "verdict: [reviewed_well, must_change, verify_passed]",
      ),
      "its agent may answer verify_passed, which is no event of this file.",
    ],
    [
      "an id that two rows have",
      instead("id: fixes", "id: well"),
      "rule well: another row has that id. Expected each once.",
    ],
    [
      "an outcome without a rule",
      instead("  - { id: well, from: reviewing, on: reviewed_well, as: committed }\n", ""),
      "rule reviews: in reviewing, where the agent runs, no rule moves on reviewed_well.",
    ],
    [
      "`as` for an event that no row takes",
      instead("as: committed", "as: pushed"),
      "rule well: `as: pushed` decides as bloom did before a row of this file took that event: no row takes it.",
    ],
    [
      "`as` for an event that there is not",
      instead("as: committed", "as: comitted"),
      "rule well: `as: comitted`: expected an event of bloom, such as committed.",
    ],
    [
      "the id of Bloom's rule with more than `set`",
      instead(
        "{ id: person.reset, set: { rounds: 0 } }",
        "{ id: person.reset, on: reset, set: { rounds: 0 } }",
      ),
      "rule person.reset: Bloom has a rule of that id, and a row of this file adds only `set` to it: leave on out, or give the row another id.",
    ],
    [
      "a state that an approval of its own would set",
      instead("set: { awaits: approval }", "set: { awaits: approval, approved: true }"),
      "rule asks: it sets approved, which is Bloom's: expected a fact of this file, or awaits.",
    ],
    [
      "a state of Bloom's name",
      instead("{ reviewing:", "{ verifying:").replaceAll("reviewing", "verifying"),
      "state verifying: Bloom has one of that name. Expected another name.",
    ],
    [
      "a command",
      withRow(
        "{ id: runs, from: pushing, on: pushed, to: reviewing, run: { command: x, passed: a, failed: b } }",
      ),
      "rule runs: a row of a task's life starts no command: put it into the task's `verify`.",
    ],
    [
      "a way to a state of Bloom's where nothing would be started",
      withRow("{ id: skips, from: working, on: step_done, to: pushing }"),
      "rule skips: it leads to pushing, where Bloom's own rows start what is done there: expected `as`, the event of such a row.",
    ],
    [
      "a fact that the file cannot ask for",
      instead("{ rounds: { values: 0..3, initial: 0 } }", "{ rounds: { command: x } }"),
      "fact rounds: expected a variable: its values and initial.",
    ],
  ])("names %s, with its place", (_, text, message) => {
    expect(faultsIn(text).join("\n")).toContain(message);
    expect(faultsIn(text)[0]).toMatch(/^\d+:\d+: /);
  });

  it("is refused if its loop of agents has no bound, with the rules of the loop", () => {
    promise("own.agents-check");
    const endless = CAREFUL.replace(", when: { rounds: 0..2 }", "")
      .replace(", set: { rounds: { add: 1 } }", "")
      .replace(/ {2}- \{ id: asks[^}]*\}[^}]*\}[^}]*\},\n.*\n/, "");
    const bound = boundOf(parse(endless.replace(/ {2}- \{ id: asks[\s\S]*?stuck \}\n/, "")));
    expect(bound).toMatchObject({
      loop: { kind: "loop-unbounded", rules: expect.arrayContaining(["reviews", "fixes"]) },
    });
  });

  it("keeps what Bloom promises, or is refused with the way that breaks it", () => {
    promise("own.life-promises");
    const early = instead(
      "from: committing, on: committed, to: reviewing",
      "from: verifying, on: verify_passed, to: reviewing",
    ).replace("as: committed", "as: verify_passed");
    // A person's approval after three rounds would deliver what is not committed.
    expect(extensionFaults(parse(early)).map(({ message, path }) => [message, path?.at(-1)])).toEqual([
      [
        "Its table promises that nothing leaves the workspace that is not committed; here a run reaches merging all the same.",
        "approval.merges",
      ],
    ]);
    const blocks = early.replace(
      "to: waiting_for_human, set: { awaits: approval },\n      reply: stuck",
      "to: blocked",
    );
    expect(blocks).not.toBe(early);
    expect(extensionFaults(parse(blocks))).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { parseWorkflow } from "./parse.ts";

const table = (rows: string, states = "") => `
title: Errand
replies: ./errand
initial: open
goals: [done]
blocked: no
states:
  open: It is to be fetched.
  fetched: It is here.
  done: { description: It is over., final: true }${states}
events: { say: Say something, drop: Let it go }
facts:
  rounds: { initial: 0, values: 0..3 }
rows:
${rows}
`;
const rulesOf = (rows: string) => parseWorkflow("errand", "errand.yaml", table(rows)).definition.table.rules;
const problemsOf = (rows: string, states?: string) => {
  try {
    parseWorkflow("errand", "errand.yaml", table(rows, states));
  } catch (error) {
    return String((error as Error).message);
  }
  return "none";
};
const ROW = "  - { id: dropped, from: any, on: drop, to: done, reply: moved }";

describe("A row of a workflow's file", () => {
  it("applies with `from: any` in every state in which no run ends", () => {
    expect(rulesOf(ROW)[0]?.from).toEqual(["open", "fetched"]);
  });

  it("applies with `not` for every other value of the fact, in the fact's order", () => {
    const [rule] = rulesOf(
      "  - { id: a, from: open, on: say, when: { rounds: { not: [3, 1] } }, to: same, reply: r }",
    );
    expect(rule?.when).toEqual([{ rounds: [0, 2] }]);
  });

  it("has to exclude values that the fact has, and not all of them", () => {
    const asks = (not: string) =>
      problemsOf(`  - { id: a, from: open, on: say, when: { rounds: { not: ${not} } }, to: same, reply: r }`);
    expect(asks("7")).toContain("asks for rounds = 7; expected one of 0, 1, 2, 3");
    expect(asks("0..3")).toContain('must list values of "rounds", each once; found none');
    expect(asks("[]")).toBe("none");
    expect(
      problemsOf("  - { id: a, from: open, on: say, when: { turns: { not: 1 } }, to: same, reply: r }"),
    ).toContain('mentions "turns", which is not a fact');
    expect(
      problemsOf("  - { id: a, from: open, on: say, when: { rounds: { no: 1 } }, to: same, reply: r }"),
    ).toContain("expected a value, a list of values or {not: one or more values}");
  });

  it("leaves the name `any` to no state", () => {
    expect(problemsOf(ROW, "\n  any: Whatever it is.")).toContain(
      "`from: any` means every state in which no run ends: expected another name.",
    );
  });
});

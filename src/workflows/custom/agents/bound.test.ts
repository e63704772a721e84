import { describe, expect, it } from "vitest";
import { REVIEW } from "../../../../test/rig/own-agents.ts";
import { WISH } from "../../../../test/rig/own-begins.ts";
import { promise } from "../../../../test/rig/promise.ts";
import { parseWorkflow } from "../definition/parse.ts";
import { boundOf } from "./bound.ts";

const boundIn = (text: string) => boundOf(parseWorkflow("review", "review.yaml", text).definition);

describe("what agents may cost", () => {
  it("is the dearest way between two decisions of a person", () => {
    // Written, looked at and sent back twice, after a rejection as after the start: 3 × 1 + 3 × 0.50.
    expect(boundIn(REVIEW)).toEqual({ orders: 6, usd: 4.5 });
    expect(boundIn(REVIEW.replace("0..2, initial", "0..4, initial"))).toMatchObject({ orders: 6 });
    expect(boundIn(REVIEW.replaceAll("0..1 }", "0 }").replace("{ rounds: 2 }", "{ rounds: 1..2 }"))).toEqual({
      orders: 4,
      usd: 3,
    });
  });

  it("is not known in dollars if an agent has no such budget", () => {
    expect(boundIn(REVIEW.replace("usd: 0.50", "turns: 5"))).toEqual({ orders: 6, usd: null });
  });

  it("is none if no agent is started", () => {
    const table = REVIEW.replace(/agents:\n.*\n.*\n/, "").replaceAll(
      /run: (?:&write |\*write|\{ agent)[^\n]*?(?:\} \}|\*write), /g,
      "",
    );
    expect(boundIn(table.replaceAll(/run: \{ agent.*?\} \}, |run: \*write, /g, ""))).toBeNull();
  });

  it("has no end in a loop without a counter, which names its rules", () => {
    const bound = boundIn(REVIEW.replace("set: { rounds: { add: 1 } }, ", ""));
    expect(bound).toMatchObject({ loop: { kind: "loop-unbounded" } });
    if (bound && "loop" in bound) expect([...bound.loop.rules].sort()).toEqual(["again", "reviews"]);
  });

  it("ends if a person is asked, however often", () => {
    const asks = REVIEW.replace(
      / {2}- \{ id: again.*\n {2}- \{ id: enough, from: reviewing, on: bad, when: \{ rounds: 2 \},/,
      "  - { id: enough, from: reviewing, on: bad,",
    );
    expect(boundIn(asks.replace("set: { rounds: 0 }, ", "").replace(/facts:\n.*\n/, ""))).toEqual({
      orders: 2,
      usd: 1.5,
    });
  });

  it("counts what a person may begin while runs are waited for", () => {
    promise("own.begin-check");
    const hurried = WISH.replace(
      "  built: {",
      "  hurrying: { description: In a hurry., awaits: agent }\n  built: {",
    )
      .replace(
        "events:",
        "events:\n  hurried: It is planned in a hurry\n  hurry: { description: Hurry, gate: human }",
      )
      .concat(
        "  - { id: hurries, from: building, on: hurry, to: hurrying, run: { agent: planner, prompt: plan, answers: { next: [hurried] } }, reply: moved }\n",
        "  - { id: hurried, from: hurrying, on: hurried, to: planning, run: { agent: planner, prompt: plan, answers: { next: [planned], tasks: tasks } }, reply: moved }\n",
      );
    expect(boundOf(parseWorkflow("wish", "wish.yaml", WISH).definition)).toEqual({
      orders: 1,
      usd: 1,
      tasks: 3,
    });
    expect(boundOf(parseWorkflow("wish", "wish.yaml", hurried).definition)).toEqual({
      ...{ orders: 2, usd: 2, tasks: 3 },
    });
  });
});

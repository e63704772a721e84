import { describe, expect, it } from "vitest";
import { orderDeeds, type TaskCard, taskDeeds } from "./board.ts";

const card = (column: TaskCard["column"], state = "ready_for_agent", reason: string | null = null) =>
  ({ column, state, reason }) as TaskCard;
const labels = (task: TaskCard) => taskDeeds(task).map(({ act, label }) => `${act}: ${label}`);
const hint = "hint: Try again with a hint";
const blocked = (retry: string) => [`retry: ${retry}`, hint, "take: Take over", "cancel: Cancel"];

describe("what a person can do about a task", () => {
  it.each<[string, TaskCard, readonly string[]]>([
    ["at work", card("working"), ["interject: Interject", "stop: Stop"]],
    ["not begun", card("open"), []],
    ["that waits for a verdict", card("waiting"), []],
    ["that is done", card("done"), []],
    ["that is blocked", card("blocked"), blocked("Try again")],
    ["that failed for a reason", card("blocked", "failed", "it was rejected by git"), blocked("Try again")],
    ["that was rejected", card("blocked", "failed", "rejected: no"), blocked("Send back to the agent")],
    ["whose budget is spent", card("blocked", "budget_exhausted"), blocked("Give more budget")],
    ["whose target fails by itself", card("waiting", "target_red"), blocked("Continue anyway")],
    ["whose agent rests", card("waiting", "agent_rests", "rejected"), blocked("Ask its agent again")],
  ])("%s", (_, task, expected) => {
    expect(labels(task)).toEqual(expected);
  });

  it("asks for words if the act needs some, and once more before it stops the agent", () => {
    const [interject, stop] = taskDeeds(card("working"));
    expect(interject).toMatchObject({ words: expect.stringMatching(/./) });
    expect(stop).toEqual({ act: "stop", label: "Stop", isSure: true });
    const deeds = taskDeeds(card("blocked"));
    expect(deeds.filter(({ words }) => words).map(({ act }) => act)).toEqual(["hint", "cancel"]);
  });
});

describe("what a person can do about an agent's order", () => {
  it.each([
    ["asks", ["answer: Answer"]],
    ["budget", ["retry: Give more budget", hint]],
    ["failed", ["retry: Try again", hint]],
  ])("that waits by %s", (why, expected) => {
    const deeds = orderDeeds({ why, words: "" });
    expect(deeds.map(({ act, label }) => `${act}: ${label}`)).toEqual(expected);
    expect(deeds.at(-1)?.words).toMatch(/./);
  });
});

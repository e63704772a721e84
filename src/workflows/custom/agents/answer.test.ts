import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { answerWords, tasksWords } from "./answer.ts";
import { parseAnswer } from "./outcome.ts";

const ANSWERS = { verdict: ["good", "bad"], points: "text" } as const;

describe("an agent's answer", () => {
  it("is looked for in a time that grows with the text", () => {
    for (const text of ["}".repeat(20_000), "{".repeat(20_000), `${"{".repeat(10_000)}${"}".repeat(10_000)}`])
      expect(parseAnswer(text, ANSWERS)).toHaveProperty("faults");
  });

  it("costs the loop little, whatever the agent writes", () => {
    for (const part of ["}", "{", "{}}", '{"}', '{"a":', "{ }}", "{ "])
      expect(parseAnswer(`{x${part.repeat(500_000 / part.length)}`, ANSWERS)).toHaveProperty("faults");
  });

  it("is asked for with every field, and with what each event says", () => {
    const words = answerWords(ANSWERS, {
      good: { description: "Nothing must change" },
      bad: { description: "b" },
    });
    expect(words).toContain('  "verdict": "good | bad",\n  "points": "…"\n');
    expect(words).toContain("- `good`: Nothing must change");
  });

  describe("with tasks", () => {
    const FIELDS = { next: ["planned"], tasks: "tasks" } as const;
    const LIMITS = { tasks: { most: 2, dependencies: true } };
    const task = (id: string, more: object = {}) => ({ id, title: `Do ${id}`, instructions: "How", ...more });
    const answer = (...tasks: readonly object[]) => JSON.stringify({ next: "planned", tasks });

    it("is a list in their form, which people and other agents read as one", () => {
      promise("own.begin");
      const found = parseAnswer(answer(task("b", { depends_on: ["a"] }), task("a")), FIELDS, LIMITS);
      const text = "texts" in found ? (found.texts.tasks ?? "") : "";
      expect(JSON.parse(text)).toMatchObject([{ id: "b", depends_on: ["a"], steps: [] }, { id: "a" }]);
      expect(tasksWords(text)).toBe("- b (after a): Do b\n  How\n- a: Do a\n  How");
      expect(parseAnswer(answer(), FIELDS, LIMITS)).toMatchObject({ texts: { tasks: "[]" } });
      expect(answerWords(FIELDS, {}, { tasks: { most: 2, dependencies: false } })).not.toContain(
        "depends_on",
      );
    });

    it.each([
      ["a command", [task("a", { verify: ["x"] })], "tasks: 0.verify: expected no such key, found"],
      [
        "a command for a criterion",
        [task("a", { acceptance_criteria: [{ text: "It works", check: "touch x" }] })],
        "tasks: 0.acceptance_criteria.0: expected",
      ],
      ["too many", [task("a"), task("b"), task("c")], "tasks: expected at most 2 tasks; found 3."],
      ["an id twice", [task("a"), task("a")], "tasks: the id a is there twice."],
      ["a strange dependency", [task("a", { depends_on: ["T1"] })], "tasks: a depends on T1: expected"],
      [
        "a circle",
        [task("a", { depends_on: ["b"] }), task("b", { depends_on: ["a"] })],
        "tasks: they wait for each other in a circle",
      ],
    ])("is refused with %s", (_, tasks, words) => {
      promise("own.begin-held");
      const found = parseAnswer(answer(...tasks), FIELDS, LIMITS);
      expect("faults" in found ? found.faults.join(" ") : "").toContain(words);
    });

    it("is refused with dependencies if all of them begin at once", () => {
      promise("own.begin-held");
      const limits = { tasks: { most: 2, dependencies: false } };
      expect(parseAnswer(answer(task("a"), task("b", { depends_on: ["a"] })), FIELDS, limits)).toMatchObject({
        faults: [expect.stringContaining("expected no depends_on")],
      });
    });
  });
});

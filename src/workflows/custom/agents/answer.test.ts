import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { refusedWords } from "../../../runtime/agent-order.ts";
import { answerWords, tasksWords } from "./answer.ts";
import { parseAnswer } from "./outcome.ts";

const ANSWERS = { verdict: ["good", "bad"], points: "text" } as const;

describe("an agent's answer", () => {
  it.each([
    ["alone", '{"verdict":"good","points":"p"}'],
    [
      "in a fence, after words with braces",
      'I used {x}.\n```json\n{\n "verdict": "good",\n "points": "p"\n}\n```\n',
    ],
    ["before more words", 'So {"points": "p", "verdict": "good"} it is.'],
    ["after another object", '{"verdict":"bad","points":"old"}\n{"verdict":"good","points":"p"}'],
  ])("is found %s", (_, text) => {
    expect(parseAnswer(text, ANSWERS)).toEqual({ event: "good", texts: { points: "p" } });
  });

  it("may hold objects and braces in its texts", () => {
    const points = 'if (a) { b({ c: 1 }) } "quoted" \\ {';
    const text = `Done. ${JSON.stringify({ verdict: "bad", points })}`;
    expect(parseAnswer(text, ANSWERS)).toEqual({ event: "bad", texts: { points } });
  });

  it.each([
    ["nothing", "Done.", ["There is no JSON object in your last message."]],
    ["a list", "[1]", ["There is no JSON object in your last message."]],
    [
      "an unknown event",
      '{"verdict":"fine","points":""}',
      ['verdict: expected "good" or "bad"; found "fine".'],
    ],
    [
      "a list of events",
      '{"verdict":["good"],"points":""}',
      ['verdict: expected "good" or "bad"; found ["good"].'],
    ],
    ["no text", '{"verdict":"good"}', ["points: expected a string; found nothing."]],
    [
      "another field",
      '{"verdict":"good","points":"","point":""}',
      ['"point" is not a field: did you mean points?'],
    ],
    [
      "a long text",
      JSON.stringify({ verdict: "good", points: "x".repeat(50_001) }),
      ["points: expected at most 50000 characters; found 50001."],
    ],
  ])("is refused with %s", (_, text, faults) => {
    expect(parseAnswer(text, ANSWERS)).toEqual({ faults });
    expect(refusedWords(faults)).toContain(`- ${faults[0]}`);
  });

  it("is looked for in a time that grows with the text", () => {
    for (const text of ["}".repeat(20_000), "{".repeat(20_000), `${"{".repeat(10_000)}${"}".repeat(10_000)}`])
      expect(parseAnswer(text, ANSWERS)).toHaveProperty("faults");
  });

  it("costs the loop little, whatever the agent writes", () => {
    for (const part of ["}", "{", "{}}", '{"}', '{"a":', "{ }}", "{ "])
      expect(parseAnswer(`{x${part.repeat(500_000 / part.length)}`, ANSWERS)).toHaveProperty("faults");
  });

  it("is found whole behind code that is no JSON, and with objects in it", () => {
    const code = "if (a) { b({ c }); }\n".repeat(2_000);
    const points = JSON.stringify({ verdict: "good", points: '{"a": {"b": 1}}'.repeat(1_000) });
    expect(parseAnswer(`${code}${points}`, ANSWERS)).toMatchObject({ event: "good" });
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

    it("is refused with dependencies where all of them begin at once", () => {
      promise("own.begin-held");
      const limits = { tasks: { most: 2, dependencies: false } };
      expect(parseAnswer(answer(task("a"), task("b", { depends_on: ["a"] })), FIELDS, limits)).toMatchObject({
        faults: [expect.stringContaining("expected no depends_on")],
      });
    });
  });
});

import { describe, expect, it } from "vitest";
import {
  answerNotes,
  permissionOf,
  permitted,
  readAnswer,
  refusedTwice,
  refusedWords,
} from "./agent-order.ts";

const ANSWERS = { verdict: ["good", "bad"], points: "text" } as const;
const NO_TASKS = () => ({ faults: ["there are none"] });

describe("an agent's entry", () => {
  it("lets it edit unless it says otherwise, and one that reads is asked about everything", () => {
    expect(permissionOf({})).toBe("edits");
    expect(permitted({})).toEqual({ permission: "edits" });
    expect(permitted({ permission: "all" })).toEqual({ permission: "all" });
    expect(permitted({ permission: "read" })).toEqual({ permission: "ask", readOnly: true });
  });
});

describe("an agent's answer", () => {
  const read = (text: string) => readAnswer(text, ANSWERS, NO_TASKS);

  it.each([
    ["alone", '{"verdict":"good","points":"p"}'],
    [
      "in a fence, after words with braces",
      'I used {x}.\n```json\n{\n "verdict": "good",\n "points": "p"\n}\n```\n',
    ],
    ["before more words", 'So {"points": "p", "verdict": "good"} it is.'],
    ["after another object", '{"verdict":"bad","points":"old"}\n{"verdict":"good","points":"p"}'],
  ])("is found %s", (_, text) => {
    expect(read(text)).toEqual({ event: "good", texts: { points: "p" } });
  });

  it("may hold objects and braces in its texts", () => {
    const points = 'if (a) { b({ c: 1 }) } "quoted" \\ {';
    const text = `Done. ${JSON.stringify({ verdict: "bad", points })}`;
    expect(read(text)).toEqual({ event: "bad", texts: { points } });
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
    expect(read(text)).toEqual({ faults });
    expect(refusedWords(faults)).toContain(`- ${faults[0]}`);
  });

  it("is found whole behind code that is no JSON, and with objects in it", () => {
    const code = "if (a) { b({ c }); }\n".repeat(2_000);
    const points = JSON.stringify({ verdict: "good", points: '{"a": {"b": 1}}'.repeat(1_000) });
    expect(read(`${code}${points}`)).toMatchObject({ event: "good" });
  });

  it.each([
    ["its names stand on lines of their own", '{\n\t"verdict": "good",\n\t"points": "p"\n}'],
    ["more braces follow than begin", '{"verdict":"good","points":"p"} }}'],
    ["an empty object stands in it", '{"verdict":"good","points":"p"} and {'],
    [
      "it begins in the last half million characters",
      `${"x".repeat(500_000)}{"verdict":"good","points":"p"}`,
    ],
  ])("is found if %s", (_, text) => {
    expect(read(text)).toEqual({ event: "good", texts: { points: "p" } });
  });

  it("is none if it nests too deeply to be shown", () => {
    expect(read(`{"verdict":${"[".repeat(100_000)}${"]".repeat(100_000)},"points":"p"}`)).toEqual({
      faults: ["There is no JSON object in your last message."],
    });
  });

  it("is the object around those in it, and an empty one after it counts as none of its fields", () => {
    expect(
      readAnswer('{"tasks":{"verdict":"bad"},"verdict":"good"}', { verdict: ["good"] }, NO_TASKS),
    ).toEqual({
      faults: ['"tasks" is not a field: expected verdict.'],
    });
    expect(read('{"verdict":"good","points":"p"} {}')).toEqual({
      faults: [
        'verdict: expected "good" or "bad"; found nothing.',
        "points: expected a string; found nothing.",
      ],
    });
  });

  it("is not looked for before its last half million characters", () => {
    expect(read(`{"verdict":"good","points":"p"}${" ".repeat(500_000)}`)).toHaveProperty("faults");
  });

  it("may have texts of 50,000 characters", () => {
    const points = "x".repeat(50_000);
    expect(read(JSON.stringify({ verdict: "good", points }))).toEqual({ event: "good", texts: { points } });
  });

  it("is refused with every field that is no one's, with those that there are, and with the beginning of what was found", () => {
    expect(read(JSON.stringify({ verdict: "x".repeat(200), points: 1, other_thing: 2 }))).toEqual({
      faults: [
        '"other_thing" is not a field: expected verdict, points.',
        `verdict: expected "good" or "bad"; found "${"x".repeat(79)}.`,
        "points: expected a string; found 1.",
      ],
    });
  });

  it("has its tasks read by the workflow, whose words for what is wrong with them it repeats", () => {
    const answers = { next: ["planned"], tasks: "tasks" } as const;
    const text = '{"next":"planned","tasks":[1]}';
    expect(readAnswer(text, answers, (field, value) => ({ text: `${field} ${value}` }))).toEqual({
      ...{ event: "planned", texts: { tasks: "tasks 1" } },
    });
    expect(readAnswer(text, answers, NO_TASKS)).toEqual({ faults: ["tasks: there are none"] });
  });

  it("is asked for again with each fault on a line", () => {
    expect(refusedWords(["one.", "two."])).toContain(":\n\n- one.\n- two.\n\n");
  });
});

describe("a person is told of an answer that was refused twice", () => {
  const first = refusedWords(["There is no JSON object in your last message.", "Two."]);
  it.each([
    ["both times", ["Three."], "There is no JSON object in its last message. Two. Then: Three"],
    [
      "once where it was the same",
      ["There is no JSON object in your last message.", "Two."],
      "There is no JSON object in its last message. Two",
    ],
  ])("%s", (_, faults, words) => {
    expect(refusedTwice(first, faults)).toBe(words);
  });

  it("the second time alone if the first is not in that form", () => {
    expect(refusedTwice("In words - of another kind", ["One. Two."])).toBe("One. Two");
  });
});

describe("what agents said last", () => {
  it("has a note for each agent that said something, with its texts in their order", () => {
    expect(
      answerNotes({
        planner: { points: "one\n", empty: " \n", more: "two" },
        silent: { points: " " },
        reviewer: { notes: "three" },
      }),
    ).toEqual([
      { by: "The agent planner", text: "one\n\n\ntwo" },
      { by: "The agent reviewer", text: "three" },
    ]);
  });
});

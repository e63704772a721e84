import { expect, test } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { parseFile } from "../../config/config-file.ts";
import { PAWL_FILE } from "../../config/config-schema.ts";
import { editTasks } from "../../tasks-file/edit.ts";
import { parseTasks } from "../../tasks-file/parse.ts";
import { parsePersona } from "../../workflows/alfred/texts/persona.ts";
import { parseWorkflow } from "../../workflows/custom/definition/parse.ts";
import { parseTaskName } from "../../workflows/spells/front-matter.ts";
import { readYaml } from "./yaml.ts";

/** Ten levels of ten aliases each: ten thousand million values. */
const BOMB = [
  'a0: &a0 ["x", "x", "x", "x", "x", "x", "x", "x", "x", "x"]',
  ...Array.from(
    { length: 9 },
    (_, at) => `a${at + 1}: &a${at + 1} [${Array(10).fill(`*a${at}`).join(", ")}]`,
  ),
].join("\n");

const HOSTILE: readonly (readonly [string, string, RegExp])[] = [
  ["aliases that multiply", BOMB, /2:\d+.*aliases expand to more than/s],
  ["a value that is within itself", "tasks: &t\n  - *t\n", /2:\d+.*aliases expand to/s],
  ["brackets without end", `a: ${"[".repeat(30_000)}`, /1:\d+.*nest more than 100 deep/s],
  ["braces without end", `a: ${"{".repeat(30_000)}`, /1:\d+.*nest more than 100 deep/s],
  ["lists within lists", `${"- ".repeat(30_000)}a`, /1:\d+.*nest more than 100 deep/s],
  [
    "ever deeper indents",
    Array.from({ length: 300 }, (_, at) => `${" ".repeat(at)}k:`).join("\n"),
    /\d+:\d+.*nest more than 100 deep/s,
  ],
  ["a million signs", `a: [${"1,".repeat(500_000)}]`, /1:\d+.*more than 700,000 words and signs/s],
  [
    "a merge that was not settled",
    "a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> other\n",
    /2:1.*git left a merge conflict/s,
  ],
  ["five megabytes", `a: ${"x".repeat(5_000_000)}`, /1:1.*more than 4 MB/s],
];

test.each(HOSTILE)("a file with %s has one fault, with its place", (_, text, expected) => {
  promise("yaml.bounded");
  const { faults, data } = readYaml(text);
  expect(data).toBeNull();
  expect(faults).toHaveLength(1);
  const [fault] = faults;
  expect(`${fault?.line}:${fault?.column} ${fault?.message}`).toMatch(expected);
});

const TASK = { id: "T", title: "t", instructions: "", acceptance_criteria: [], steps: [] };

/** Every file of a project that is YAML, and the code by which its faults are told. */
const READERS: readonly (readonly [string, string, (text: string) => unknown])[] = [
  ["pawl.yaml", "config-invalid", (text) => parseFile("pawl.yaml", text, PAWL_FILE)],
  ["an own workflow", "workflow-invalid", (text) => parseWorkflow("w", "w.yaml", text)],
  ["a persona", "persona-invalid", (text) => parsePersona(text, "p.yml")],
  [
    "tasks.yaml with a task more",
    "tasks-invalid",
    (text) => editTasks(`# T\n${text}`, [{ type: "add-items", into: null, list: "tasks", items: [TASK] }]),
  ],
];

for (const [file, code, read] of READERS)
  test.each(HOSTILE)(`${file} with %s is refused by its own error`, (_, text) => {
    promise("yaml.bounded");
    expect(() => read(text)).toThrow(expect.objectContaining({ code }));
  });

test.each(HOSTILE)("tasks.yaml with %s has a problem in a line", (_, text) => {
  promise("yaml.bounded");
  expect(parseTasks(text)).toMatchObject({ ok: false, problems: [{ line: expect.any(Number) }] });
});

test.each(HOSTILE)("front matter with %s gives a task no name", (_, text) => {
  expect(parseTaskName(`---\ntask_name: real\n${text}\n---\n`, "---\n---\n")).toBe("unnamed");
});

test("anchors and aliases as people write them are read", () => {
  promise("yaml.bounded");
  const tasks = Array.from({ length: 500 }, (_, at) => `  - {id: T${at}, title: t, <<: *common}`);
  const { faults, data } = readYaml(
    `common: &common {verify: &v [npm test]}\nother: *v\ntasks:\n${tasks.join("\n")}\n`,
    { merge: true },
  );
  expect(faults).toEqual([]);
  expect((data as { tasks: unknown[] }).tasks.at(-1)).toEqual({
    id: "T499",
    title: "t",
    verify: ["npm test"],
  });
});

test("an anchor within what is merged is known afterwards", () => {
  const { faults, data } = readYaml("a: {<<: &x {k: 1}}\nb: *x\nc: {<<: [&y {l: 2}, *y]}\n", { merge: true });
  expect(faults).toEqual([]);
  expect(data).toEqual({ a: { k: 1 }, b: { k: 1 }, c: { l: 2 } });
});

test("an alias means the anchor that was last before it", () => {
  expect(readYaml("[&a 1, *a, &a 2, *a]").data).toEqual([1, 1, 2, 2]);
  expect(readYaml("[*a, &a 1]").faults).toMatchObject([{ code: "UNREADABLE" }]);
});

test("each repeated key of a map is a fault at its place, and no merge key is", () => {
  promise("yaml.linear");
  const { faults } = readYaml("a: 1\nb:\n  c: 1\n  'c': 2\n{1: a}: x\na: 2\n");
  expect(faults.map(({ code, line, column }) => [code, line, column])).toEqual([
    ["DUPLICATE_KEY", 6, 1],
    ["DUPLICATE_KEY", 4, 3],
  ]);
  expect(readYaml("a: &a {x: 1}\nb: {<<: *a, <<: *a}\n", { merge: true }).data).toMatchObject({
    b: { x: 1 },
  });
});

test("a second document is a fault if it begins", () => {
  expect(readYaml("a: 1\n---\nb: 2\n").faults).toMatchObject([{ code: "MULTIPLE_DOCS", line: 2 }]);
});

test("of many faults, a thousand are reported", () => {
  promise("yaml.linear");
  for (const text of ["]".repeat(5_000), "a: 1\n".repeat(5_000)])
    expect(readYaml(text).faults).toHaveLength(1_000);
});

test("nested faults are reported as far as the parser's stack reaches", () => {
  const { length } = readYaml("a: b: c\n".repeat(5_000)).faults;
  expect(length).toBeGreaterThan(0);
  expect(length).toBeLessThanOrEqual(1_000);
});

test("values of ordinary depth are read, block texts of any shape too", () => {
  const stairs = Array.from({ length: 200 }, (_, at) => `  ${" ".repeat(at)}x`).join("\n");
  expect(readYaml(`a: |\n${stairs}\nb: {c: [[{d: e}]]}\n`).faults).toEqual([]);
});

test("an empty file has no faults and no data", () => {
  expect(readYaml("")).toMatchObject({ faults: [], data: null });
});

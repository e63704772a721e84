import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { longText } from "../core/long-text.ts";
import { editParts, fileAfter, fileOf, type Parts, textAfter, textOf } from "./parts.ts";
import { readTasks } from "./read.ts";
import type { TaskEdit } from "./splice.ts";

const FILES = [
  "tasks:\n- id: A\n  title: a\n- id: B\n  title: b\n  steps:\n  - {id: b1, instruction: do}\n- id: C\n  title: c\n",
  "# ours\ntasks:\n- id: A\n  title: a\n- id: B\n  title: b\n  subtasks:\n  - id: D\n    title: d\n- id: C\n  title: c\ngit: {}\n",
  "tasks: [{id: A, title: a}, {id: B, title: b}, {id: C, title: c}]\n",
];

function read(text: string): Parts {
  const result = readTasks(text, null);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.parts;
}

const edit = fc.record({
  type: fc.constant("set"),
  id: fc.constantFrom("A", "B", "C"),
  key: fc.constant("status"),
  value: fc.constantFrom("done", "blocked", "cancelled", "todo"),
}) as fc.Arbitrary<TaskEdit>;

describe("Text and tasks after edits", () => {
  it.each(FILES)("are those of the edited parts, each time: %j", (whole) => {
    const round = fc.record({
      edits: fc.oneof(fc.array(edit, { maxLength: 3 }), fc.array(edit, { minLength: 9, maxLength: 12 })),
      isAsked: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(round, { maxLength: 6 }), fc.boolean(), (rounds, isCut) => {
        let before = read(whole);
        // A store keeps the text in pieces of its own, or in one.
        let text = isCut ? longText([whole.slice(0, 20), whole.slice(20)]) : longText([whole]);
        let file = fileOf(before);
        for (const { edits, isAsked } of rounds) {
          const { parts, places } = editParts(before, edits);
          text = textAfter(before, text, parts, places);
          file = fileAfter(before, file, parts, places);
          if (isAsked) expect(text.whole).toBe(textOf(parts).whole);
          expect(file).toEqual(fileOf(parts));
          expect(fileAfter(before, fileOf(before), parts)).toEqual(file);
          before = parts;
        }
        expect(text.whole).toBe(textOf(before).whole);
        expect(fileOf(read(text.whole)).tasks).toEqual(file.tasks);
      }),
      { numRuns: 60 },
    );
  });

  it("say which entries are others now", () => {
    const before = read(FILES[0] as string);
    const set = (id: string, value: string): TaskEdit =>
      ({ type: "set", id, key: "status", value }) as TaskEdit;
    expect(editParts(before, [set("C", "done"), set("A", "done"), set("C", "blocked")]).places).toEqual([
      2, 0,
    ]);
    const { parts } = editParts(before, [set("b1", "done")]);
    expect(editParts(parts, [set("b1", "done")]).places).toEqual([]);
    expect(editParts(parts, [set("B", "done")]).places).toEqual([1]);
  });
});

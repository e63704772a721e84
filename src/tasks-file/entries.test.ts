import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Entry, editEntries, fileOf, type ParsedFile, textOf } from "./entries.ts";
import { readTasks } from "./read.ts";
import type { TaskEdit } from "./splice.ts";

const FILES = [
  "tasks:\n- id: A\n  title: a\n- id: B\n  title: b\n  steps:\n  - {id: b1, instruction: do}\n- id: C\n  title: c\n",
  "# ours\ntasks:\n- id: A\n  title: a\n- id: B\n  title: b\n  subtasks:\n  - id: D\n    title: d\n- id: C\n  title: c\ngit: {}\n",
  "tasks: [{id: A, title: a}, {id: B, title: b}, {id: C, title: c}]\n",
];

function read(text: string): ParsedFile {
  const result = readTasks(text, null);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.parsed;
}

const edit = fc.record({
  type: fc.constant("set"),
  id: fc.constantFrom("A", "B", "C"),
  key: fc.constant("status"),
  value: fc.constantFrom("done", "blocked", "cancelled", "todo"),
}) as fc.Arbitrary<TaskEdit>;

describe("Entries after edits", () => {
  it.each(FILES)("have text, tasks and offsets as if the new text had been read, each time: %j", (whole) => {
    fc.assert(
      fc.property(fc.array(fc.array(edit, { maxLength: 12 }), { maxLength: 6 }), (rounds) => {
        let edited = read(whole);
        for (const edits of rounds) {
          const before = edited;
          edited = editEntries(before, edits);
          const fresh = read(textOf(edited));
          expect(fileOf(edited)).toEqual(fileOf(fresh));
          expect(edited.entries.map(({ offsets, text }) => [text, offsets])).toEqual(
            fresh.entries.map(({ offsets, text }) => [text, offsets]),
          );
          const isEdited = ({ offsets }: Entry) =>
            offsets.some((item) => edits.some(({ id }) => id === item.id));
          for (const other of before.entries.filter((entry) => !isEdited(entry)))
            expect(edited.entries).toContain(other);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("are those of a step, too, and an edit of what is not there is refused", () => {
    const before = read(FILES[0] as string);
    const set = (id: string, value: string): TaskEdit => ({ type: "set", id, key: "status", value });
    const after = editEntries(before, [set("b1", "done")]);
    expect(fileOf(after).tasks[1]?.steps[0]?.status).toBe("done");
    expect(after.entries[0]).toBe(before.entries[0]);
    expect(() => editEntries(before, [set("none", "done")])).toThrow(
      expect.objectContaining({ code: "tasks-unwritable" }),
    );
  });
});

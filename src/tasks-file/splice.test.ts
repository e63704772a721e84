import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { promise } from "../../test/rig/promise.ts";
import { tasksText } from "../../test/rig/tasks-texts.ts";
import { editTasks } from "./edit.ts";
import { indexOffsets } from "./index-offsets.ts";
import type { Offsets } from "./offsets.ts";
import { tasksIn } from "./parse.ts";
import { spliceAll, type TaskEdit } from "./splice.ts";

type Data = Record<string, unknown>;

const read = (text: string): { tasks: Data[] } => {
  const document = parseDocument(text, { merge: true });
  expect(document.errors).toEqual([]);
  return document.toJS();
};
const offsets = (text: string) => {
  const document = parseDocument(text, { merge: true });
  return indexOffsets(document, tasksIn(document), text);
};
const byId = (offsets: Offsets) => Object.fromEntries(offsets.map((item) => [item.id, item]));

const scalarText = fc.oneof(
  fc.constantFrom("todo", "in_progress", "done"),
  fc.constantFrom(
    "2026-11-21T10:00:00.000Z",
    "",
    "null",
    "yes",
    "1.5",
    "a: b # c",
    "- x",
    "it's",
    '"q"',
    "a\nb",
    "é漢🚀\u2028\u0007",
    " lead",
  ),
  fc.string({ unit: "binary", maxLength: 12 }),
);

const editOf = (count: number): fc.Arbitrary<TaskEdit> => {
  const id = fc.integer({ min: 0, max: count - 1 }).map((n) => `T${n}`);
  return fc.oneof(
    fc.record({
      type: fc.constant("set" as const),
      id,
      key: fc.constantFrom("status" as const, "session_id" as const, "started_at" as const),
      value: scalarText,
    }),
    fc.record({
      type: fc.constant("clear" as const),
      id,
      key: fc.constantFrom("session_id" as const, "status" as const),
    }),
    fc.record({
      type: fc.constant("append" as const),
      id,
      key: fc.constant("ai_notes" as const),
      value: scalarText,
    }),
  );
};

function intended(file: { tasks: Data[] }, edit: TaskEdit): void {
  const item = file.tasks.find((task) => task.id === edit.id) as Data;
  if (edit.type === "set") item[edit.key] = edit.value;
  else if (edit.type === "clear") item[edit.key] = null;
  else item[edit.key] = [...((item[edit.key] as unknown[] | null) ?? []), edit.value];
}

const nullIsAbsent = (file: { tasks: Data[] }) => ({
  ...file,
  tasks: file.tasks.map((task) =>
    Object.fromEntries(Object.entries(task).filter(([, value]) => value !== null)),
  ),
});

const withEdits = tasksText.chain(({ text, count }) =>
  fc.tuple(fc.constant(text), fc.array(editOf(count), { minLength: 1, maxLength: 5 })),
);

describe("Edits of tasks.yaml", () => {
  it("leave exactly the intended data behind, whatever style the file is written in", () => {
    fc.assert(
      fc.property(withEdits, ([text, edits]) => {
        const expected = read(text);
        for (const edit of edits) intended(expected, edit);
        expect(nullIsAbsent(read(editTasks(text, edits)))).toEqual(nullIsAbsent(expected));
      }),
      { numRuns: 500 },
    );
  });

  it("move the known offsets along as if the new text had been read", () => {
    fc.assert(
      fc.property(withEdits, ([text, edits]) => {
        const after = spliceAll(text, offsets(text), edits);
        expect(byId(after.offsets)).toEqual(byId(offsets(after.text)));
      }),
      { numRuns: 500 },
    );
  });

  it("keep every line but the changed one byte for byte", () => {
    promise("bloom.one-line");
    fc.assert(
      fc.property(
        tasksText.chain(({ text, count }) => fc.tuple(fc.constant(text), editOf(count))),
        ([text, edit]) => {
          const before = text.split("\n");
          const after = editTasks(text, [edit]).split("\n");
          let head = 0;
          while (head < before.length && before[head] === after[head]) head++;
          let tail = 0;
          while (
            tail < Math.min(before.length, after.length) - head &&
            before.at(-1 - tail) === after.at(-1 - tail)
          )
            tail++;
          const removed = before.length - head - tail;
          const added = after.length - head - tail;
          const key = byId(offsets(text))[edit.id]?.keys[edit.key];
          expect(removed).toBeLessThanOrEqual(key?.style === "lines" ? 3 : 1);
          expect(added).toBeLessThanOrEqual(key === undefined && edit.type === "append" ? 3 : 2);
          if (key && key.style !== "lines" && edit.type === "set") expect(added).toBe(removed);
          expect((text.match(/#/g) ?? []).length).toBeLessThanOrEqual(
            (after.join("\n").match(/#/g) ?? []).length,
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});

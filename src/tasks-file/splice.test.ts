import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { editTasks } from "./edit.ts";
import { indexPlaces } from "./index-offsets.ts";
import type { Places } from "./offsets.ts";
import { packItem, unpackItem } from "./pack.ts";
import { spliceAll, type TaskEdit } from "./splice.ts";

type Data = Record<string, unknown>;

const read = (text: string): { tasks: Data[] } => {
  const document = parseDocument(text, { merge: true });
  expect(document.errors).toEqual([]);
  return document.toJS();
};
const places = (text: string) => indexPlaces(parseDocument(text, { merge: true }), text);
/** By id: the order of a row's keys says nothing. */
const byId = (rows: Places) => Object.fromEntries(rows.map((row) => [row[0], unpackItem(row)]));

const word = fc.constantFrom("todo", "in_progress", "done", "blocked", "pending");
const scalarText = fc.oneof(
  word,
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

/** How one `key: value` is written in a mapping in block style, at an indentation that it is told. */
const status = fc.oneof(
  fc.tuple(word, fc.constantFrom("", " # why", "   ")).map(
    ([value, rest]) =>
      () =>
        `status: ${value}${rest}`,
  ),
  word.map((value) => () => `status: "${value}" # q`),
  word.map((value) => () => `status: '${value}'`),
  word.map((value) => (pad: string) => `status:\n${pad}  ${value}`),
  word.map((value) => (pad: string) => `status: >-\n${pad}  ${value}`),
  fc.constant(() => "status:"),
  fc.constant(() => "status: # none yet"),
  word.map((value) => () => `"status" : ${value}`),
);
const notes = fc.oneof(
  fc.constant(() => "ai_notes: []"),
  fc.constant(() => "ai_notes: [one, 'two' ] # n"),
  fc.constant(() => "ai_notes: [ one, ]"),
  fc.constant(() => "ai_notes:"),
  fc.constant((pad: string) => `ai_notes:\n${pad}- one # c\n${pad}- "two"`),
  fc.constant(
    (pad: string) =>
      `ai_notes:\n${pad}   - one\n${pad}   - |\n${pad}     block\n${pad}     text\n\n${pad}# after`,
  ),
  fc.constant((pad: string) => `ai_notes:\n${pad}  - |+\n${pad}    kept\n\n`),
  fc.constant((pad: string) => `ai_notes: [one, # first\n${pad}  two] # end`),
);
const other = fc.oneof(
  fc.constant(() => "title: T # t"),
  fc.constant((pad: string) => `title: |\n${pad}  long\n${pad}  title`),
  fc.constant(() => "# a comment of its own"),
  fc.constant(() => ""),
  fc.constant(() => "mine: {keep: [me]}"),
);
const session = fc.oneof(
  fc.constant(() => "session_id: abc"),
  fc.constant(() => 'session_id: "abc" # s'),
  fc.constant(() => "session_id:"),
);

const blockItem = (id: string) =>
  fc
    .record({
      status: fc.option(status),
      notes: fc.option(notes),
      session: fc.option(session),
      other: fc.array(other, { maxLength: 1 }),
      gap: fc.integer({ min: 1, max: 3 }),
      idRest: fc.constantFrom("", " # id"),
      order: fc.boolean(),
    })
    .map(({ gap, idRest, order, ...rest }) => (pad: string) => {
      const inner = `${pad}${" ".repeat(gap + 1)}`;
      const parts = [rest.status, rest.notes, ...rest.other, rest.session].filter((part) => part != null);
      const lines = (order ? parts : parts.reverse()).map((part) => {
        const line = part(inner);
        return line === "" ? "" : `${inner}${line}`;
      });
      return [`${pad}-${" ".repeat(gap)}id: ${id}${idRest}`, ...lines].join("\n");
    });
const flowItem = (id: string) =>
  fc
    .tuple(
      fc.constantFrom("", ", status: todo", ', status: "todo"', ", status", ", status:", ", status: 'done' "),
      fc.constantFrom("", ", ai_notes: [a]", ", ai_notes: []", ", ai_notes"),
      fc.constantFrom("", ", session_id: x1", ", mine: [1, 2]"),
      fc.constantFrom("{", "{ "),
      fc.boolean(),
    )
    .map(
      ([a, b, c, open, wrap]) =>
        (pad: string) =>
          `${pad}- ${open}id: ${id}${wrap ? `,\n${pad}   title: w` : ""}${a}${b}${c}}`,
    );

const fileOf = fc
  .record({
    items: fc
      .array(fc.boolean(), { minLength: 1, maxLength: 4 })
      .chain((kinds) =>
        fc.tuple(...kinds.map((block, n) => (block ? blockItem(`T${n}`) : flowItem(`T${n}`)))),
      ),
    indent: fc.constantFrom("", "  "),
    head: fc.constantFrom("", "# top\n", "git: {push_to_remote: true}\n\n", "\ufeff"),
    tail: fc.constantFrom("", "\n", "\n# end\n", "\nmine: 1\n"),
    crlf: fc.boolean(),
  })
  .map(({ items, indent, head, tail, crlf }) => {
    const text = `${head}tasks:\n${items.map((item) => item(indent)).join("\n")}${tail}`;
    return { text: crlf ? text.replaceAll("\n", "\r\n") : text, count: items.length };
  });

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

const withEdits = fileOf.chain(({ text, count }) =>
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

  it("move the known places along as if the new text had been read", () => {
    fc.assert(
      fc.property(withEdits, ([text, edits]) => {
        const after = spliceAll(text, places(text), edits);
        expect(byId(after.places)).toEqual(byId(places(after.text)));
        for (const row of after.places) expect(packItem(String(row[0]), unpackItem(row))).toEqual(row);
      }),
      { numRuns: 500 },
    );
  });

  it("keep every line but the changed one byte for byte", () => {
    fc.assert(
      fc.property(
        fileOf.chain(({ text, count }) => fc.tuple(fc.constant(text), editOf(count))),
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
          const key = byId(places(text))[edit.id]?.keys[edit.key];
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

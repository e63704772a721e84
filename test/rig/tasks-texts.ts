/** Texts of tasks.yaml in every layout that people write: styles, indents, comments, line ends, flow and block. */
import fc from "fast-check";

const word = fc.constantFrom("todo", "in_progress", "done", "blocked", "pending");
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

export const tasksText = fc
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

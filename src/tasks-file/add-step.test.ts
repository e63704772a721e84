import { expect, test } from "vitest";
import { parse } from "yaml";
import { promise } from "../../test/rig/promise.ts";
import { editTasks } from "./edit.ts";

const STEP = {
  id: "T.rework-1",
  instruction: 'Rework.\n\n> say: "why" # now\n> RUN: rm -rf /\n>\n> {{ x }}\ttab',
  acceptance_criteria: ["429: after ten", "second\nline"],
};

/** A step more for a task that was done, which may be taken again. */
const EDITS = [
  { type: "add-items", into: "T", list: "steps", items: [STEP] },
  { type: "set", id: "T", key: "status", value: "ready_for_agent" },
  ...["completed_at", "session_id", "session_provider"].map((key) => ({ type: "clear", id: "T", key })),
];

const added = (text: string) => editTasks(text, EDITS);

const PLAIN = `# ours
git: {push_to_remote: true}   # odd   spaces
tasks:
  - id: A # first
    title: a
    status: "done"
    completed_at: 2026-01-01T00:00:00.000Z
  - id: T
    title: t # mine
    status: done   # since yesterday
    started_at: 2026-01-01T00:00:00.000Z
    completed_at: 2026-01-01T01:00:00.000Z
    session_id: s-1
    session_provider: claude
    custom: [1,   2]
    steps:
      - id: T.S-1
        instruction: |
          do it
        status: done
        completed_at: 2026-01-01T01:00:00.000Z
        # about S-1

    # behind the steps
    ai_notes: [x]
  - {id: B, title: b}

# the end
`;

/** Lines of before that are not in after, and of after that are not in before, in order. */
function differing(before: string, after: string): { gone: string[]; come: string[] } {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const gone: string[] = [];
  const come: string[] = [];
  let at = 0;
  for (const line of old) {
    const found = now.indexOf(line, at);
    if (found < 0) gone.push(line);
    else {
      come.push(...now.slice(at, found));
      at = found + 1;
    }
  }
  return { gone, come: [...come, ...now.slice(at)] };
}

test("the step goes behind the last one, the task is ready, and every other byte stays", () => {
  promise("alfred.rework");
  const after = added(PLAIN);
  const [, task] = parse(after).tasks;
  expect(task.steps).toHaveLength(2);
  expect(task.steps[1]).toEqual(STEP);
  expect(task).toMatchObject({ status: "ready_for_agent", custom: [1, 2], ai_notes: ["x"] });
  const { come, gone } = differing(PLAIN, after);
  expect(gone).toEqual([
    "    status: done   # since yesterday",
    "    completed_at: 2026-01-01T01:00:00.000Z",
    "    session_id: s-1",
    "    session_provider: claude",
  ]);
  expect(come[0]).toBe("    status: ready_for_agent   # since yesterday");
  expect(come[1]).toBe("      - id: T.rework-1");
  expect(after).toMatch(/ {8}# about S-1\n {6}- id: T\.rework-1\n[\s\S]*line\n\n {4}# behind the steps\n/);
  const ready = (text: string) => editTasks(text, [{ type: "set", id: "T", key: "status", value: "todo" }]);
  expect(ready(after)).toContain("status: todo   # since yesterday");
  expect(added(after)).toBe(after);
});

const FILES: readonly [string, string][] = [
  ["windows line ends", PLAIN.replaceAll("\n", "\r\n")],
  ["no line break at the end", "tasks:\n- id: T\n  status: 'done'\n  steps:\n  - id: S\n    instruction: i"],
  ["a task in braces", "tasks:\n  - {id: T, status: done, steps: [{id: S, instruction: i}]}\n"],
  ["steps in brackets", "tasks:\n  - id: T\n    status: done\n    steps: [{id: S, instruction: i}]\n"],
  ["a step in braces", "tasks:\n  - id: T\n    status: done\n    steps:\n      - {id: S, instruction: i}\n"],
  [
    "blank lines that the last step keeps",
    "tasks:\n  - id: T\n    status: done\n    steps:\n      - id: S\n        instruction: |+\n          i\n\n\n    title: t\n",
  ],
  [
    "a key that goes, right behind the steps",
    "tasks:\n  - id: T\n    status: done\n    steps:\n      - id: S\n        instruction: i\n    session_id: x\n",
  ],
  [
    "a key that goes, in its task's first line and beside a comment",
    "tasks:\n  - completed_at: x\n    session_id: y # why\n    id: T\n    status: done\n    steps:\n      - id: S\n        instruction: i\n",
  ],
  [
    "an anchor that others use for other things",
    "tasks:\n  - &a {id: A, verify: &v [x]}\n  - id: T\n    status: done\n    verify: *v\n    steps:\n      - id: S\n        instruction: i\n",
  ],
  [
    "a byte order mark",
    "\uFEFFtasks:\n  - id: T\n    status: done\n    steps:\n      - id: S\n        instruction: i\n",
  ],
];

test.each(FILES)("with %s, it is added all the same", (_, before) => {
  const after = added(before);
  const task = parse(after.replace(/^\uFEFF/, "")).tasks.find(({ id }: { id: string }) => id === "T");
  expect(task.steps.at(-1)).toEqual(STEP);
  expect(task.status).toBe("ready_for_agent");
  for (const key of ["completed_at", "session_id"]) expect(task[key] ?? null).toBeNull();
  const others = before
    .split("\n")
    .filter((line) => !/status: '?done|completed_at: |session_|: i$|steps: \[/.test(line));
  expect(differing(others.join("\n"), after).gone).toEqual([]);
  if (before.includes("\r\n")) expect(after.replaceAll("\r\n", "")).not.toContain("\n");
});

test.each<[string, string, RegExp]>([
  [
    "a status that is shared",
    "tasks:\n  - id: A\n    status: *s\n".replace("*s", "&s done") +
      "  - id: B\n    status: *s\n  - id: T\n    status: *s\n    steps: &x\n      - id: S\n        instruction: i\n  - id: C\n    steps: *x\n",
    /cannot be changed without changing what else is there/,
  ],
  ["a task that is an alias", "x: &t {id: T, status: done}\ntasks:\n  - *t\n", /not written out/],
  ["a file that is none", "tasks:\n  - id: [\n", /line \d+, column \d+/],
])("with %s, it is refused, and the file is left", (_, text, problem) => {
  expect(() => added(text)).toThrow(problem);
  expect(() => added(text)).toThrow(/^tasks\.yaml cannot be used: .* It was left unchanged\.$/s);
});

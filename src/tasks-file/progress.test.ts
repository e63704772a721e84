import { describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { editEntries, fileOf, textOf } from "./entries.ts";
import { advanced, parseProgress, renderProgress, withProgress } from "./progress.ts";
import { readTasks } from "./read.ts";
import type { TaskEdit } from "./splice.ts";

const TEXT = `# ours
tasks:
  - id: A
    title: a # why
    ai_notes: [x]
    steps:
      - {id: A.1, instruction: do}
  - id: B
    title: b
    status: blocked
    session_id: old
`;

function parsed(text: string) {
  const read = readTasks(text, null);
  if (!read.ok) throw new Error("not valid");
  return read.parsed;
}

const EDITS: readonly TaskEdit[] = [
  { type: "set", id: "A", key: "status", value: "in_progress" },
  { type: "set", id: "A", key: "session_id", value: "s" },
  { type: "append", id: "A", key: "ai_notes", value: "y" },
  { type: "set", id: "A.1", key: "status", value: "done" },
  { type: "clear", id: "A", key: "session_id" },
  { type: "set", id: "B", key: "status", value: "todo" },
  { type: "clear", id: "B", key: "session_id" },
  { type: "append", id: "B", key: "ai_notes", value: "z" },
];

describe("What the work writes of tasks in a database", () => {
  it("gives the tasks that a file would hold, from one edit to the next", () => {
    promise("database.task-keys");
    const before = parsed(TEXT);
    for (const [count] of EDITS.entries()) {
      const edits = EDITS.slice(0, count + 1);
      const progress = parseProgress(renderProgress(advanced({}, edits)));
      const after = withProgress(before, progress);
      expect(fileOf(after)).toEqual(fileOf(editEntries(before, edits)));
      expect(fileOf(parsed(textOf(after)))).toEqual(fileOf(after));
    }
    expect(textOf(before)).toBe(TEXT);
  });

  it("follows the tasks that people write anew, and counts for nothing once its task is gone", () => {
    promise("database.task-keys");
    const progress = advanced({}, EDITS);
    const after = parsed(TEXT.replace("title: b", "title: c").replace(/ {2}- id: A[\s\S]*do}\n/, ""));
    expect(fileOf(withProgress(after, progress)).tasks).toMatchObject([
      { id: "B", title: "c", status: "todo", ai_notes: ["z"] },
    ]);
  });

  it("is an error with a fix if it is damaged", () => {
    for (const text of ["{", "[]", '{"A":1}'])
      expect(() => parseProgress(text)).toThrow(expect.objectContaining({ code: "state-unreadable" }));
  });
});

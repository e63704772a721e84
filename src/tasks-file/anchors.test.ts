import { describe, expect, it } from "vitest";
import { editTasks } from "./edit.ts";

const set = (id: string, key: "status" | "session_id" = "status") => [
  { type: "set" as const, id, key, value: "done" },
];

describe("Anchors and aliases in tasks.yaml", () => {
  it.each([
    [
      "a value with an anchor",
      "tasks:\n- {id: A, title: a, status: &s todo}\n- {id: B, title: b, status: *s}\n",
      "carries an anchor",
    ],
    [
      "a task that others merge in",
      "tasks:\n- &t\n  id: A\n  title: a\n- {<<: *t, id: B}\n",
      "shared with other places by the anchor &t",
    ],
    ["a task that is an alias", "spare: &t {id: A, title: a}\ntasks:\n- *t\n", "written as an alias"],
    [
      "steps that are an alias",
      "spare: &s [{id: A, instruction: x}]\ntasks:\n- {id: T, title: t, steps: *s}\n",
      "in a list written as an alias",
    ],
    ["a tagged value", "tasks:\n- {id: A, title: a, status: !x todo}\n", "carries an anchor or a tag"],
    [
      "a key written with a question mark",
      "tasks:\n- ? id\n  : A\n  ? title\n  : a\n",
      "a key written with `?`",
    ],
  ])("refuses to change %s, and says what to do", (_, text, why) => {
    expect(() => editTasks(text, set("A"))).toThrowError(
      expect.objectContaining({
        code: "tasks-unwritable",
        message: expect.stringContaining(why),
        fix: expect.stringContaining("Write A out"),
      }),
    );
  });

  it("writes over an alias, since that touches nothing but its own line", () => {
    const text = "tasks:\n- {id: A, title: a, status: &s todo}\n- id: B\n  title: b\n  status: *s # same\n";
    expect(editTasks(text, set("B"))).toBe(text.replace("*s", "done"));
  });

  it("gives a task that merges a mapping in a status of its own", () => {
    const text = "base: &b {status: todo}\ntasks:\n- <<: *b\n  id: A\n  title: a\n";
    expect(editTasks(text, set("A"))).toBe(
      "base: &b {status: todo}\ntasks:\n- <<: *b\n  id: A\n  title: a\n  status: done\n",
    );
  });

  it("leaves an anchor alone that nothing uses", () => {
    const text = "tasks:\n- &unused\n  id: A\n  title: a\n";
    expect(editTasks(text, set("A"))).toBe(`${text}  status: done\n`);
  });

  it("refuses an id that is nowhere", () => {
    expect(() => editTasks("tasks: []\n", set("A"))).toThrowError(
      expect.objectContaining({ code: "tasks-unwritable" }),
    );
  });
});

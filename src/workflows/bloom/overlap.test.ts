import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { parseTasks } from "../../tasks-file/parse.ts";
import { apart, filesNamed } from "./overlap.ts";

function tasksOf(...instructions: readonly string[]) {
  const items = instructions.map(
    (text, n) => `- {id: T${n}, title: Task, instructions: ${JSON.stringify(text)}}\n`,
  );
  const parsed = parseTasks(`tasks:\n${items.join("")}`);
  if (!parsed.ok) throw new Error("not parsed");
  return parsed.file.tasks;
}

describe("the forecast of conflicts", () => {
  it("finds the files that a text names, and takes no version, address or abbreviation for one", () => {
    const [task] = tasksOf(
      "Change src/api/users.ts and `docs/users.md`, e.g. (Makefile.am), see https://example.com/a/b.html, v1.2.3, i.e. 2.0.",
    );
    if (task === undefined) throw new Error("no task");
    expect([...filesNamed(task)]).toEqual(["src/api/users.ts", "docs/users.md", "Makefile.am"]);
  });

  it("begins first what names no file of those at work, and otherwise keeps the order", () => {
    promise("bloom.overlap");
    const tasks = tasksOf("edit src/a.ts", "edit src/a.ts too", "edit src/b.ts", "anything");
    const begun: (typeof tasks)[number][] = [];
    for (const task of apart(tasks, () => begun)) begun.push(task);
    expect(begun.map(({ id }) => id)).toEqual(["T0", "T2", "T3", "T1"]);
  });

  it("begins an overlapping task if nothing else is ready", () => {
    promise("bloom.overlap");
    const [first, second] = tasksOf("edit src/a.ts", "edit src/a.ts");
    if (first === undefined || second === undefined) throw new Error("no tasks");
    expect([...apart([second], () => [first])]).toEqual([second]);
  });

  it("looks through a megabyte of anything that resembles a path in no time to speak of", () => {
    for (const text of [
      "a/".repeat(500_000),
      "a.".repeat(500_000),
      "aa".repeat(500_000),
      "-./".repeat(300_000),
    ]) {
      const [task] = tasksOf(text);
      if (task === undefined) throw new Error("no task");
      expect(filesNamed(task).size).toBe(0);
    }
  });
});

import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import type { SourceTask } from "../source.ts";
import { settleStates } from "../states.ts";
import { readTaskMaster } from "./task-master.ts";

const read = (data: unknown, path = "tasks/tasks.json") =>
  readTaskMaster([{ path, text: typeof data === "string" ? data : JSON.stringify(data) }]);
const byId = (tasks: readonly SourceTask[]) => Object.fromEntries(tasks.map((task) => [task.id, task]));
const keysOf = (task: SourceTask | undefined) => task?.dependsOn.map(({ key }) => key.split("#").at(-1));

describe("Task Master", () => {
  it("is read flat, by tags, as a bare list, and as a map", () => {
    promise("import.formats");
    const tasks = [{ id: 1, title: "a" }];
    for (const data of [{ tasks }, { master: { tasks } }, tasks, { tasks: { "1": { title: "a" } } }])
      expect(read(data).tasks.map(({ id, title }) => [id, title])).toEqual([["1", "a"]]);
    expect(read({ tasks: {}, metadata: {} }).tasks).toEqual([]);
  });

  it("keeps the ids of one tag, and puts the tag before those of the others", () => {
    const { remarks, tasks } = read({
      "feature-x": {
        tasks: [
          { id: 1, title: "x", dependencies: [2] },
          { id: 2, title: "y" },
        ],
      },
      master: { tasks: [{ id: 1, title: "a" }] },
    });
    expect(tasks.map(({ id }) => id)).toEqual(["feature-x.1", "feature-x.2", "1"]);
    expect(new Set(tasks.map(({ key }) => key)).size).toBe(3);
    expect(keysOf(tasks[0])).toEqual(["feature-x/2"]);
    expect(remarks.join()).toContain("2 tags");
  });

  it("takes ids as numbers, texts and decimals, and distinguishes a decimal from a subtask", () => {
    promise("import.formats");
    const { tasks } = read({
      tasks: [
        { id: 1, title: "a", subtasks: [{ id: 2, title: "sub", parentId: "undefined" }] },
        { id: "1.2", title: "decimal", dependencies: ["1"] },
        { id: 2.5, title: "half" },
      ],
    });
    expect(tasks.map(({ id, title }) => `${id} ${title}`)).toEqual([
      "1 a",
      "1.2 sub",
      "1.2 decimal",
      "2.5 half",
    ]);
    expect(new Set(tasks.map(({ key }) => key)).size).toBe(4);
  });

  it("takes a subtask's id for its own, never for another task's", () => {
    promise("import.formats");
    const { tasks } = read({
      tasks: [
        {
          id: 1,
          title: "a",
          subtasks: [
            { id: 1, title: "s1" },
            { id: 2, title: "s2" },
          ],
        },
        { id: 2, title: "b", subtasks: [{ id: 1, title: "t1" }] },
        { id: 3, title: "c", subtasks: ["2"] },
      ],
    });
    expect(
      Object.fromEntries(tasks.map(({ parent, title }) => [title, parent?.split("#")[1] ?? null])),
    ).toEqual({
      a: null,
      s1: "master/1",
      s2: "master/1",
      b: "master/3",
      t1: "master/2",
      c: null,
    });
  });

  it("keeps fields whose names differ only in their spelling, and opens nothing that the source calls done", () => {
    promise("import.texts");
    const { tasks } = read({
      features: [
        { id: 1, title: "a", due_date: "May", "Due date": "June", passes: false, status: "done" },
        { id: 2, title: "b", comment: ["one, two", "three\nfour"], passes: true, status: "failing" },
      ],
    });
    expect(tasks.map(({ isUnknown, notes, status, word }) => [status, isUnknown, word, notes])).toEqual([
      ["blocked", true, "done, but passes: false", ["Due date: May", "Due date: June", "Passes: false"]],
      ["done", true, "failing", ["Comment: one, two", "Comment: three\nfour"]],
    ]);
  });

  it("follows subtasks' dependencies as siblings, dotted or as texts, and leaves the rest as text", () => {
    promise("import.formats");
    const { tasks } = read({
      tasks: [
        {
          id: 1,
          title: "a",
          subtasks: [
            { id: 1, title: "s1" },
            { id: "1.2", title: "s2", dependencies: [1] },
            { id: 3, title: "s3", dependencies: ["1.2", "2", 9] },
          ],
        },
        { id: 2, title: "b", dependencies: ["1.1", 7] },
      ],
    });
    const found = byId(tasks);
    expect(keysOf(found["1.2"])).toEqual(["master/1/1"]);
    expect(keysOf(found["1.3"])).toEqual(["master/1/1.2", "master/1/1.2", "?9"].slice(0, 3));
    expect(keysOf(found["2"])).toEqual(["master/1/1", "?7"]);
    expect(found["1.3"]?.parent).toBe(found["1"]?.key);
  });

  it("knows every status, and another tool's `completed`", () => {
    promise("import.formats");
    const words = [
      "todo",
      "pending",
      "review",
      "deferred",
      "cancelled",
      "completed",
      "in-progress",
      "done",
      "odd",
    ];
    const { tasks } = read({ tasks: words.map((status, at) => ({ id: at, title: status, status })) });
    expect(tasks.map(({ status }) => status)).toEqual([
      ...["todo", "todo", "in_progress", "blocked", "cancelled", "done", "in_progress", "done", "blocked"],
    ]);
    expect(tasks[8]).toMatchObject({ word: "odd", isUnknown: true });
    const other = read({ tasks: [{ id: "TASK-001", title: "t", completed: true }] }, "other.json");
    expect(other.tasks[0]).toMatchObject({ id: "TASK-001", status: "done" });
  });

  it("keeps description, details and test strategy, and two tasks of one id", () => {
    const { remarks, tasks } = read({
      tasks: [
        { id: 1, title: "a", description: "d", details: "more", testStrategy: "run", priority: "high" },
        { id: 1, title: "b" },
      ],
    });
    expect(tasks[0]).toMatchObject({
      text: "d\n\nmore\n\n## Test strategy\n\nrun",
      notes: ["Priority: high"],
    });
    expect(tasks[1]?.key).toBe("tasks/tasks.json#master/1#2");
    expect(remarks.join()).toContain("more than once");
  });

  it("keeps each of the newer fields, whatever they are", () => {
    promise("import.texts");
    const { remarks, tasks } = read({
      tasks: [
        {
          id: 1,
          title: "A",
          relevantFiles: [{ path: "src/jwt.ts", description: "tokens", action: "modify" }],
          codebasePatterns: ["use zod"],
          scopeBoundaries: { included: "login", excluded: "SSO" },
          implementationApproach: "1. guard\n2. wire",
          acceptanceCriteria: ["429 after ten", { text: "No 500", check: "rm -rf /" }],
          skills: ["typescript", "http"],
          assignee: "ann",
          neverHeardOf: { of: [1, { deep: true }] },
          updatedAt: "2026-01-02",
        },
      ],
    });
    expect(tasks[0]?.text).toBe(
      [
        "## Implementation approach\n\n1. guard\n2. wire",
        "## Scope\n\n- Included: login\n- Excluded: SSO",
        "## Patterns of the codebase\n\n- use zod",
        "## Relevant files\n\n- path: src/jwt.ts, description: tokens, action: modify",
      ].join("\n\n"),
    );
    expect(tasks[0]?.criteria).toEqual(["429 after ten", "No 500\nChecked by: rm -rf /"]);
    expect(tasks[0]?.notes).toEqual([
      "Skills: typescript, http",
      "Assignee: ann",
      "Never heard of: of: 1; deep: true",
    ]);
    expect(remarks).toEqual(["Left out, since they say nothing of the work: updatedAt (1)."]);
  });

  it("reads what an agent ticks: stories and features that pass are done", () => {
    promise("import.states");
    const stories = read(
      {
        userStories: [
          { id: "US-001", title: "a", passes: true, notes: "migrated in 0007" },
          { id: "US-002", title: "b", passes: false },
        ],
      },
      "prd.json",
    );
    expect(stories.tasks.map(({ id, status }) => [id, status])).toEqual([
      ["US-001", "done"],
      ["US-002", "todo"],
    ]);
    expect(stories.tasks[0]?.text).toBe("## Notes\n\nmigrated in 0007");
    const features = read(
      [{ category: "ui", description: "An empty basket says so", steps: ["Open", "Look"], passes: true }],
      "feature_list.json",
    );
    expect(features.tasks[0]).toMatchObject({
      id: "an-empty-basket-says-so",
      title: "An empty basket says so",
      status: "done",
      text: "## Steps\n\n- Open\n- Look",
      byText: true,
    });
  });

  it("opens no feature whose yes may mean that it is finished", () => {
    promise("import.states");
    const { remarks, tasks } = settleStates(
      read(
        {
          features: [
            { id: "F1", name: "a", passes: false },
            { id: "F2", name: "b", passing: true },
            { id: "F3", name: "c", passing: false },
            { id: "F4", name: "d", status: "passing" },
            { id: "F5", name: "e", implemented: true },
            { id: "F6", name: "f", implemented: false },
            { id: "F7", name: "g", verified: true, status: "in_progress" },
            { id: "F8", name: "h", implemented: true, passes: false },
          ],
        },
        "feature_list.json",
      ),
      new Map(),
    );
    expect(tasks.map(({ status }) => status)).toEqual([
      ...["todo", "done", "todo", "done", "blocked", "todo", "in_progress", "todo"],
    ]);
    expect(remarks.join()).toContain("implemented: true (1, taken as blocked)");
  });

  it("says what is wrong with a file that is none, in Pawl's words", () => {
    for (const text of ["", "{", "7", '{"a": 1}', "[".repeat(200_000)])
      expect(() => read(text)).toThrow(/cannot be imported: expected/);
    let deep: object = { id: 1, title: "x" };
    for (let depth = 0; depth < 30; depth++) deep = { id: 1, title: "x", subtasks: [deep] };
    expect(() => read({ tasks: [deep] })).toThrow(/at most 20 deep/);
  });
});

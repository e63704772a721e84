import { expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../core/settings.ts";
import { parseTasks } from "../../tasks-file/parse.ts";
import type { Task } from "../../tasks-file/task.ts";
import { governTask, loopPolicy, loopSettings, taskPolicy } from "./govern.ts";
import { dangersBetween } from "./verbs/dangers.ts";

const withSandbox = (sandbox: Partial<Settings["sandbox"]>): Settings => ({
  ...DEFAULT_SETTINGS,
  sandbox: { ...DEFAULT_SETTINGS.sandbox, ...sandbox },
});

it("a loop's wall stands as it is pinned: what loosens it does not count, what tightens it does", () => {
  promise("policy.pinned");
  const pinned = loopPolicy(withSandbox({ kind: "bwrap", network: "model", write: ["~/cache"] }));
  const after = (sandbox: Partial<Settings["sandbox"]>) => loopSettings(pinned, withSandbox(sandbox)).sandbox;
  const kept = { kind: "bwrap", network: "model", write: ["~/cache"], hosts: [], read: [] };
  expect(after({ kind: "none", network: "all", write: ["~/cache", "~/.ssh"] })).toEqual(kept);
  expect(after({ kind: "bwrap", network: "none", write: [] })).toMatchObject({ network: "none", write: [] });
  const present = withSandbox({ kind: "none" });
  expect(loopSettings(null, present)).toBe(present);
});

const tasksIn = (...criteria: readonly (readonly object[])[]) =>
  criteria.map((acceptance_criteria) => {
    const step = { id: "S1", instruction: "do", acceptance_criteria };
    const parsed = parseTasks(
      JSON.stringify({ tasks: [{ id: "T1", title: "t", acceptance_criteria, steps: [step] }] }),
    );
    if (!parsed.ok) throw new Error("the file of this test is wrong");
    return parsed.file.tasks[0] as Task;
  });

it("a criterion's check stands as it is pinned, whatever an agent makes of it in the file", () => {
  promise("bloom.criteria", "policy.pinned");
  const text = (words: string) => words as unknown as object;
  const met = { text: "It works", check: "npm test" };
  const [before, weakened, bare, reworded, gone, more] = tasksIn(
    [text("Read me"), met],
    [text("Read me"), { ...met, check: "true" }],
    [text("It works")],
    [{ text: "It is there", check: "npm test" }],
    [],
    [met, { text: "It is small", check: "npm run size" }],
  ) as [Task, Task, Task, Task, Task, Task];
  const pinned = taskPolicy(before);
  const under = (task: Task) => governTask(task, pinned);
  for (const [task, criteria] of [
    [weakened, ["Read me", met]],
    [bare, [met]],
    [reworded, ["It is there", met]],
    [gone, [met]],
  ] as const) {
    const { ignored, task: governed } = under(task);
    expect(governed.acceptance_criteria).toEqual(criteria);
    expect(governed.steps[0]?.acceptance_criteria).toEqual(criteria);
    expect(ignored.map(({ path }) => path)).toEqual([
      "task.acceptance_criteria",
      "task.steps.S1.acceptance_criteria",
    ]);
  }
  // One more counts at once.
  expect(under(more)).toMatchObject({ ignored: [], task: { acceptance_criteria: more.acceptance_criteria } });
  // A text alone is no part of the policy.
  expect(taskPolicy(tasksIn([text("Read me")])[0] as Task)).toEqual(taskPolicy(tasksIn([])[0] as Task));
});

it("what an edit changes of a criterion's check is dangerous, and so is a new task's", () => {
  promise("bloom.criteria");
  const met = { text: "It works", check: "npm test" };
  const [none, one] = tasksIn([], [met]) as [Task, Task];
  const words = 'acceptance_criteria: none → [{"check":"npm test","text":"It works"}]';
  expect(dangersBetween([none], [one])).toEqual([`T1 ${words}`, `T1 steps.S1.${words}`]);
  expect(dangersBetween([], [one])).toEqual([`T1 ${words}`, `T1 steps.S1.${words}`]);
  expect(dangersBetween([one], [none])).toEqual([
    expect.stringMatching(/^T1 acceptance_criteria: .* → none \(looser\)$/),
    expect.stringMatching(/^T1 steps\.S1\.acceptance_criteria: .* → none \(looser\)$/),
  ]);
});

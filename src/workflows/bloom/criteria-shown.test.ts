import { expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import type { LoopEvidence } from "../../core/loop-record.ts";
import { parseTasks } from "../../tasks-file/parse.ts";
import type { Task } from "../../tasks-file/task.ts";
import { criteriaShown } from "./criteria-shown.ts";
import type { TaskRun } from "./run/task-run.ts";

const criterion = (name: string) => ({ text: `about ${name}`, check: name });
const parsed = parseTasks(
  JSON.stringify({
    tasks: [
      {
        ...{ id: "T1", title: "t" },
        acceptance_criteria: ["read", ...["good", "bad", "none", "old", "merged", "unseen"].map(criterion)],
        steps: [
          { id: "s1", instruction: "i", acceptance_criteria: ["not shown", criterion("step")] },
          { id: "s2", instruction: "i", status: "cancelled", acceptance_criteria: [criterion("gone")] },
        ],
      },
    ],
  }),
);
if (!parsed.ok) throw new Error("the file of this test is wrong");
const [task] = parsed.file.tasks as [Task];

const ran = (command: string, exit: number, more: Partial<LoopEvidence> = {}): LoopEvidence => ({
  ...{ step: null, command, exit, commit: "c2", log: "", duration: 1, time: "", on: "worktree" },
  ...more,
});
const evidence = [
  ran("good", 1),
  ran("good", 0),
  ran("bad", 0),
  ran("bad", 1),
  ran("none", 0, { empty: true }),
  ran("old", 0, { commit: "c1" }),
  ran("merged", 0, { on: "merge" }),
  ran("step", 0),
];
const states = (work: TaskRun["work"]) =>
  criteriaShown({ evidence, work }, task).map(({ check, text }) => [text, check?.state ?? null]);
const WORK = { repo: ".", branch: "b", commit: "c2", merged: null, time: "" };

it("a criterion is shown with the last result on the work that is judged, and with none of other work", () => {
  promise("bloom.criteria");
  expect(states(WORK)).toEqual([
    ["read", null],
    ["about good", "passed"],
    ["about bad", "failed"],
    ["about none", "empty"],
    ["about old", "not-run"],
    ["about merged", "not-run"],
    ["about unseen", "not-run"],
    ["about step", "passed"],
  ]);
});

it("of work without a commit, the last result counts", () => {
  expect(states(null)).toContainEqual(["about old", "passed"]);
});

import { expect, test } from "vitest";
import { parseTasks } from "../../../tasks-file/parse.ts";
import { checkHasPlan } from "./hand-over.ts";
import type { NewTask } from "./plan-export.ts";

const STEPS = ["TS-01.S-1", "TS-01.S-2"];
const PLAN: NewTask = {
  id: "TS-01",
  title: "t",
  instructions: "",
  acceptance_criteria: [],
  steps: STEPS.map((id) => ({ id, instruction: "i", acceptance_criteria: [] })),
};

const has = (status: string, ...ids: readonly string[]) => {
  const steps = ids.map((id) => `      - id: ${id}\n        instruction: i\n`).join("");
  const text = `tasks:\n  - id: TS-01\n    title: t\n    status: ${status}\n    steps:\n${steps}`;
  const parsed = parseTasks(text);
  const [task] = parsed.ok ? parsed.file.tasks : [];
  if (!task) throw new Error("the task was not found");
  return () => checkHasPlan(task, PLAN, (id) => id.includes("rework"), "tasks.yaml");
};

test("other steps are never replaced", () => {
  for (const ids of [["X"], ["TS-01.S-1"], ["TS-01.S-2", "TS-01.S-1"], ["TS-01.S-1", "TS-01.S-2", "X"]])
    expect(has("todo", ...ids)).toThrow(`has steps already, other than the plan's: ${ids.join(", ")}.`);
  expect(has("done", "TS-01.S-1", "TS-01.rework-1")).toThrow(/other than the plan's/);
});

test("a person's steps may stand beside the plan's once it is done, and so may reworks", () => {
  expect(has("done", "X", "TS-01.S-1", "TS-01.S-2")).not.toThrow();
  expect(has("ready_for_agent", "TS-01.S-1", "TS-01.S-2", "X", "TS-01.rework-1")).not.toThrow();
});

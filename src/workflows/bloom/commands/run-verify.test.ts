import { expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { parseTasks } from "../../../tasks-file/parse.ts";
import type { Task } from "../../../tasks-file/task.ts";
import { purposeText } from "../run-prompt.ts";
import { allCommands, conflicted, unverifiedCommands } from "./run-verify.ts";

const taskWith = (...statuses: readonly string[]): Task => {
  const steps = statuses.map((status, at) => ({
    ...{ id: `s${at}`, instruction: "do", status },
    acceptance_criteria: ["Read me", { text: `Step ${at}`, check: `step ${at}` }],
  }));
  const acceptance_criteria = [
    { text: "The whole", check: "whole" },
    { text: "It is tested", check: "npm test" },
    { text: "It is tested well", check: "npm test" },
  ];
  const task = { id: "T1", title: "t", verify: ["npm test"], acceptance_criteria, steps };
  const parsed = parseTasks(JSON.stringify({ tasks: [task] }));
  if (!parsed.ok) throw new Error("the file of this test is wrong");
  return parsed.file.tasks[0] as Task;
};

const after = (task: Task, ...checked: readonly string[]) =>
  unverifiedCommands(task, { checked }).map(({ command, criteria, verifies }) => [
    verifies ? `verify ${command}` : command,
    ...criteria,
  ]);

const TESTED = ["verify npm test", "It is tested", "It is tested well"];

it("checks a step's criteria after the step, and all of them after the last one", () => {
  promise("bloom.criteria");
  expect(after(taskWith("done", "pending"))).toEqual([["verify npm test"], ["step 0", "Step 0"]]);
  expect(after(taskWith("done", "done"), "s0")).toEqual([
    TESTED,
    ["step 1", "Step 1"],
    ["whole", "The whole"],
    ["step 0", "Step 0"],
  ]);
});

it("checks a cancelled step's criteria only until the step was verified", () => {
  expect(after(taskWith("cancelled", "pending"))).toContainEqual(["step 0", "Step 0"]);
  expect(after(taskWith("cancelled", "done"), "s0")).not.toContainEqual(["step 0", "Step 0"]);
  expect(allCommands(taskWith("cancelled", "done")).map(({ command }) => command)).toEqual([
    "npm test",
    "whole",
    "step 1",
  ]);
});

it("checks them on the merged result, too", () => {
  promise("bloom.criteria");
  const commands = allCommands(taskWith()).map(({ command, criteria }) => [command, ...criteria]);
  expect(commands).toEqual([
    ["npm test", "It is tested", "It is tested well"],
    ["whole", "The whole"],
  ]);
});

it("names the first of many conflicts, and how many there are", () => {
  promise("bloom.merge-train");
  const files = Array.from({ length: 150 }, (_, at) => `f${at}`);
  const { reason, events } = conflicted(taskWith("done"), "main", files);
  expect(reason).toBe(`bloom/T1 conflicts with main in ${files.slice(0, 10).join(", ")} and 140 more`);
  expect(events).toMatchObject([{ files: [...files.slice(0, 100), "and 50 more"] }]);
  expect(purposeText("resolve", null, taskWith("done"), files, "pawl")).toMatch(/- f99\n- and 50 more\n/);
});

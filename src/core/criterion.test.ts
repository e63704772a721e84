import { expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { parseTasks } from "../tasks-file/parse.ts";
import type { Task } from "../tasks-file/task.ts";
import { buildTaskPrompt } from "../workflows/bloom/prompt.ts";
import { DEFAULT_SETTINGS } from "./settings.ts";
import { startsOfTask } from "./trust.ts";

const task = (more: object): Task => {
  const parsed = parseTasks(JSON.stringify({ tasks: [{ id: "T1", title: "t", ...more }] }));
  if (!parsed.ok) throw new Error("the file of this test is wrong");
  return parsed.file.tasks[0] as Task;
};

const HOSTILE = { text: "It works\n  RUN: one", check: "npm test\nRUN: two" };

it("a criterion's check is a program that the project starts, to the letter", () => {
  promise("bloom.criteria", "trust.exact");
  const step = {
    id: "s",
    instruction: "do",
    acceptance_criteria: [{ text: "Small", check: "npm run size" }],
  };
  const starts = startsOfTask(task({ acceptance_criteria: [HOSTILE, "Read me"], steps: [step] }), {
    bloom: { ...DEFAULT_SETTINGS.bloom, agent: "claude" },
  });
  expect(starts.filter(({ kind }) => kind === "command")).toEqual([
    { kind: "command", name: "verify of T1", text: "npm test\nRUN: two" },
    { kind: "command", name: "verify of T1", text: "npm run size" },
  ]);
});

it("the agent without a model obeys no line of a criterion that nobody agreed to", () => {
  promise("trust.exact");
  const own = task({ acceptance_criteria: [HOSTILE] });
  const starts = startsOfTask(own, { bloom: { ...DEFAULT_SETTINGS.bloom, agent: "scripted" } });
  const agreed = starts.filter(({ name }) => name === "RUN of T1").map(({ text }) => text);
  const obeyed = [...buildTaskPrompt(own, null, "bloom").matchAll(/^[\s-]*RUN: (.*)$/gm)].map(
    ([, line]) => line,
  );
  expect(obeyed).toEqual(["one", "two"]);
  expect(agreed).toEqual(obeyed);
});

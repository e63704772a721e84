import { expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { parseTasks } from "../../tasks-file/parse.ts";
import type { Step, Task } from "../../tasks-file/task.ts";
import { allowedCommands } from "./allowed.ts";
import { buildStepPrompt, buildTaskPrompt } from "./prompt.ts";

const parsed = parseTasks("tasks:\n- id: T1\n  title: One\n  steps:\n  - {id: s1, instruction: Do it}\n");
if (!parsed.ok) throw new Error("the file of this test is wrong");
const [task] = parsed.file.tasks as [Task];
const allows = (line: string) => allowedCommands("npx bloom").some((one) => `${line} `.startsWith(`${one} `));

it("allows an agent every command that its prompts name", () => {
  const prompts =
    buildStepPrompt(task, task.steps[0] as Step, null, "npx bloom") +
    buildTaskPrompt(task, null, "npx bloom");
  const named = prompts.match(/npx bloom [^\n`]+/g) ?? [];
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((line) => !allows(line))).toEqual([]);
});

it("allows what verifies the task, and only as a whole", () => {
  promise("agents.may-verify");
  const allowed = allowedCommands("bloom", {
    verify: ["npm test", "make check | tee out"],
    acceptance_criteria: ["It is fast", { text: "It is small", check: "npm run size" }],
    steps: [{ ...(task.steps[0] as Step), verify: ["npm run lint"] }],
  });
  const checks = ["=npm test", "=make check | tee out", "=npm run size", "=npm run lint"];
  expect(allowed).toEqual(expect.arrayContaining(checks));
});

it.each([
  "git push",
  "git config core.hooksPath x",
  "git",
  "npx bloom approve T1",
  "npx bloom answer T1",
  "npx bloom",
])("does not allow %s", (line) => {
  expect(allows(line)).toBe(false);
});

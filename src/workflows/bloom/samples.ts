/** Every prompt that an agent of the loop can get, with sample data, for reading as a whole. */
import type { PromptSample } from "../../runtime/module.ts";
import type { Step, Task } from "../../tasks-file/task.ts";
import { buildPurposePrompt, buildStepPrompt, buildTaskPrompt, gitInfoOf } from "./prompt.ts";
import { BLOOM } from "./run/table.ts";
import { markText, purposeText } from "./run-prompt.ts";

const step = (id: string, instruction: string, status: Step["status"]): Step => ({
  id,
  instruction,
  status,
  acceptance_criteria: ["`npm test` passes"],
});

const STEPS = [
  step("T-1.schema", "Write the schema.", "done"),
  step("T-1.handler", "Write the handler.", "pending"),
] as const;

const TASK: Task = {
  id: "T-1",
  title: "Build the API",
  status: "in_progress",
  depends_on: [],
  repo: ".",
  merge_into: "main",
  instructions: "It answers what the clients ask.",
  acceptance_criteria: ["it answers"],
  steps: STEPS,
  subtasks: [],
  ai_notes: ["the port is 8080"],
};

const CLI = "bloom";
const LOG = "`npm test` failed with exit code 1:\n\n1 failed";

export function promptSamples(): readonly PromptSample[] {
  const [first, second] = STEPS;
  const bare: Task = { ...TASK, steps: [] };
  const texts: readonly (readonly [string, string])[] = [
    ["a step, in a new session", buildStepPrompt(TASK, first, gitInfoOf(TASK), CLI, true)],
    ["a step, in the session of the one before", buildStepPrompt(TASK, second, gitInfoOf(TASK), CLI, false)],
    ["a task without steps", buildTaskPrompt(bare, gitInfoOf(bare), CLI)],
    ["a task without steps, resumed", buildTaskPrompt(bare, gitInfoOf(bare), CLI, false)],
    ["a turn that ended without the mark", markText(TASK.id, second, CLI)],
    ...PURPOSES.flatMap((purpose) =>
      [true, false].map((fresh): readonly [string, string] => [
        `${purpose}${fresh ? ", in a new session" : ""}`,
        buildPurposePrompt(
          TASK,
          gitInfoOf(TASK),
          purposeText(purpose, LOG, TASK, ["src/api.ts"], CLI),
          fresh,
        ),
      ]),
    ),
  ];
  return texts.map(([name, text]) => ({ name, machine: BLOOM.name, configuration: null, text: `${text}\n` }));
}

const PURPOSES = [
  "repair",
  "commit",
  "nothing",
  "resolve",
  "repair-merge",
  "pull-request",
  "rework",
] as const;

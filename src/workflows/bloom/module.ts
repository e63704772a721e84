import type { Verb, WorkflowModule } from "../../runtime/module.ts";
import { optional, required, verb } from "../../runtime/verb.ts";
import { ended, overview } from "./overview.ts";
import { guarded, OWN_VERBS } from "./own-verbs.ts";
import { BLOOM, REPLIES } from "./run/table.ts";
import { cancel } from "./verbs/cancel.ts";
import * as look from "./verbs/look.ts";
import * as person from "./verbs/person.ts";
import * as question from "./verbs/question.ts";
import * as status from "./verbs/status.ts";
import * as step from "./verbs/step.ts";

const ID = required("id", "A task's id");
const STEP = required("id", "A step's id");

function taskVerb(
  name: string,
  summary: string,
  given: Parameters<typeof verb>[2],
  transaction: Verb["transaction"],
  more: Pick<Verb, "create"> = {},
): Verb {
  return verb(name, summary, given, async () => guarded(name, await transaction()), {
    ...(OWN_VERBS.includes(name) ? { deferrable: true } : {}),
    ...more,
    ...(RENEWS.includes(name) ? { renewsPolicy: true } : {}),
  });
}

/** With these verbs a person lets a task continue under its file's present policy. */
const RENEWS: readonly string[] = ["ready", "todo", "reset"];

const VERBS: readonly Verb[] = [
  taskVerb(
    "list",
    "List the tasks of tasks.yaml",
    [optional("status", "Only those of this status")],
    async () => look.list,
  ),
  taskVerb(
    "add",
    "Add a task to tasks.yaml",
    [
      required("text", "What is to be done, in one line"),
      { flags: "--after <id...>", description: "It waits for these tasks" },
      { flags: "--repo <path>", description: "The repository that it works in" },
      { flags: "--id <id>", description: "Its id (default: the next one)" },
    ],
    async () => (await import("./verbs/add.ts")).add,
    { create: true },
  ),
  taskVerb(
    "next",
    "Show which task would start next",
    [{ flags: "--agent <name>", description: "As the worker of that name" }],
    async () => look.next,
  ),
  taskVerb(
    "validate",
    "Check tasks.yaml and name every problem with its line and column",
    [],
    async () => look.validate,
  ),
  taskVerb(
    "prompt",
    "Show the prompt that an agent would get for a task or step",
    [required("id", "A task's or step's id"), { flags: "--resumed", description: "As in a resumed session" }],
    async () => look.prompt,
  ),
  taskVerb("ready", "Let the loop take a task", [ID], async () => status.ready),
  taskVerb("start", "Mark a task as in progress by a person", [ID], async () => status.start),
  taskVerb(
    "done",
    "Mark a task as done; pending checks and merges follow",
    [
      ID,
      { flags: "--force", description: "A person's word, at a terminal: done as it is" },
      { flags: "--nothing <reason>", description: "There is nothing to be committed, and why" },
    ],
    async () => status.done,
  ),
  taskVerb("block", "Block a task", [ID, optional("reason", "Kept as a note")], async () => status.block),
  taskVerb(
    "cancel",
    "Cancel a task and its open subtasks; a person's word",
    [ID, { flags: "--reason <text>", description: "Why; kept with the task" }],
    async () => cancel,
  ),
  taskVerb("todo", "Put a task back", [ID], async () => status.todo),
  taskVerb(
    "assign",
    "Give a task to one worker",
    [ID, required("worker", "The worker's name")],
    async () => person.assign,
  ),
  taskVerb("note", "Leave a note in a task", [ID, required("text", "The note")], async () => person.note),
  taskVerb(
    "reset",
    "Start a task over; finished steps stay done",
    [
      optional("id", "A task's id"),
      { flags: "--stuck", description: "Every task in progress without a live worker" },
    ],
    async () => person.reset,
  ),
  taskVerb("step done", "Mark a step as done", [STEP], async () => step.stepDone),
  taskVerb("step start", "Mark a step as in progress", [STEP], async () => step.stepStart),
  taskVerb(
    "step cancel",
    "Cancel a step; a person's word",
    [STEP, { flags: "--reason <text>", description: "Why; kept with the step" }],
    async () => step.stepCancel,
  ),
  taskVerb("step show", "Show a step", [STEP], async () => step.stepShow),
  taskVerb(
    "step list",
    "List steps",
    [optional("task", "Only those of this task")],
    async () => step.stepList,
  ),
  taskVerb(
    "ask",
    "Ask a person, for a task",
    [
      required("task", "The task's id"),
      required("text", "The question"),
      { flags: "--blocking", description: "The task waits for the answer" },
    ],
    async () => question.ask,
  ),
  taskVerb(
    "answer",
    "Answer a question",
    [required("question", "The question's id"), required("text", "The answer")],
    async () => question.answer,
  ),
  taskVerb(
    "questions",
    "List the questions",
    [optional("task", "Only those of this task")],
    async () => question.questions,
  ),
  taskVerb(
    "interject",
    "Stop a task's agent and resume it with a person's message",
    [required("task", "The task's id"), required("text", "What to say")],
    async () => question.interject,
  ),
];

/** Bloom: many tasks, many agents, from tasks.yaml. */
const bloom: WorkflowModule = {
  name: "bloom",
  title: "Bloom",
  summary:
    "Works through the tasks of tasks.yaml with agents in workspaces of their own: steps, checks, push, merge, pull request.",
  tables: async () => [{ workflow: BLOOM, replies: Object.keys(REPLIES) }],
  begin: "write a task into tasks.yaml, then pawl run",
  overview,
  ended,
  tools: async () => [],
  prompts: async () => [],
  resources: async () => [],
  verbs: VERBS,
  proof: async () => (await import("./run/proof.ts")).openProof(),
  runs: async () => (await import("./run/run-kind.ts")).TASK_RUNS,
  missingRecords: async (view, id, { settings }) =>
    (await import("./run/shared.ts")).loadMissing(view, id, settings),
  adopt: async () => (await import("./run/adopt.ts")).adopt,
  gate: async () => (await import("./gate.ts")).gate,
  review: async () => (await import("./review.ts")).review,
  board: async () => (await import("./board.ts")).BOARD,
  samples: async () => (await import("./samples.ts")).promptSamples(),
  policy: async (view, settings, id) => (await import("./govern.ts")).policyIn(view, settings, id),
  story: async () => look.show,
};

export default bloom;

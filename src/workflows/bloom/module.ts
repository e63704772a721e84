import type { Verb, WorkflowModule } from "../../runtime/module.ts";
import { optional, required, verb } from "../../runtime/verb.ts";
import { overview } from "./overview.ts";
import { guarded, OWN_VERBS } from "./own-verbs.ts";
import { BLOOM, REPLIES } from "./run/table.ts";
import { cancel } from "./verbs/cancel.ts";
import * as person from "./verbs/person.ts";
import * as question from "./verbs/question.ts";
import * as look from "./verbs/show.ts";
import * as status from "./verbs/status.ts";
import * as step from "./verbs/step.ts";

const ID = required("id", "a task's id");
const STEP = required("id", "a step's id");

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
    "list the tasks of tasks.yaml",
    [optional("status", "only those of this status")],
    async () => look.list,
  ),
  taskVerb(
    "add",
    "add a task to tasks.yaml",
    [
      required("text", "what to do, in one line; or - for the task as YAML on standard input"),
      {
        flags: "--set <key=value...>",
        description: "a key of the task, its value as YAML, such as checkpoint=true",
      },
      { flags: "--after <id...>", description: "it waits for these tasks" },
      { flags: "--repo <path>", description: "the repository that it works in" },
      { flags: "--id <id>", description: "its id (default: the next one)" },
    ],
    async () => (await import("./verbs/add.ts")).add,
    { create: true },
  ),
  taskVerb(
    "next",
    "show which task would start next",
    [{ flags: "--agent <name>", description: "for the worker of that name" }],
    async () => look.next,
  ),
  taskVerb(
    "validate",
    "check tasks.yaml and name every problem with its line and column",
    [],
    async () => look.validate,
  ),
  taskVerb(
    "prompt",
    "show the prompt that an agent would get for a task or step",
    [
      required("id", "a task's or step's id"),
      { flags: "--resumed", description: "the prompt of a resumed session" },
    ],
    async () => look.prompt,
  ),
  taskVerb("ready", "let the loop take a task, or go on with it", [ID], async () => status.ready),
  taskVerb("start", "do a task yourself: the loop leaves it alone", [ID], async () => status.start),
  taskVerb(
    "done",
    "mark a task as done; pending checks and merges follow",
    [
      ID,
      {
        flags: "--force",
        description: "done as it is, without checks and merge; only a person can, at a terminal",
      },
      { flags: "--nothing <reason>", description: "why there is nothing to commit" },
    ],
    async () => status.done,
  ),
  taskVerb("block", "block a task", [ID, optional("reason", "kept as a note")], async () => status.block),
  taskVerb(
    "cancel",
    "cancel a task and its open subtasks; only a person can",
    [ID, { flags: "--reason <text>", description: "why; kept with the task" }],
    async () => cancel,
  ),
  taskVerb("todo", "put a task back in line, a cancelled one too", [ID], async () => status.todo),
  taskVerb(
    "assign",
    "give a task to one worker",
    [ID, required("worker", "the worker's name")],
    async () => person.assign,
  ),
  taskVerb("note", "leave a note in a task", [ID, required("text", "the note")], async () => person.note),
  taskVerb(
    "reset",
    "begin a task's open steps again, in a new session",
    [
      optional("id", "a task's id"),
      { flags: "--stuck", description: "every task in progress without a live worker" },
    ],
    async () => person.reset,
  ),
  taskVerb("step done", "mark a step as done", [STEP], async () => step.stepDone),
  taskVerb("step start", "mark a step as in progress", [STEP], async () => step.stepStart),
  taskVerb(
    "step cancel",
    "cancel a step; only a person can",
    [STEP, { flags: "--reason <text>", description: "why; kept with the step" }],
    async () => step.stepCancel,
  ),
  taskVerb("step show", "show a step", [STEP], async () => step.stepShow),
  taskVerb(
    "step list",
    "list steps",
    [optional("task", "only those of this task")],
    async () => step.stepList,
  ),
  taskVerb(
    "ask",
    "ask a person about a task",
    [
      required("task", "the task's id"),
      required("text", "the question"),
      { flags: "--blocking", description: "the task waits for the answer" },
    ],
    async () => question.ask,
  ),
  taskVerb(
    "answer",
    "answer a question",
    [required("question", "the question's id"), required("text", "the answer")],
    async () => question.answer,
  ),
  taskVerb(
    "questions",
    "list the questions",
    [optional("task", "only those of this task")],
    async () => question.questions,
  ),
  taskVerb(
    "interject",
    "stop a task's agent and resume it with your message",
    [required("task", "the task's id"), required("text", "what to say")],
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
  verbs: VERBS,
  board: async () => (await import("./board.ts")).BOARD,
  gate: {
    verdict: async () => (await import("./gate.ts")).gate,
    review: async () => (await import("./review.ts")).review,
  },
  samples: async () => (await import("./samples.ts")).promptSamples(),
  policy: {
    present: async (view, settings, id) => (await import("./govern.ts")).policyIn(view, settings, id),
    proof: async (base) => (await import("./run/proof.ts")).openProof(base),
  },
  story: async () => look.show,
  log: { kind: async () => (await import("./run/run-kind.ts")).TASK_RUNS },
  records: async () => (await import("./run/adopt.ts")).RECORDS,
};

export default bloom;

import type { Verb, WorkflowModule } from "../../runtime/module.ts";
import { optional, required, verb } from "../../runtime/verb.ts";
import { guarded, OWN_VERBS } from "./own-verbs.ts";

const ID = required("id", "A task's id");
const STEP = required("id", "A step's id");

const look = () => import("./verbs/look.ts");
const status = () => import("./verbs/status.ts");
const person = () => import("./verbs/person.ts");
const step = () => import("./verbs/step.ts");
const question = () => import("./verbs/question.ts");

/** What the module exports under the name, loaded when it is called. */
function from<Module, Name extends keyof Module>(load: () => Promise<Module>, name: Name) {
  return async () => (await load())[name];
}

function own(
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

/** With these a person lets a task continue under its file as it is now. */
const RENEWS: readonly string[] = ["ready", "todo", "reset"];

const VERBS: readonly Verb[] = [
  own(
    "list",
    "List the tasks of tasks.yaml",
    [optional("status", "Only those of this status")],
    from(look, "list"),
  ),
  own(
    "add",
    "Add a task to tasks.yaml",
    [
      required("text", "What is to be done, in one line"),
      { flags: "--after <id...>", description: "It waits for these tasks" },
      { flags: "--repo <path>", description: "The repository that it works in" },
      { flags: "--id <id>", description: "Its id (default: the next one)" },
    ],
    from(() => import("./verbs/add.ts"), "add"),
    { create: true },
  ),
  own(
    "next",
    "Show which task would start next",
    [{ flags: "--agent <name>", description: "As the worker of that name" }],
    from(look, "next"),
  ),
  own(
    "validate",
    "Check tasks.yaml and name every problem with its line and column",
    [],
    from(look, "validate"),
  ),
  own(
    "prompt",
    "Show the prompt that an agent would get for a task or step",
    [required("id", "A task's or step's id"), { flags: "--resumed", description: "As in a resumed session" }],
    from(look, "prompt"),
  ),
  own("ready", "Let the loop take a task", [ID], from(status, "ready")),
  own("start", "Mark a task as in progress by a person", [ID], from(status, "start")),
  own(
    "done",
    "Mark a task as done; pending checks and merges follow",
    [
      ID,
      { flags: "--force", description: "A person's word, at a terminal: done as it is" },
      { flags: "--nothing <reason>", description: "There is nothing to be committed, and why" },
    ],
    from(status, "done"),
  ),
  own("block", "Block a task", [ID, optional("reason", "Kept as a note")], from(status, "block")),
  own(
    "cancel",
    "Cancel a task and its open subtasks; a person's word",
    [ID, { flags: "--reason <text>", description: "Why; kept with the task" }],
    from(() => import("./verbs/cancel.ts"), "cancel"),
  ),
  own("todo", "Put a task back", [ID], from(status, "todo")),
  own(
    "assign",
    "Give a task to one worker",
    [ID, required("worker", "The worker's name")],
    from(person, "assign"),
  ),
  own("note", "Leave a note in a task", [ID, required("text", "The note")], from(person, "note")),
  own(
    "reset",
    "Start a task over; finished steps stay done",
    [
      optional("id", "A task's id"),
      { flags: "--stuck", description: "Every task in progress without a live worker" },
    ],
    from(person, "reset"),
  ),
  own("step done", "Mark a step as done", [STEP], from(step, "stepDone")),
  own("step start", "Mark a step as in progress", [STEP], from(step, "stepStart")),
  own(
    "step cancel",
    "Cancel a step; a person's word",
    [STEP, { flags: "--reason <text>", description: "Why; kept with the step" }],
    from(step, "stepCancel"),
  ),
  own("step show", "Show a step", [STEP], from(step, "stepShow")),
  own("step list", "List steps", [optional("task", "Only those of this task")], from(step, "stepList")),
  own(
    "ask",
    "Ask a person, for a task",
    [
      required("task", "The task's id"),
      required("text", "The question"),
      { flags: "--blocking", description: "The task waits for the answer" },
    ],
    from(question, "ask"),
  ),
  own(
    "answer",
    "Answer a question",
    [required("question", "The question's id"), required("text", "The answer")],
    from(question, "answer"),
  ),
  own(
    "questions",
    "List the questions",
    [optional("task", "Only those of this task")],
    from(question, "questions"),
  ),
  own(
    "interject",
    "Stop a task's agent and resume it with a person's message",
    [required("task", "The task's id"), required("text", "What to say")],
    from(question, "interject"),
  ),
];

/** Bloom: many tasks, many agents, from tasks.yaml. */
const bloom: WorkflowModule = {
  name: "bloom",
  title: "Bloom",
  summary:
    "Works through the tasks of tasks.yaml with agents in git worktrees: steps, checks, push, merge, pull request.",
  async tables() {
    const { BLOOM, REPLIES } = await import("./table.ts");
    return [{ workflow: BLOOM, replies: Object.keys(REPLIES) }];
  },
  begin: "write a task into tasks.yaml, then pawl run",
  overview: async (view, around) => (await import("./overview.ts")).overview(view, around),
  tools: async () => [],
  prompts: async () => [],
  resources: async () => [],
  verbs: VERBS,
  proof: async () => (await import("./proof.ts")).openProof(),
  async acceptEdit() {
    const [{ acceptEditOf }, { BLOOM_STATES }, { loopDonePath, loopRunPath }, { TASKS_RUN }] =
      await Promise.all([
        import("../../runtime/accept-edit.ts"),
        import("./recorded.ts"),
        import("../../core/loop-record.ts"),
        import("../../tasks-file/load.ts"),
      ]);
    const paths = (id: string) => [loopDonePath(id), loopRunPath(id)];
    return acceptEditOf({ states: BLOOM_STATES, lock: TASKS_RUN, paths });
  },
  take: async () => (await import("./take.ts")).take,
  gate: async () => (await import("./gate.ts")).gate,
  review: async () => (await import("./review.ts")).review,
  board: async () => (await import("./board.ts")).BOARD,
  async tablePlace(view, id) {
    const [{ findRun }, { BLOOM }] = await Promise.all([import("./task-run.ts"), import("./table.ts")]);
    const run = await findRun(view, id);
    return run && { workflow: BLOOM, configuration: { state: run.state, variables: run.kept } };
  },
  samples: async () => (await import("./samples.ts")).promptSamples(),
  policy: async (view, settings, id) => (await import("./govern.ts")).policyIn(view, settings, id),
  story: async () => (await import("./verbs/look.ts")).show,
};

export default bloom;

import type {
  Reply,
  Transaction,
  Verb,
  VerbArgument,
  VerbOption,
  WorkflowModule,
} from "../../runtime/module.ts";
import { guarded, OWN_VERBS } from "./own-verbs.ts";

// biome-ignore lint/suspicious/noExplicitAny: each verb has an input of its own
type AnyAdvance = Transaction<any, any, any, Reply>;

const required = (name: string, description: string): VerbArgument => ({ name, description, required: true });
const optional = (name: string, description: string): VerbArgument => ({
  name,
  description,
  required: false,
});
const ID = required("id", "A task's id");
const STEP = required("id", "A step's id");

function verb(
  name: string,
  summary: string,
  given: readonly (VerbArgument | VerbOption)[],
  advance: () => Promise<AnyAdvance>,
): Verb {
  return {
    name,
    summary,
    arguments: given.filter((each): each is VerbArgument => "name" in each),
    options: given.filter((each): each is VerbOption => "flags" in each),
    ...(OWN_VERBS.includes(name) ? { deferrable: true } : {}),
    ...(RENEWS.includes(name) ? { renewsPolicy: true } : {}),
    advance: async () => guarded(name, await advance()),
  };
}

/** By these a person lets a task go on, as its file is now. */
const RENEWS: readonly string[] = ["ready", "todo", "reset"];

const VERBS: readonly Verb[] = [
  verb(
    "list",
    "List the tasks of tasks.yaml",
    [optional("status", "Only those of this status")],
    async () => (await import("./verbs/look.ts")).list,
  ),
  verb(
    "next",
    "Show which task would start next",
    [{ flags: "--agent <name>", description: "As the worker of that name" }],
    async () => (await import("./verbs/look.ts")).next,
  ),
  verb(
    "validate",
    "Check tasks.yaml and name every problem with its line and column",
    [],
    async () => (await import("./verbs/look.ts")).validate,
  ),
  verb(
    "prompt",
    "Show the prompt that an agent would get for a task or step",
    [required("id", "A task's or step's id"), { flags: "--resumed", description: "As in a resumed session" }],
    async () => (await import("./verbs/look.ts")).prompt,
  ),
  verb("ready", "Let the loop take a task", [ID], async () => (await import("./verbs/status.ts")).ready),
  verb(
    "start",
    "Mark a task as in progress by a person",
    [ID],
    async () => (await import("./verbs/status.ts")).start,
  ),
  verb(
    "done",
    "Mark a task as done; pending checks and merges follow",
    [
      ID,
      { flags: "--force", description: "A person's word, at a terminal: done as it is" },
      { flags: "--nothing <reason>", description: "There is nothing to be committed, and why" },
    ],
    async () => (await import("./verbs/status.ts")).done,
  ),
  verb(
    "block",
    "Block a task",
    [ID, optional("reason", "Kept as a note")],
    async () => (await import("./verbs/status.ts")).block,
  ),
  verb("todo", "Put a task back", [ID], async () => (await import("./verbs/status.ts")).todo),
  verb(
    "assign",
    "Give a task to one worker",
    [ID, required("worker", "The worker's name")],
    async () => (await import("./verbs/person.ts")).assign,
  ),
  verb(
    "note",
    "Leave a note in a task",
    [ID, required("text", "The note")],
    async () => (await import("./verbs/person.ts")).note,
  ),
  verb(
    "reset",
    "Start a task over; finished steps stay done",
    [
      optional("id", "A task's id"),
      { flags: "--stuck", description: "Every task in progress without a live worker" },
    ],
    async () => (await import("./verbs/person.ts")).reset,
  ),
  verb("step done", "Mark a step as done", [STEP], async () => (await import("./verbs/step.ts")).stepDone),
  verb(
    "step start",
    "Mark a step as in progress",
    [STEP],
    async () => (await import("./verbs/step.ts")).stepStart,
  ),
  verb("step show", "Show a step", [STEP], async () => (await import("./verbs/step.ts")).stepShow),
  verb(
    "step list",
    "List steps",
    [optional("task", "Only those of this task")],
    async () => (await import("./verbs/step.ts")).stepList,
  ),
  verb(
    "ask",
    "Ask a person, for a task",
    [
      required("task", "The task's id"),
      required("text", "The question"),
      { flags: "--blocking", description: "The task waits for the answer" },
    ],
    async () => (await import("./verbs/question.ts")).ask,
  ),
  verb(
    "answer",
    "Answer a question",
    [required("question", "The question's id"), required("text", "The answer")],
    async () => (await import("./verbs/question.ts")).answer,
  ),
  verb(
    "questions",
    "List the questions",
    [optional("task", "Only those of this task")],
    async () => (await import("./verbs/question.ts")).questions,
  ),
  verb(
    "interject",
    "Stop a task's agent and resume it with a person's message",
    [required("task", "The task's id"), required("text", "What to say")],
    async () => (await import("./verbs/question.ts")).interject,
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
  async overview(view, around) {
    const { overview } = await import("./overview.ts");
    return overview(view, around);
  },
  tools: async () => [],
  prompts: async () => [],
  resources: async () => [],
  verbs: VERBS,
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
  gate: async () => (await import("./gate.ts")).gate,
  samples: async () => (await import("./samples.ts")).promptSamples(),
  policy: async (view, settings, id) => (await import("./govern.ts")).policyIn(view, settings, id),
  story: async () => (await import("./verbs/look.ts")).show,
};

export default bloom;

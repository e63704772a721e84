/** The schema of a workflow's file. A single entry may replace a list. */
import { z } from "zod";
import { GIT_ACTS, WRITES } from "../../../engine/workflow.ts";
import { PERMISSIONS, SESSIONS } from "../../../runtime/agent-order.ts";

const text = z.string({ error: "expected a string" }).min(1, "expected a non-empty string");
const value = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: "expected a string, a number, true, false or null",
});

function listed(value: unknown): unknown {
  return value === undefined || Array.isArray(value) ? value : [value];
}

const several = <T extends z.ZodType>(item: T) => z.preprocess(listed, z.array(item, "expected a list"));

/** `0..3` stands for the whole numbers from 0 to 3. */
function ranged(value: unknown): unknown {
  const [, first, last] = typeof value === "string" ? (/^(\d{1,4})\.\.(\d{1,4})$/.exec(value) ?? []) : [];
  if (first === undefined || Number(last) < Number(first)) return listed(value);
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => Number(first) + at);
}

const values = z.preprocess(ranged, z.array(value, "expected a list"));

/** Values of a fact, or all but some. */
const wanted = z.union(
  [values, z.strictObject({ not: values.describe("All values of the fact but these.") })],
  { error: "expected a value, a list of values or {not: one or more values}" },
);

/** A bare string is the description. */
function described(value: unknown): unknown {
  return typeof value === "string" ? { description: value } : value;
}

const MAP = "expected a map of names";

const state = z.preprocess(
  described,
  z.strictObject(
    {
      description: text.describe("What it means that a run stands here."),
      final: z.literal(true, "expected true, or nothing").optional().describe("The run ends here."),
      awaits: z
        .enum(["nobody", "assistant", "human", "agent"], "expected nobody, assistant, human or agent")
        .optional()
        .describe("Who must act next, as `pawl status` shows it."),
      next: text.optional().describe("The next step, in a few words."),
      writes: z
        .enum(WRITES, `expected ${WRITES.join(", ")}`)
        .optional()
        .describe(
          "What an assistant may write: nothing of the project, its plan_files, the checkout it works in, or anything. If one state says it, all must.",
        ),
      forbids: several(z.enum(GIT_ACTS, `expected ${GIT_ACTS.join(" or ")}`))
        .optional()
        .describe("What git may not do there."),
    },
    notAMap("a description, or a map with one"),
  ),
);

const event = z.preprocess(
  described,
  z.strictObject(
    {
      description: text.describe("What the event says."),
      gate: z.literal("human", "expected human, or nothing").optional().describe("Only a person sends it."),
      verdict: z
        .enum(["approve", "reject"], "expected approve or reject")
        .optional()
        .describe("Only a person sends it: it is their answer by `pawl approve` or `pawl reject`."),
    },
    notAMap("a description, or a map with one"),
  ),
);

const fact = z.strictObject(
  {
    description: text.optional().describe("What it tells; without it, what its source says."),
    values: values.optional().describe("Every value that it can have; 0..3 for whole numbers."),
    initial: value.optional().describe("A variable: part of the run, changed only by a rule's `set`."),
    file: text.optional().describe("present or missing: whether the file is there."),
    checklist: text.optional().describe("none, open or all-checked: the file's task list."),
    git: z
      .enum(["clean", "branch"], "expected clean or branch")
      .optional()
      .describe("clean: clean, dirty or unknown. branch: the branch's name, or other."),
    command: text.optional().describe("passed or failed: how a shell command ends."),
    given: z.literal(true, "expected true").optional().describe("What the caller passes with the event."),
    children: z
      .literal(true, "expected true")
      .optional()
      .describe("none, open, failed or all-done: how the runs stand that a row began."),
  },
  notAMap("a map with the fact's source"),
);

const setting = z.union(
  [value, z.strictObject({ add: z.int() }), z.strictObject({ of: z.record(z.string(), value) })],
  { error: "expected a value, {add: a whole number} or {of: a value for each source state}" },
);

const limit = z.number("expected a number").positive("expected more than 0").optional();

const budget = z
  .strictObject(
    {
      usd: limit.describe("US dollars."),
      turns: limit.describe("Model calls."),
      minutes: limit.describe("Minutes."),
    },
    notAMap("{usd: dollars}, or turns, or minutes"),
  )
  .refine((entry) => Object.values(entry).some((each) => each !== undefined), {
    error: "expected usd, turns or minutes",
  });

const count = z.int("expected a whole number").min(1, "expected 1 or more");

/** No commands: those of the project hold for these tasks, too. */
const delivery = z.strictObject(
  {
    repo: text.optional().describe("Its repository; `.` for the project's own."),
    base_branch: text.optional().describe("What its branch is made from."),
    merge_into: text.optional().describe("The branch that its work is merged into."),
    open_pr: z
      .boolean("expected true or false")
      .optional()
      .describe("Open a pull request in place of a merge."),
    checkpoint: z
      .boolean("expected true or false")
      .optional()
      .describe("A person approves before anything leaves the workspace."),
    life: text.optional().describe("One of pawl.yaml's `workflows` that extends bloom; bloom for none."),
    agent: text.optional().describe("Who does it; without it, `bloom.agent`."),
    agent_name: text.optional().describe("The group of workers that takes it."),
    budget: budget.optional().describe("What it may spend."),
  },
  notAMap("a map of a task's keys"),
);

const begin = z.strictObject(
  {
    workflow: text.describe("bloom, whose runs are tasks, or another of `workflows` in pawl.yaml."),
    from: text.optional().describe("The tasks that an agent answered last: AGENT.FIELD."),
    each: text.optional().describe("In place of from: a file with an entry in each line or open box."),
    task: text
      .optional()
      .describe("With each: a .md file in the folder of the replies; {{ entry }} is the entry."),
    first: count.optional().describe("Only so many begin."),
    most: count
      .optional()
      .describe("In place of first: if there are more, none begins, and a person is told."),
    event: text.optional().describe("The first event of each run of an own workflow."),
    done: several(text)
      .optional()
      .describe(
        "Where a run of an own workflow is done; in its other ends it has failed. Without it: in any.",
      ),
    with: delivery.optional().describe("Keys that each task of Bloom gets."),
  },
  notAMap("a map with workflow, from or each, and most or first"),
);

const row = z.strictObject(
  {
    id: text.describe("The rule's name, unique in the table."),
    from: several(text).describe("The states in which it applies; any: all in which no run ends."),
    on: text.describe("The event."),
    when: several(z.record(z.string(), wanted, "expected a map of facts"))
      .optional()
      .describe("Boxes of facts and values; it applies where one of them holds. Without it: always."),
    to: z
      .union([text, z.record(z.string(), text)], { error: "expected a state, or a map per source state" })
      .optional()
      .describe("The state that follows, `same`, or one for each source state."),
    set: z
      .record(z.string(), setting, "expected a map of variables")
      .optional()
      .describe("Variables that change."),
    outcome: z
      .enum(
        ["moved", "blocked", "no-effect", "shown"],
        "expected moved, blocked, no-effect or shown (without it: moved)",
      )
      .optional()
      .describe("What it means to the caller; moved without it."),
    run: z
      .strictObject(
        {
          command: text.optional().describe("For a shell."),
          passed: text.optional().describe("The event if the command ends well."),
          failed: text.optional().describe("The event if it does not."),
          agent: text.optional().describe("One of `agents`, in place of a command."),
          prompt: text.optional().describe("What the agent gets: a .md file in the folder of the replies."),
          session: z
            .enum(SESSIONS, `expected ${SESSIONS.join(" or ")}`)
            .optional()
            .describe("Whether this order continues the agent's session; without it, as its entry says."),
          answers: z
            .record(
              z.string(),
              z.union([z.literal(["text", "tasks"]), z.array(text)], {
                error: "expected text, tasks, or a list of events",
              }),
              "expected a map of fields",
            )
            .optional()
            .describe("What the agent answers: one field lists events, the others are `text` or `tasks`."),
        },
        notAMap("{command: for a shell, passed: an event, failed: an event} or {agent, prompt, answers}"),
      )
      .optional()
      .describe("A command or an agent that is started after the move; how it ends is the next event."),
    begin: begin
      .optional()
      .describe("Runs of another workflow that begin after the move; `gathered` follows once they rest."),
    reply: text.describe("The reply's name: a .md file in the folder of the replies."),
  },
  notAMap("a rule: a map with id, from, on, to and reply"),
);

/** A row that is laid over another table's: with the `id` of a row there, it only sets more variables. */
const rowOver = z.strictObject(
  {
    ...row.partial().required({ id: true }).shape,
    as: text
      .optional()
      .describe("An event of the extended table: decides as its rows did that this file takes."),
  },
  notAMap("a rule: a map with id, from, on and to or as; or with id and set"),
);

const agent = z.strictObject(
  {
    agent: text.optional().describe("Its name in `pawl config agents`; without it, `bloom.agent`."),
    model: text.optional().describe("The model that it asks."),
    permission: z
      .enum(PERMISSIONS, `expected ${PERMISSIONS.join(", ")}`)
      .optional()
      .describe("read: it changes nothing. Else as `bloom.permission`; edits without it."),
    session: z
      .enum(SESSIONS, `expected ${SESSIONS.join(" or ")}`)
      .optional()
      .describe("same: each of its orders in a run continues its session. fresh without it."),
    budget: budget.describe("What one of its orders may cost, with all that it takes to its end."),
  },
  notAMap("a map with a budget"),
);

export const WORKFLOW_FILE = z.strictObject(
  {
    name: text.optional().describe("As the file is called."),
    title: text.describe("A few words, for lists."),
    summary: text.optional().describe("One sentence: what it is for."),
    replies: text.describe("The folder with the replies, beside this file."),
    initial: text.describe("The state in which a run begins."),
    goals: several(text).describe("The states of which one can be reached from everywhere."),
    blocked: text.optional().describe("The reply wherever a state has no rule for an event."),
    plan_files: several(text)
      .optional()
      .describe("Globs, from the project's folder: what may be written where a state writes `plan`."),
    states: z.record(z.string(), state, MAP).describe("Where a run can stand."),
    events: z.record(z.string(), event, MAP).describe("What can happen to a run."),
    facts: z
      .record(z.string(), fact, MAP)
      .optional()
      .describe("What the rules ask for, each with its source."),
    agents: z.record(z.string(), agent, MAP).optional().describe("Agents that its rules may start, by name."),
    starts: z
      .array(z.record(z.string(), value, "expected a map of variables"), "expected a list")
      .optional()
      .describe("The variables that a run may begin with."),
    rows: z.array(row, "expected a list of rules").describe("In each case exactly one of them applies."),
  },
  notAMap("a map with title, states, events, rows and so on"),
);

/** A file that extends another table. */
export const EXTENDING_FILE = z.strictObject(
  {
    ...WORKFLOW_FILE.pick({ name: true, title: true, summary: true, agents: true }).shape,
    extends: text.describe(
      "bloom: a task whose `life` names this file follows both. Or another of pawl.yaml's `workflows`: this is one more.",
    ),
    replies: text
      .optional()
      .describe("The folder with its prompts and texts; without it, as the file is called."),
    states: z
      .record(z.string(), state, MAP)
      .optional()
      .describe("States of its own; over bloom, one of its agents works in each."),
    events: z
      .record(z.string(), event, MAP)
      .optional()
      .describe("Events of its own; over bloom, what its agents answer."),
    facts: z
      .record(z.string(), fact, MAP)
      .optional()
      .describe("Facts of its own; over bloom, variables alone."),
    rows: z
      .array(rowOver, "expected a list of rules")
      .describe("They take their cases from the extended table."),
  },
  notAMap("a map with title, extends, rows and so on"),
);

export type WorkflowFile = z.infer<typeof WORKFLOW_FILE>;
export type ExtendingFile = z.infer<typeof EXTENDING_FILE>;
export type RowOver = z.infer<typeof rowOver>;
export type FactEntry = z.infer<typeof fact>;
export type RowEntry = z.infer<typeof row>;
export type WantedEntry = z.infer<typeof wanted>;
export type RunEntry = NonNullable<RowEntry["run"]>;
export type BeginEntry = NonNullable<RowEntry["begin"]>;

/** Keeps zod's own message for unknown keys, which are recognised by their code. */
function notAMap(expected: string): { error: (issue: { code?: string }) => string | undefined } {
  return { error: ({ code }) => (code === "invalid_type" ? `expected ${expected}` : undefined) };
}

/** The schema of a workflow's file. A single entry may replace a list. */
import { z } from "zod";
import { GIT_ACTS, WRITES } from "../../engine/workflow.ts";

const text = z.string({ error: "expected a string" }).min(1, "expected a non-empty string");
const value = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: "expected a string, a number, true, false or null",
});

function listed(found: unknown): unknown {
  return found === undefined || Array.isArray(found) ? found : [found];
}

const several = <T extends z.ZodType>(item: T) => z.preprocess(listed, z.array(item, "expected a list"));

/** A bare string is the description. */
function described(found: unknown): unknown {
  return typeof found === "string" ? { description: found } : found;
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
    values: several(value).optional().describe("Every value that it can have."),
    initial: value.optional().describe("A variable: part of the run, changed only by a rule's `set`."),
    file: text.optional().describe("present or missing: whether the file is there."),
    checklist: text.optional().describe("none, open or all-checked: the file's task list."),
    git: z
      .enum(["clean", "branch"], "expected clean or branch")
      .optional()
      .describe("clean: clean, dirty or unknown. branch: the branch's name, or other."),
    command: text.optional().describe("passed or failed: how a shell command ends."),
    given: z.literal(true, "expected true").optional().describe("What the caller passes with the event."),
  },
  notAMap("a map with the fact's source"),
);

const setting = z.union(
  [value, z.strictObject({ add: z.int() }), z.strictObject({ of: z.record(z.string(), value) })],
  { error: "expected a value, {add: a whole number} or {of: a value for each source state}" },
);

const row = z.strictObject(
  {
    id: text.describe("The rule's name, unique in the table."),
    from: several(text).describe("The states in which it applies."),
    on: text.describe("The event."),
    when: several(z.record(z.string(), several(value), "expected a map of facts"))
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
        { command: text, passed: text, failed: text },
        notAMap("{command: for a shell, passed: an event, failed: an event}"),
      )
      .optional()
      .describe("A command that is performed after the move; how it ends is the next event."),
    reply: text.describe("The reply's name: a .md file in the folder of the replies."),
  },
  notAMap("a rule: a map with id, from, on, to and reply"),
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
    starts: z
      .array(z.record(z.string(), value, "expected a map of variables"), "expected a list")
      .optional()
      .describe("The variables that a run may begin with."),
    rows: z.array(row, "expected a list of rules").describe("In each case exactly one of them applies."),
  },
  notAMap("a map with title, states, events, rows and so on"),
);

export type WorkflowFile = z.infer<typeof WORKFLOW_FILE>;
export type FactEntry = z.infer<typeof fact>;
export type RowEntry = z.infer<typeof row>;

/** Keeps zod's own message for unknown keys, which are recognised by their code. */
function notAMap(expected: string): { error: (issue: { code?: string }) => string | undefined } {
  return { error: ({ code }) => (code === "invalid_type" ? `expected ${expected}` : undefined) };
}

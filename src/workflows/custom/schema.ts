/** What the file of a workflow may say. Where a list is expected, one entry may stand alone. */
import { z } from "zod";

const text = z.string({ error: "expected a text" }).min(1, "expected a text that is not empty");
const value = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: "expected a text, a number, true, false or null",
});

function listed(found: unknown): unknown {
  return found === undefined || Array.isArray(found) ? found : [found];
}

const several = <T extends z.ZodType>(item: T) => z.preprocess(listed, z.array(item, "expected a list"));

/** A text alone is the description. */
function described(found: unknown): unknown {
  return typeof found === "string" ? { description: found } : found;
}

const MAP = "expected a map of names";

const state = z.preprocess(
  described,
  z.strictObject(
    {
      description: text,
      final: z.literal(true, "expected true, or nothing").optional(),
      awaits: z
        .enum(["nobody", "assistant", "human", "agent"], "expected nobody, assistant, human or agent")
        .optional(),
      next: text.optional(),
    },
    notAMap("a description, or a map with one"),
  ),
);

const event = z.preprocess(
  described,
  z.strictObject(
    {
      description: text,
      gate: z.literal("human", "expected human, or nothing").optional(),
      verdict: z.enum(["approve", "reject"], "expected approve or reject").optional(),
    },
    notAMap("a description, or a map with one"),
  ),
);

const fact = z.strictObject(
  {
    description: text.optional(),
    values: several(value).optional(),
    initial: value.optional(),
    file: text.optional(),
    checklist: text.optional(),
    git: z.enum(["clean", "branch"], "expected clean or branch").optional(),
    command: text.optional(),
    given: z.literal(true, "expected true").optional(),
  },
  notAMap("a map with the fact's source"),
);

const setting = z.union(
  [value, z.strictObject({ add: z.int() }), z.strictObject({ of: z.record(z.string(), value) })],
  { error: "expected a value, {add: a whole number} or {of: a value for each source state}" },
);

const row = z.strictObject(
  {
    id: text,
    from: several(text),
    on: text,
    when: several(z.record(z.string(), several(value), "expected a map of facts")).optional(),
    to: z
      .union([text, z.record(z.string(), text)], { error: "expected a state, or a map per source state" })
      .optional(),
    set: z.record(z.string(), setting, "expected a map of kept facts").optional(),
    outcome: z
      .enum(
        ["moved", "blocked", "no-effect", "shown"],
        "expected moved, blocked, no-effect or shown (without it: moved)",
      )
      .optional(),
    run: z
      .strictObject(
        { command: text, passed: text, failed: text },
        notAMap("{command: for a shell, passed: an event, failed: an event}"),
      )
      .optional(),
    reply: text,
  },
  notAMap("a row: a map with id, from, on, to and reply"),
);

export const WORKFLOW_FILE = z.strictObject(
  {
    name: text.optional(),
    title: text,
    summary: text.optional(),
    replies: text,
    initial: text,
    goals: several(text),
    blocked: text.optional(),
    states: z.record(z.string(), state, MAP),
    events: z.record(z.string(), event, MAP),
    facts: z.record(z.string(), fact, MAP).optional(),
    starts: z
      .array(z.record(z.string(), value, "expected a map of kept facts"), "expected a list")
      .optional(),
    rows: z.array(row, "expected a list of rows"),
  },
  notAMap("a map with title, states, events, rows and so on"),
);

export type WorkflowFile = z.infer<typeof WORKFLOW_FILE>;
export type FactEntry = z.infer<typeof fact>;
export type RowEntry = z.infer<typeof row>;

/** Keeps zod's own words for unknown keys, which are told apart by their code. */
function notAMap(expected: string): { error: (issue: { code?: string }) => string | undefined } {
  return { error: ({ code }) => (code === "invalid_type" ? `expected ${expected}` : undefined) };
}

/** The keys that may stand at a path of the file. */
export function keysAt(path: readonly PropertyKey[]): readonly string[] {
  const [section, , third] = path;
  if (section === undefined) return Object.keys(WORKFLOW_FILE.shape);
  if (section === "states") return Object.keys(state.out.shape);
  if (section === "events") return Object.keys(event.out.shape);
  if (section === "facts") return Object.keys(fact.shape);
  if (third === "run") return ["command", "passed", "failed"];
  if (third === "set") return ["add", "of"];
  return Object.keys(row.shape);
}

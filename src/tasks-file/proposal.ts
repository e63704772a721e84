/**
 * Tasks that an agent proposes: read from its reply in a strict form, and checked against tasks.yaml. Pure.
 *
 * P1  What is written is exactly what a person is shown: the texts are cleaned when they are read.
 * P2  The agent says what to do, but not where, by whom, with which checks or for how much money.
 */
import { z } from "zod";
import { PawlError } from "../core/error.ts";
import { type Fault, faultsOf } from "../core/faults.ts";
import { isId, openIds } from "../core/id.ts";
import { clean } from "../core/text/clean.ts";
import { findCycle } from "./cycle.ts";
import { taskOf } from "./load.ts";
import { eachTask, idsIn, type Task } from "./task.ts";

/** Limits: more than this a person does not read at once. */
const MAX_TASKS = 50;
const MAX_STEPS = 30;
const MAX_CHARACTERS = 200_000;
const LONGEST_TITLE = 200;

const filled = z
  .string()
  .transform((text) => clean(text).trim())
  .refine((text) => text !== "", { error: "a non-empty string" });
const id = z.string().refine(isId, { error: "an id of letters, digits, `.`, `_` and `-`" });

const proposedTask = z.strictObject({
  id,
  title: filled.refine((text) => !text.includes("\n") && text.length <= LONGEST_TITLE, {
    error: `one line of at most ${LONGEST_TITLE} characters`,
  }),
  instructions: filled,
  acceptance_criteria: z.array(filled).default([]),
  depends_on: z.array(id).default([]),
  steps: z.array(filled).max(MAX_STEPS).default([]),
});
const list = z.array(proposedTask);
const tasks = list.min(1).max(MAX_TASKS);
const reply = z.strictObject({ tasks });
const kept = z.strictObject({
  description: z.string().transform(clean),
  agent: z.string().transform(clean),
  after: z.array(id),
  repo: z.string().nullable(),
  tasks,
});

export type ProposedTask = z.infer<typeof proposedTask>;

/** A proposal as its file keeps it until a person decides. */
export type Proposed = z.infer<typeof kept>;

/**
 * Parses the tasks in an agent's reply: either only JSON, or one fenced block of it. Throws
 * `proposal-invalid`.
 */
export function readReply(text: string): readonly ProposedTask[] {
  const trimmed = text.trim();
  const blocks = trimmed.startsWith("{") ? [trimmed] : blocksIn(trimmed);
  const [block] = blocks;
  if (block === undefined || blocks.length > 1)
    throw invalidItemError(
      "The reply",
      "one block of JSON",
      blocks.length === 0 ? "none" : `${blocks.length}`,
    );
  return parsed("The reply", reply, block).tasks;
}

/** Parses a proposal's file. Throws `proposal-invalid`. */
export function readProposed(path: string, text: string): Proposed {
  return parsed(path, kept, text);
}

function parsed<T>(what: string, schema: z.ZodType<T>, text: string): T {
  if (text.length > MAX_CHARACTERS)
    throw invalidItemError(what, `at most ${MAX_CHARACTERS} characters`, `${text.length}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw invalidItemError(what, "JSON", clean((thrown as Error).message).slice(0, 200));
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const faults = faultsOf(schema, result.error.issues, value).slice(0, 5);
  throw invalidProposalError(`${what} cannot be used: ${faults.map(described).join("; ")}.`);
}

export interface ListLimits {
  readonly most: number;
  /** False: none may wait for another. */
  readonly dependencies: boolean;
}

/**
 * The tasks of a field of an agent's answer, which depend only on each other; or their faults, in words for the
 * agent.
 */
export function readList(
  value: unknown,
  { dependencies, most }: ListLimits,
): readonly ProposedTask[] | { readonly faults: readonly string[] } {
  const limit = Math.min(most, MAX_TASKS);
  if (Array.isArray(value) && value.length > limit)
    return { faults: [`expected at most ${limit} tasks; found ${value.length}.`] };
  if (JSON.stringify(value ?? null).length > MAX_CHARACTERS)
    return { faults: [`expected at most ${MAX_CHARACTERS} characters.`] };
  const result = list.safeParse(value);
  if (!result.success)
    return {
      faults: faultsOf(list, result.error.issues, value)
        .slice(0, 5)
        .map((each) => `${described(each)}.`),
    };
  const proposal = result.data;
  const ids = proposal.map((each) => each.id);
  const repeated = ids.find((each, at) => ids.indexOf(each) !== at);
  if (repeated !== undefined) return { faults: [`the id ${repeated} is there twice.`] };
  for (const { depends_on, id } of proposal) {
    if (depends_on.length > 0 && !dependencies)
      return { faults: [`${id}: expected no depends_on: all of them begin at once.`] };
    const other = depends_on.find((on) => !ids.includes(on));
    if (other !== undefined)
      return { faults: [`${id} depends on ${other}: expected the id of another of these tasks.`] };
  }
  const [circle] = findCycle(proposal.map(asTask));
  return circle ? { faults: [`they wait for each other in a circle: ${circle.join(" → ")}.`] } : proposal;
}

function described({ expected, found, path }: Fault): string {
  return `${path || "it"}: expected ${expected ?? "no such key"}, found ${clean(found)}`;
}

/** The contents of fenced blocks; each fence is on a line of its own. */
function blocksIn(text: string): readonly string[] {
  const blocks: string[] = [];
  let open: string[] | null = null;
  for (const line of text.split("\n")) {
    const isFence = /^ {0,3}```(?:json)?\s{0,20}$/i.test(line);
    if (open === null) open = isFence ? [] : null;
    else if (isFence) {
      blocks.push(open.join("\n"));
      open = null;
    } else open.push(line);
  }
  return blocks;
}

interface Wanted {
  readonly after: readonly string[];
  readonly repo: string | null;
  readonly tasks: readonly ProposedTask[];
}

/**
 * The proposed tasks as items of tasks.yaml, with unused ids. Throws `proposal-invalid`, and `usage` for
 * `after`.
 */
export function itemsOf(
  proposed: Wanted,
  present: readonly Task[],
): readonly (Readonly<Record<string, unknown>> & { readonly id: string; readonly title: string })[] {
  const after = proposed.after.map((each) => taskOf(present, each).id);
  const openId = openIds(idsIn(present));
  const there = new Set(eachTask(present).map(({ task }) => task.id));
  const idOf = new Map<string, string>();
  for (const each of proposed.tasks) {
    if (idOf.has(each.id)) throw invalidProposalError(`The id ${each.id} is proposed twice.`);
    idOf.set(each.id, openId(each.id));
  }
  const more = proposed.repo === null ? {} : { repo: proposed.repo };
  const items = proposed.tasks.map((each) => {
    const dependsOn = each.depends_on.map((on) => {
      const taskId = idOf.get(on) ?? (there.has(on) ? on : undefined);
      if (taskId === undefined)
        throw invalidProposalError(
          `${each.id} depends on ${on}, which is neither proposed nor in the tasks file.`,
        );
      return taskId;
    });
    const newId = idOf.get(each.id) as string;
    // Only proposed tasks without dependencies among themselves depend on `after`; the others follow those.
    const begins = !each.depends_on.some((on) => idOf.has(on));
    const depends_on = [...new Set([...dependsOn, ...(begins ? after : [])])];
    return itemOf(each, { id: newId, depends_on, more, openId });
  });
  const [circle] = findCycle(items.map(asTask));
  if (circle) throw invalidProposalError(`The tasks wait for each other in a circle: ${circle.join(" → ")}.`);
  return items;
}

interface Placed {
  readonly id: string;
  readonly depends_on: readonly string[];
  /** Its other keys. */
  readonly more: Readonly<Record<string, unknown>>;
  /** Makes the ids of its steps. */
  readonly openId: (wanted: string) => string;
}

/** A proposed task as an item of tasks.yaml. */
export function itemOf(
  task: Omit<ProposedTask, "depends_on" | "id">,
  { depends_on, id, more, openId }: Placed,
) {
  return {
    id,
    title: task.title,
    ...more,
    ...(depends_on.length > 0 ? { depends_on } : {}),
    instructions: `${task.instructions}\n`,
    ...(task.acceptance_criteria.length > 0 ? { acceptance_criteria: task.acceptance_criteria } : {}),
    ...(task.steps.length > 0
      ? {
          steps: task.steps.map((text, at) => ({ id: openId(`${id}.${at + 1}`), instruction: text })),
        }
      : {}),
  };
}

function asTask({
  depends_on = [],
  id: ownId,
}: {
  readonly id: string;
  readonly depends_on?: readonly string[];
}): Task {
  return { id: ownId, depends_on, steps: [], subtasks: [] } as unknown as Task;
}

function invalidItemError(what: string, expected: string, found: string): PawlError {
  return invalidProposalError(`${what} cannot be used: expected ${expected}, found ${found}.`);
}

function invalidProposalError(message: string): PawlError {
  return new PawlError(
    "proposal-invalid",
    message,
    "Ask again, with another agent or in other words. Nothing was changed.",
  );
}

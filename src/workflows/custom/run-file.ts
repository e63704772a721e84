/** `.pawl/runs/<workflow>/<id>.json`: where a run stands, and how it came there. */
import { z } from "zod";
import { PawlError } from "../../core/error.ts";
import { checkId } from "../../core/id.ts";
import { type ProjectPath, projectPath } from "../../core/path.ts";
import { checkReachable } from "../../engine/reach.ts";
import type { Position } from "../../engine/workflow.ts";
import { commandOf, type Definition, endEvents, type Loaded } from "./definition.ts";
import { renderWithId } from "./template.ts";

const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const values = z.record(z.string(), value);

/** Under which a command runs and is found again: the name of a folder. */
const key = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,100}$/, "expected a key that Pawl gave");

/**
 * A row whose command is not known to have ended; nothing else moves the run before. What is run is the table's to say:
 * a command that stands here, as earlier versions wrote it, is not read.
 */
const pending = z.object({ row: z.string(), key, since: z.string() });

/** A command that answers a fact (by its name) and was still running when it was last looked at. */
const look = z.object({ key, since: z.string() });

const entry = z.looseObject({
  time: z.string(),
  event: z.string(),
  row: z.string(),
  from: z.string(),
  to: z.string(),
  by: z.looseObject({ channel: z.string(), who: z.string().optional() }).optional(),
  /** Of a person's verdict: by which way it came. */
  strength: z.string().optional(),
  facts: values.optional(),
  notes: z.string().optional(),
  /** The hash of the entry before; null: the first. Absent in entries of earlier versions. */
  prev: z.string().nullable().optional(),
  /** The command whose end the event told. */
  ended: z
    .looseObject({
      command: z.string(),
      exit_code: z.number().nullable(),
      milliseconds: z.number(),
      tail: z.string(),
    })
    .optional(),
});

const RUN_FILE = z.looseObject({
  workflow: z.string(),
  id: z.string(),
  table_hash: z.string(),
  state: z.string(),
  kept: values,
  /** Who acts next and what is awaited, for whoever has no table. Absent in files of earlier versions. */
  awaits: z.string().optional(),
  next: z.string().optional(),
  pending: pending.optional(),
  checks: z.record(z.string(), look).optional(),
  /** From where its history is replayed, beginning with the entry at that index. Absent in files of earlier versions. */
  origin: z.object({ state: z.string(), kept: values, at: z.number().int().min(0) }).optional(),
  history: z.array(entry),
  created_at: z.string(),
  updated_at: z.string(),
});

export type RunFile = Readonly<z.infer<typeof RUN_FILE>>;
export type Pending = Readonly<z.infer<typeof pending>>;

/** The row's command, as the table has it, under the key that the run keeps. */
export interface Order extends Pending {
  readonly command: string;
  /** As the table has it. */
  readonly named: string;
  readonly passed: string;
  readonly failed: string;
}
export type Looks = Readonly<Record<string, Readonly<z.infer<typeof look>>>>;

const RUNS = ".pawl/runs";

export function runsFolder(workflow: string): ProjectPath {
  return projectPath(RUNS, workflow);
}

export function runPath(workflow: string, id: string): ProjectPath {
  return projectPath(RUNS, workflow, `${checkId(id, "run id")}.json`);
}

/** Throws `state-unreadable`; the file is left as it is. */
export function parseRun(path: string, workflow: string, id: string, text: string): RunFile {
  let tree: unknown;
  try {
    tree = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw unreadable(path, `expected JSON; ${cause instanceof Error ? cause.message : cause}`, cause);
  }
  const checked = RUN_FILE.safeParse(tree);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw unreadable(
      path,
      `${issue?.path.map(String).join(".") || "the file"}: ${issue?.message ?? "it does not fit"}`,
    );
  }
  const run = checked.data;
  if (run.workflow !== workflow || run.id !== id)
    throw unreadable(path, `expected the run ${workflow}:${id}; found ${run.workflow}:${run.id}`);
  return run;
}

export function renderRun(run: RunFile): string {
  return `${JSON.stringify(run, null, 2)}\n`;
}

/** Where the run stands in the table as it is now. Throws `run-unreachable`. */
export function positionOf(path: string, run: RunFile, { definition, hash }: Loaded): Position {
  const { table } = definition;
  const position: Position = { state: run.state, kept: run.kept };
  try {
    checkReachable(table, position);
    orderOf(run, definition);
    return position;
  } catch (thrown) {
    if (!(thrown instanceof PawlError) || thrown.code !== "run-unreachable") throw thrown;
    const changed = hash !== run.table_hash;
    throw new PawlError(
      "run-unreachable",
      `${table.name}:${run.id}: ${thrown.message}${changed ? " The table has changed since the run moved last." : ""}`,
      changed
        ? `Give the table back the state that the run stands in, or correct state and kept in ${path}.`
        : `Correct state and kept in ${path}; its history says how the run came there.`,
      thrown,
    );
  }
}

/**
 * The command that is under way, or null. It is that of the row which the run took last: no other may be named. Throws
 * `run-unreachable`.
 */
export function orderOf(
  { pending: waits, history, id, state }: RunFile,
  definition: Definition,
): Order | null {
  if (!waits) return null;
  const { table } = definition;
  const row = table.rows.find((each) => each.id === waits.row);
  const order = row ? commandOf(row) : null;
  const last = history.at(-1);
  const ends = endEvents(table);
  if (
    order &&
    last?.row === waits.row &&
    last.to === state &&
    ends.has(order.passed) &&
    ends.has(order.failed)
  ) {
    const { passed, failed } = order;
    return { ...waits, command: renderWithId(order.command, id), named: order.command, passed, failed };
  }
  const why = order ? "is not the row that it took last" : "has no command in the table";
  throw new PawlError(
    "run-unreachable",
    `The run of ${table.name} waits for the command of the row "${waits.row}", which ${why}.`,
    "",
  );
}

function unreadable(path: string, what: string, cause?: unknown): PawlError {
  return new PawlError(
    "state-unreadable",
    `${path} cannot be read: ${what}.`,
    `Correct ${path}; it was left as it is. Removing it forgets the run.`,
    cause,
  );
}

/** `.pawl/runs/<workflow>/<id>.json`: a run's configuration, and how it got there. */

import { PawlError } from "../../core/error.ts";
import { checkId, isId } from "../../core/id.ts";
import { type ProjectPath, projectPath } from "../../core/path.ts";
import type { View } from "../../core/ports/store.ts";
import {
  accepts,
  as,
  type Checked,
  expected,
  fields,
  listOf,
  mapOf,
  number,
  optional,
  orNull,
  readState,
  stateUnreadable,
  text,
} from "../../core/state-json.ts";
import { checkReachable } from "../../engine/reach.ts";
import type { Configuration, FactValue } from "../../engine/workflow.ts";
import { commandOf, type Definition, endEvents, type Loaded } from "./definition.ts";
import { renderWithId } from "./template.ts";

const values = mapOf(
  accepts<FactValue>(
    (value) => value === null || ["string", "number", "boolean"].includes(typeof value),
    "a string, a number, true, false or null",
  ),
);
const key = accepts<string>(
  (value) => typeof value === "string" && /^[A-Za-z0-9][A-Za-z0-9_-]{0,100}$/.test(value),
  "a key that Pawl gave",
);
const index = accepts<number>(
  (value) => Number.isInteger(value) && Number(value) >= 0,
  "a whole number from 0",
);

/**
 * A rule whose command is not known to have ended; until then nothing else moves the run. The table says what to run: a
 * command in this file, written by an earlier version, is ignored.
 */
const PENDING = fields({
  row: text,
  /** The key by which the command runs and is found again: the name of a folder. */
  key,
  since: text,
});

const ENTRY = fields({
  time: text,
  event: text,
  row: text,
  from: text,
  to: text,
  by: optional(fields({ channel: text, who: optional(text) })),
  /** The channel of a person's verdict. */
  strength: optional(text),
  facts: optional(values),
  notes: optional(text),
  /** The hash of the entry before; null: the first. Absent in entries of earlier versions. */
  prev: optional(orNull(text)),
  /** The command whose end the event reported. */
  ended: optional(fields({ command: text, exit_code: orNull(number), milliseconds: number, tail: text })),
});

const RUN_FILE = fields({
  workflow: text,
  id: text,
  table_hash: text,
  /** The sha-256 of the policy at its last move. Absent in files of earlier versions. */
  policy: optional(text),
  state: text,
  kept: values,
  /** Who acts next and how, for readers without the table. Absent in files of earlier versions. */
  awaits: optional(text),
  next: optional(text),
  pending: optional(PENDING),
  /** Fact → its command that was still running at the last look. */
  checks: optional(mapOf(fields({ key, since: text }))),
  /** Where the replay of its history begins: with the entry at that index. Absent in files of earlier versions. */
  origin: optional(fields({ state: text, kept: values, at: index })),
  history: listOf(ENTRY),
  created_at: text,
  updated_at: text,
});

export type RunFile = Checked<typeof RUN_FILE>;
export type Looks = NonNullable<RunFile["checks"]>;

/** What a gate's record says about an entry: what decided, without notes and output. */
export function stepOf({ by, event, facts, from, row, strength, time, to }: Checked<typeof ENTRY>): object {
  return JSON.parse(JSON.stringify({ time, event, rule: row, from, to, by: by?.channel, strength, facts }));
}

/** The rule's command, as the table has it, under the key that the run keeps. */
export interface Order extends Checked<typeof PENDING> {
  readonly command: string;
  /** As the table has it. */
  readonly named: string;
  readonly passed: string;
  readonly failed: string;
}
const RUNS = ".pawl/runs";

function runsFolder(workflow: string): ProjectPath {
  return projectPath(RUNS, workflow);
}

/** The ids of the workflow's runs. */
export async function listRuns(view: View, workflow: string): Promise<readonly string[]> {
  return (await view.list(runsFolder(workflow))).flatMap(({ kind, name }) => {
    const id = name.endsWith(".json") ? name.slice(0, -".json".length) : "";
    return kind === "file" && isId(id) ? [id] : [];
  });
}

export function runPath(workflow: string, id: string): ProjectPath {
  return projectPath(RUNS, workflow, `${checkId(id, "run id")}.json`);
}

/** Throws `state-unreadable` and leaves the file unchanged. */
export function parseRun(path: string, workflow: string, id: string, json: string): RunFile {
  const named = as<RunFile>((value, at) => {
    const fault = RUN_FILE(value, at);
    if (fault) return fault;
    const run = value as RunFile;
    if (run.workflow !== workflow) return expected(["workflow"], JSON.stringify(workflow), run.workflow);
    return run.id === id ? null : expected(["id"], JSON.stringify(id), run.id);
  });
  return readState(json, named, stateUnreadable(path, "the run", "Removing it forgets the run."));
}

export function renderRun(run: RunFile): string {
  return `${JSON.stringify(run, null, 2)}\n`;
}

/** The run's configuration in the present table. Throws `run-unreachable`. */
export function configurationOf(path: string, run: RunFile, { definition, hash }: Loaded): Configuration {
  const { table } = definition;
  const configuration: Configuration = { state: run.state, variables: run.kept };
  try {
    checkReachable(table, configuration);
    orderOf(run, definition);
    return configuration;
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
 * The command that is under way, or null. It is the one of the rule that the run took last: no other may be named.
 * Throws `run-unreachable`.
 */
export function orderOf(
  { pending: waits, history, id, state }: RunFile,
  definition: Definition,
): Order | null {
  if (!waits) return null;
  const { table } = definition;
  const rule = table.rules.find((each) => each.id === waits.row);
  const order = rule ? commandOf(rule) : null;
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
  const why = order ? "is not the rule that it took last" : "has no command in the table";
  throw new PawlError(
    "run-unreachable",
    `The run of ${table.name} waits for the command of the rule "${waits.row}", which ${why}.`,
    "",
  );
}

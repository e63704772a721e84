/** `.pawl/runs/<workflow>/<id>.json`: a run's configuration. The history that led to it is in the run's log. */

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
import type { Configuration } from "../../engine/workflow.ts";
import { type Codec, factValues } from "../../runtime/run-log/team-records.ts";
import { commandOf, type Definition, endEvents, type Loaded } from "./definition.ts";
import { renderWithId } from "./template.ts";

const key = accepts<string>(
  (value) => typeof value === "string" && /^[A-Za-z0-9][A-Za-z0-9_-]{0,100}$/.test(value),
  "a key that Pawl gave",
);
const index = accepts<number>(
  (value) => Number.isInteger(value) && Number(value) >= 0,
  "a whole number from 0",
);

/**
 * The rule whose command has no known end; until then nothing else moves the run. The table defines the
 * command.
 */
const PENDING = fields({
  row: text,
  /** The key under which the command runs and is found again; also a folder's name. */
  key,
  since: text,
});

const ENTRY = fields({
  time: text,
  event: text,
  row: text,
  from: text,
  to: text,
  by: fields({ channel: text, who: optional(text) }),
  /** The channel of a person's verdict. */
  strength: optional(text),
  facts: optional(factValues),
  notes: optional(text),
  /** For a person's verdict: the tree of the judged work. */
  tree: optional(text),
  /** The hash of the entry before, without the output of commands; null: the first entry. */
  prev: orNull(text),
  /** Branches of the run that it overrules: the hashes of their last entries. */
  over: optional(listOf(text)),
  /** The command whose end the event reported. */
  ended: optional(
    fields({
      command: text,
      exit_code: orNull(number),
      milliseconds: number,
      /** The output stays on the machine where the command ran. */
      tail: optional(text),
      /** The hash of the output. */
      sha256: text,
    }),
  ),
});

export type Entry = Checked<typeof ENTRY>;

const ORIGIN = fields({ state: text, kept: factValues, at: index });

const STORED_RUN = fields({
  workflow: text,
  id: text,
  table_hash: text,
  /**
   * The hash of the policy at its last move. Absent before the first move, and if a program has the table.
   */
  policy: optional(text),
  state: text,
  kept: factValues,
  /** Who acts next and how, for readers without the table. */
  awaits: text,
  next: text,
  pending: optional(PENDING),
  /** Fact → its command that was still running at the last send. */
  checks: optional(mapOf(fields({ key, since: text }))),
  /** What the command printed whose end the last event reported. */
  output: optional(text),
  created_at: text,
  updated_at: text,
});

const RECORDED_STATE = fields({
  table_hash: text,
  policy: optional(text),
  state: text,
  kept: factValues,
  awaits: text,
  next: text,
  origin: ORIGIN,
  /** The rule whose command has no known end. */
  pending: optional(text),
  created_at: text,
});

/** A run's state according to its records. */
export type RecordedState = Checked<typeof RECORDED_STATE>;

/** The form of its records: entries without the output of commands. */
export const SHARED: Codec<Entry, RecordedState> = { step: ENTRY, recordedState: RECORDED_STATE };

export function sharedEntry(entry: Entry): Entry {
  if (entry.ended?.tail === undefined) return entry;
  const { tail: _, ...ended } = entry.ended;
  return { ...entry, ended };
}

export function recordedStateIn(file: RunFile): RecordedState {
  const { awaits, created_at, kept, next, origin, pending, policy, state, table_hash } = file;
  return { table_hash, policy, state, kept, awaits, next, origin, pending: pending?.row, created_at };
}

/** The run's file, made from a branch of its records. */
export function fileOfBranch(
  workflow: string,
  id: string,
  history: readonly Entry[],
  { pending: _, ...recordedState }: RecordedState,
): RunFile {
  return {
    workflow,
    id,
    ...recordedState,
    history,
    updated_at: history.at(-1)?.time ?? recordedState.created_at,
  };
}

/** The run as its file has it. */
export type StoredRun = Checked<typeof STORED_RUN>;

/** The run with its history, from its log. */
export interface RunFile extends StoredRun {
  /** The entry with which the replay of its history begins. */
  readonly origin: Checked<typeof ORIGIN>;
  readonly history: readonly Entry[];
}

export type Looks = NonNullable<RunFile["checks"]>;

/** An entry in a gate's record: what decided, without notes and output. */
export function stepOf({ by, event, facts, from, row, strength, time, to }: Entry): object {
  return JSON.parse(JSON.stringify({ time, event, rule: row, from, to, by: by.channel, strength, facts }));
}

/** The rule's command from the table, under the key that the run stores. */
export interface Order extends Checked<typeof PENDING> {
  readonly command: string;
  /** As in the table, with `{{ id }}`. */
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

/** Throws `state-unreadable`; never changes the file. */
export function parseRun(path: string, workflow: string, id: string, json: string): StoredRun {
  const named = as<StoredRun>((value, at) => {
    const fault = STORED_RUN(value, at);
    if (fault) return fault;
    const run = value as StoredRun;
    if (run.workflow !== workflow) return expected(["workflow"], JSON.stringify(workflow), run.workflow);
    return run.id === id ? null : expected(["id"], JSON.stringify(id), run.id);
  });
  return readState(json, named, stateUnreadable(path, "the run", "Removing it forgets the run."));
}

export function renderRun({ history: _, origin: __, ...stored }: StoredRun & Partial<RunFile>): string {
  return `${JSON.stringify(stored, null, 2)}\n`;
}

/** The run's configuration in the present table. Throws `run-unreachable`. */
export function configurationOf(path: string, run: StoredRun, { definition, hash }: Loaded): Configuration {
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

/** Whether the table has such a rule, with a command. */
export function commandIn({ table }: Definition, row: string): boolean {
  const rule = table.rules.find(({ id }) => id === row);
  return rule !== undefined && commandOf(rule) !== null;
}

/** The running command, or null. It must be one of the table's. Throws `run-unreachable`. */
export function orderOf({ pending: waits, id }: StoredRun, definition: Definition): Order | null {
  if (!waits) return null;
  const { table } = definition;
  const rule = table.rules.find((each) => each.id === waits.row);
  const order = rule ? commandOf(rule) : null;
  const ends = endEvents(table);
  if (order && ends.has(order.passed) && ends.has(order.failed)) {
    const { passed, failed } = order;
    return { ...waits, command: renderWithId(order.command, id), named: order.command, passed, failed };
  }
  throw new PawlError(
    "run-unreachable",
    `The run of ${table.name} waits for the command of the rule "${waits.row}", which has no command in the table.`,
    "",
  );
}

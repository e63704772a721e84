/** `.pawl/runs/<workflow>/<id>.json`: a run's configuration. The history that led to it is in the run's log. */

import { attempt } from "../../core/attempt.ts";
import { PawlError } from "../../core/error.ts";
import { filesIn } from "../../core/files-in.ts";
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
  text,
  unreadableStateError,
} from "../../core/state-json.ts";
import { initialVariables } from "../../engine/configuration.ts";
import { hasState, isFinal } from "../../engine/lookup.ts";
import { checkReachable } from "../../engine/reach.ts";
import type { Configuration } from "../../engine/workflow.ts";
import type { AgentCommand, AgentEntry, AgentSession } from "../../runtime/agent-order.ts";
import { factValues, type Step } from "../../runtime/run-log/step.ts";
import {
  type BeginCommand,
  commandOf,
  type Definition,
  isBegin,
  isForAgent,
  type Loaded,
  type RuleCommand,
  renderCommand,
} from "./definition/definition.ts";
import type { RuleFunction } from "./definition/functions.ts";

const key = accepts<string>(
  (value) => typeof value === "string" && /^[A-Za-z0-9][A-Za-z0-9_-]{0,100}$/.test(value),
  "a key that Pawl gave",
);

const SESSION = fields({ id: text, agent: text });

/** How far the agent of a rule's order is. */
const WORK = fields({
  /** How often it was started for the order, and how many of its runs failed. */
  runs: number,
  failed: number,
  spent: fields({ usd: number, turns: number, milliseconds: number }),
  /** The run that is under way, by the name of its folder. */
  underway: optional(text),
  session: optional(SESSION),
  /** What was wrong with its first answer. */
  refused: optional(text),
  /** When it may be tried again. */
  after: optional(text),
  /** Only a person can continue it. */
  held: optional(fields({ why: text, words: text, since: text })),
  /** What a person said to it. */
  hint: optional(text),
});

export type OrderWork = Checked<typeof WORK>;

/** What the runs of one of its agents cost, in all; null: it does not report it. */
const COST = fields({ usd: orNull(number), tokens: orNull(number), milliseconds: number, runs: number });

/**
 * The rule whose command has no known end; until then nothing else moves the run. The table defines the
 * command.
 */
const PENDING = fields({
  row: text,
  /** The key under which the command runs and is found again; also a folder's name. */
  key,
  since: text,
  /** Of an agent, once it was started. */
  work: optional(WORK),
  /** Of an order to begin runs. */
  begin: optional(
    fields({
      /** When all of them had begun. */
      begun: optional(text),
      /** Their states when `gathered` last came and left the run in its state. */
      gathered: optional(text),
      /** Only a person can continue it. */
      held: optional(fields({ words: text, since: text })),
    }),
  ),
});

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
  /** What its agents said last: agent → field → text. */
  said: optional(mapOf(mapOf(text))),
  /** By agent. */
  costs: optional(mapOf(COST)),
  /** The sessions that its agents continue. */
  sessions: optional(mapOf(SESSION)),
  /** The runs that it began, each with the key of the last order for it, and where it is done. */
  children: optional(listOf(fields({ workflow: text, id: text, order: text, done: optional(listOf(text)) }))),
  /** What it is to do, where another run began it. */
  task: optional(text),
  created_at: text,
  updated_at: text,
});

export const RECORDED_STATE = fields({
  table_hash: text,
  policy: optional(text),
  state: text,
  kept: factValues,
  awaits: text,
  next: text,
  /** The rule whose command has no known end. */
  pending: optional(text),
  created_at: text,
});

/** A run's state according to its records. */
export type RecordedState = Checked<typeof RECORDED_STATE>;

/** The part of a run's file that git shares; the run rests if it waits for a person or is over. */
export function sharedIn(
  json: string,
): { readonly rests: boolean; readonly recordedState: RecordedState } | null {
  const run = attempt(() => JSON.parse(json) as StoredRun, null);
  if (run === null) return null;
  const { awaits, created_at, kept, next, pending, policy, state, table_hash } = run;
  const recordedState = { table_hash, policy, state, kept, awaits, next, pending: pending?.row, created_at };
  return { rests: pending === undefined && (awaits === "human" || awaits === "nobody"), recordedState };
}

/** The run's file, made from a branch of its records. */
export function fileOfBranch(
  workflow: string,
  id: string,
  steps: readonly Step[],
  { pending: _, ...recordedState }: RecordedState,
): RunFile {
  return {
    workflow,
    id,
    ...recordedState,
    history: historyIn(steps),
    updated_at: steps.at(-1)?.time ?? recordedState.created_at,
  };
}

/** The steps of the last life that changed the run's state. */
export function historyIn(steps: readonly Step[]): readonly Step[] {
  const begun = steps.findLastIndex(({ kind }) => kind === "begun");
  return steps.slice(Math.max(0, begun)).filter(({ kind }) => kind !== "begun" && kind !== "found");
}

/** The run as its file has it. */
export type StoredRun = Checked<typeof STORED_RUN>;

/** The run with its history, from its log. */
export interface RunFile extends StoredRun {
  readonly history: readonly Step[];
}

export type Looks = NonNullable<RunFile["checks"]>;

export type AgentTexts = NonNullable<RunFile["said"]>;

/** The rule's order from the table, under the key that the run stores. */
export type Order = CommandOrder | AgentOrder | BeginOrder;

interface Pending extends Omit<Checked<typeof PENDING>, "begin"> {
  /** What a display calls it. */
  readonly command: string;
}

export interface CommandOrder extends Pending {
  readonly agent?: never;
  readonly begin?: never;
  /** As in the table, with `{{ id }}`. */
  readonly named: string;
  /** What is called in place of the command. */
  readonly call?: RuleFunction;
  readonly passed: string;
  readonly failed: string;
}

export interface AgentOrder extends Pending {
  readonly begin?: never;
  /** Its name in the workflow. */
  readonly agent: string;
  readonly entry: AgentEntry;
  readonly prompt: string;
  readonly session: AgentSession;
  readonly answers: AgentCommand["answers"];
}

export interface BeginOrder extends Pending {
  readonly agent?: never;
  readonly begin: BeginCommand;
  /** How far it is. */
  readonly recorded: NonNullable<Checked<typeof PENDING>["begin"]>;
}

const RUNS = ".pawl/runs";

/** The ids of the workflow's runs. */
export async function listRuns(view: View, workflow: string): Promise<readonly string[]> {
  return (await filesIn(view, projectPath(RUNS, workflow), ".json")).filter(isId);
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
  return readState(json, named, unreadableStateError(path, "the run", "Removing it forgets the run."));
}

export function renderRun({ history: _, ...stored }: StoredRun & Partial<RunFile>): string {
  return `${JSON.stringify(stored, null, 2)}\n`;
}

/** The run's configuration in the present table; a finished run needs no way there. Throws `run-unreachable`. */
export function configurationOf(path: string, run: StoredRun, { definition, hash }: Loaded): Configuration {
  const { table } = definition;
  const hasChanged = hash !== run.table_hash;
  // A variable that came since the run moved last begins as it does in a new run.
  const variables = hasChanged ? { ...initialVariables(table), ...run.kept } : run.kept;
  const configuration: Configuration = { state: run.state, variables };
  if (hasChanged && hasState(table, run.state) && isFinal(table, run.state)) return configuration;
  try {
    checkReachable(table, configuration);
    orderOf(run, definition);
    return configuration;
  } catch (thrown) {
    if (!(thrown instanceof PawlError) || thrown.code !== "run-unreachable") throw thrown;
    throw new PawlError(
      "run-unreachable",
      `${table.name}:${run.id}: ${thrown.message}${hasChanged ? " The table has changed since the run moved last." : ""}`,
      hasChanged
        ? `Give the table back the run's state, its values and the way there (the former \`initial\` of a variable, for one), or correct state and kept in ${path}.`
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
  const made = order && orderFor(order, waits, id, definition);
  if (made) return made;
  throw new PawlError(
    "run-unreachable",
    `The run of ${table.name} waits for the command of the rule "${waits.row}", which has no command in the table.`,
    "",
  );
}

/** The order of a rule. Null: its agent has no entry. */
export function orderFor(
  command: RuleCommand,
  pending: Checked<typeof PENDING>,
  id: string,
  { agents = {} }: Pick<Definition, "agents">,
): Order | null {
  const { begin: recorded = {}, ...order } = pending;
  if (isBegin(command))
    return { ...order, command: `the runs of ${command.workflow}`, begin: command, recorded };
  if (!isForAgent(command))
    return { ...order, ...renderCommand(command, id), passed: command.passed, failed: command.failed };
  const { agent, answers, prompt, session } = command;
  const entry = Object.hasOwn(agents, agent) ? agents[agent] : undefined;
  if (entry === undefined) return null;
  const mode = session ?? entry.session ?? "fresh";
  return { ...order, command: `the agent ${agent}`, agent, entry, prompt, answers, session: mode };
}

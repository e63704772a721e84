/**
 * The record of a run of Bloom: `.pawl/heads/<workflow>/<id>.json`, written in the same commit as the state,
 * by every transaction. A state file counts only as it was written with its record.
 *
 * R1  Every `run:advanced` event of a commit is a step of the record, with the hash of the previous step.
 * R2  The record holds the hash of the content of each of the run's files; the order of keys and blanks do
 *     not count.
 * R3  A file without a record is held. Once a person has accepted it, its record begins with that commit.
 * R4  A step under another table than the present one, or without a rule (a person accepted an edit, a copy
 *     was restored), is not replayed, nor are those before it: the origin moves on to the run's configuration
 *     after it.
 */
import { attempt } from "../../core/attempt.ts";
import { NotText, PawlError } from "../../core/error.ts";
import type { Caller, RunAdvanced } from "../../core/event.ts";
import { hashOf } from "../../core/hash.ts";
import { canonical } from "../../core/json.ts";
import type { ProjectPath } from "../../core/path.ts";
import type { Change, View } from "../../core/ports/store.ts";
import { as, object } from "../../core/state-json.ts";
import type { Strength } from "../../core/strength.ts";
import { initialConfiguration } from "../../engine/decide.ts";
import type { Configuration, Workflow } from "../../engine/workflow.ts";
import type { GateVerdict, Proposal, RunOverview, StateFiles } from "../transaction/transaction.ts";
import {
  brokenLinks,
  type Chained,
  checkFaults,
  configurationWords,
  confirmed,
  EDIT_ACCEPTED,
  fromStored,
  headOf,
  headPath,
  isSame,
  loadHead,
  type Origin,
  replayFaults,
  type StoredConfiguration,
  storedTable,
  type TableStep,
  toStored,
} from "./history.ts";
import { hashOfDocument } from "./step.ts";
import {
  branchesOf,
  type Codec,
  loadRecords,
  newRecords,
  recordedUpTo,
  recordNames,
  type SharedStep,
} from "./team-records.ts";

export interface Step extends TableStep, Chained {
  readonly time: string;
  readonly by: Caller;
  readonly strength?: Strength;
}

export interface RunRecord {
  readonly version: 1;
  readonly run: string;
  /** The sha-256 of the table that decided the steps since the origin. */
  readonly table: string;
  readonly origin: Origin;
  /** The record began in the middle: from a state without a record. */
  readonly unproved?: boolean;
  /** The number of earlier steps that are no longer kept. */
  readonly dropped: number;
  readonly steps: readonly Step[];
  readonly recordedState: StoredConfiguration;
  /** By path: the sha-256 of the file's content. */
  readonly files: Readonly<Record<string, string>>;
  readonly time: string;
}

/** A workflow may keep fewer. The record has at most twice as many. */
const KEPT_STEPS = 200;

const hashes = new WeakMap<Workflow, string>();

export function hashOfTable(table: Workflow): string {
  const known = hashes.get(table) ?? hashOf(canonical(storedTable(table)));
  hashes.set(table, known);
  return known;
}

/** Null: the run has no record, or an unreadable one. */
export async function loadRecord(view: View, run: string): Promise<RunRecord | null> {
  const head = await loadHead(view, run);
  const isRecord = head?.version === 1 && Array.isArray(head.steps) && head.run === run;
  return isRecord ? (head as unknown as RunRecord) : null;
}

/** People's verdicts in these steps. */
export function verdictsIn(
  steps: readonly {
    readonly event: string;
    readonly from: string;
    readonly strength?: string | undefined;
    readonly time: string;
  }[],
): readonly GateVerdict[] {
  return steps.flatMap(({ event, from, strength, time }) =>
    strength === undefined ? [] : [{ gate: from, what: `${from}: ${event}`, strength, time }],
  );
}

/** The record's part of a run's overview. */
export async function recordedOverview(
  view: View,
  run: string,
): Promise<Pick<RunOverview, "verdicts" | "unproved">> {
  const record = await loadRecord(view, run);
  const verdicts = verdictsIn(record?.steps ?? []);
  return {
    ...(verdicts.length > 0 ? { verdicts } : {}),
    ...(record === null || record.unproved === true ? { unproved: true } : {}),
  };
}

// ── Written with the state ───────────────────────────────────────────────────────────────────────────────────────

type StateChange = Extract<Change, { type: "write" | "remove" }>;

/** The changes of the records that belong to the state files among the proposed changes. */
export async function recordChanges(
  view: View,
  states: StateFiles,
  { changes = [], events = [] }: Pick<Proposal<unknown>, "changes" | "events">,
  time: string,
): Promise<readonly Change[]> {
  const byRun = new Map<string, StateChange[]>();
  for (const change of changes) {
    if (change.type !== "write" && change.type !== "remove") continue;
    const run = states.runOf(change.path);
    if (run !== null) byRun.set(run, [...(byRun.get(run) ?? []), change]);
  }
  const records = [...byRun].map(([run, own]) => {
    const steps = events.filter(
      (event): event is RunAdvanced & { id: string; time: string } =>
        event.type === "run:advanced" && event.run === run,
    );
    return recordChange(view, states, { run, own, events: steps, time });
  });
  return (await Promise.all(records)).flat();
}

interface Committing {
  readonly run: string;
  readonly own: readonly StateChange[];
  readonly events: readonly (RunAdvanced & { readonly time: string })[];
  readonly time: string;
}

async function recordChange(
  view: View,
  states: StateFiles,
  { run, own, events, time }: Committing,
): Promise<readonly Change[]> {
  const path = headPath(run);
  const before = await loadRecord(view, run);
  const isNew = !(await Promise.all(own.map((each) => exists(view, each.path)))).includes(true);
  const files = { ...before?.files };
  for (const change of own)
    if (change.type === "write") files[change.path] = hashOfDocument(change.text);
    else delete files[change.path];
  const written = own.findLast((change) => change.type === "write");
  const recordedState = written ? toStored(states.configurationIn(written.text)) : before?.recordedState;
  if (recordedState === undefined || Object.keys(files).length === 0)
    return before === null ? [] : [{ type: "remove", path }];
  const earlier = before === null && isNew && states.sharedIn ? lineIn(run, await sharedOf(view, run)) : [];
  const steps = await chained(before?.steps ?? earlier, events);
  const table = hashOfTable(states.table);
  const origin = originOf(
    { before, steps, events, isNew, recordedState: recordedState, table },
    states.table,
  );
  const dropped = before?.dropped ?? 0;
  const isUnproved = before === null ? !isNew : before.unproved === true;
  const unproved = isUnproved && !origin.begins && !events.some(isAcceptance);
  const record: RunRecord = {
    version: 1,
    run,
    table,
    origin,
    ...(unproved ? { unproved } : {}),
    ...{ dropped, steps, recordedState: recordedState, files, time },
  };
  const kept = shortened(record, states.keptSteps);
  const found = written && states.sharedIn?.(written.text);
  // Steps that this record drops must be in the shared records.
  const isDue = found && (found.rests || kept.dropped > dropped);
  const first = isDue ? recordedUpTo(await sharedOf(view, run), steps) : steps.length;
  return [
    { type: "write", path, text: `${JSON.stringify(kept, null, 2)}\n` },
    ...newRecords(run, steps, first, found?.recordedState ?? null, dropped),
  ];
}

type Shared = Awaited<ReturnType<typeof loadRecords<SharedStep, unknown>>>;

const ANY: Codec<SharedStep, unknown> = { step: as(object), recordedState: object };

/** Unusable shared records stop no run here: a checkout without its state reports them. */
async function sharedOf(view: View, run: string): Promise<Shared> {
  try {
    return await loadRecords(view, run, await recordNames(view, run), ANY);
  } catch (thrown) {
    if (thrown instanceof PawlError) return [];
    throw thrown;
  }
}

/** The steps of earlier lives, here or in another checkout: a new life of the run continues them. */
function lineIn(run: string, records: Shared): readonly Step[] {
  const [side, other] = attempt(() => branchesOf(run, records), []);
  return side && !other ? (side.steps as readonly Step[]) : [];
}

function isAcceptance({ row }: RunAdvanced): boolean {
  return row === EDIT_ACCEPTED;
}

/** A file that is not text exists, too. */
async function exists(view: View, path: ProjectPath): Promise<boolean> {
  try {
    return (await view.read(path)) !== null;
  } catch (thrown) {
    if (thrown instanceof NotText) return true;
    throw thrown;
  }
}

async function chained(
  before: readonly Step[],
  events: readonly (RunAdvanced & { readonly time: string })[],
): Promise<readonly Step[]> {
  const steps = [...before];
  for (const { by, event, from, row, strength, time, to } of events) {
    const prev = await headOf(steps);
    steps.push({ time, event, row, from, to, by, ...(strength ? { strength } : {}), prev });
  }
  return steps;
}

interface Writing {
  readonly before: RunRecord | null;
  readonly steps: readonly Step[];
  readonly events: readonly RunAdvanced[];
  readonly isNew: boolean;
  readonly recordedState: StoredConfiguration;
  readonly table: string;
}

function originOf(
  { before, steps, events, isNew, recordedState, table }: Writing,
  workflow: Workflow,
): Origin {
  const from = events[0]?.from ?? recordedState.state;
  const taken = { ...recordedState, at: steps.length, begins: false };
  if (!events.every(({ row }) => workflow.rules.some(({ id }) => id === row))) return taken;
  const first = initialConfiguration(workflow, {});
  if (isNew && from === first.state)
    return { ...toStored(first), at: steps.length - events.length, begins: true };
  const continues =
    before !== null && !isNew && before.table === table && before.recordedState.state === from;
  return continues ? before.origin : taken;
}

/** Drops the oldest steps of a long run: then the replay begins later. */
function shortened(record: RunRecord, most = KEPT_STEPS): RunRecord {
  const { dropped, recordedState, steps } = record;
  if (steps.length <= 2 * most) return record;
  const kept = steps.slice(-most);
  const origin = { ...recordedState, at: kept.length, begins: false };
  return { ...record, origin, steps: kept, dropped: dropped + steps.length - kept.length };
}

export interface TakenRun {
  readonly run: string;
  readonly states: StateFiles;
  /** The last one is the adoption. */
  readonly steps: readonly Step[];
  readonly recordedState: Configuration;
  /** The table's hash. */
  readonly table: string;
  readonly time: string;
}

/** The record of an adopted run, whose file is at that path. */
export function recordOfTaken(
  { run, recordedState, states, steps, table: hash, time }: TakenRun,
  path: ProjectPath,
  text: string,
): Change {
  const { keptSteps, table } = states;
  const first = { ...toStored(initialConfiguration(table, {})), at: 0, begins: true };
  const isWhole = replayFaults(table, first, steps, recordedState).length === 0;
  const origin = isWhole ? first : { ...toStored(recordedState), at: steps.length, begins: false };
  const record: RunRecord = {
    ...{ version: 1, run, table: hash, origin, dropped: 0, steps },
    ...{
      recordedState: toStored(recordedState),
      files: { [path]: hashOf(canonical(JSON.parse(text))) },
      time,
    },
  };
  return {
    type: "write",
    path: headPath(run),
    text: `${JSON.stringify(shortened(record, keptSteps), null, 2)}\n`,
  };
}

// ── Checked where the state is loaded ────────────────────────────────────────────────────────────────────────────

/**
 * Why the file does not follow from the run's record, each in words for a person. Null: it is no file of a
 * run, or it has no record and needs none.
 */
export async function recordFaults(
  view: View,
  states: StateFiles,
  path: ProjectPath,
  text: string,
): Promise<readonly string[] | null> {
  const run = states.runOf(path);
  if (run === null) return null;
  const isRecorded = (await view.read(headPath(run))) !== null;
  const found = isRecorded ? await faultsOf(states, await loadRecord(view, run), path, text) : [UNRECORDED];
  return confirmed(view, [path, headPath(run)], found);
}

const UNRECORDED = "none of its steps is recorded";

async function faultsOf(
  states: StateFiles,
  record: RunRecord | null,
  path: ProjectPath,
  text: string,
): Promise<readonly string[]> {
  if (record === null)
    return [`${headPath(states.runOf(path) ?? "")}, the record of its steps, cannot be read`];
  return [
    ...(await fileFaults(states, record, path, text)),
    ...(await brokenLinks(record.steps, "step", record.dropped > 0 ? record.steps[0]?.prev : null)),
    ...(record.table === hashOfTable(states.table)
      ? replayFaults(states.table, record.origin, record.steps, fromStored(record.recordedState))
      : []),
  ];
}

async function fileFaults(
  states: StateFiles,
  record: RunRecord,
  path: ProjectPath,
  text: string,
): Promise<readonly string[]> {
  const wrong = await contentFault(record, path, text);
  if (wrong === null) return [];
  const [found, written] = [states.configurationIn(text), fromStored(record.recordedState)];
  if (isSame(found, written)) return [`${wrong}; it still stands at ${configurationWords(found)}`];
  return [
    `${wrong}: found ${configurationWords(found)}; its history leads to ${configurationWords(written)}`,
  ];
}

async function contentFault(
  { dropped, files, steps, time }: RunRecord,
  path: ProjectPath,
  text: string,
): Promise<string | null> {
  const kept = Object.hasOwn(files, path) ? files[path] : undefined;
  if (kept === undefined) return "Pawl has recorded no such file of the run";
  if (kept === hashOfDocument(text)) return null;
  return `it is not the one that Pawl wrote after ${dropped + steps.length} steps, at ${time}`;
}

/**
 * For a workflow that builds on the file of another workflow's run without knowing its table. Throws
 * `state-tampered`.
 */
export async function checkFile(view: View, run: string, path: ProjectPath, text: string): Promise<void> {
  const record = await loadRecord(view, run);
  const wrong = record === null ? UNRECORDED : await contentFault(record, path, text);
  checkFaults(path, "run's", await confirmed(view, [path, headPath(run)], wrong === null ? [] : [wrong]));
}

/** Throws `state-tampered`. */
export async function checkRecord(
  view: View,
  states: StateFiles,
  path: ProjectPath,
  text: string,
): Promise<void> {
  checkFaults(path, "run's", (await recordFaults(view, states, path, text)) ?? []);
}

/** The lines that a commit adds to the logs of the runs whose state files it writes. */

import { NotText } from "../../core/error.ts";
import { type Caller, type PawlEvent, publicCaller, type RunAdvanced } from "../../core/event.ts";
import type { ProjectPath } from "../../core/path.ts";
import type { Change, View } from "../../core/ports/store.ts";
import { isFinal } from "../../engine/lookup.ts";
import type { Facts } from "../../engine/workflow.ts";
import { ADOPTED, EDIT_ACCEPTED, hashOfTable, stepFrom } from "./history.ts";
import { type At, type LoggedDetails, loadState, placeIn, type RunKind } from "./kind.ts";
import { othersSteps, recordsOf } from "./log-records.ts";
import { diff, type Patch } from "./patch.ts";
import { hashOfState, isBroken, lastOf, lastOfWhole, stepBackTo } from "./read.ts";
import {
  type Checkpoint,
  documentIn,
  type End,
  hashOfStep,
  isDecision,
  type Line,
  type Local,
  logPath,
  renderLine,
  type Step,
  type StepDetails,
  variablesAfter,
} from "./step.ts";

export interface Committing {
  readonly changes: readonly Change[];
  readonly events: readonly PawlEvent[];
  /** The details of the last move. */
  readonly details?: LoggedDetails | undefined;
  readonly caller: Caller;
  readonly time: string;
  /** Unique. */
  readonly id: string;
  /** Whether the project shares the workflow's runs. */
  shares(workflow: string): Promise<boolean>;
}

/** The changes of the logs that belong to the state files among the changes. */
export async function logChanges(
  view: View,
  kind: RunKind,
  committing: Committing,
): Promise<readonly Change[]> {
  const written = new Map<string, string | null>();
  for (const change of committing.changes) {
    if (change.type !== "write" && change.type !== "remove") continue;
    const run = kind.runOf(change.path);
    // A run that moves to its other file is written there and removed here.
    if (run !== null) written.set(run, change.type === "write" ? change.text : (written.get(run) ?? null));
  }
  const logs = [...written].map(([run, after]) => logChange(view, kind, run, after, committing));
  return (await Promise.all(logs)).flat();
}

/** `after`: the text of the state file; null: it is removed. */
async function logChange(
  view: View,
  kind: RunKind,
  run: string,
  after: string | null,
  { caller, details = {}, events, id, shares, time }: Committing,
): Promise<readonly Change[]> {
  const path = logPath(run);
  const runEvents = events.filter((event) => "run" in event && event.run === run);
  const moves = runEvents.filter((event): event is RunAdvanced & PawlEvent => event.type === "run:advanced");
  // After an accepted edit the whole log is read: an unreadable line in it would hold the run again.
  const isAccepted = moves.some(({ row }) => row === EDIT_ACCEPTED);
  const last = await (isAccepted ? lastOfWhole : lastOf)(view, run);
  const end = isBroken(last) ? null : last;
  const before = await textBefore(view, kind, run);
  const chain = openChain({ kind, run, time, caller }, end);
  const isAsWritten = before !== null && hashOfState(kind, before) === end?.local.document;
  const { anew = false, begins = kind.start, branch, by, found, ...more } = details;
  const isNew = before === null || anew || (moves.length > 0 && isOver(kind, end));
  if (branch === undefined && isNew && kind.sharedIn && !isBroken(last))
    chain.follow(await othersSteps(view, run));
  if (branch) chain.follow(branch);
  else if (before === null && found)
    chain.add("found", found, found.status === undefined ? {} : { status: found.status });
  else if (isNew && begins) chain.add("begun", begins);
  else if (before !== null && last === null) chain.add("found", placeIn(kind, run, before));
  else if (before !== null && end !== null && !isAsWritten && kind.returns) {
    const of = await stepBackTo(view, kind, run, before);
    if (of !== null) chain.add("returned", placeIn(kind, run, before), { of });
  }
  const at = after === null ? null : kind.at(after);
  for (const move of moves) {
    const isLast = move === moves.at(-1);
    chain.move(isLast && by ? { ...move, by } : move, at, isLast ? more : {});
  }
  const document = after === null ? null : hashOfState(kind, after);
  const patch = patchOf(isAsWritten && !chain.isDecided() ? before : null, after);
  const local = { document, patch, events: runEvents };
  const lines = chain.lines({ ...local, ...named(end?.local.records) }, id);
  const shared = after === null ? null : kind.sharedIn?.(after);
  const [workflow = ""] = run.split(":");
  const isDue = shared && (shared.rests || lines.some(isChoice)) && (await shares(workflow));
  // An unreadable log is renamed, and a new one begins.
  const kept = isBroken(last) ? [] : undefined;
  const records = isDue ? await recordsOf(view, run, shared.recordedState, lines, kept) : null;
  const written = records ? chain.lines({ ...local, ...named(records.names) }, id) : lines;
  const text = written.map(renderLine).join("");
  const append: Change = { type: "append", path, id, text };
  const missing = records?.missing ?? [];
  return isBroken(last)
    ? [{ type: "move", from: path, to: keptPath(path, time) }, append, ...missing]
    : [append, ...missing];
}

function named(records: readonly string[] = []): Pick<Local, "records"> {
  return records.length > 0 ? { records } : {};
}

/** Whether the run has ended, so that another life begins. */
function isOver({ start, tableOf }: RunKind, end: End | null): boolean {
  const { machine = "", state = "" } = end?.local.checkpoint ?? {};
  const table = start ? tableOf(machine) : null;
  return table !== null && Object.hasOwn(table.states, state) && isFinal(table, state);
}

/** Whether a person continues from others' steps, or overrules them. */
function isChoice({ step }: Line): boolean {
  return step?.kind === "adopted" || step?.over !== undefined;
}

function keptPath(path: ProjectPath, time: string): ProjectPath {
  return `${path}.bak-${time.replaceAll(":", "-")}` as ProjectPath;
}

/** Null: there is no file. Empty for a file that is not text. */
async function textBefore(view: View, kind: RunKind, run: string): Promise<string | null> {
  try {
    return (await loadState(view, kind, run))?.text ?? null;
  } catch (thrown) {
    if (thrown instanceof NotText) return "";
    throw thrown;
  }
}

/** `before`: null if it is not the document of the log's last line. */
function patchOf(before: string | null, after: string | null): Patch {
  const [from, to] = [before, after].map((text) => (text === null ? null : documentIn(text)));
  return before === null ? { all: to ?? null } : diff(from ?? null, to ?? null);
}

type Move = Pick<
  RunAdvanced & PawlEvent,
  "by" | "event" | "from" | "machine" | "row" | "strength" | "time" | "to"
>;

interface Chain {
  add(kind: "begun" | "found" | "returned", at: At, more?: Partial<Step>): void;
  /** Adds steps of others' logs. */
  follow(branch: readonly Step[]): void;
  /** `last`: the run's position after the commit; null: its state is removed or unreadable. */
  move(move: Move, last: At | null, details: StepDetails): void;
  /** Whether a person decided on the state: nothing before that counts. */
  isDecided(): boolean;
  lines(local: Omit<Local, "checkpoint">, id: string): readonly Line[];
}

function openChain(
  {
    caller,
    kind,
    run,
    time,
  }: Pick<Committing, "caller" | "time"> & { readonly kind: RunKind; readonly run: string },
  end: End | null,
): Chain {
  const steps: Step[] = [];
  let checkpoint = end?.local.checkpoint ?? null;

  const push = (
    step: Pick<Step, "kind" | "from" | "set"> & Partial<Step>,
    { machine, state, variables }: At,
    unproved: boolean,
  ) => {
    const table = kind.tableOf(machine);
    const hash = table ? { table: hashOfTable(table) } : {};
    const made: Step = {
      ...{ v: 1, run, seq: (checkpoint?.seq ?? 0) + 1, prev: checkpoint?.head ?? null, time },
      ...{ machine, to: state, ...step, by: publicCaller(step.by ?? caller) },
      ...(checkpoint?.table === hash.table && !isDecision(step) ? {} : hash),
    };
    steps.push(made);
    checkpoint = {
      ...{ machine, state, variables, ...hash, seq: made.seq, head: hashOfStep(made) },
      ...(unproved ? { unproved } : {}),
    };
  };

  return {
    follow(branch) {
      for (const step of branch) {
        const { machine, seq, table = isDecision(step) ? undefined : checkpoint?.table, to: state } = step;
        const variables = variablesAfter(checkpoint?.variables, step);
        steps.push(step);
        checkpoint = { machine, state, variables, ...(table && { table }), seq, head: hashOfStep(step) };
      }
    },
    add(what, at, more) {
      const from = what === "returned" ? (checkpoint?.state ?? at.state) : at.state;
      const unproved = what === "found" || (what === "returned" && checkpoint?.unproved === true);
      push({ kind: what, from, set: at.variables, ...more }, at, unproved);
    },
    move({ by, event, from, machine, row, strength, time, to }, last, details) {
      const unproved = checkpoint?.unproved === true;
      const more = { time, by, ...(strength === undefined ? {} : { strength }), ...details };
      const there = last?.state === to ? last : { machine, state: to, variables: {} };
      const decides = (what: "accepted" | "adopted") => {
        const at = last ?? there;
        push({ kind: what, from, set: at.variables, ...more }, at, what === "adopted");
      };
      if (row === ADOPTED) return decides("adopted");
      if (row === EDIT_ACCEPTED) return decides("accepted");
      // No step of the table leads to its start.
      if (from === "")
        return push({ kind: "begun", from, event, set: there.variables, ...more }, there, unproved);
      const table = kind.tableOf(machine);
      const variables = checkpoint?.variables ?? {};
      const at = table && stepFrom(table, { state: from, variables }, { event, from, row, to });
      if (at !== null) {
        const set = changedIn(variables, at.variables);
        return push({ kind: "moved", from, event, rule: row, set, ...more }, { machine, ...at }, unproved);
      }
      // No rule of the table leads here: a person set the state.
      decides("accepted");
    },
    isDecided: () => steps.some(isDecision),
    lines(local, id) {
      const end = { ...local, checkpoint: checkpoint as Checkpoint };
      if (steps.length === 0) return [{ id, step: null, local: end }];
      return steps.map((step, index) => ({
        ...{ id, step },
        ...(index === steps.length - 1 ? { local: end } : {}),
      }));
    },
  };
}

function changedIn(before: Facts, after: Facts): Facts {
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => before[name] !== value));
}

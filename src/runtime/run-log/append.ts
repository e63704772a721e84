/** The lines that a commit adds to the logs of the runs whose state files it writes. */

import { NotText } from "../../core/error.ts";
import type { Caller, PawlEvent, RunAdvanced } from "../../core/event.ts";
import type { ProjectPath } from "../../core/path.ts";
import type { Change, View } from "../../core/ports/store.ts";
import { initialConfiguration } from "../../engine/decide.ts";
import type { Configuration, Facts } from "../../engine/workflow.ts";
import { stepFrom } from "./history.ts";
import type { RunKind } from "./kind.ts";
import { diff, type Patch } from "./patch.ts";
import { isBroken, lastOf, stepBackTo } from "./read.ts";
import { hashOfTable } from "./record.ts";
import {
  type Checkpoint,
  documentIn,
  type End,
  hashOfDocument,
  hashOfStep,
  type Line,
  logPath,
  renderLine,
  type Step,
  type StepKind,
} from "./step.ts";

export interface Committing {
  readonly changes: readonly Change[];
  readonly events: readonly PawlEvent[];
  readonly caller: Caller;
  readonly time: string;
  /** Unique. */
  readonly id: string;
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
    if (run !== null) written.set(run, change.type === "write" ? change.text : null);
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
  { caller, events, id, time }: Committing,
): Promise<readonly Change[]> {
  const path = logPath(run);
  const last = await lastOf(view, run);
  const end = isBroken(last) ? null : last;
  const before = await textOf(view, kind.pathOf(run));
  const own = events.filter((event) => "run" in event && event.run === run);
  const moves = own.filter((event): event is RunAdvanced & PawlEvent => event.type === "run:advanced");
  const chain = openChain({ kind, run, time, caller }, end);
  const isAsWritten = before !== null && hashOfDocument(before) === end?.local.document;
  if (before === null) chain.add("begun", initialConfiguration(kind.table, {}));
  else if (last === null) chain.add("found", kind.configurationIn(before));
  else if (end !== null && !isAsWritten && kind.returns) {
    const of = await stepBackTo(view, run, before);
    if (of !== null) chain.add("returned", kind.configurationIn(before), { of });
  }
  const at = after === null ? null : kind.configurationIn(after);
  for (const move of moves) chain.move(move, at);
  const document = after === null ? null : hashOfDocument(after);
  const patch = patchOf(isAsWritten ? before : null, after);
  const lines = chain.lines({ document, patch, events: own }, id);
  const text = lines.map(renderLine).join("");
  const append: Change = { type: "append", path, id, text };
  // An unreadable log is renamed, and a new one begins.
  return isBroken(last) ? [{ type: "move", from: path, to: keptPath(path, time) }, append] : [append];
}

function keptPath(path: ProjectPath, time: string): ProjectPath {
  return `${path}.bak-${time.replaceAll(":", "-")}` as ProjectPath;
}

/** Null: there is no file. Empty for a file that is not text. */
async function textOf(view: View, path: ProjectPath): Promise<string | null> {
  try {
    return await view.read(path);
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

interface Chain {
  add(kind: Exclude<StepKind, "moved">, at: Configuration, more?: Partial<Step>): void;
  /** `last`: the run's configuration after the commit. */
  move(move: RunAdvanced, last: Configuration | null): void;
  lines(local: Omit<Required<Line>["local"], "checkpoint">, id: string): readonly Line[];
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
  const { table } = kind;
  const hash = hashOfTable(table);
  const steps: Step[] = [];
  let checkpoint = end?.local.checkpoint ?? null;

  const push = (
    step: Pick<Step, "kind" | "from" | "set"> & Partial<Step>,
    at: Configuration,
    unproved: boolean,
  ) => {
    const known = checkpoint;
    const made: Step = {
      ...{ v: 1, run, seq: (known?.seq ?? 0) + 1, prev: known?.head ?? null, time },
      ...{ machine: table.name, to: at.state, by: caller },
      ...step,
      ...(known?.table === hash ? {} : { table: hash }),
    };
    steps.push(made);
    checkpoint = {
      ...{ machine: table.name, state: at.state, variables: at.variables, table: hash },
      ...{ seq: made.seq, head: hashOfStep(made) },
      ...(unproved ? { unproved } : {}),
    };
  };

  return {
    add(what, at, more) {
      const from = what === "returned" ? (checkpoint?.state ?? at.state) : at.state;
      const unproved = what === "found" || (what === "returned" && checkpoint?.unproved === true);
      push({ kind: what, from, set: at.variables, ...more }, at, unproved);
    },
    move({ by, event, from, row, strength, to }, last) {
      const before = { state: from, variables: checkpoint?.variables ?? {} };
      const at = stepFrom(table, before, { event, from, row, to });
      const more = { by, ...(strength === undefined ? {} : { strength }) };
      const unproved = checkpoint?.unproved === true;
      if (at !== null) {
        const set = changedIn(before.variables, at.variables);
        push({ kind: "moved", from, event, rule: row, set, ...more }, at, unproved);
      } else {
        // No rule of the table: a person accepted or set the state.
        const accepted = last ?? { state: to, variables: {} };
        push({ kind: "accepted", from, set: accepted.variables, ...more }, accepted, false);
      }
    },
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

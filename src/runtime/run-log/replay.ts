/** Checks a whole log; a move reads and trusts its last line alone. */
import { attempt } from "../../core/attempt.ts";
import { hashOf } from "../../core/hash.ts";
import { canonical } from "../../core/json.ts";
import { startingConfigurations } from "../../engine/configuration.ts";
import type { Configuration } from "../../engine/workflow.ts";
import {
  configurationWords,
  fromStored,
  hashOfTable,
  isSame,
  type StoredConfiguration,
  stepFrom,
} from "./history.ts";
import { decidedIn, type RunKind, type RunLaw } from "./kind.ts";
import { type Json, patched } from "./patch.ts";
import { endOf, hashOfStep, isDecision, type Line, type Step, variablesAfter } from "./step.ts";
import { invalidRecordsError, type RunBranch } from "./team-records.ts";

/**
 * Where the log contradicts itself or the table; the first place of each kind, in words for a person. A
 * person's decision on the state begins the log anew.
 */
export function logFaults(kind: RunKind, all: readonly Line[]): readonly string[] {
  const from = Math.max(
    0,
    all.findLastIndex(({ step }) => step !== null && isDecision(step)),
  );
  const lines = all.slice(from);
  const steps = lines.flatMap(({ step }) => step ?? []);
  const documents = documentsOf(lines);
  const laws = kind.law ? lawFault(kind, kind.law, lines, documents) : tableFault(kind, steps);
  const [first] = steps;
  const chain = chainFault(steps, first && isDecision(first) ? first : undefined);
  const found = [chain, laws, documentFault(kind, lines, documents)];
  return found.filter((fault) => fault !== null);
}

/**
 * Where a branch that others recorded does not follow from its steps; the links of its records are already checked.
 * `recordedState`: the run's state according to the branch's last record.
 */
export function branchFaults(
  kind: RunKind,
  steps: readonly Step[],
  recordedState: Configuration,
): readonly string[] {
  const fault = tableFault(kind, steps);
  if (fault !== null) return [fault];
  const end = steps.reduce<Configuration>(
    (at, step) => ({ state: step.to, variables: variablesAfter(at.variables, step) }),
    NOWHERE,
  );
  if (isSame(end, recordedState)) return [];
  return [`found ${configurationWords(recordedState)}; its steps lead to ${configurationWords(end)}`];
}

/** Throws `records-invalid` for such a branch: nothing is shown or adopted by it. */
export function checkBranch(kind: RunKind, branch: RunBranch<StoredConfiguration>): void {
  if (branch.recorded === null) return;
  const { path, recordedState } = branch.recorded;
  const faults = branchFaults(kind, branch.steps, fromStored(recordedState));
  if (faults.length > 0) throw invalidRecordsError(path, faults.join("; "));
}

/** Each line's state file, as the patches make it; a patch that does not fit makes null. */
export function documentsOf(lines: readonly Line[]): readonly Json[] {
  let document: Json = null;
  return lines.map(({ local }) => {
    if (local) document = attempt<Json, Json>(() => patched(document, local.patch), null);
    return document;
  });
}

/** `from`: what the first step says of its place, if it is not the first of its log. */
export function chainFault(
  steps: readonly Step[],
  from: Pick<Step, "prev" | "seq"> = { prev: null, seq: 1 },
): string | null {
  let { prev, seq } = from;
  for (const step of steps) {
    if (step.prev !== prev || step.seq !== seq)
      return `step ${seq} of its log is not made on the ${seq - 1} before it`;
    prev = hashOfStep(step);
    seq += 1;
  }
  return null;
}

/** Steps under another table than the present one are not replayed. */
function tableFault(kind: RunKind, steps: readonly Step[]): string | null {
  let hash: string | undefined;
  let at = NOWHERE;
  for (const step of steps) {
    hash = step.table ?? hash;
    const before = at;
    at = { state: step.to, variables: variablesAfter(before.variables, step) };
    const table = kind.tableOf(step.machine);
    if (table && hash === hashOfTable(table) && !isLawful(table, before, step, at))
      return `step ${step.seq} of its log (${step.event ?? step.kind}) does not lead on from ${step.from}`;
  }
  return null;
}

type Table = NonNullable<ReturnType<RunKind["tableOf"]>>;

function isLawful(table: Table, before: Configuration, step: Step, after: Configuration): boolean {
  if (step.kind === "begun") return startingConfigurations(table).some((start) => isSame(start, after));
  return step.kind !== "moved" || isSame(after, leadsTo(table, before, step) ?? NOWHERE);
}

const NOWHERE: Configuration = { state: "", variables: {} };

function leadsTo(table: Table, before: Configuration, { event, from, rule, to }: Step): Configuration | null {
  return event === undefined || rule === undefined
    ? null
    : stepFrom(table, before, { event, from, row: rule, to });
}

/** Steps that the law refuses, or that do not lead to what was written. */
function lawFault(
  kind: RunKind,
  law: RunLaw,
  lines: readonly Line[],
  documents: readonly Json[],
): string | null {
  let derived = law.first;
  for (const [index, { local, step }] of lines.entries()) {
    if (step === null) continue;
    const end = endOf(lines, index);
    const written = documents[end] ?? null;
    const commit = {
      decides: decidedIn(kind, written),
      isFirst:
        (index === 0 || lines[index - 1]?.local !== undefined) && "all" in (lines[end]?.local?.patch ?? {}),
      isLast: end === index,
    };
    const next = law.after(derived, step, commit);
    if (isFault(next)) return `step ${step.seq} of its log cannot be: ${next.fault}`;
    derived = next;
    if (local && hashOf(canonical(derived)) !== local.document)
      return `step ${step.seq} of its log does not lead to what was written after it`;
  }
  return null;
}

function isFault(next: ReturnType<RunLaw["after"]>): next is { readonly fault: string } {
  return typeof next === "object" && next !== null && "fault" in next;
}

function documentFault(kind: RunKind, lines: readonly Line[], documents: readonly Json[]): string | null {
  for (const [index, { local }] of lines.entries()) {
    if (local === undefined || local.document === null) continue;
    const document = documents[index] ?? null;
    if (hashOf(canonical(decidedIn(kind, document))) !== local.document)
      return `what its log says of the state after step ${local.checkpoint.seq} is not what was written`;
  }
  return null;
}

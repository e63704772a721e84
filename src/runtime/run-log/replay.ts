/** Checks a whole log; a move reads and trusts its last line alone. */
import { attempt } from "../../core/attempt.ts";
import { canonical } from "../../core/canonical.ts";
import { hashOf } from "../../core/hash.ts";
import { startingConfigurations } from "../../engine/configuration.ts";
import type { Configuration } from "../../engine/workflow.ts";
import { isSame, stepFrom } from "./history.ts";
import type { RunKind } from "./kind.ts";
import { type Json, patched } from "./patch.ts";
import { hashOfTable } from "./record.ts";
import { hashOfStep, type Line, type Step } from "./step.ts";

/** Where the log contradicts itself or the table; the first place of each kind, in words for a person. */
export function logFaults({ table }: RunKind, lines: readonly Line[]): readonly string[] {
  const steps = lines.flatMap(({ step }) => step ?? []);
  const found = [chainFault(steps), tableFault(table, steps), documentFault(lines)];
  return found.filter((fault) => fault !== null);
}

function chainFault(steps: readonly Step[]): string | null {
  let prev: string | null = null;
  for (const [index, step] of steps.entries()) {
    if (step.prev !== prev || step.seq !== index + 1)
      return `step ${index + 1} of its log is not made on the ${index} before it`;
    prev = hashOfStep(step);
  }
  return null;
}

/** Steps under another table than the present one are not replayed. */
function tableFault(table: RunKind["table"], steps: readonly Step[]): string | null {
  const present = hashOfTable(table);
  let hash: string | undefined;
  let at = NOWHERE;
  for (const step of steps) {
    hash = step.table ?? hash;
    const before = at;
    at = {
      state: step.to,
      variables: step.kind === "moved" ? { ...before.variables, ...step.set } : step.set,
    };
    if (hash === present && !isLawful(table, before, step, at))
      return `step ${step.seq} of its log (${step.event ?? step.kind}) does not lead on from ${step.from}`;
  }
  return null;
}

function isLawful(table: RunKind["table"], before: Configuration, step: Step, after: Configuration): boolean {
  if (step.kind === "begun") return startingConfigurations(table).some((start) => isSame(start, after));
  return step.kind !== "moved" || isSame(after, leadsTo(table, before, step) ?? NOWHERE);
}

const NOWHERE: Configuration = { state: "", variables: {} };

function leadsTo(
  table: RunKind["table"],
  before: Configuration,
  { event, from, rule, to }: Step,
): Configuration | null {
  return event === undefined || rule === undefined
    ? null
    : stepFrom(table, before, { event, from, row: rule, to });
}

function documentFault(lines: readonly Line[]): string | null {
  let document: Json = null;
  for (const { local } of lines) {
    if (local === undefined) continue;
    const { checkpoint, document: hash, patch } = local;
    const next: Json = attempt<Json, Json>(() => patched(document, patch), null);
    if (hash !== null && hashOf(canonical(next)) !== hash)
      return `what its log says of the state after step ${checkpoint.seq} is not what was written`;
    document = next;
  }
  return null;
}

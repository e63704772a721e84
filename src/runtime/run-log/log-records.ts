/** The records of a run whose steps are those of its log: a record's steps are the log's own. */
import { PawlError } from "../../core/error.ts";
import type { Change, View } from "../../core/ports/store.ts";
import { type Check, object } from "../../core/state-json.ts";
import { loadLines } from "./read.ts";
import { checkStep, hashOfStep, type Line, type Step } from "./step.ts";
import {
  branchesOf,
  type Codec,
  loadRecords,
  newRecords,
  type RunBranch,
  recordedByName,
  recordNames,
} from "./team-records.ts";

export function codecOf<RecordedState>(recordedState: Check<RecordedState>): Codec<Step, RecordedState> {
  return { step: checkStep, recordedState };
}

/** The steps that lead to the log's end, over all lives, the oldest first. Throws `state-tampered`. */
export async function loadChain(view: View, run: string): Promise<readonly Step[]> {
  return chainOf(await loadLines(view, run));
}

/** Not the order of the lines: a person may go on from a branch that others made. */
function chainOf(lines: readonly Line[]): readonly Step[] {
  const steps = new Map(lines.flatMap(({ step }) => (step === null ? [] : [[hashOfStep(step), step]])));
  const chain: Step[] = [];
  let at: string | null = lines.findLast(({ local }) => local)?.local?.checkpoint.head ?? null;
  for (let step = at && steps.get(at); step; step = at && steps.get(at)) {
    chain.push(step);
    at = step.prev;
  }
  return chain.reverse();
}

/** The run's branches; empty: nothing is recorded. This checkout's own steps count like recorded ones. */
export async function loadBranches<RecordedState>(
  view: View,
  run: string,
  codec: Codec<Step, RecordedState>,
): Promise<readonly RunBranch<Step, RecordedState>[]> {
  const names = await recordNames(view, run);
  if (names.length === 0) return [];
  const own = await loadChain(view, run);
  const end = own.at(-1);
  if (end && recordedByName(names, own).isAll) return [{ head: hashOfStep(end), steps: own, recorded: null }];
  return branchesOf(run, await loadRecords(view, run, names, codec), own);
}

/**
 * The steps that others took after the last one here: a new life of the run continues them. None if they are on
 * several branches, or unusable: a checkout with a run of its own reports that.
 */
export async function othersSteps(view: View, run: string): Promise<readonly Step[]> {
  try {
    const [branch, other] = await loadBranches(view, run, codecOf(object));
    if (!branch?.recorded || other) return [];
    // Not all of this checkout's own need be on it: a person may have overruled some.
    const own = new Set((await loadChain(view, run)).map(hashOfStep));
    return branch.steps.filter((step) => !own.has(hashOfStep(step)));
  } catch (thrown) {
    if (thrown instanceof PawlError) return [];
    throw thrown;
  }
}

/** The records of the steps that no record has, up to the end of the new lines. */
export async function missingRecords(
  view: View,
  run: string,
  recordedState: object,
  added: readonly Line[] = [],
): Promise<readonly Change[]> {
  const lines = await loadLines(view, run);
  const steps = chainOf([...lines, ...added]);
  const { recorded } = recordedByName(await recordNames(view, run), steps);
  return newRecords(run, steps, recorded, recordedState);
}

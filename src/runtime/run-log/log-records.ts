/** The records of a run whose steps are those of its log: a record's steps are the log's own. */
import { PawlError } from "../../core/error.ts";
import { fileName } from "../../core/path.ts";
import type { Change, View } from "../../core/ports/store.ts";
import { type Check, object } from "../../core/state-json.ts";
import { loadState, type RunKind } from "./kind.ts";
import { lastLocal, loadLines } from "./read.ts";
import { DamagedLog, hashOfStep, type Line, type Step } from "./step.ts";
import {
  branchesOf,
  loadRecords,
  newRecords,
  type RunBranch,
  recordedByName,
  recordNames,
} from "./team-records.ts";

/** The steps that lead to the log's end, over all lives, the oldest first. Throws `state-tampered`. */
export async function loadChain(view: View, run: string): Promise<readonly Step[]> {
  return chainOf(await loadLines(view, run));
}

/** Not the order of the lines: a person may continue from a branch that others made. */
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

/**
 * The run's branches; empty: no record has a step of others. `isHere`: the checkout has a state of the run, so
 * its own steps count like recorded ones.
 */
export async function loadBranches<RecordedState>(
  view: View,
  run: string,
  recordedState: Check<RecordedState>,
  isHere = true,
): Promise<readonly RunBranch<RecordedState>[]> {
  const names = await recordNames(view, run);
  if (names.length === 0 || (isHere && (await areOwn(view, run, names)))) return [];
  return branchesWith(view, run, recordedState, names, isHere ? await loadChain(view, run) : []);
}

/** By the log's last line: all of it is read only where others may have steps. */
async function areOwn(view: View, run: string, names: readonly string[]): Promise<boolean> {
  const { records = [] } = (await lastLocal(view, run)) ?? {};
  return names.every((name) => records.includes(name));
}

async function branchesWith<RecordedState>(
  view: View,
  run: string,
  recordedState: Check<RecordedState>,
  names: readonly string[],
  chain: readonly Step[],
): Promise<readonly RunBranch<RecordedState>[]> {
  const end = chain.at(-1);
  if (end && recordedByName(names, chain).isAll)
    return [{ head: hashOfStep(end), steps: chain, recorded: null }];
  return branchesOf(run, await loadRecords(view, run, names, recordedState), chain);
}

/**
 * The steps that others took after the last one here: a new life of the run continues them. None if they are on
 * several branches, or unusable: a checkout with a run of its own reports that.
 */
export async function othersSteps(view: View, run: string): Promise<readonly Step[]> {
  try {
    const [branch, other] = await loadBranches(view, run, object);
    if (!branch?.recorded || other) return [];
    // Not all of this checkout's own need be on it: a person may have overruled some.
    const hashes = new Set((await loadChain(view, run)).map(hashOfStep));
    return branch.steps.filter((step) => !hashes.has(hashOfStep(step)));
  } catch (thrown) {
    if (thrown instanceof PawlError) return [];
    throw thrown;
  }
}

/**
 * The ends of the branches that others recorded, for a person's decision that overrules them. None if the
 * records are unusable. A log that cannot be read has no steps of its own.
 */
export async function recordedEnds(view: View, run: string): Promise<readonly string[]> {
  const names = await recordNames(view, run);
  if (names.length === 0) return [];
  try {
    const chain = await loadChain(view, run).catch(noneIfDamaged);
    const branches = await branchesWith(view, run, object, names, chain);
    return branches.flatMap(({ head, recorded }) => (recorded === null ? [] : [head]));
  } catch (thrown) {
    if (thrown instanceof PawlError) return [];
    throw thrown;
  }
}

function noneIfDamaged(thrown: unknown): readonly Step[] {
  if (thrown instanceof DamagedLog) return [];
  throw thrown;
}

export interface RunRecords {
  /** Changes that write the missing ones. */
  readonly missing: readonly Change[];
  /** The names of all records of this log's steps alone, the missing ones included. */
  readonly names: readonly string[];
}

/** The records of the steps up to the end of the new lines. `lines`: those of the log before them. */
export async function recordsOf(
  view: View,
  run: string,
  recordedState: object,
  added: readonly Line[],
  lines?: readonly Line[],
): Promise<RunRecords> {
  const steps = chainOf([...(lines ?? (await loadLines(view, run))), ...added]);
  const { own, recorded } = recordedByName(await recordNames(view, run), steps);
  const missing = newRecords(run, steps, recorded, recordedState);
  const written = missing.flatMap((change) => (change.type === "write" ? [fileName(change.path)] : []));
  return { missing, names: [...own, ...written] };
}

/** The records of the steps that no record has; none without a state here. */
export async function missingRecords(view: View, kind: RunKind, run: string): Promise<readonly Change[]> {
  const state = await loadState(view, kind, run);
  const shared = state && kind.sharedIn?.(state.text);
  return shared ? (await recordsOf(view, run, shared.recordedState, [])).missing : [];
}

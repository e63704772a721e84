/**
 * Who merges next into a branch. Pure: a queue is a value, and what changes it gives another.
 *
 * Q1  One task at a time merges into a target; targets do not wait for each other.
 * Q2  The turn goes to the task that waits longest, by the time that is on disk: the order outlives the process.
 * Q3  To enter twice keeps the place; to leave is allowed at any time, from the queue as from the turn.
 * Q4  While somebody waits and nobody merges, `next` names who may: whoever leaves asks it, so that no turn is lost.
 */
export interface MergeQueue {
  /** Those that have the turn, by target. */
  readonly merging: ReadonlyMap<string, string>;
  /** First come, first served. */
  readonly waiting: readonly WaitingMerge[];
}

export interface WaitingMerge {
  readonly task: string;
  /** A branch of a repository, in any words of its own. */
  readonly target: string;
  /** Since when, ISO 8601. */
  readonly since: string;
}

export const NO_MERGES: MergeQueue = { merging: new Map(), waiting: [] };

export function enter({ merging, waiting }: MergeQueue, merge: WaitingMerge): MergeQueue {
  const isIn = merging.get(merge.target) === merge.task || waiting.some(({ task }) => task === merge.task);
  if (isIn) return { merging, waiting };
  const after = waiting.findIndex((each) => isBefore(merge, each));
  const at = after < 0 ? waiting.length : after;
  return { merging, waiting: [...waiting.slice(0, at), merge, ...waiting.slice(at)] };
}

function isBefore(one: WaitingMerge, other: WaitingMerge): boolean {
  return one.since === other.since ? one.task < other.task : one.since < other.since;
}

/** The task that may take the turn now; null: another merges, or nobody waits. */
export function next({ merging, waiting }: MergeQueue, target: string): string | null {
  if (merging.has(target)) return null;
  return waiting.find((each) => each.target === target)?.task ?? null;
}

/** `next` has taken the turn. */
export function begin({ merging, waiting }: MergeQueue, target: string, task: string): MergeQueue {
  return {
    merging: new Map(merging).set(target, task),
    waiting: waiting.filter((each) => each.task !== task),
  };
}

export function leave({ merging, waiting }: MergeQueue, task: string): MergeQueue {
  return {
    merging: new Map([...merging].filter(([, owner]) => owner !== task)),
    waiting: waiting.filter((each) => each.task !== task),
  };
}

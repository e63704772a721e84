/**
 * Merges into one branch, as a train: each merge is prepared on top of the one ahead, so several are verified
 * at the same time; they are published in order. Pure: a train is an immutable value.
 *
 * T1  The task that waits longest enters first, by the time recorded on disk, so the order survives the
 *     process.
 * T2  At most `limit` merges are under way, each in a slot of its own.
 * T3  A merge is prepared on the target, or on the commit that the merge ahead announced. It is void as soon
 *     as that merge leaves without having published this commit, or announces another; then those behind it
 *     are void too.
 * T4  Only the first may publish, and only while it is not void.
 * T5  Entering twice keeps the place; a task may leave the queue or the train at any time.
 */
export interface Train {
  readonly limit: number;
  readonly merges: readonly TrainMerge[];
  /** First come, first served. */
  readonly waiting: readonly WaitingMerge[];
}

export interface WaitingMerge {
  readonly task: string;
  /** Since when, ISO 8601. */
  readonly since: string;
}

export interface TrainMerge {
  readonly task: string;
  readonly slot: number;
  /** What it is prepared on: a commit, or the target itself. Void: it must be prepared, or prepared again. */
  readonly base: string | typeof TARGET | typeof VOID;
  /** The merge commit; null: not announced yet. */
  readonly commit: string | null;
}

export const TARGET = Symbol("target");
export const VOID = Symbol("void");

export function emptyTrain(limit: number): Train {
  return { limit, merges: [], waiting: [] };
}

export function enter(train: Train, merge: WaitingMerge): Train {
  const isIn = [...train.merges, ...train.waiting].some(({ task }) => task === merge.task);
  if (isIn) return train;
  const after = train.waiting.findIndex((each) => isBefore(merge, each));
  return { ...train, waiting: train.waiting.toSpliced(after < 0 ? train.waiting.length : after, 0, merge) };
}

function isBefore(one: WaitingMerge, other: WaitingMerge): boolean {
  return one.since === other.since ? one.task < other.task : one.since < other.since;
}

/** The task that may be admitted now; null: the train is full or the queue is empty. */
export function next({ limit, merges, waiting }: Train): string | null {
  return merges.length < limit ? (waiting[0]?.task ?? null) : null;
}

/** Admits the task that `next` names. */
export function admit(train: Train): Train {
  const task = next(train);
  if (task === null) return train;
  const taken = new Set(train.merges.map(({ slot }) => slot));
  const slot = [...Array(train.limit).keys()].find((each) => !taken.has(each)) ?? 0;
  return {
    ...train,
    merges: [...train.merges, { task, slot, base: VOID, commit: null }],
    waiting: train.waiting.slice(1),
  };
}

export function find(train: Train, task: string): TrainMerge | null {
  return train.merges.find((each) => each.task === task) ?? null;
}

/** The base for the task's merge; null: the merge ahead has not announced its commit yet. */
export function baseFor({ merges }: Train, task: string): string | typeof TARGET | null {
  const at = merges.findIndex((each) => each.task === task);
  return at <= 0 ? TARGET : (merges[at - 1]?.commit ?? null);
}

/** Records that the task prepares its merge, perhaps again, on this base. */
export function prepare(train: Train, task: string, base: string | typeof TARGET): Train {
  return change(train, task, { base, commit: null });
}

/**
 * Announces the merge commit, so that those behind may prepare on it. Does nothing if the merge is void by
 * now.
 */
export function announce(train: Train, task: string, commit: string): Train {
  return find(train, task)?.base === VOID ? train : change(train, task, { commit });
}

/** Changes one merge; those behind it that lose their base are void. */
function change(train: Train, task: string, to: Partial<Pick<TrainMerge, "base" | "commit">>): Train {
  const merges = train.merges.map((each) => (each.task === task ? { ...each, ...to } : each));
  return { ...train, merges: voidWithoutBase(merges) };
}

function voidWithoutBase(merges: readonly TrainMerge[]): readonly TrainMerge[] {
  const train: TrainMerge[] = [];
  for (const each of merges) {
    const ahead = train.at(-1);
    const holds = ahead === undefined || each.base === VOID || each.base === ahead.commit;
    train.push(holds ? each : { ...each, base: VOID, commit: null });
  }
  return train;
}

/** Removes the task. `published`: the target's commit after this merge; null: no merge was made. */
export function leave(train: Train, task: string, published: string | null): Train {
  const at = train.merges.findIndex((each) => each.task === task);
  const waiting = train.waiting.filter((each) => each.task !== task);
  if (at < 0) return { ...train, waiting };
  const behind = train.merges[at + 1];
  const isBase = at === 0 && published !== null && behind?.base === published;
  const rest = train.merges.toSpliced(at, 1);
  const merges =
    behind === undefined || isBase || behind.base === VOID
      ? rest
      : rest.with(at, { ...behind, base: VOID, commit: null });
  return { ...train, waiting, merges: voidWithoutBase(merges) };
}

/** Whether the task's merge may be published, must wait for those ahead, or must be prepared again. */
export function mergeTurn({ merges }: Train, task: string): "first" | "behind" | "void" {
  const at = merges.findIndex((each) => each.task === task);
  if (at < 0 || merges[at]?.base === VOID) return "void";
  return at === 0 ? "first" : "behind";
}

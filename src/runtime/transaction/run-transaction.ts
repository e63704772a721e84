/**
 * One transaction: read → observe → propose → commit. Everything before the commit may fail, and then nothing
 * has changed.
 *
 * R1  No external call is awaited under a lock: `observe` runs before the run's lock is taken.
 * R2  Under the lock everything that was read is checked again; if it changed, the transaction restarts.
 * R3  The reply is returned only after the commit is durable.
 * R4  A cancelled call commits nothing: this is checked last before the commit, and no longer after it.
 * R5  A policy is kept under the run's lock too, while what was read still holds: if several calls begin a
 *     run at once, the policy of the one that began it governs the run.
 * R6  Known secrets are removed from a caller's input before it is used, and from logs and events.
 */
import { PawlError, toPawlError } from "../../core/error.ts";
import { type Caller, EVENTS, type PawlEvent } from "../../core/event.ts";
import { canonical } from "../../core/json.ts";
import { projectPath } from "../../core/path.ts";
import type { Cache } from "../../core/ports/cache.ts";
import type { Checks, Waiting } from "../../core/ports/checks.ts";
import type { Memory } from "../../core/ports/memory.ts";
import type { Outside } from "../../core/ports/outside.ts";
import type { Change, Store, View } from "../../core/ports/store.ts";
import type { Settings } from "../../core/settings.ts";
import { type Mask, masked } from "../../core/text/masked.ts";
import { logChanges } from "../run-log/append.ts";
import { kindOf } from "../run-log/kind.ts";
import { sharesRuns } from "../run-log/team-records.ts";
import {
  type OutOfScopeEdits,
  type ProposalWithEdits,
  proposeWithOutOfScopeEdits,
  type ScopeWatch,
} from "./out-of-scope-edits.ts";
import { atGate } from "./signed-gate.ts";
import type { AfterCommit, Context, Now, Pin, Proposal, Transaction } from "./transaction.ts";

/** Failures that did not fail the call. */
const FAILURES = projectPath(".pawl/failures.log");
const MAX_ATTEMPTS = 100;

export interface Runtime {
  readonly store: Store;
  readonly outside: Outside;
  /** The effective settings, read through the view so that an edit of the configuration counts at once. */
  readonly settings: (view: View) => Promise<Settings>;
  readonly now: () => Date;
  /** Returns a new unique id. */
  readonly newId: () => string;
  readonly cache?: Cache;
  /** Absent: every overview reads all runs. */
  readonly memory?: Memory;
  /** The caller's cancellation and progress; absent: the call cannot be cancelled. */
  readonly waiting?: Waiting;
  /** Absent: no secret is known. */
  readonly mask?: Mask;
  /** The caller's own trace span, as `traceparent`; absent: there is none. */
  readonly trace?: string;
  /** Absent: the working tree is not checked for out-of-scope edits. */
  readonly scopeWatch?: ScopeWatch;
}

/**
 * Runs one transaction to its reply. `answered`: the question that a person has just answered or agreed to.
 * Throws a `PawlError`; then nothing has changed.
 */
export async function runTransaction<Input, Snapshot, Observations, R>(
  runtime: Runtime,
  plan: Transaction<Input, Snapshot, Observations, R>,
  given: Input,
  caller: Caller,
  answered?: Context["answered"],
): Promise<Proposal<R>> {
  const input = masked(given, runtime.mask);
  const run = plan.run(input);
  const asking = { caller, ...(answered === undefined ? {} : { answered: maskedAnswer(answered, runtime) }) };
  const outOfScopeEdits = outOfScopeEditsOf(runtime, run);
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    // Now, before the lock: without `observe` the transaction runs entirely under it.
    if (!plan.observe) await outOfScopeEdits();
    const done = await transactOnce(runtime, plan, input, { ...asking, outOfScopeEdits }, run);
    if (done !== "changed") {
      const { proposal } = done;
      if (run !== null && proposal.changes?.length && !proposal.ask) await noteTree(runtime, run, done);
      for (const { path, line } of proposal.logs ?? [])
        await runtime.store.log(path, masked(line, runtime.mask));
      for (const { kind, source, value } of proposal.cacheEntries ?? [])
        runtime.cache?.put(kind, source, value);
      return proposal.afterCommit ? followed(runtime, proposal, proposal.afterCommit, caller) : proposal;
    }
  }
  throw new PawlError(
    "commit-restarted-too-often",
    `The run ${run} could not be advanced: what it reads was changed by others during each of ${MAX_ATTEMPTS} attempts.`,
    "Find out which program keeps writing to the project's files, then try again.",
  );
}

/** The run's out-of-scope edits, searched for once per call. */
function outOfScopeEditsOf(
  { scopeWatch: outOfScopeEdits }: Runtime,
  run: string | null,
): () => Promise<OutOfScopeEdits | null> {
  let outOfScope: Promise<OutOfScopeEdits | null> | undefined;
  return () => {
    outOfScope ??= (run === null ? undefined : outOfScopeEdits?.find(run)) ?? Promise.resolve(null);
    return outOfScope;
  };
}

/** The commit is done, so a failure is only logged. */
async function noteTree(
  runtime: Runtime,
  run: string,
  { accepted, view }: Pick<Transacted<unknown>, "accepted" | "view">,
): Promise<void> {
  try {
    await runtime.scopeWatch?.note(run, accepted, view);
  } catch (thrown) {
    await logFailure(runtime, "guard", toPawlError(thrown));
  }
}

/** Logs a failure that did not fail the call. */
export async function logFailure(
  runtime: Pick<Runtime, "mask" | "now" | "store">,
  what: string,
  { code, message }: PawlError,
): Promise<void> {
  const time = runtime.now().toISOString();
  const line = JSON.stringify({ time, what, code, message: masked(message, runtime.mask) });
  await runtime.store.log(FAILURES, line);
}

/** Does not mask the message: it identifies the answered question. */
function maskedAnswer(answered: Answered, { mask }: Runtime): Answered {
  if (answered === "vouched" || answered.notes === undefined) return answered;
  return { ...answered, notes: masked(answered.notes, mask) };
}

/** The commit is done. A later failure is in the reply, and logged. */
async function followed<R>(
  runtime: Runtime,
  proposal: Proposal<R>,
  { failed, input, merge, plan }: AfterCommit<R>,
  caller: Caller,
): Promise<Proposal<R>> {
  try {
    const { waiting: _, ...unhurried } = runtime;
    const after = await runTransaction(unhurried, plan, input, caller);
    const events = [...(proposal.events ?? []), ...(after.events ?? [])];
    return { ...proposal, events, reply: merge(proposal.reply, after.reply) };
  } catch (thrown) {
    const error = toPawlError(thrown);
    await logFailure(runtime, "after-commit", error);
    return { ...proposal, reply: failed(proposal.reply, error) };
  }
}

/** The reply to `caller` if the transaction ran now; commits nothing. */
export async function preview<Input, Snapshot, Observations, R>(
  runtime: Runtime,
  plan: Transaction<Input, Snapshot, Observations, R>,
  input: Input,
  caller: Caller,
): Promise<Proposal<R>> {
  const given = masked(input, runtime.mask);
  const { proposal } = await proposeWithOutOfScopeEdits(
    outOfScopeEditsOf(runtime, plan.run(given)),
    { caller },
    (asking) => propose(runtime, plan, given, asking, runtime.store.view()),
  );
  return proposal;
}

interface Transacted<R> extends ProposalWithEdits<R> {
  /** The view of all reads. */
  readonly view: View;
}

async function transactOnce<Input, Snapshot, Observations, R>(
  runtime: Runtime,
  plan: Transaction<Input, Snapshot, Observations, R>,
  input: Input,
  {
    outOfScopeEdits,
    ...asking
  }: Asking & { readonly outOfScopeEdits: () => Promise<OutOfScopeEdits | null> },
  run: string | null,
): Promise<Transacted<R> | "changed"> {
  const { store } = runtime;
  // A transaction with `observe` takes the lock only to commit.
  await using _first = plan.observe || run === null ? null : await store.hold(run);
  const view = store.view();
  const stop = runtime.waiting?.stop;
  const beside = proposeWithOutOfScopeEdits(outOfScopeEdits, asking, (each) =>
    proposeAtGate(runtime, plan, input, each, view),
  );
  const done = { ...(await unlessStopped(beside, stop)), view };
  const { proposal } = done;
  const full = withEvents(proposal, runtime.mask);
  const { pin } = proposal;
  if (full.length === 0 && !pin) return done;
  const history = full.length === 0 ? [] : await historyOf(runtime, view, plan, proposal, asking.caller, run);
  // The events last: a reader who finds one in the log finds the files as it says.
  const changes = [...history, ...full];
  const lock = run ?? (full.length === 0 ? pin?.run : undefined);
  if (lock === undefined)
    throw new PawlError("internal", "A transaction that only reads proposes changes.", "Report this.");
  await using _last = plan.observe ? await store.hold(lock) : null;
  // The commit itself checks the reads, but a policy is kept before it.
  if (plan.observe && pin && !(await store.holds(view))) return "changed";
  if (stop?.aborted) throw cancelledError();
  if (pin && !(await isKept(runtime.outside, pin))) return "changed";
  return changes.length === 0 || (await store.commit(view, changes)) === "committed" ? done : "changed";
}

/** False: another policy was kept meanwhile. */
async function isKept({ policies }: Outside, { instead, policy, run }: Pin): Promise<boolean> {
  const isAsRead =
    instead === undefined || canonical((await policies?.find(run)) ?? null) === canonical(instead);
  if (isAsRead) await policies?.keep(run, policy);
  return isAsRead;
}

/** Checks the strength of a person's verdict, for every workflow. */
async function proposeAtGate<Input, Snapshot, Observations, R>(
  runtime: Runtime,
  plan: Transaction<Input, Snapshot, Observations, R>,
  input: Input,
  asking: Asking,
  view: View,
): Promise<Proposal<R>> {
  const proposal = await propose(runtime, plan, input, asking, view);
  const isAgreed = asking.caller.device !== undefined && asking.answered !== undefined;
  if (!proposal.verdict && !proposal.ask && !isAgreed) return proposal;
  const settings = await runtime.settings(view);
  const time = runtime.now().toISOString();
  const context = {
    ...asking,
    settings,
    view,
    outside: outsideOf(runtime),
    time,
    lock: plan.run(input),
    runs: plan.runs,
  };
  return atGate(proposal, context, (answered) => propose(runtime, plan, input, answered, view));
}

async function propose<Input, Snapshot, Observations, R>(
  runtime: Runtime,
  plan: Transaction<Input, Snapshot, Observations, R>,
  input: Input,
  asking: Asking,
  view: View,
): Promise<Proposal<R>> {
  const context = await contextOf(runtime, view, asking);
  const snapshot = await plan.read(view, input, context);
  const observations = plan.observe
    ? await plan.observe(snapshot, input, outsideOf(runtime), context)
    : (undefined as Observations);
  return plan.propose(snapshot, observations, input, context);
}

/** The ports; checks end with the caller's cancellation, and report progress. */
function outsideOf({ outside, waiting }: Runtime): Outside {
  if (!waiting) return outside;
  const { checks } = outside;
  const run: Checks["run"] = (key, command, on) => checks.run(key, command, on, waiting);
  return { ...outside, checks: { run, ...(checks.recorded && { recorded: checks.recorded.bind(checks) }) } };
}

/** The work's result; throws at once if the call is cancelled. */
async function unlessStopped<T>(work: Promise<T>, stop: AbortSignal | undefined): Promise<T> {
  if (!stop) return work;
  let end = () => {};
  const stopped = new Promise<never>((_, reject) => {
    end = () => reject(cancelledError());
    if (stop.aborted) end();
    else stop.addEventListener("abort", end, { once: true });
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    stop.removeEventListener("abort", end);
    work.catch(() => {});
  }
}

function cancelledError(): PawlError {
  return new PawlError(
    "cancelled",
    "The call was cancelled before anything was committed. Nothing was changed.",
    "Call it again if you still want it; a check that has started in the project's folder runs to its end.",
  );
}

/** The caller, and a person's answer. */
type Asking = Pick<Context, "caller" | "answered">;
type Answered = NonNullable<Context["answered"]>;

async function contextOf(runtime: Runtime, view: View, asking: Asking): Promise<Context> {
  const settings = await runtime.settings(view);
  const time = runtime.now().toISOString();
  const now = nowOf(time, runtime.newId);
  return {
    ...{ settings, ...asking, now },
    ...(runtime.cache ? { cache: runtime.cache } : {}),
    ...(runtime.trace === undefined ? {} : { trace: runtime.trace }),
  };
}

function withEvents({ ask, changes = [], events = [] }: Proposal<unknown>, mask?: Mask): readonly Change[] {
  if (changes.length === 0 || ask) return [];
  return [...changes, ...events.map((event) => appended(masked(event, mask)))];
}

/** The changes of logs beside the state files. */
async function historyOf(
  { mask, newId, now, settings }: Runtime,
  view: View,
  { runs }: Pick<Transaction<unknown, unknown, unknown, unknown>, "runs">,
  proposal: Proposal<unknown>,
  caller: Caller,
  run: string | null,
): Promise<readonly Change[]> {
  const { changes = [], events = [], logged: details } = proposal;
  if (runs === undefined) return [];
  return logChanges(view, await kindOf(runs, view, run), {
    changes,
    events: events.map((event) => masked(event, mask)),
    details,
    caller,
    time: now().toISOString(),
    id: newId(),
    shares: async (workflow) => sharesRuns(await settings(view), workflow),
  });
}

/** The event as a line of the log. */
export function appended(event: PawlEvent): Change {
  return { type: "append", path: EVENTS, id: event.id, text: `${JSON.stringify(event)}\n` };
}

/** The id is made on first use, since reading needs none. */
function nowOf(time: string, newId: () => string): Now {
  let id: string | undefined;
  return {
    time,
    get id() {
      id ??= newId();
      return id;
    },
  };
}

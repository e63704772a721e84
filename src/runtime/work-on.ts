/**
 * One claimed task, from event to event: perform the last row's commands, commit what came of them, again. Whatever
 * was under way when an earlier owner died is ended first, and its session given up.
 */
import type { BloomHappening } from "../base/bloom-event.ts";
import { type ErrorCode, toPawlError } from "../base/error.ts";
import type { Caller, PawlEvent } from "../base/event.ts";
import type { ProjectPath } from "../base/path.ts";
import type { Clock, Watch } from "../base/ports.ts";
import { type CameInput, type Committed, commitCame } from "../workflows/bloom/advances.ts";
import { added } from "../workflows/bloom/budget.ts";
import { perform } from "../workflows/bloom/commands/perform.ts";
import { readCall } from "../workflows/bloom/own-verbs.ts";
import { wordOf } from "../workflows/bloom/reconcile.ts";
import type { Came, Known, Ports, Site } from "../workflows/bloom/site.ts";
import { BLOOM } from "../workflows/bloom/table.ts";
import { forgetSession } from "../workflows/bloom/verbs/edits.ts";
import { advance, type Runtime } from "./advance.ts";
import { askPerson } from "./ask-person.ts";
import type { Patience } from "./patience.ts";

export interface WorkSetup {
  readonly runtime: Runtime;
  readonly ports: Ports;
  readonly watch: Watch;
  readonly clock: Clock;
  readonly name: string;
  readonly show: (happening: BloomHappening | PawlEvent) => void;
  readonly stop: AbortSignal;
  readonly patience: Patience;
}

export interface Work {
  readonly id: string;
  /** Ends what is under way; renewed for each command. */
  abort: AbortController;
  /** The messages that the agent which now runs was told; null: none runs. */
  told: readonly ProjectPath[] | null;
}

const AT_REST: ReadonlySet<string> = new Set(["waiting_for_human", "blocked", "budget_exhausted", "done"]);

/** The task is gone. */
const GONE = Symbol("gone");

export async function workOn(
  setup: WorkSetup,
  work: Work,
  abandoned: boolean,
  caller: Caller,
): Promise<void> {
  let told = false;
  try {
    let known = await recover(setup, work, caller);
    const claimed: BloomHappening = {
      type: "task:claimed",
      taskId: work.id,
      worker: setup.name,
      takenOver: abandoned,
    };
    while (!setup.stop.aborted) {
      const came = await next(setup, work, known, caller);
      if (came === null) break;
      // A look at its pull request is no work on it.
      const tells: boolean = !told && came.event !== "pr_pending";
      const more: Came = tells ? { ...came, happened: [claimed, ...(came.happened ?? [])] } : came;
      told ||= tells;
      const committed = await commit(setup, work.id, more, caller);
      known = committed.known;
      if (committed.event === "interrupted" || committed.event === "pr_pending") break;
    }
  } catch (error) {
    if (error !== GONE) throw error;
  } finally {
    if (told) setup.show({ type: "task:released", taskId: work.id, worker: setup.name });
  }
}

/** What comes next of the task, or null where it rests. */
async function next(setup: WorkSetup, work: Work, known: Known, caller: Caller): Promise<Came | null> {
  const { run } = known;
  // A task that rests or backs off, and that a person has begun anew, is at work again.
  const word = wordOf(known.task, run);
  if (word !== null) return { event: word };
  if (run.state === "ready") return { event: "claimed" };
  if (AT_REST.has(run.state)) return null;
  if (run.after !== null && run.after > setup.clock.now().toISOString()) return null;
  const commands = BLOOM.rows.find((row) => row.id === run.row)?.commands ?? [];
  let site = siteOf(setup, work, known, caller);
  for (const command of commands) {
    const came = await perform(command, site);
    if (came.event !== undefined) return came;
    site = siteOf(setup, work, (await commit(setup, work.id, came, caller)).known, caller);
  }
  return null;
}

function siteOf(setup: WorkSetup, work: Work, known: Known, caller: Caller): Site {
  work.abort = new AbortController();
  if (setup.stop.aborted) work.abort.abort("interrupted");
  const { signal } = work.abort;
  let latest = known;
  return {
    ports: setup.ports,
    get known() {
      return latest;
    },
    stop: signal,
    show: setup.show,
    mayIt: (question, over) => askPerson(setup, work.id, question, over, caller),
    takeCalls: (run) => takeCalls(setup, work.id, run),
    async note(came) {
      latest = (await commit(setup, work.id, came, caller)).known;
      return latest;
    },
    delivered(messages) {
      work.told = messages;
    },
    now: () => setup.clock.now(),
  };
}

async function recover(setup: WorkSetup, work: Work, caller: Caller): Promise<Known> {
  const { known } = await commit(setup, work.id, {}, caller);
  const { underway, session } = known.run;
  if (underway.length === 0) return known;
  const happened: BloomHappening[] = [];
  let { spent } = known.run;
  for (const run of underway) {
    spent = added({ spent }, await setup.ports.agents.spentBy(run), 0);
    await takeCalls(setup, work.id, run);
    const count = await setup.ports.agents.endLeftovers(run);
    if (count > 0) happened.push({ type: "agent:leftovers_ended", taskId: work.id, run, count });
  }
  const reason = "its worker ended in the middle of the agent's run";
  if (session !== null) happened.push({ type: "session:lost", taskId: work.id, session: session.id, reason });
  const patch = { underway: [], session: null, spent };
  return (await commit(setup, work.id, { patch, edits: forgetSession(known.task), happened }, caller)).known;
}

/** What cannot be done as it was asked for is told, and is no failure of the loop. */
async function takeCalls(setup: WorkSetup, taskId: string, run: string): Promise<void> {
  const warn = (text: string) => setup.show({ type: "agent:warned", taskId, run, text });
  await setup.ports.agents.takeCalls(run, async (call, own) => {
    const asked = readCall(call);
    const verb = call.verb.slice(0, 80);
    if (!own) return warn(`a call of ${verb} in its outbox is not its own: it lacks the run's capability`);
    if (!asked) return warn(`it may not ask for ${verb} in this way: passed over`);
    try {
      const caller: Caller = { channel: "agent", who: run, task: taskId };
      await advance(setup.runtime, await asked.advance(), asked.input, caller);
    } catch (thrown) {
      const { code, message } = toPawlError(thrown);
      if (!REFUSES.has(code)) throw thrown;
      warn(`${verb} was not done: ${message}`);
    }
  });
}

const REFUSES: ReadonlySet<ErrorCode> = new Set(["usage", "caller-not-allowed"]);

async function commit(
  setup: WorkSetup,
  task: string,
  came: Came,
  caller: Caller,
): Promise<Committed & { readonly known: Known }> {
  const input: CameInput = { task, came };
  for (let paused = false; ; paused = true)
    try {
      const { reply } = await advance(setup.runtime, commitCame, input, caller);
      setup.patience.succeeded(paused);
      for (const event of reply.happened) setup.show(event);
      if (reply.known === null) throw GONE;
      return { ...reply, known: reply.known };
    } catch (error) {
      // What came is in memory only: it is not given up for a file that cannot be read just now.
      if (!setup.patience.bears(error)) throw error;
      await setup.patience.wait();
    }
}

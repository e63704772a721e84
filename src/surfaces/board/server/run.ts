/** One run: its state in its table, what may happen next, its history and its events. */
import { BoundedMap } from "../../../core/bounded-map.ts";
import { toPawlError } from "../../../core/error.ts";
import type { Caller } from "../../../core/event.ts";
import type { EventLog } from "../../../core/ports/event-log.ts";
import type { TableState } from "../../../runtime/board.ts";
import type { Project } from "../../../runtime/project.ts";
import { type Digest, openDigest } from "../../../runtime/reports/log-digest.ts";
import { findRun, type NamedRun, overviewOf } from "../../../runtime/reports/overview.ts";
import { kindOf, loadState } from "../../../runtime/run-log/kind.ts";
import { runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import type { RunEntry, RunPage, Tasks, TimelineEntry } from "../wire.ts";
import { nameOf, wordsOf } from "./event-words.ts";
import { runEntry } from "./inbox.ts";
import { machineOf, movesAt } from "./machine.ts";

/** Used only for reading. */
const READER: Caller = { channel: "board" };

export async function runOf(
  project: Project,
  log: EventLog,
  timelines: Timelines,
  name: string,
  tasks: (run: string) => Promise<Tasks>,
): Promise<RunPage> {
  const named = await findRun(project, name);
  const entry = await overviewOf(project, named);
  const tablePlace = await tablePlaceOf(project, named);
  return {
    task: named.module.board
      ? ((await tasks(named.run)).tasks.find(({ run }) => run === named.run) ?? null)
      : null,
    entry: entry ? runEntry(entry) : finished(named.run, tablePlace?.configuration.state ?? "done"),
    machine: tablePlace && machineOf(tablePlace.workflow),
    at: tablePlace?.configuration.state ?? null,
    moves: tablePlace ? movesAt(tablePlace, entry?.awaits ?? "nobody") : [],
    story: await storyOf(project, named),
    timeline: await timelines(log, named),
  };
}

/** Null if the run is in no table now, or its state is unreadable, which the run's entry shows. */
async function tablePlaceOf({ runtime }: Project, { module, run }: NamedRun): Promise<TableState | null> {
  try {
    const view = runtime.store.view();
    const kind = module.log && (await kindOf(await module.log.kind(), view, run));
    const state = kind ? await loadState(view, kind, run) : null;
    const at = state && kind?.at(state.text);
    const tables = at ? await module.tables() : [];
    const own = at && kind?.tableOf(at.machine);
    const ownTable = tables.find(({ workflow }) => workflow.name === at?.machine);
    // A task's life is no table of its module.
    const table = ownTable ?? (own && tables[0] ? { ...tables[0], workflow: own } : null);
    return at && table && Object.hasOwn(table.workflow.states, at.state)
      ? { ...table, configuration: at }
      : null;
  } catch {
    return null;
  }
}

/** The overview omits finished runs. */
function finished(run: string, state: string): RunEntry {
  const title = run.slice(run.indexOf(":") + 1);
  return {
    run,
    title,
    state,
    awaits: "nobody",
    next: "",
    since: null,
    isBegun: true,
    isGate: false,
    problem: null,
  };
}

async function storyOf({ runtime }: Project, { id, module }: NamedRun): Promise<string> {
  if (!module.story) return "";
  try {
    return (await runTransaction(runtime, await module.story(), { id }, READER)).reply.text;
  } catch (thrown) {
    const { fix, message } = toPawlError(thrown);
    return `${message}\n\n${fix}\n`;
  }
}

const MAX_ENTRIES = 500;
/** More than a person has open at once. */
const MAX_RUNS = 20;

/** The latest events of runs, the oldest first. */
export type Timelines = (log: EventLog, named: NamedRun) => Promise<readonly TimelineEntry[]>;

export function openTimelines(): Timelines {
  const kept = new BoundedMap<string, Digest<TimelineEntry[]>>(MAX_RUNS);
  return async (log, named) => {
    const digest = kept.get(named.run) ?? openTimeline(named);
    // Set again: the run that was used least recently is dropped first.
    kept.set(named.run, digest);
    return (await digest.of(log)).slice(-MAX_ENTRIES);
  };
}

function openTimeline({ id, run }: NamedRun): Digest<TimelineEntry[]> {
  return openDigest<TimelineEntry[]>({
    // The id as it appears inside JSON.
    containing: [`${JSON.stringify(id).slice(1, -1)}"`],
    make: () => [],
    take(found, event) {
      if (nameOf(event) !== run) return;
      const { by, duration, usd } = event as Partial<Record<"by" | "duration" | "usd", unknown>>;
      found.push({
        time: event.time,
        words: wordsOf(event),
        by: byOf(by),
        usd: typeof usd === "number" ? usd : null,
        duration_ms: typeof duration === "number" ? duration : null,
      });
      if (found.length > MAX_ENTRIES * 2) found.splice(0, found.length - MAX_ENTRIES);
    },
  });
}

function byOf(by: unknown): string | null {
  if (typeof by === "string") return by;
  const { channel } = (by ?? {}) as { readonly channel?: unknown };
  return typeof channel === "string" && channel !== "library" ? channel : null;
}

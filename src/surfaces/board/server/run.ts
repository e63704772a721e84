/** One run: where it stands in its table, what may happen next, its history and its events. */
import { toPawlError } from "../../../core/error.ts";
import type { Caller } from "../../../core/event.ts";
import type { EventLog } from "../../../core/ports/event-log.ts";
import { findRun, type NamedRun, overview } from "../../../runtime/overview.ts";
import type { Project } from "../../../runtime/project.ts";
import { advance } from "../../../runtime/run-transaction.ts";
import type { RunEntry, RunPage, TimelineEntry } from "../wire.ts";
import { nameOf, parseEvent, wordsOf } from "./happened.ts";
import { runEntry } from "./inbox.ts";
import { machineOf, movesAt } from "./machine.ts";

/** Reads only. */
const READER: Caller = { channel: "board" };

export async function runOf(project: Project, log: EventLog, name: string): Promise<RunPage> {
  const named = await findRun(project, name);
  const all = (await overview(project)).flatMap(({ runs }) => runs);
  const entry = all.find(({ run }) => run === named.run);
  const place = await tablePlaceOf(project, named);
  return {
    entry: entry ? runEntry(entry) : finished(named.run, place?.configuration.state ?? "done"),
    machine: place && machineOf(place.workflow),
    at: place?.configuration.state ?? null,
    moves: place ? movesAt(place, entry?.awaits ?? "nobody") : [],
    story: await storyOf(project, named),
    timeline: await timelineOf(log, named),
  };
}

/** A state that cannot be read is shown with the run's entry. */
async function tablePlaceOf({ runtime }: Project, { id, module }: NamedRun) {
  try {
    return (await module.tablePlace?.(runtime.store.view(), id)) ?? null;
  } catch {
    return null;
  }
}

/** The overview leaves out what is over. */
function finished(run: string, state: string): RunEntry {
  const title = run.slice(run.indexOf(":") + 1);
  return { run, title, state, awaits: "nobody", next: "", since: null, isBegun: true, problem: null };
}

async function storyOf({ runtime }: Project, { id, module }: NamedRun): Promise<string> {
  if (!module.story) return "";
  try {
    return (await advance(runtime, await module.story(), { id }, READER)).reply.text;
  } catch (thrown) {
    const { fix, message } = toPawlError(thrown);
    return `${message}\n\n${fix}\n`;
  }
}

const PART = 4 * 1024 * 1024;
const MOST = 500;

/** The run's latest events, the oldest first. */
async function timelineOf(log: EventLog, { id, run }: NamedRun): Promise<readonly TimelineEntry[]> {
  const look = await log.look();
  if (look === null) return [];
  // As JSON holds it, whatever is in it.
  const containing = [`${JSON.stringify(id).slice(1, -1)}"`];
  const found: TimelineEntry[] = [];
  for (let from = 0; from < look.end; ) {
    const part = await log.read({ generation: look.generation, from, most: PART, containing });
    if (part === null || part.next === from) break;
    for (const entry of part.entries) {
      const event = parseEvent(entry);
      if (event === null || nameOf(event) !== run) continue;
      const { by, duration, usd } = event as {
        readonly by?: unknown;
        readonly duration?: unknown;
        readonly usd?: unknown;
      };
      found.push({
        time: event.time,
        words: wordsOf(event),
        by: byOf(by),
        usd: typeof usd === "number" ? usd : null,
        duration_ms: typeof duration === "number" ? duration : null,
      });
    }
    if (found.length > MOST * 2) found.splice(0, found.length - MOST);
    from = part.next;
  }
  return found.slice(-MOST);
}

function byOf(by: unknown): string | null {
  if (typeof by === "string") return by;
  const { channel } = (by ?? {}) as { readonly channel?: unknown };
  return typeof channel === "string" ? channel : null;
}

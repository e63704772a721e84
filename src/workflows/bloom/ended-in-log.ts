/**
 * Which tasks and steps are over according to the event log: the last event about the status of each decides.
 */
import type { EventLog } from "../../core/ports/event-log.ts";
import { parseEvent } from "../../runtime/reports/log-digest.ts";

/** Lines: far more than are written between two passes of the loop. */
const MOST = 5_000;
const CHUNK = 500;

const OVER: ReadonlySet<string> = new Set(["done", "done_pending_merge", "cancelled"]);

export async function endedInLog(log: EventLog, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const open = new Set(ids);
  const ended = new Set<string>();
  let before = (await log.look())?.end ?? 0;
  for (let read = 0; before > 0 && open.size > 0 && read < MOST; read += CHUNK) {
    const entries = await log.readBack({ before, limit: CHUNK });
    for (const entry of entries) {
      const told = toldBy(parseEvent(entry));
      if (told === null || !open.delete(told.id)) continue;
      if (told.isOver) ended.add(told.id);
    }
    before = entries.at(-1)?.start ?? 0;
  }
  return ended;
}

function toldBy(
  event: ReturnType<typeof parseEvent>,
): { readonly id: string; readonly isOver: boolean } | null {
  switch (event?.type) {
    case "task:completed":
    case "task:cancelled":
      return { id: event.taskId, isOver: true };
    case "step:completed":
    case "step:cancelled":
      return { id: event.stepId, isOver: true };
    case "task:status_changed":
      return { id: event.taskId, isOver: OVER.has(event.to) };
    case "task:claimed":
    case "task:reset":
      return { id: event.taskId, isOver: false };
    default:
      return null;
  }
}

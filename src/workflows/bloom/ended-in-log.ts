/**
 * Which tasks and steps have ended as the tasks file says, according to the event log: the last event about the status of each
 * decides. A task whose agent called it done, and that waits for a person since, is not done.
 */
import type { EventLog } from "../../core/ports/event-log.ts";
import type { EndedItem } from "../../core/ports/loop.ts";
import { parseEvent } from "../../runtime/reports/log-digest.ts";

/** Lines: far more than are written between two passes of the loop. */
const MAX_LINES = 5_000;
const CHUNK = 500;

export async function endedInLog(log: EventLog, items: readonly EndedItem[]): Promise<ReadonlySet<string>> {
  const open = new Map(items.map(({ id, status }) => [id, status]));
  const ended = new Set<string>();
  let before = (await log.position())?.end ?? 0;
  for (let read = 0; before > 0 && open.size > 0 && read < MAX_LINES; read += CHUNK) {
    const entries = await log.readBack({ before, limit: CHUNK });
    for (const entry of entries) {
      const item = endedBy(parseEvent(entry));
      const status = item && open.get(item.id);
      if (!item || status === undefined) continue;
      open.delete(item.id);
      if (item.status === status) ended.add(item.id);
    }
    before = entries.at(-1)?.start ?? 0;
  }
  return ended;
}

/** It was begun anew. */
const OPEN = "todo";

function endedBy(event: ReturnType<typeof parseEvent>): EndedItem | null {
  switch (event?.type) {
    case "task:completed":
      return { id: event.taskId, status: "done" };
    case "task:cancelled":
      return { id: event.taskId, status: "cancelled" };
    case "step:completed":
      return { id: event.stepId, status: "done" };
    case "step:cancelled":
      return { id: event.stepId, status: "cancelled" };
    case "task:status_changed":
      return { id: event.taskId, status: event.to };
    case "task:claimed":
    case "task:reset":
      return { id: event.taskId, status: OPEN };
    default:
      return null;
  }
}

import { projectPath } from "../../core/path.ts";
import type { View } from "../../core/ports/store.ts";

/** What the owner of a task's claim writes beside it, again and again. */
export interface Lease {
  readonly beat?: unknown;
}

/** A lease is written anew every quarter of a minute; one that was missed so often is a dead owner's. */
const LEASE_MILLISECONDS = 60_000;

/** Null: nobody has the task. A torn lease is no sign of life. */
export async function loadLease(view: View, task: string): Promise<Lease | null> {
  const text = await view.read(projectPath(".pawl/claims", `${task}.json`));
  try {
    return text === null ? null : (JSON.parse(text) as Lease | null);
  } catch {
    return null;
  }
}

/** Whether the owner has given a sign of life of late; `time` is now. */
export function isAlive(lease: Lease | null | undefined, time: string): boolean {
  const beat = lease?.beat;
  return typeof beat === "string" && Date.parse(time) - Date.parse(beat) < LEASE_MILLISECONDS;
}

/**
 * Which parts of a tasks file are known to have no problem between their tasks, so that a change of one task's progress does not
 * look through all of them again.
 */
import type { Part, Parts } from "./parts.ts";
import type { Task } from "./task.ts";

/** The last ones. */
let sound: Parts | null = null;

export function keepSound(parts: Parts): void {
  sound = parts;
}

/** Whether these differ from the last sound ones in nothing that a problem between tasks could be about. */
export function isSound(parts: Parts): boolean {
  const before = sound;
  const { entries, git } = parts;
  if (before === null || before.entries.length !== entries.length) return false;
  if (JSON.stringify(before.git) !== JSON.stringify(git)) return false;
  if (!entries.every((part, at) => hasSameOutline(part, before.entries[at]))) return false;
  sound = parts;
  return true;
}

function hasSameOutline(part: Part, before: Part | undefined): boolean {
  return part === before || (before !== undefined && outlineOf(part) === outlineOf(before));
}

/** What work leaves behind in a task. */
const PROGRESS: ReadonlySet<string> = new Set([
  "status",
  "ai_notes",
  "session_id",
  "session_provider",
  "started_at",
  "completed_at",
  "cancel_reason",
] satisfies readonly (keyof Task)[]);

const outlines = new WeakMap<Part, string>();

function outlineOf(part: Part): string {
  const known = outlines.get(part);
  if (known !== undefined) return known;
  const outline = JSON.stringify(part.tasks, (key, value) => (PROGRESS.has(key) ? undefined : value));
  outlines.set(part, outline);
  return outline;
}

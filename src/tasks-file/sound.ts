/** What problems between tasks can be about, so that a change of anything else does not look through all tasks again. */
import type { Part, Parts } from "./parts.ts";
import type { Task } from "./task.ts";

/** Whether these differ from sound ones in nothing that a problem between tasks could be about. */
export function staysSound({ entries, git }: Parts, sound: Parts): boolean {
  if (sound.entries.length !== entries.length) return false;
  if (JSON.stringify(sound.git) !== JSON.stringify(git)) return false;
  return entries.every((part, at) => hasSameOutline(part, sound.entries[at]));
}

function hasSameOutline(part: Part, before: Part | undefined): boolean {
  return part === before || (before !== undefined && outlineOf(part) === outlineOf(before));
}

/** Of tasks, subtasks and steps. */
const OUTLINE: readonly (keyof Task)[] = [
  "id",
  "phase",
  "depends_on",
  "repo",
  "branch",
  "base_branch",
  "merge_into",
  "open_pr",
  "checkpoint",
  "steps",
  "subtasks",
];

const outlines = new WeakMap<Part, string>();

function outlineOf(part: Part): string {
  const known = outlines.get(part);
  if (known !== undefined) return known;
  const outline = JSON.stringify(part.tasks, [...OUTLINE]);
  outlines.set(part, outline);
  return outline;
}

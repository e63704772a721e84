/** Why the changes of the working folder cannot be shown to a reviewer. */
import type { Snapshot } from "../../core/ports/git.ts";

/** Why the changes are not known where there can be none to know. */
export const NO_REPOSITORY = "the folder is not a git repository";

/** Why the changes of the working folder are unknown; null: they are known. */
export function unknownChanges(work: Snapshot): string | null {
  if (work.kind === "unavailable") return work.reason;
  if (work.kind === "not-a-repository") return NO_REPOSITORY;
  return work.base === null ? "there is no base branch (main, master) to compare with" : null;
}

/** The changes of the working folder, for a reviewer. */
import type { ChangedFile, GitChanges, Snapshot } from "../../core/ports/git.ts";

/** Why the changes of the working folder are unknown; null: they are known. */
export function unknownChanges(work: Snapshot): string | null {
  if (work.kind === "unavailable") return work.reason;
  if (work.kind === "not-a-repository") return "the folder is not a git repository";
  return work.base === null ? "there is no base branch (main, master) to compare with" : null;
}

/** The changes of the working folder since its base. `files`: those that count as work. */
export function changesIn(work: Snapshot, files?: readonly ChangedFile[]): GitChanges {
  const reason = unknownChanges(work);
  if (reason !== null || work.kind !== "tree") return { kind: "unavailable", reason: reason ?? "" };
  return { kind: "changes", base: work.base?.branch ?? "", files: files ?? work.files };
}

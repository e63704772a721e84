/** What a look at the working folder tells a reviewer of its changes. */
import type { ChangedFile, GitChanges, Snapshot } from "../../core/ports/git.ts";

/** Why it cannot be said what the working folder changed; null: it can. */
export function unknownChanges(work: Snapshot): string | null {
  if (work.kind === "unavailable") return work.reason;
  if (work.kind === "not-a-repository") return "the folder is not a git repository";
  return work.base === null ? "there is no base branch (main, master) to compare with" : null;
}

/** What the working folder changed since it left its base. `files`: those of them that count as work. */
export function changesIn(work: Snapshot, files?: readonly ChangedFile[]): GitChanges {
  const reason = unknownChanges(work);
  if (reason !== null || work.kind !== "tree") return { kind: "unavailable", reason: reason ?? "" };
  return { kind: "changes", base: work.base?.branch ?? "", files: files ?? work.files };
}

/** What a person judges at the approval of a task. */
import type { Judged } from "../../runtime/review/version.ts";
import { APPROVAL } from "./govern.ts";
import type { TaskRun } from "./run/task-run.ts";

export function awaitsVerdict(run: Pick<TaskRun, "kept" | "state">): boolean {
  const approval = run.state === "waiting_for_human" && run.kept.awaits === "approval";
  return approval || run.state === "opening_pr";
}

export function judgedIn({ since, state, task, work, ...run }: TaskRun): Judged {
  const repo = repoOf({ work });
  // The same commit may be in two repositories.
  const judged = work && repo !== null ? `${work.commit} in ${repo}` : (work?.commit ?? null);
  return {
    ...{ run: `bloom:${task}`, gate: APPROVAL, state, artifact: null },
    ...{ round: roundOf(run), work: judged, at: since },
  };
}

/** The repository of the task's work; null: the project's own. */
export function repoOf({ work }: { readonly work?: TaskRun["work"] | undefined }): string | null {
  return work && work.repo !== "" && work.repo !== "." ? work.repo : null;
}

export function roundOf({ verdicts }: Pick<TaskRun, "verdicts">): number {
  return 1 + verdicts.filter(({ approved }) => !approved).length;
}

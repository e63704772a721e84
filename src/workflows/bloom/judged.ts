/** What a person judges of a task that waits for approval. */
import type { Judged } from "../../runtime/review/version.ts";
import { APPROVAL } from "./govern.ts";
import type { TaskRun } from "./task-run.ts";

export function awaitsVerdict(run: Pick<TaskRun, "kept" | "state">): boolean {
  const approval = run.state === "waiting_for_human" && run.kept.awaits === "approval";
  return approval || run.state === "opening_pr";
}

export function judgedIn({ since, state, task, work, ...run }: TaskRun): Judged {
  return {
    ...{ run: `bloom:${task}`, gate: APPROVAL, state, artifact: null },
    ...{ round: roundOf(run), work: work?.commit ?? null, at: since },
  };
}

export function roundOf({ verdicts = [] }: Pick<TaskRun, "verdicts">): number {
  return 1 + verdicts.filter(({ approved }) => !approved).length;
}

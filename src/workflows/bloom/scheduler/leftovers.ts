import type { View } from "../../../core/ports/store.ts";
import { findRun, listRuns } from "../run/task-run.ts";

export interface Underway {
  readonly task: string;
  /** Of agents and commands. */
  readonly runs: readonly string[];
}

/**
 * The tasks whose run says that agents or commands are under way. Ignores unreadable runs; their reader reports them.
 */
export async function listUnderway(view: View): Promise<readonly Underway[]> {
  const found: Underway[] = [];
  for (const task of await listRuns(view)) {
    const run = await findRun(view, task).catch(() => null);
    if (run !== null && run.underway.length > 0) found.push({ task, runs: run.underway });
  }
  return found;
}

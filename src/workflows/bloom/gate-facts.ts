/** What both a review and a verdict look up about a task's work. */
import { ignoredIn, type PolicyChange, renderChange } from "../../core/policy.ts";
import { placed } from "../../core/policy-places.ts";
import type { GitCommits } from "../../core/ports/git.ts";
import type { Outside } from "../../core/ports/outside.ts";
import { gitOf } from "../../runtime/review/git-of.ts";
import type { ReviewFinding } from "../../runtime/review/question.ts";
import { taskOf } from "../../tasks-file/load.ts";
import { findTask } from "../../tasks-file/task.ts";
import { taskPolicy, taskSources } from "./govern.ts";
import { repoOf } from "./judged.ts";
import type { TaskRun } from "./run/task-run.ts";
import type { Snapshot } from "./verbs/snapshot.ts";

/** What was loosened in the tasks file since the task began. */
export async function ignoredFor(
  { file, path, text }: Snapshot,
  id: string,
  { policies }: Outside,
): Promise<readonly PolicyChange[]> {
  const task = findTask(file.tasks, id);
  const pinned = task && ((await policies?.find(`bloom:${task.id}`)) ?? null);
  const loosened = task && pinned ? ignoredIn(pinned, taskPolicy(task)) : [];
  return placed(loosened, taskSources(path, id), async () => text);
}

export async function commitsOf(file: Snapshot["file"], run: TaskRun, outside: Outside): Promise<GitCommits> {
  const target = taskOf(file.tasks, run.task).merge_into ?? null;
  const git = await gitOf(outside, repoOf(run));
  return "reason" in git ? { kind: "unavailable", ...git } : git.commits(target, run.work?.commit ?? "");
}

export function policyFindings(id: string, ignored: readonly PolicyChange[]): readonly ReviewFinding[] {
  if (ignored.length === 0) return [];
  const words = `The tasks file was loosened since the task began, which is ignored: ${ignored.map(renderChange).join("; ")}. \`pawl config policy bloom:${id} --accept\` lets it count.`;
  return [{ about: "policy", verdict: "differs", words }];
}

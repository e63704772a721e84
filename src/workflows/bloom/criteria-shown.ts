/** The state of a task's criteria, by the results that the loop has seen. */
import { criterionText, isChecked } from "../../core/criterion.ts";
import type { ReviewCriterion } from "../../runtime/review/model.ts";
import { criteriaOf, type Task } from "../../tasks-file/task.ts";
import type { TaskRun } from "./run/task-run.ts";

/** The task's own criteria, then those of its steps that have a check. A result on other work counts for nothing. */
export function criteriaShown(
  { evidence, work }: Pick<TaskRun, "evidence" | "work">,
  task: Task,
): readonly ReviewCriterion[] {
  const count = task.acceptance_criteria.length;
  return criteriaOf(task).flatMap((criterion, at): readonly ReviewCriterion[] => {
    const text = criterionText(criterion);
    if (!isChecked(criterion)) return at < count ? [{ text, check: null }] : [];
    const { check: command } = criterion;
    const last = evidence.findLast(
      (each) =>
        each.command === command && each.on === "worktree" && (work === null || each.commit === work.commit),
    );
    const ended = last === undefined ? "not-run" : last.exit === 0 ? "passed" : "failed";
    return [{ text, check: { command, state: last?.empty ? "empty" : ended } }];
  });
}

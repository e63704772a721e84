/** An acceptance criterion: a person judges whether it is met, or its command shows it. */
export type Criterion = string | CheckedCriterion;

export interface CheckedCriterion {
  readonly text: string;
  /** The shell command that passes only if the criterion is met. */
  readonly check: string;
}

export function isChecked(criterion: Criterion): criterion is CheckedCriterion {
  return typeof criterion !== "string";
}

export function criterionText(criterion: Criterion): string {
  return isChecked(criterion) ? criterion.text : criterion;
}

/** As an agent and a reader get it. */
export function criterionWords(criterion: Criterion): string {
  return isChecked(criterion) ? `${criterion.text.trim()}\nChecked by: ${criterion.check}` : criterion;
}

interface Judged {
  readonly verify?: readonly string[] | undefined;
  readonly acceptance_criteria: readonly Criterion[];
}

/** Every command that judges a task or one of its steps. */
export function allChecksOf(task: Judged & { readonly steps: readonly Judged[] }): readonly string[] {
  return [task, ...task.steps].flatMap(checksOf);
}

/** Every command that judges a task or a step. */
function checksOf({ acceptance_criteria, verify = [] }: Judged): readonly string[] {
  return [...verify, ...acceptance_criteria.filter(isChecked).map(({ check }) => check)];
}

import { type ProjectPath, projectPath } from "../../core/path.ts";

/** The working files, by the name of the fact that says whether each exists. */
export const FILE_NAMES = {
  context: "context.md",
  plan: "plan.md",
  task: "task.md",
  results: "task-results.md",
  comments: "comments.md",
  review_task: "review-task.md",
  review_results: "review-task-results.md",
} as const;

export type FileKey = keyof typeof FILE_NAMES;

export const FILE_KEYS = Object.keys(FILE_NAMES) as readonly FileKey[];

/** The project's only run, and its name. */
export const RUN_ID = "main";
export const RUN = `spells:${RUN_ID}`;

export const AI_FOLDER = projectPath(".ai");
export const TASK_FOLDER = projectPath(".ai/task");
export const STATE_FILE = projectPath(".ai/task/state.json");
export const REFS_FILE = projectPath(".ai/task/.atlassian-refs");
export const TASK_ARCHIVES = projectPath(".ai/task/tasks");
export const REVIEW_ARCHIVES = projectPath(".ai/task/pr-reviews");
export const GUIDES = {
  "plan-guide.md": projectPath(".ai/plan-guide.md"),
  "task-guide.md": projectPath(".ai/task-guide.md"),
} as const;
/**
 * Files copied once from the templates of these names. The state belongs to one checkout, so git must ignore
 * it.
 */
export const COPIED = { ...GUIDES, "gitignore.md": projectPath(".ai/.gitignore") } as const;

export function pathOf(key: FileKey): ProjectPath {
  return projectPath(".ai/task", FILE_NAMES[key]);
}

/** The name, with a counter if it is taken; names that differ only in case count as equal. */
export function freeName(name: string, taken: readonly string[]): string {
  const lower = new Set(taken.map((other) => other.toLowerCase()));
  for (let counter = 1; ; counter++) {
    const candidate = counter === 1 ? name : `${name}-${counter}`;
    if (!lower.has(candidate.toLowerCase())) return candidate;
  }
}

/**
 * The artifacts that an assistant submits. These schemas are the single source for validation, for the
 * structure in the prompts, and for the documentation. Unknown keys are refused.
 */
import { z } from "zod";
import { isId } from "../../../core/id.ts";
import { normalPath, pathFault } from "../../../core/path.ts";

const ID_RULE = "an id: A-Z a-z 0-9 . _ -, beginning with a letter or digit, at most 100 characters";

const id = (description: string) => z.string().refine(isId, { error: ID_RULE }).describe(description);

/** A normalised path relative to the project and inside it: `./src/../src/b.js` becomes `src/b.js`. */
const path = (description: string) =>
  z
    .string()
    .transform(normalPath)
    .superRefine((text, context) => {
      const fault = pathFault(text);
      if (fault !== null)
        context.addIssue({ code: "custom", message: `a path inside the project (${fault})`, input: text });
    })
    .describe(description);

const operation = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.preprocess((value) => (typeof value === "string" ? value.toUpperCase() : value), z.enum(values));

const texts = (description: string) => z.array(z.string().describe(description));

export const GitStatusArtifact = z.strictObject({
  is_clean: z
    .boolean()
    .describe("true if 'git status --porcelain' names nothing outside .alfred/ and .pawl/, otherwise false"),
  current_branch: z.string().describe("the output of 'git rev-parse --abbrev-ref HEAD'"),
  uncommitted_files: texts("a file that it names, outside .alfred/ and .pawl/"),
});

export const BranchCreationArtifact = z.strictObject({
  branch_name: z.string().describe("the branch that you are on now"),
  success: z.boolean().describe("true if the command ran without an error"),
  details: z.string().describe("what git printed"),
});

export const ContextAnalysisArtifact = z.strictObject({
  context_summary: z.string().describe("what the code does today, as far as the task touches it"),
  affected_files: z.array(path("a file of the project that the task touches")),
  questions_for_developer: texts("a question whose answer changes the plan; none is a good answer"),
});

export const StrategyArtifact = z.strictObject({
  high_level_strategy: z.string().describe("how the task will be solved, and why so"),
  key_components: texts("a part to build or to change"),
  new_dependencies: texts("a library to add").default([]),
  risk_analysis: z.string().describe("what may go wrong").optional(),
});

const FileChange = z.strictObject({
  file_path: path("relative to the project"),
  change_summary: z.string().describe("what changes in it"),
  operation: operation(["CREATE", "MODIFY", "DELETE"]),
});

export const DesignArtifact = z.strictObject({
  design_summary: z.string().describe("the design, in a few sentences"),
  file_breakdown: z.array(FileChange),
});

const Slot = z.strictObject({
  slot_id: id("unique in the plan, such as S-01"),
  title: z.string(),
  spec: z.string().describe("what to do, complete enough for someone who sees only this slot"),
  location: path("the file that it works on"),
  operation: operation(["CREATE", "MODIFY", "DELETE", "REVIEW"]),
  taskflow: z.strictObject({
    procedural_steps: texts("a step, in order"),
    verification_steps: texts("how to see that it is done"),
  }),
  depends_on: z.array(id("a slot that must be done first")).optional(),
  delegation: z
    .union([z.string(), z.record(z.string(), z.unknown())])
    .describe("to whom the slot may be handed, and with what")
    .optional(),
});

export const ExecutionPlanArtifact = z.strictObject({
  slots: z
    .array(Slot)
    .min(1, { error: "at least one slot" })
    .check(graph("slot_id", "depends_on", "slot", "closed")),
});

export const ImplementationManifestArtifact = z.strictObject({
  summary: z.string().describe("what was done"),
  completed_subtasks: z.array(
    id("the id of a slot of the plan that is done; without a plan, the list is empty"),
  ),
  testing_notes: z.string().describe("how it was tested, and what was not"),
});

export const ReviewArtifact = z.strictObject({
  summary: z.string().describe("what was reviewed, and the verdict in a sentence"),
  approved: z.boolean().describe("false sends the task back for revisions"),
  feedback: texts("something to change, with its place"),
});

export const TestResultArtifact = z.strictObject({
  command: z.string().describe("the command that was run"),
  exit_code: z.int().describe("its exit code; anything but 0 sends the task back"),
  output: z.string().describe("the end of what it printed"),
});

export const FinalizeArtifact = z.strictObject({
  commit_hash: z.string().describe("the output of 'git rev-parse HEAD'"),
  pr_url: z.string().describe("the pull request's address; empty if there is none"),
});

export const EngineeringSpecArtifact = z.strictObject({
  title: z.string(),
  overview: z.string().describe("what is to be built and for whom, in a few sentences"),
  requirements: texts("something that can be checked"),
  design_decisions: texts("a decision and its reason"),
  out_of_scope: texts("what will not be done"),
  risks: texts("what may go wrong").optional(),
});

const PlannedTask = z.strictObject({
  task_id: id("unique in the project, such as TS-02"),
  title: z.string(),
  context: z.string().describe("why, and what to know"),
  implementation_details: z.string().describe("what to do"),
  acceptance_criteria: texts("something that can be checked"),
  dependencies: z.array(id("a task that must be done first")).optional(),
  priority: z.enum(["critical", "high", "medium", "low"]).optional(),
});

export const TaskListArtifact = z.strictObject({
  tasks: z
    .array(PlannedTask)
    .min(1, { error: "at least one task" })
    .check(graph("task_id", "dependencies", "task", "open")),
});

export const ARTIFACTS = {
  GitStatusArtifact,
  BranchCreationArtifact,
  ContextAnalysisArtifact,
  StrategyArtifact,
  DesignArtifact,
  ExecutionPlanArtifact,
  ImplementationManifestArtifact,
  ReviewArtifact,
  TestResultArtifact,
  FinalizeArtifact,
  EngineeringSpecArtifact,
  TaskListArtifact,
} as const;

export type ArtifactName = keyof typeof ARTIFACTS;
export type ArtifactOf<Name extends ArtifactName> = z.output<(typeof ARTIFACTS)[Name]>;

/**
 * Checks that ids are unique, and dependencies known (in a closed list) and acyclic. It checks the raw input,
 * so that these faults are reported together with all others.
 */
function graph(idKey: string, dependencyKey: string, noun: string, kind: "closed" | "open") {
  const check = z.check<unknown[]>((payload) => {
    const members = Array.isArray(payload.value) ? payload.value : [];
    const ids = members.map((member) => textAt(member, idKey));
    const dependencies = new Map<string, readonly string[]>();
    const report = (message: string, input: unknown, path: PropertyKey[]) =>
      payload.issues.push({ code: "custom", message, input, path });
    members.forEach((member, index) => {
      const id = ids[index];
      if (id === null || id === undefined) return;
      if (ids.indexOf(id) < index) report(`an id that no other ${noun} has`, id, [index, idKey]);
      const needed = textsAt(member, dependencyKey);
      if (!dependencies.has(id)) dependencies.set(id, needed);
      needed.forEach((other, place) => {
        if (kind === "closed" && !ids.includes(other))
          report(`the id of a ${noun} of the list (${ids.join(", ")})`, other, [index, dependencyKey, place]);
      });
    });
    const circle = findCircle(dependencies);
    if (circle) report(`dependencies without a circle (${circle.join(" → ")})`, circle, []);
  });
  check._zod.def.when = () => true;
  return check;
}

function textAt(value: unknown, key: string): string | null {
  const field = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : null;
  return typeof field === "string" ? field : null;
}

function textsAt(value: unknown, key: string): readonly string[] {
  const field = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : null;
  return Array.isArray(field) ? field.filter((item) => typeof item === "string") : [];
}

/** One cycle of dependencies, with its first member repeated at the end; null: none. */
function findCircle(dependencies: ReadonlyMap<string, readonly string[]>): readonly string[] | null {
  const done = new Set<string>();
  const visit = (task: string, trail: readonly string[]): readonly string[] | null => {
    const start = trail.indexOf(task);
    if (start >= 0) return [...trail.slice(start), task];
    if (done.has(task)) return null;
    for (const other of dependencies.get(task) ?? []) {
      if (!dependencies.has(other)) continue;
      const circle = visit(other, [...trail, task]);
      if (circle) return circle;
    }
    done.add(task);
    return null;
  };
  for (const task of dependencies.keys()) {
    const circle = visit(task, []);
    if (circle) return circle;
  }
  return null;
}

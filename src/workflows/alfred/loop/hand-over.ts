/** Hands a task over to the loop: first its accepted plan, then after each rejection the new requests. */

import { PawlError } from "../../../core/error.ts";
import type { PawlEvent } from "../../../core/event.ts";
import { checkId } from "../../../core/id.ts";
import type { Change, View } from "../../../core/ports/store.ts";
import type { Context, Reply, Transaction } from "../../../runtime/module.ts";
import type { TasksEdit } from "../../../tasks-file/edit.ts";
import type { Task } from "../../../tasks-file/task.ts";
import { type LoadedTask, type LoopProgress, loadTask } from "../state/load.ts";
import { type LoopSide, loadLoopSide } from "./loop-side.ts";
import { exportedTask, type NewStep, type NewTask } from "./plan-export.ts";
import { type Ask, asksOf, isRework, reworkId, reworkInstruction, unanswered } from "./rework.ts";

/** The changes that give the task to the loop, and the text that reports them. */
export interface HandOver {
  readonly text: string;
  readonly path: string;
  /** The ids of the task's steps there after the changes. */
  readonly steps: readonly string[];
  /** Empty if the loop has it already. */
  readonly changes: readonly Change[];
  readonly events: readonly PawlEvent[];
  /** The status of the loop's task after the changes; null if there are no changes. */
  readonly progress: LoopProgress | null;
}

export const exportPlan: Transaction<
  { readonly id: string },
  { id: string; handOver: HandOver },
  undefined,
  Reply
> = {
  run: ({ id }) => `alfred:${checkId(id, "task id")}`,
  read: async (view, { id }, context) => ({
    id,
    handOver: await loadHandOver(view, await loadTask(view, id), context),
  }),
  propose: ({ id, handOver: { changes, events, path, steps, text } }) => ({
    reply: { text, data: { task_id: id, path, steps } },
    changes,
    events,
  }),
};

/** Throws `plan-missing`, `tasks-invalid`, and `task-exists` if the task has other steps. */
export async function loadHandOver(view: View, loaded: LoadedTask, context: Context): Promise<HandOver> {
  const plan = exportedTask(loaded, context);
  const asks = asksOf(loaded.state);
  const side = await loadLoopSide(view, plan.id, context);
  if (side.task === null || side.task.steps.length === 0) return firstTime(view, side, plan, asks, context);
  checkHasPlan(side.task, plan, (id) => isRework(id, plan.id, planned(plan)), side.path);
  return again(view, { ...side, task: side.task }, plan, asks, context);
}

/**
 * Throws `task-exists` if the task's steps are not the plan's. Steps that a person added, and reworks, may
 * exist, too, once the loop is done with them.
 */
export function checkHasPlan(
  task: Task,
  plan: NewTask,
  isRework: (id: string) => boolean,
  file: string,
): void {
  const ids = task.steps.map(({ id }) => id);
  const planned = plan.steps.map(({ id }) => id);
  const present = JSON.stringify(ids.filter((id) => planned.includes(id)));
  const others = ids.filter((id) => !planned.includes(id));
  const mayHaveOthers = task.status === "done" || others.some(isRework);
  if (present === JSON.stringify(planned) && (others.length === 0 || mayHaveOthers)) return;
  throw new PawlError(
    "task-exists",
    `The task ${plan.id} in ${file} has steps already, other than the plan's: ${ids.join(", ")}. Nothing was changed.`,
    `Remove its steps in ${file}, then export the plan again.`,
  );
}

const planned = ({ steps }: Pick<NewTask | Task, "steps">): readonly string[] => steps.map(({ id }) => id);

// ── The plan ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Hands the plan over. Includes the reasons for earlier rejections, if there are any. */
async function firstTime(
  view: View,
  { path, taken, task: present }: LoopSide,
  plan: NewTask,
  asks: readonly Ask[],
  context: Context,
): Promise<HandOver> {
  const clash = [...(present ? [] : [plan.id]), ...planned(plan)].find((id) => taken.has(id));
  if (clash !== undefined)
    throw new PawlError(
      "task-exists",
      `The id ${clash}, which the plan of '${plan.id}' needs, is used in ${path} already. Nothing was changed.`,
      `Give the other task or step another id in ${path}, then export the plan again.`,
    );
  const task = asks.length === 0 ? plan : { ...plan, steps: [...plan.steps, reworkStep(plan, asks, taken)] };
  const steps = planned(task);
  return {
    text: `The plan of '${task.id}' is in ${path}: ${steps.length} steps of the task ${task.id} (${steps.join(", ")}). ${hints(task)}`,
    path,
    steps,
    changes: await proposed(view, [present ? withSteps(task) : withTask(task)], context),
    events: [],
    progress: { status: "todo", state: null, reason: null, done: 0, total: steps.length, is_done: false },
  };
}

function withTask(task: NewTask): TasksEdit {
  const { acceptance_criteria, delivery, id, instructions, title, verify = [] } = task;
  const item = {
    ...{ id, title, status: "todo", ...delivery },
    ...(verify.length > 0 && { verify }),
    ...(instructions !== "" && { instructions }),
    ...(acceptance_criteria.length > 0 && { acceptance_criteria }),
    steps: task.steps.map(stepItem),
  };
  return { type: "add-items", into: null, list: "tasks", items: [item] };
}

function withSteps({ id, steps }: Pick<NewTask, "id" | "steps">): TasksEdit {
  return { type: "add-items", into: id, list: "steps", items: steps.map(stepItem) };
}

function stepItem({ acceptance_criteria, id, instruction }: NewStep) {
  return { id, instruction, ...(acceptance_criteria.length > 0 && { acceptance_criteria }) };
}

function hints({ delivery, id, verify }: NewTask): string {
  const where = delivery
    ? `The loop merges its work into '${delivery.merge_into}'.`
    : "It says no `repo` and no `merge_into` (the task has no branch of its own yet): without them the loop works in the project's folder, and its evidence cannot be taken back.";
  const checks =
    verify && verify.length > 0
      ? ""
      : " No command verifies it: name some as its `verify`, or its evidence cannot be taken back.";
  return `${where}${checks} \`bloom run --task ${id} --once\` runs it.`;
}

// ── Later requests ─────────────────────────────────────────────────────────────────────────────────────────

type HandedOver = LoopSide & { readonly task: Task };

async function again(
  view: View,
  side: HandedOver,
  plan: NewTask,
  asks: readonly Ask[],
  context: Context,
): Promise<HandOver> {
  const { done, open, path, task } = side;
  const left = unanswered(asks, task, done?.work?.time ?? null);
  const rework = task.steps.findLast(
    (step) => step.status !== "done" && isRework(step.id, plan.id, planned(plan)),
  );
  if (rework)
    return unchanged(
      side,
      `The rework of '${plan.id}' is in ${path} already, as the open step ${rework.id}; the task is '${task.status}' there. Nothing was changed.${atRest(plan.id, task)}${missingNote(rework.instruction, left)}`,
    );
  if (left.length === 0)
    return unchanged(side, `The plan of '${plan.id}' is in ${path} already. Nothing was changed.`);
  if (task.status !== "done" || open !== null)
    return unchanged(
      side,
      `The plan of '${plan.id}' is in ${path} already, and the loop is not done with it: the task is '${open?.state ?? task.status}'. Nothing was changed. Hand it over again once it is done, for what was asked for since.`,
    );
  return withRework(view, side, plan, left, context);
}

/** The commands by which a person lets the loop take the task; empty if it may take it already. */
function atRest(id: string, { status }: Task): string {
  if (status !== "done" && status !== "blocked") return "";
  return ` \`bloom ready ${id}\` lets the loop take it; \`bloom show ${id}\` tells how it stands.`;
}

/** A note about requests that came after the rework was written, so that it lacks them. */
function missingNote(instruction: string, left: readonly Ask[]): string {
  const later = left.filter(({ time }) => !instruction.includes(time));
  if (later.length === 0) return "";
  const named = later.map(({ time, what }) => `${what} at ${time}`).join(", ");
  return ` It does not hold what came later (${named}): add that to its instruction, or ask for it again when it is done.`;
}

async function withRework(
  view: View,
  { path, taken, task }: HandedOver,
  plan: NewTask,
  left: readonly Ask[],
  context: Context,
): Promise<HandOver> {
  const { caller, now } = context;
  const step = reworkStep(plan, left, taken);
  const { id } = task;
  const status = "ready_for_agent";
  const by = caller.who ?? caller.channel;
  const event = { type: "task:status_changed", taskId: plan.id, from: task.status, to: status, by } as const;
  const requests = [...new Set(left.map(({ what }) => what))].join(", ");
  return {
    text: `What was asked for (${requests}) is in ${path} as the step ${step.id} of the task ${plan.id}, which is '${status}'. \`bloom run --task ${plan.id} --once\` runs it.`,
    path,
    steps: [...planned(task), step.id],
    changes: await proposed(
      view,
      [
        withSteps({ id, steps: [step] }),
        { type: "set", id, key: "status", value: status },
        ...OF_DONE_WORK.map((key) => ({ type: "clear", id, key }) as const),
      ],
      context,
    ),
    events: [{ id: `${now.id}-rework`, time: now.time, ...event }],
    progress: {
      status,
      state: null,
      reason: null,
      done: task.steps.filter((each) => each.status === "done").length,
      total: task.steps.length + 1,
      is_done: false,
    },
  };
}

function reworkStep(plan: NewTask, asks: readonly Ask[], taken: ReadonlySet<string>): NewStep {
  return {
    id: reworkId(plan.id, new Set([...taken, ...planned(plan)])),
    instruction: reworkInstruction(plan.id, asks),
    acceptance_criteria: plan.acceptance_criteria,
  };
}

/** The keys of a finished session, which a rework clears. */
const OF_DONE_WORK = ["completed_at", "session_id", "session_provider"] as const;

async function proposed(
  view: View,
  edits: readonly TasksEdit[],
  { settings }: Pick<Context, "settings">,
): Promise<readonly Change[]> {
  const { changesOf, readTasksText } = await import("../../../tasks-file/grow.ts");
  return changesOf(await readTasksText(view, { settings }), edits, settings);
}

function unchanged({ path, task }: HandedOver, text: string): HandOver {
  return { text, path, steps: planned(task), changes: [], events: [], progress: null };
}

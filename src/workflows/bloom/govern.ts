/**
 * The policy of a task during its run: its part of the tasks file (`verify`, checkpoint, budget, where its
 * work goes), pinned when the task begins, and the loop's settings, pinned when the loop begins.
 */
import { type CheckedCriterion, type Criterion, criterionText, isChecked } from "../../core/criterion.ts";
import { type PawlError, toPawlError } from "../../core/error.ts";
import {
  effectivePolicy,
  gatePolicy,
  ignoredIn,
  type Policy,
  type PolicyChange,
  pathsBelow,
  policyFrom,
  valuesBelow,
} from "../../core/policy.ts";
import { type PolicySources, settingSources } from "../../core/policy-places.ts";
import type { Policies } from "../../core/ports/policies.ts";
import type { View } from "../../core/ports/store.ts";
import { type BloomSettings, DEFAULT_SETTINGS, type Settings } from "../../core/settings.ts";
import type { PresentPolicy } from "../../runtime/module.ts";
import type { Runtime } from "../../runtime/transaction/run-transaction.ts";
import { loadTasks, taskOf } from "../../tasks-file/load.ts";
import { findTask, type Step, type Task } from "../../tasks-file/task.ts";
import { isUsed } from "./environment.ts";
import { listRuns } from "./run/task-run.ts";

/** The id under which the loop's own policy is stored. */
export const LOOP = "bloom";
/** Kept while an agent is at work: the next loop must not take its claims for a person's words. */
export const AT_WORK = "bloom:@at-work";

const TASK_KEYS = [
  "verify",
  "checkpoint",
  "agent",
  "life",
  "repo",
  "branch",
  "base_branch",
  "merge_into",
  "open_pr",
] as const;

export function taskPolicy(task: Task): Policy {
  const values = TASK_KEYS.map((key) => [`task.${key}`, task[key]]);
  const budget = Object.entries(task.budget ?? {}).map(([key, value]) => [`task.budget.${key}`, value]);
  const steps = task.steps.flatMap(({ id, verify, ...step }) => [
    [`task.steps.${id}.verify`, verify],
    [`task.steps.${id}.acceptance_criteria`, checkedIn(step)],
  ]);
  const criteria = ["task.acceptance_criteria", checkedIn(task)];
  return policyFrom(Object.fromEntries([...values, criteria, ...budget, ...steps]));
}

/** The task with its pinned policy; everything else as in the file. */
export function taskBy(policy: Policy, task: Task): Task {
  const values = Object.fromEntries(TASK_KEYS.map((key) => [key, policy[`task.${key}`]]));
  const steps = task.steps.map((step): Step => {
    const path = `task.steps.${step.id}`;
    const acceptance_criteria = criteriaBy(policy[`${path}.acceptance_criteria`], step);
    return { ...step, acceptance_criteria, verify: policy[`${path}.verify`] as Step["verify"] };
  });
  const acceptance_criteria = criteriaBy(policy["task.acceptance_criteria"], task);
  const amounts = ["usd", "turns", "minutes"].map((key) => [key, policy[`task.budget.${key}`]]);
  const budget = policyFrom(Object.fromEntries(amounts)) as Task["budget"];
  return { ...task, ...values, acceptance_criteria, steps, budget };
}

/** Only criteria with a check are part of the policy: a text alone decides nothing. */
function checkedIn({ acceptance_criteria }: Pick<Step, "acceptance_criteria">) {
  const checked = acceptance_criteria.filter(isChecked);
  return checked.length === 0 ? undefined : checked;
}

/** The criteria of the file, the pinned ones with their checks; pinned ones that the file lacks come last. */
function criteriaBy(
  pinned: unknown,
  { acceptance_criteria }: Pick<Step, "acceptance_criteria">,
): readonly Criterion[] {
  const left = [...((pinned ?? []) as readonly CheckedCriterion[])];
  const placed = acceptance_criteria.map((written) => {
    const text = criterionText(written);
    const at = left.findIndex((each) => each.text === text);
    return at < 0 ? text : (left.splice(at, 1)[0] as CheckedCriterion);
  });
  return [...placed, ...left];
}

const LOOP_KEYS = ["permission", "on_unmarked_step", "tries", "agent", "command"] as const;

/** The gate's name under `gates` of pawl.yaml. */
export const APPROVAL = "bloom.approval";

export function loopPolicy({
  bloom,
  environment,
  gates,
  sandbox,
  setup,
  task_environment,
}: Settings): Policy {
  const values = LOOP_KEYS.map((key) => [`bloom.${key}`, bloom[key]]);
  return policyFrom({
    ...Object.fromEntries(values),
    ...pathsBelow("bloom.budget", bloom.budget),
    ...pathsBelow("bloom.limits", bloom.limits),
    ...pathsBelow("bloom.caps.repositories", bloom.caps.repositories),
    ...pathsBelow("bloom.caps.agents", bloom.caps.agents),
    "bloom.caps.usd_per_day": bloom.caps.usd_per_day,
    ...(bloom.life === null ? {} : { "bloom.life": bloom.life }),
    ...(bloom.stand_ins.length > 0 ? { "bloom.stand_ins": bloom.stand_ins } : {}),
    ...pathsBelow("setup", setup),
    ...(isUsed(task_environment) ? pathsBelow("environment", { ...task_environment }) : {}),
    ...(environment.length > 0 ? { environment } : {}),
    ...gatePolicy(gates, [APPROVAL]),
    ...(bloom.environment.length > 0 ? { "bloom.environment": bloom.environment } : {}),
    "sandbox.kind": sandbox.kind,
    "sandbox.network": sandbox.network,
    ...(sandbox.hosts.length > 0 ? { "sandbox.hosts": sandbox.hosts } : {}),
    ...(sandbox.read.length > 0 ? { "sandbox.read": sandbox.read } : {}),
    ...(sandbox.write.length > 0 ? { "sandbox.write": sandbox.write } : {}),
  });
}

const NO_ENVIRONMENT = DEFAULT_SETTINGS.task_environment;

/** The loop's settings: the present ones, but the pinned ones where the present are looser. */
export function loopSettings(pinned: Policy | null, settings: Settings): Settings {
  return pinned === null ? settings : settingsBy(effectivePolicy(pinned, loopPolicy(settings)), settings);
}

export function settingsBy(policy: Policy, settings: Settings): Settings {
  const values = Object.fromEntries(LOOP_KEYS.map((key) => [key, policy[`bloom.${key}`]]));
  const groups = {
    budget: valuesBelow("bloom.budget", policy),
    limits: valuesBelow("bloom.limits", policy),
    caps: {
      repositories: valuesBelow("bloom.caps.repositories", policy),
      agents: valuesBelow("bloom.caps.agents", policy),
      usd_per_day: policy["bloom.caps.usd_per_day"],
    },
  };
  const environment = (policy["bloom.environment"] ?? []) as readonly string[];
  const stand_ins = (policy["bloom.stand_ins"] ?? []) as readonly string[];
  const paths = { hosts: [], read: [], write: [] };
  return {
    ...settings,
    sandbox: { ...settings.sandbox, ...paths, ...valuesBelow("sandbox", policy) },
    environment: (policy.environment ?? []) as readonly string[],
    setup: valuesBelow("setup", policy) as Settings["setup"],
    task_environment: { ...NO_ENVIRONMENT, ...valuesBelow("environment", policy) },
    bloom: {
      ...settings.bloom,
      ...{ ...values, ...groups, environment, stand_ins, life: policy["bloom.life"] ?? null },
    } as BloomSettings,
  };
}

/** The tasks that an agent took out of the tasks file, by id: kept like a policy, under this name. */
export const REMOVED = "bloom:@removed";

/**
 * The tasks whose open runs keep the loop's pinned policy. A run whose task a person took out of the tasks file
 * keeps it no longer.
 */
export async function tasksThatPin(
  view: View,
  settings: Settings,
  policies: Policies | undefined,
): Promise<readonly string[]> {
  const runs = await listRuns(view);
  if (runs.length === 0) return [];
  const { file } = await loadTasks(view, { settings });
  const removed = (await policies?.find(REMOVED)) ?? {};
  const wasAtWork = ((await policies?.find(AT_WORK)) ?? null) !== null;
  return runs.filter((id) => wasAtWork || id in removed || findTask(file.tasks, id) !== null);
}

/**
 * Returns why there are no tasks if the project's own workflows, or a program's (`hasOthers`), may have work for
 * the loop; null if there are tasks. Otherwise throws, as `checkedSettings` does.
 */
export async function missingTasksError(
  runtime: Runtime,
  only: string | null = null,
  hasOthers = false,
): Promise<PawlError | null> {
  try {
    await checkedSettings(runtime, only);
    return null;
  } catch (thrown) {
    const error = toPawlError(thrown);
    const { workflows } = await runtime.settings(runtime.store.view());
    const mayHave = hasOthers || workflows.length > 0;
    if (error.code !== "tasks-missing" || only !== null || !mayHave) throw thrown;
    return error;
  }
}

/** The present settings. Throws if there is nothing to work on: no tasks file, or no task with the given id. */
export async function checkedSettings(runtime: Runtime, only: string | null = null): Promise<Settings> {
  const view = runtime.store.view();
  const settings = await runtime.settings(view);
  const { file } = await loadTasks(view, { settings, ...(runtime.cache ? { cache: runtime.cache } : {}) });
  if (only !== null) taskOf(file.tasks, only);
  return settings;
}

/**
 * Pins the loop's present settings when it begins, and returns no tasks. If they are looser than the pinned ones
 * and open runs keep those, pins nothing and returns the tasks of these runs. Holds a lock, so that of two loops
 * that begin at the same time, the later one reads what the other has stored.
 */
export async function pinLoop({ outside, settings, store }: Runtime): Promise<readonly string[]> {
  await using _lock = await store.hold(LOOP);
  const view = store.view();
  const now = await settings(view);
  const present = loopPolicy(now);
  const pinned = (await outside.policies?.find(LOOP)) ?? null;
  const isLooser = pinned !== null && ignoredIn(pinned, present).length > 0;
  const open = isLooser ? await tasksThatPin(view, now, outside.policies) : [];
  if (open.length === 0) await outside.policies?.keep(LOOP, present);
  return open;
}

/**
 * The policy that the files now state for a task, or for the loop if the id is the loop's own. Null: the task is
 * no longer in its file.
 */
export async function policyIn(view: View, settings: Settings, id: string): Promise<PresentPolicy | null> {
  if (id === LOOP) return { policy: loopPolicy(settings), sourcesOf: settingSources };
  const { file } = await loadTasks(view, { settings });
  const task = findTask(file.tasks, id);
  if (task === null) return null;
  return {
    policy: taskPolicy(task),
    sourcesOf: taskSources(settings.bloom.tasks_file, id),
  };
}

/** Where in the tasks file a task's policy is written. */
export function taskSources(file: string, id: string): PolicySources {
  return (path) => [{ file, path: `tasks.${id}.${path.slice("task.".length)}`, nested: "subtasks" }];
}

/** The policies that can govern a task. */
export interface Pinned {
  /** The policy stored with its run on this machine. */
  readonly kept: Policy | null;
  /** The policy that the loop read before any of its own agents could have changed the file. */
  readonly seen: Policy | null;
}

/** The stored policy, else the one that the loop read. */
export function pinOf(pinned: Pinned | undefined): Policy | null {
  return pinned?.kept ?? pinned?.seen ?? null;
}

/** The task under its policy, and what in the file does not count. `pinned` null: nothing is pinned. */
export function governTask(
  task: Task,
  pinned: Policy | null,
): { readonly task: Task; readonly policy: Policy; readonly ignored: readonly PolicyChange[] } {
  const present = taskPolicy(task);
  if (pinned === null) return { task, policy: present, ignored: [] };
  const policy = effectivePolicy(pinned, present);
  return { task: taskBy(policy, task), policy, ignored: ignoredIn(pinned, present) };
}

/**
 * The policy of a task during its run: its part of the tasks file (`verify`, checkpoint, budget, where its
 * work goes), pinned when the task begins, and the loop's settings, pinned when the loop begins.
 */
import {
  gatePolicy,
  governing,
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
import { loadTasks } from "../../tasks-file/load.ts";
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
  "repo",
  "branch",
  "base_branch",
  "merge_into",
  "open_pr",
] as const;

export function taskPolicy(task: Task): Policy {
  const own = TASK_KEYS.map((key) => [`task.${key}`, task[key]]);
  const budget = Object.entries(task.budget ?? {}).map(([key, value]) => [`task.budget.${key}`, value]);
  const steps = task.steps.map(({ id, verify }) => [`task.steps.${id}.verify`, verify]);
  return policyFrom(Object.fromEntries([...own, ...budget, ...steps]));
}

/** The task with its pinned policy; everything else as in the file. */
export function taskBy(policy: Policy, task: Task): Task {
  const own = Object.fromEntries(TASK_KEYS.map((key) => [key, policy[`task.${key}`]]));
  const steps = task.steps.map((step): Step => {
    const path = `task.steps.${step.id}.verify`;
    return { ...step, verify: policy[path] as Step["verify"] };
  });
  const amounts = ["usd", "turns", "minutes"].map((key) => [key, policy[`task.budget.${key}`]]);
  const budget = policyFrom(Object.fromEntries(amounts)) as Task["budget"];
  return { ...task, ...own, steps, budget };
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
  const own = LOOP_KEYS.map((key) => [`bloom.${key}`, bloom[key]]);
  return policyFrom({
    ...Object.fromEntries(own),
    ...pathsBelow("bloom.budget", bloom.budget),
    ...pathsBelow("bloom.limits", bloom.limits),
    ...pathsBelow("bloom.caps.repositories", bloom.caps.repositories),
    ...pathsBelow("bloom.caps.agents", bloom.caps.agents),
    "bloom.caps.usd_per_day": bloom.caps.usd_per_day,
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
  return pinned === null ? settings : settingsBy(governing(pinned, loopPolicy(settings)), settings);
}

export function settingsBy(policy: Policy, settings: Settings): Settings {
  const own = Object.fromEntries(LOOP_KEYS.map((key) => [key, policy[`bloom.${key}`]]));
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
    bloom: { ...settings.bloom, ...own, ...groups, environment, stand_ins } as BloomSettings,
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
  const policy = governing(pinned, present);
  return { task: taskBy(policy, task), policy, ignored: ignoredIn(pinned, present) };
}

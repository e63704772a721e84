/**
 * The policies that a loop follows: the settings with which it began, and each task's part of the tasks file as the loop read it
 * before any of its agents could have changed it. An edit while an agent is at work may be the agent's, for every task: a
 * stricter one counts at once; a looser one is reported, and counts when a person accepts it.
 */
import type { BloomEvent } from "../../../core/bloom-event.ts";
import { canonical } from "../../../core/json.ts";
import { effectivePolicy, ignoredIn, type Policy, type PolicyChange } from "../../../core/policy.ts";
import { placed, settingSources } from "../../../core/policy-places.ts";
import type { FindLife } from "../../../core/ports/loop.ts";
import type { Policies } from "../../../core/ports/policies.ts";
import type { Runtime } from "../../../runtime/transaction/run-transaction.ts";
import { eachTask, type Task } from "../../../tasks-file/task.ts";
import {
  LOOP,
  loopPolicy,
  type Pinned,
  REMOVED,
  settingsBy,
  taskPolicy,
  taskSources,
  tasksThatPin,
} from "../govern.ts";
import { type LifeNamed, type LifeRef, lifeName, openFoundLives } from "../run/life.ts";

export interface Pins {
  /** The runtime with the settings that the loop's policy allows. */
  readonly runtime: Runtime;
  /** Call it before each pass: applies what a person accepted meanwhile. */
  refresh(): Promise<void>;
  /** Notes that work on a task begins: from now on, an agent may edit the file. */
  begin(): void;
  /**
   * Call it after each pass: pins new tasks. With `rests` (no agent is at work), pins edits too, if no agent has been at
   * work since the last pass.
   */
  see(tasks: readonly Task[], rests: boolean): Promise<void>;
  of(task: string): Promise<Pinned>;
  /** A task's life as its file was when this loop first needed it: what an agent writes there counts for the next loop. */
  readonly lifeNamed: LifeNamed;
  /** The policy that the task follows from now on. */
  keep(task: string, policy: Policy): Promise<void>;
  /** Forgets a task that is done. */
  forget(task: string): Promise<void>;
  /** Reports each ignored edit once. */
  report(run: string, ignored: readonly PolicyChange[]): Promise<void>;
}

type Show = (event: BloomEvent) => void;

export function openPins(
  runtime: Runtime,
  policies: Policies | undefined,
  show: Show,
  findLife?: FindLife,
): Pins {
  let base: Policy | null = null;
  const seen = new Map<string, Policy>();
  const written = new Map<string, string>();
  let worked = false;
  const kept = new Map<string, string>();
  const lives = pinLives(runtime, findLife);
  const reporter = openReporter(runtime, policies, show);
  return {
    runtime: {
      ...runtime,
      async settings(view) {
        const settings = await runtime.settings(view);
        const present = loopPolicy(settings);
        base ??= present;
        await reporter(LOOP, ignoredIn(base, present));
        return settingsBy(effectivePolicy(base, present), settings);
      },
    },
    async refresh() {
      base = (await policies?.find(LOOP)) ?? base;
    },
    begin() {
      worked = true;
    },
    async see(tasks, rests) {
      const isPersons = rests && !worked;
      worked = !rests;
      const removed = removedFrom(seen, tasks);
      if (!isPersons) await noteRemoved(policies, removed);
      for (const id of removed) written.delete(id);
      await lives.see(tasks);
      for (const { task } of eachTask(tasks)) {
        const { id } = task;
        const present = taskPolicy(task);
        const text = canonical(present);
        const before = seen.get(id);
        if (written.get(id) === text && before !== undefined) continue;
        written.set(id, text);
        if (before === undefined || isPersons) seen.set(id, present);
        else if (ignoredIn(before, present).length > 0) await keepFirst(policies, `${LOOP}:${id}`, before);
      }
    },
    of: async (task) => ({
      kept: (await policies?.find(`${LOOP}:${task}`)) ?? null,
      seen: seen.get(task) ?? null,
    }),
    lifeNamed: lives.named,
    async keep(task, policy) {
      const text = canonical(policy);
      if (kept.get(task) === text) return;
      await policies?.keep(`${LOOP}:${task}`, policy);
      kept.set(task, text);
    },
    async forget(task) {
      kept.delete(task);
      seen.delete(task);
      written.delete(task);
      await policies?.forget(`${LOOP}:${task}`);
    },
    report: reporter,
  };
}

function openReporter(runtime: Runtime, policies: Policies | undefined, show: Show): Pins["report"] {
  const reported = new Set<string>();
  return async (run, ignored) => {
    const text = canonical([run, ignored]);
    if (ignored.length === 0 || reported.has(text)) return;
    reported.add(text);
    const view = runtime.store.view();
    const { bloom } = await runtime.settings(view);
    const sources = run === LOOP ? settingSources : taskSources(bloom.tasks_file, run.slice(LOOP.length + 1));
    const open =
      run === LOOP ? { open: await tasksThatPin(view, await runtime.settings(view), policies) } : {};
    const changes = await placed(ignored, sources, (file) => view.read(file));
    show({ type: "policy:changed", run, ignored: changes, ...open });
  };
}

/** The lives of tasks, each as its file was when the loop first needed it. */
function pinLives(
  runtime: Runtime,
  findLife: FindLife | undefined,
): {
  readonly named: LifeNamed;
  see(tasks: readonly Task[]): Promise<void>;
} {
  const lives = new Map<string, LifeRef>();
  const find = openFoundLives(findLife);
  const named: LifeNamed = async (view, workflows, name) => {
    const life = lives.get(name) ?? (await find(view, workflows, name));
    lives.set(name, life);
    return life;
  };
  const seen = new Set<string>();
  return {
    named,
    async see(tasks) {
      const view = runtime.store.view();
      const { bloom, workflows } = await runtime.settings(view);
      const names = new Set(eachTask(tasks).flatMap(({ task }) => lifeName(task, bloom) ?? []));
      for (const name of names) {
        if (seen.has(name)) continue;
        seen.add(name);
        // A fault is reported where a task needs it, and proving takes too long for every pass.
        await named(view, workflows, name).catch(() => {});
      }
    },
  };
}

/** The next loop must not take the claim for what a person wrote. */
async function keepFirst(policies: Policies | undefined, run: string, policy: Policy): Promise<void> {
  if ((await policies?.find(run)) === null) await policies?.keep(run, policy);
}

/** Forgets the tasks that are no longer in the file, and returns them. */
function removedFrom(seen: Map<string, Policy>, tasks: readonly Task[]): readonly string[] {
  const present = new Set(eachTask(tasks).map(({ task }) => task.id));
  const removed = [...seen.keys()].filter((id) => !present.has(id));
  for (const id of removed) seen.delete(id);
  return removed;
}

/** What an agent takes out of the file must not end what is pinned. */
async function noteRemoved(policies: Policies | undefined, removed: readonly string[]): Promise<void> {
  if (removed.length === 0) return;
  const before = (await policies?.find(REMOVED)) ?? {};
  await policies?.keep(REMOVED, { ...before, ...Object.fromEntries(removed.map((id) => [id, true])) });
}

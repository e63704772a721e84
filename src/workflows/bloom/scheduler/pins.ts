/**
 * The policies that a loop follows: the settings with which it began, and each task's part of the tasks file as the loop read it
 * before any of its agents could have changed it. An edit while an agent is at work may be the agent's, for every task: a
 * stricter one counts at once; a looser one is reported, and counts when a person accepts it.
 */
import type { BloomEvent } from "../../../core/bloom-event.ts";
import { canonical } from "../../../core/json.ts";
import { governing, ignoredIn, type Policy, type PolicyChange } from "../../../core/policy.ts";
import { placed, settingSources } from "../../../core/policy-places.ts";
import type { Policies } from "../../../core/ports/policies.ts";
import type { Runtime } from "../../../runtime/transaction/run-transaction.ts";
import { eachTask, type Task } from "../../../tasks-file/task.ts";
import { LOOP, loopPolicy, type Pinned, settingsBy, taskPolicy, taskSources } from "../govern.ts";

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
  /** The policy that the task follows from now on. */
  keep(task: string, policy: Policy): Promise<void>;
  /** Forgets a task that is done. */
  forget(task: string): Promise<void>;
  /** Reports each ignored edit once. */
  tell(run: string, ignored: readonly PolicyChange[]): Promise<void>;
}

type Show = (event: BloomEvent) => void;

export function openPins(runtime: Runtime, policies: Policies | undefined, show: Show): Pins {
  let base: Policy | null = null;
  const seen = new Map<string, Policy>();
  const written = new Map<string, string>();
  let worked = false;
  const kept = new Map<string, string>();
  const told = new Set<string>();
  const tell = async (run: string, ignored: readonly PolicyChange[]) => {
    const text = canonical([run, ignored]);
    if (ignored.length === 0 || told.has(text)) return;
    told.add(text);
    const view = runtime.store.view();
    const { bloom } = await runtime.settings(view);
    const sources = run === LOOP ? settingSources : taskSources(bloom.tasks_file, run.slice(LOOP.length + 1));
    show({ type: "policy:changed", run, ignored: await placed(ignored, sources, (file) => view.read(file)) });
  };
  /** The next loop must not take the agent's edit for a person's. */
  const keepFirst = async (run: string, policy: Policy) => {
    if ((await policies?.find(run)) === null) await policies?.keep(run, policy);
  };
  return {
    runtime: {
      ...runtime,
      async settings(view) {
        const settings = await runtime.settings(view);
        const present = loopPolicy(settings);
        base ??= present;
        await tell(LOOP, ignoredIn(base, present));
        return settingsBy(governing(base, present), settings);
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
      for (const { task } of eachTask(tasks)) {
        const { id } = task;
        const present = taskPolicy(task);
        const text = canonical(present);
        const before = seen.get(id);
        if (written.get(id) === text && before !== undefined) continue;
        written.set(id, text);
        if (before === undefined || isPersons) seen.set(id, present);
        else if (ignoredIn(before, present).length > 0) await keepFirst(`${LOOP}:${id}`, before);
      }
    },
    of: async (task) => ({
      kept: (await policies?.find(`${LOOP}:${task}`)) ?? null,
      seen: seen.get(task) ?? null,
    }),
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
    tell,
  };
}

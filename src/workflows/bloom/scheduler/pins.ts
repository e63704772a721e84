/**
 * The policies that a loop follows: its own settings as they were when it began, and each task's part of the tasks file
 * as the loop saw it before one of its own agents could have changed it. A tightening counts at once; a loosening is
 * reported, and counts once a person accepts it.
 */
import type { BloomHappening } from "../../../core/bloom-event.ts";
import { canonical } from "../../../core/canonical.ts";
import { governing, ignoredIn, type Policy, type PolicyChange } from "../../../core/policy.ts";
import { placed, settingSources } from "../../../core/policy-places.ts";
import type { Policies } from "../../../core/ports/policies.ts";
import type { Runtime } from "../../../runtime/run-transaction.ts";
import { eachTask, type Task } from "../../../tasks-file/task.ts";
import { LOOP, loopPolicy, type Pinned, settingsBy, taskPolicy, taskSources } from "../govern.ts";

export interface Pins {
  /** The runtime with the loop's settings as they are governed. */
  readonly runtime: Runtime;
  /** Before each look: what a person has accepted meanwhile counts. */
  refresh(): Promise<void>;
  /** After each look: pins new tasks; with `rests` (no agent is at work), all tasks that nobody works on. */
  see(tasks: readonly Task[], rests: boolean, active: ReadonlySet<string>): void;
  of(task: string): Promise<Pinned>;
  /** The policy that it follows from here on. */
  keep(task: string, policy: Policy): Promise<void>;
  /** The task is done. */
  forget(task: string): Promise<void>;
  /** Reports each change that does not count, once. */
  tell(run: string, ignored: readonly PolicyChange[]): Promise<void>;
}

type Show = (happening: BloomHappening) => void;

export function openPins(runtime: Runtime, policies: Policies | undefined, show: Show): Pins {
  let base: Policy | null = null;
  const seen = new Map<string, Policy>();
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
    see(tasks, rests, active) {
      for (const { task } of eachTask(tasks))
        if (!seen.has(task.id) || (rests && !active.has(task.id))) seen.set(task.id, taskPolicy(task));
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
      await policies?.forget(`${LOOP}:${task}`);
    },
    tell,
  };
}

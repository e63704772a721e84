import type { Cache } from "../../core/ports/cache.ts";
import type { Leases } from "../../core/ports/leases.ts";
import type { Memory } from "../../core/ports/memory.ts";
import type { Outside } from "../../core/ports/outside.ts";
import type { View } from "../../core/ports/store.ts";
import type { Settings } from "../../core/settings.ts";
import type { Runtime } from "../transaction/run-transaction.ts";

/** What a look at the runs may need besides the files. */
export interface OverviewContext {
  settings(): Promise<Settings>;
  readonly cache?: Cache;
  readonly leases?: Leases | undefined;
  /** Absent: no other machine works on the project. */
  readonly workers?: Outside["workers"];
  /** ISO 8601 */
  readonly time: string;
  /** Absent: all is read. */
  readonly memory?: Memory;
  /** The id of the only run that is asked about: a workflow may leave the others unread. */
  readonly only?: string;
}

/** The settings are read once, when they are first asked for. */
export function aroundOf({ cache, memory, now, outside, settings }: Runtime, view: View): OverviewContext {
  let read: ReturnType<typeof settings> | undefined;
  return {
    settings() {
      read ??= settings(view);
      return read;
    },
    leases: outside.leases,
    workers: outside.workers,
    time: now().toISOString(),
    ...(cache ? { cache } : {}),
    ...(memory ? { memory } : {}),
  };
}

/** What `make` computes from the files that it reads, from memory where there is one. `key`: of all workflows' keys its own. */
export async function recalled<T>(
  { memory }: Pick<OverviewContext, "memory">,
  key: string,
  view: View,
  make: (view: View) => Promise<T>,
): Promise<T> {
  return memory ? memory.recall(key, view, make) : make(view);
}

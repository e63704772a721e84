import type { AgentAccount } from "../../core/ports/agents.ts";
import type { Cache } from "../../core/ports/cache.ts";
import type { Leases } from "../../core/ports/leases.ts";
import type { Memory } from "../../core/ports/memory.ts";
import type { Outside } from "../../core/ports/outside.ts";
import type { View } from "../../core/ports/store.ts";
import type { Settings } from "../../core/settings.ts";
import type { Runtime } from "../transaction/run-transaction.ts";

/** The data besides the files that an overview may need. */
export interface OverviewContext {
  settings(): Promise<Settings>;
  readonly cache?: Cache;
  readonly leases?: Leases | undefined;
  /** Absent: no other machine works on the project. */
  readonly workers?: Outside["workers"];
  /** ISO 8601 */
  readonly time: string;
  /** Absent: every overview reads all runs. */
  readonly memory?: Memory;
  /** The id of the only run wanted: a workflow may leave the others unread. */
  readonly only?: string;
  /** Takes what the workflow says besides its runs. */
  readonly addFacts?: (facts: OverviewFacts) => void;
}

export interface OverviewFacts {
  /** The accounts with which its agents have worked; absent: none. */
  readonly accounts?: readonly AgentAccount[];
  /** The runs that have ended, in a few words, if it lists none. */
  readonly ended?: string;
}

/** Lazy: reads the settings once, on first use. */
export function overviewContext(
  { cache, memory, now, outside, settings }: Runtime,
  view: View,
): OverviewContext {
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

/** The result of `make`, from memory if its files are unchanged. `key`: unique among all workflows. */
export async function recalled<T>(
  { memory }: Pick<OverviewContext, "memory">,
  key: string,
  view: View,
  make: (view: View) => Promise<T>,
): Promise<T> {
  return memory ? memory.recall(key, view, make) : make(view);
}

/** What an assistant may write in the run's present state, and what it can do next instead. */
import { PawlError } from "../core/error.ts";
import { NOTHING } from "../engine/scope.ts";
import type { StateScope } from "../engine/workflow.ts";

/** The scope of a run that has begun and is not over. */
export interface Scope extends StateScope {
  /** `workflow:id` */
  readonly run: string;
  /** In the form of `pawl status`. */
  readonly state: string;
  /** Globs relative to the project's root: where `plan` may be written. */
  readonly planFiles: readonly string[];
  /** The next lawful step, as one sentence to an assistant. */
  readonly next: string;
  readonly awaits: "assistant" | "human" | "agent" | "nobody";
}

/** Nothing may be written until the fault is fixed. */
export function unreadableScope(run: string, { fix }: { readonly fix: string }): Scope {
  return { run, state: "unreadable", ...NOTHING, planFiles: [], next: fix, awaits: "human" };
}

/** The run's scope, also if its state is unreadable or does not count. */
export async function scopeOr(run: string, load: () => Promise<Scope | null>): Promise<Scope | null> {
  try {
    return await load();
  } catch (thrown) {
    if (thrown instanceof PawlError) return unreadableScope(run, thrown);
    throw thrown;
  }
}

/** What an assistant may write while a run stands where it does, and what it can do next instead. */
import { NOTHING } from "../engine/scope.ts";
import type { StateScope } from "../engine/workflow.ts";

/** Of a run that has begun and is not over. */
export interface Scope extends StateScope {
  /** `workflow:id` */
  readonly run: string;
  /** As `pawl status` shows it. */
  readonly state: string;
  /** Globs relative to the project's root: where `plan` may be written. */
  readonly planFiles: readonly string[];
  /** The next lawful step, as one sentence to an assistant. */
  readonly next: string;
  readonly awaits: "assistant" | "human" | "agent" | "nobody";
}

/** Of a run whose state cannot be read or does not count: nothing may be written until the fault is mended. */
export function unreadableScope(run: string, { fix }: { readonly fix: string }): Scope {
  return { run, state: "unreadable", ...NOTHING, planFiles: [], next: fix, awaits: "human" };
}

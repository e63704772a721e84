/** Policies: what governs the runs that are under way. */
import type { Policy } from "../policy.ts";

/**
 * Kept where nothing that belongs to the project can change it. What was kept and cannot be read is `state-home-failed`,
 * never taken for nothing: a run does not go on by what its project's files say meanwhile.
 */
export interface Policies {
  /** The policy of the run, or null where none is kept here. */
  find(run: string): Promise<Policy | null>;
  /** In place of what was kept for the run. */
  keep(run: string, policy: Policy): Promise<void>;
  forget(run: string): Promise<void>;
  /** The runs that have one. */
  list(): Promise<readonly string[]>;
}

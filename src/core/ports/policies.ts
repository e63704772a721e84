/** Policies: what governs the open runs. */
import type { Policy } from "../policy.ts";

/**
 * Kept where nothing in the project can change it. An unreadable policy is `state-home-failed`, never treated as
 * absent: the project's files must not govern the run in its place.
 */
export interface Policies {
  /** The run's policy, or null if none is kept here. */
  find(run: string): Promise<Policy | null>;
  /** The sha-256 of each policy that was kept for the run before, or that a person accepted from elsewhere. */
  earlier(run: string): Promise<readonly string[]>;
  acceptEarlier(run: string, hash: string): Promise<void>;
  /** Replaces the policy kept for the run. */
  keep(run: string, policy: Policy): Promise<void>;
  forget(run: string): Promise<void>;
  /** The runs that have a policy. */
  list(): Promise<readonly string[]>;
}

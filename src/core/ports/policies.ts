import type { Policy } from "../policy.ts";

/**
 * The policies of the open runs, kept where no file of the project can change them. An unreadable policy is `state-home-failed`, never treated
 * as absent: otherwise the project's present files would govern the run.
 */
export interface Policies {
  /** The run's policy; null: none is kept here. */
  find(run: string): Promise<Policy | null>;
  /** The sha-256 of each earlier policy of the run, and of each that a person accepted from elsewhere. */
  earlier(run: string): Promise<readonly string[]>;
  acceptEarlier(run: string, hash: string): Promise<void>;
  /** Replaces the policy kept for the run. */
  keep(run: string, policy: Policy): Promise<void>;
  forget(run: string): Promise<void>;
  /** The runs that have a policy. */
  list(): Promise<readonly string[]>;
}

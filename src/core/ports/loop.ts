import type { PawlError } from "../error.ts";
import type { StartingTask } from "../trust.ts";
import type { Agents } from "./agents.ts";
import type { Clock } from "./clock.ts";
import type { Commands } from "./commands.ts";
import type { FreePorts } from "./free-ports.ts";
import type { LeaseManager } from "./leases.ts";
import type { PullRequests } from "./pull-requests.ts";
import type { Setups } from "./setup.ts";
import type { Store } from "./store.ts";
import type { Watch } from "./watch.ts";
import type { Workers } from "./workers.ts";
import type { AgentFolder, Worktrees } from "./worktrees.ts";

/** The ports for work on a task. */
export interface WorkPorts {
  readonly agents: Agents;
  readonly commands: Commands;
  readonly setups: Setups;
  readonly freePorts: FreePorts;
  readonly worktrees: Worktrees;
  readonly pullRequests: PullRequests;
  /** This machine's name, if others work on the tasks, too. */
  readonly host?: string;
  /** The project's own folder, for tasks without a repository. */
  readonly root: AgentFolder;
  /** Environment variables that every agent gets, besides its task. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The work loop's ports. */
export interface LoopPorts {
  readonly ports: WorkPorts;
  readonly leaseManager: LeaseManager;
  readonly watch: Watch;
  readonly clock: Clock;
  /**
   * A store whose commits all require that this loop still holds the lease. Absent: no other machine takes
   * it.
   */
  fenced?(lease: string): Store;
  /** Absent: no other machine works on the project. */
  readonly workers?: Workers;
  /**
   * Why work on the task may not begin or continue before a person has consented to its programs. Null: it
   * may.
   */
  lacksTrust?(task: StartingTask): Promise<PawlError | null>;
  /**
   * Those of the tasks and steps that a commit of Pawl has ended, by its log. Absent: no agent can write the
   * tasks file.
   */
  endedHere?(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Called when the loop and all its child processes have ended: supervision may end. */
  close?(): void;
}

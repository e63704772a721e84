/** What the work loop asks of the outside. */
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
import type { Folder, Worktrees } from "./worktrees.ts";

/** What the work on a task needs from outside. */
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
  readonly root: Folder;
  /** Environment variables that every agent gets, besides its task. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What the work loop asks of the outside. */
export interface LoopPorts {
  readonly ports: WorkPorts;
  readonly leaseManager: LeaseManager;
  readonly watch: Watch;
  readonly clock: Clock;
  /** A store whose every commit counts only while this loop holds the lease. Absent: no other machine takes it. */
  fenced?(lease: string): Store;
  /** Absent: no other machine works on the project. */
  readonly workers?: Workers;
  /** Why work on the task may not begin, or go on, before a person has agreed to what it starts. Null: it may. */
  lacksTrust?(task: StartingTask): Promise<PawlError | null>;
  /**
   * Which of these tasks and steps a commit of Pawl has ended, as its log says. Absent: no agent can write the tasks file.
   */
  endedHere?(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Called when the loop and everything that it started has ended: nothing needs supervision any more. */
  close?(): void;
}

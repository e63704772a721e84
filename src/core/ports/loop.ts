import type { BloomEvent } from "../bloom-event.ts";
import type { PawlError } from "../error.ts";
import type { PawlEvent } from "../event.ts";
import type { StartingTask } from "../trust.ts";
import type { Agents } from "./agents.ts";
import type { Clock } from "./clock.ts";
import type { Commands } from "./commands.ts";
import type { Driver, LoopHandle } from "./driver.ts";
import type { FreePorts } from "./free-ports.ts";
import type { LeaseManager } from "./leases.ts";
import type { PullRequests } from "./pull-requests.ts";
import type { Setups } from "./setup.ts";
import type { Store, View } from "./store.ts";
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

/** A task or step that is over according to the tasks file. */
export interface EndedItem {
  readonly id: string;
  readonly status: string;
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
   * Those of the tasks and steps to which a commit of Pawl gave this status, by its log. Absent: no agent can write the
   * tasks file.
   */
  endedHere?(items: readonly EndedItem[]): Promise<ReadonlySet<string>>;
  /** Agents with a workspace cannot write the tasks file. */
  readonly isWalled?: boolean;
  /** Workflows whose runs the loop works on besides Bloom's tasks. Absent: none. */
  readonly others?: readonly OpenDriver[];
  /** Finds tasks' lives among the project's workflows. Absent: the program knows none. */
  readonly lives?: FindLife;
  /** Called when the loop and all its child processes have ended: supervision may end. */
  close?(): void;
}

/**
 * A task's life of that name as its file has it now: the text that a run keeps. Throws `config-invalid` and
 * `workflow-invalid`.
 */
export type FindLife = (view: View, workflows: readonly string[], name: string) => Promise<string>;

/** A workflow's runs join those of Bloom in the loop. */
export type OpenDriver = (setup: DriverSetup, handle: LoopHandle) => Driver;

export interface DriverSetup extends Pick<LoopPorts, "clock" | "lacksTrust" | "leaseManager" | "ports"> {
  /** The worker's name in events and leases. */
  readonly name: string;
  /** End as soon as nothing can be done. */
  readonly once: boolean;
  /** With `once`: also while runs only wait for an agent that rests. */
  readonly noWait?: boolean;
  readonly show: (event: BloomEvent | PawlEvent) => void;
}

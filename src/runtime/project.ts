/**
 * An open project, as the surfaces see it: the store behind its runtime, its workflows and its configuration.
 */

import type { BloomEvent } from "../core/bloom-event.ts";
import { PawlError } from "../core/error.ts";
import type { PawlEvent } from "../core/event.ts";
import type { ReceiverName } from "../core/notice.ts";
import type { DatabaseProject } from "../core/ports/database.ts";
import type { EventLog } from "../core/ports/event-log.ts";
import type { FindLife, LoopPorts } from "../core/ports/loop.ts";
import type { ReceiverMemory } from "../core/ports/notify.ts";
import type { Store } from "../core/ports/store.ts";
import { nearest } from "../core/text/nearest.ts";
import type { Executable, StartingTask, TrustRecord } from "../core/trust.ts";
import type { WorkflowModule } from "./module.ts";
import type { Runtime } from "./transaction/run-transaction.ts";

export type Workflows = Readonly<Record<string, () => Promise<WorkflowModule>>>;

export interface Project {
  /** Absolute. */
  readonly root: string;
  readonly runtime: Runtime;
  /** This checkout's files alone, wherever the workflows' state is kept. */
  readonly files: Store;
  /** The shared part of it in a database; absent: there is none. Throws if the database cannot be used. */
  database?(): Promise<DatabaseProject>;
  readonly workflows: Workflows;
  readonly lives: FindLife;
  /** The work loop's ports. */
  openLoop(): Promise<LoopPorts>;
  readonly trust: Trust;
  readonly notices: Notices;
  /** Every setting that has a value, with its source. */
  explainSettings(): Promise<readonly SettingOrigin[]>;
  /** Sets a damaged journal aside and applies its intact commits; without damage, changes nothing. */
  repairJournal(): Promise<JournalRepair>;
  /** A foreign journal that was set aside, by its path in `JournalRepair`. Throws `journal-refused`. */
  foreignJournal(kept: string): Promise<ForeignJournal>;
  /** The events of every workflow, in order; with `follow` also future ones, until aborted. */
  events(options?: EventsOptions): AsyncIterable<PawlEvent>;
  /** The same events by their offsets in the log. */
  eventLog(): Promise<EventLog>;
  /** Syncs pending writes and releases the project. */
  close(): Promise<void>;
}

export interface EventsOptions {
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
  /** A run, by its name or its id: events that do not name it may be left out. */
  readonly run?: string | undefined;
}

/** Notices to people. A separate process sends them, so no caller waits for a receiver. */
export interface Notices {
  /** Starts sending if there may be a notice. Never fails. */
  wake(): void;
  /** Receives the loop's output: when the loop comes to rest, that may be a notice. */
  receive(event: BloomEvent | PawlEvent): void;
  /** The receivers of pawl.yaml, with their states. */
  receivers(): Promise<readonly ReceiverStatus[]>;
  /** Sends a test notice to each receiver with a person's consent, at any hour. */
  test(): Promise<readonly ReceiverTest[]>;
}

export interface ReceiverStatus {
  readonly name: ReceiverName;
  /** Whether a person on this machine consented to it. Otherwise nothing is sent. */
  readonly trusted: boolean;
  /** Variables that it names and this process does not have. */
  readonly unset: readonly string[];
  readonly memory: ReceiverMemory | null;
}

export interface ReceiverTest {
  readonly name: ReceiverName;
  /** Null: it was sent. */
  readonly error: PawlError | null;
}

/** The programs that the project's files may start here. Each check throws `project-untrusted`. */
export interface Trust {
  /** The programs in the files, those with a person's consent (null: none), and those without. */
  status(): Promise<TrustStatus>;
  /** A command of the configuration or of a workflow, exactly as written. */
  checkCommand(command: string): Promise<void>;
  /**
   * The programs that a work loop starts for every task: setup, and those in the settings of agents and
   * commands.
   */
  checkLoop(): Promise<void>;
  /** Why work on the task may not begin or continue: a program lacks consent. Null: it may. */
  lacking(task: StartingTask): Promise<PawlError | null>;
  /** An agent of the project's files; other agents are the person's own, and pass. */
  checkAgent(name: string): Promise<void>;
  /**
   * Records a person's consent to all shown programs. Earlier consents stay, to the letter; consents to
   * receivers of notices that are not among the shown ones end.
   */
  accept(entries: readonly Executable[], by: string): Promise<void>;
  /**
   * A person gave a task to this agent themselves. Does nothing if the project's files describe the agent.
   */
  acceptAgent(name: string, by: string): Promise<void>;
  /** False: there was no consent. */
  revoke(): Promise<boolean>;
}

export interface TrustStatus {
  readonly entries: readonly Executable[];
  readonly record: TrustRecord | null;
  readonly untrusted: readonly Executable[];
}

export interface JournalRepair {
  /** The new path of the damaged journal; null: it was not damaged. */
  readonly aside: string | null;
  /** Number of intact commits, which are applied now. */
  readonly goodRecords: number;
  /** Number of bytes that belong to no intact commit. */
  readonly lostBytes: number;
  /** Number of commits missing between intact ones. */
  readonly lostCommits: number;
  /** Foreign commits that were set aside and never applied: where they are, and what they would write. */
  readonly foreign: readonly {
    readonly kept: string;
    readonly commits: number;
    /** Number of those with changes that Pawl never makes, or that build on missing commits. */
    readonly unusable: number;
    readonly paths: readonly string[];
  }[];
}

export interface ForeignJournal {
  readonly paths: readonly string[];
  /**
   * The file's content afterwards, instead of this text; null: it would be removed. Throws `journal-refused`.
   */
  outcome(path: string, text: string | null): string | null;
  /** Marks it as accepted: it is no longer listed. */
  setAccepted(): void;
}

export interface SettingOrigin {
  /** `alfred.reviews.default` */
  readonly path: string;
  readonly value: unknown;
  /** `default`, or `pawl.yaml:3:5`. */
  readonly from: string;
}

/** The named workflow; throws `workflow-missing` with the nearest name. */
export function loadWorkflow(workflows: Workflows, name: string): Promise<WorkflowModule> {
  const load = Object.hasOwn(workflows, name) ? workflows[name] : undefined;
  if (load) return load();
  const names = Object.keys(workflows);
  const near = nearest(name, names);
  throw new PawlError(
    "workflow-missing",
    `No workflow is called ${JSON.stringify(name)}: expected one of ${names.join(", ")}.`,
    near ? `Use ${near}.` : "`pawl status` shows each with its runs.",
  );
}

export function loadWorkflows(
  workflows: Workflows,
  names: readonly string[] = [],
): Promise<WorkflowModule[]> {
  const chosen = names.length > 0 ? [...new Set(names)] : Object.keys(workflows);
  return Promise.all(chosen.map((name) => loadWorkflow(workflows, name)));
}

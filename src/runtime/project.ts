/** An open project, as the surfaces see it: the store behind its runtime, its workflows and its configuration. */

import { PawlError } from "../core/error.ts";
import type { PawlEvent } from "../core/event.ts";
import { nearest } from "../core/nearest.ts";
import type { LoopPorts } from "../core/ports/loop.ts";
import type { Executable, TrustRecord } from "../core/trust.ts";
import type { WorkflowModule } from "./module.ts";
import type { Runtime } from "./run-transaction.ts";

export type Workflows = Readonly<Record<string, () => Promise<WorkflowModule>>>;

export interface Project {
  /** Absolute. */
  readonly root: string;
  readonly runtime: Runtime;
  readonly workflows: Workflows;
  /** What the work loop needs of the outside. */
  openLoop(): Promise<LoopPorts>;
  readonly trust: Trust;
  /** Every setting that has a value, with the place that it came from. */
  explainSettings(): Promise<readonly SettingOrigin[]>;
  /** Sets a damaged journal aside and applies what is good in it; where nothing is damaged, nothing changes. */
  repairJournal(): Promise<JournalRepair>;
  /** A journal of others that was set aside, by its path in `JournalRepair`. Throws `journal-refused`. */
  foreignJournal(kept: string): Promise<ForeignJournal>;
  /** What happened, of every workflow, in order; with `follow` also what will happen, until aborted. */
  events(options?: EventsOptions): AsyncIterable<PawlEvent>;
  /** Syncs pending writes and releases the project. */
  close(): Promise<void>;
}

export interface EventsOptions {
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
  /** A run, by its name or its id: events that do not name it may be left out. */
  readonly run?: string | undefined;
}

/** What the project's files may start here. Each check throws `project-untrusted`. */
export interface Trust {
  /** What the files would start, what a person agreed to (null: nothing), and what nobody has agreed to yet. */
  look(): Promise<TrustLook>;
  /** Of the configuration or a workflow, as it is written there. */
  checkCommand(command: string): Promise<void>;
  /** All that a work loop starts: agents, and the commands of the tasks file. */
  checkLoop(): Promise<void>;
  /** An agent as the project's files describe it; one that they do not describe is the person's own. */
  checkAgent(name: string): Promise<void>;
  /** Records exactly these, in place of what was agreed to before. */
  accept(entries: readonly Executable[], by: string): Promise<void>;
  /** False: nothing had been agreed to. */
  revoke(): Promise<boolean>;
}

export interface TrustLook {
  readonly entries: readonly Executable[];
  readonly record: TrustRecord | null;
  readonly untrusted: readonly Executable[];
}

export interface JournalRepair {
  /** Where the damaged journal lies now; null: it was not damaged. */
  readonly aside: string | null;
  /** Commits that are good, and applied now. */
  readonly goodRecords: number;
  /** Bytes that belong to no good commit. */
  readonly lostBytes: number;
  /** Commits that are missing between good ones. */
  readonly lostCommits: number;
  /** Commits of others that were set aside, and never applied: where they lie, and what they would write. */
  readonly foreign: readonly {
    readonly kept: string;
    readonly commits: number;
    /** Those of them that say what Pawl never writes. */
    readonly unusable: number;
    readonly paths: readonly string[];
  }[];
}

export interface ForeignJournal {
  readonly paths: readonly string[];
  /** What the file would hold in place of this text; null: nothing is to be there. Throws `journal-refused`. */
  outcome(path: string, text: string | null): string | null;
  /** It is accepted: from now on it is not listed. */
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
  const known = Object.keys(workflows);
  const near = nearest(name, known);
  throw new PawlError(
    "workflow-missing",
    `No workflow is called ${JSON.stringify(name)}: expected one of ${known.join(", ")}.`,
    near ? `Use ${near}.` : `Name one of ${known.join(", ")}.`,
  );
}

export function loadWorkflows(
  workflows: Workflows,
  names: readonly string[] = [],
): Promise<WorkflowModule[]> {
  const chosen = names.length > 0 ? [...new Set(names)] : Object.keys(workflows);
  return Promise.all(chosen.map((name) => loadWorkflow(workflows, name)));
}

/**
 * What the loop keeps of a task's run, as far as another workflow may build on it: in `.pawl/runs/<id>.json` while it
 * goes on, in `.pawl/done/<id>.json` once it is done.
 */
import { type ProjectPath, projectPath } from "./path.ts";
import {
  accepts,
  as,
  type Check,
  fields,
  object,
  optional,
  readState,
  stateUnreadable,
  text,
} from "./state-json.ts";

export interface LoopRecord {
  readonly version: 1;
  readonly task: string;
  readonly state: string;
  /** Why it waits, is blocked, or tries again. */
  readonly reason: string | null;
  /** What the loop itself saw, newest last. */
  readonly evidence: readonly LoopEvidence[];
  /** Null or absent: nothing of this run is known to be committed. */
  readonly work?: LoopWork | null;
}

/** A command that the loop ran itself. */
export interface LoopEvidence {
  readonly step: string | null;
  readonly command: string;
  /** Null: a signal ended it, or it could not be started. */
  readonly exit: number | null;
  readonly commit: string | null;
  /** The folder of its output. */
  readonly log: string;
  readonly duration: number;
  readonly time: string;
  /** On what it ran: the task's worktree, or the merged result. */
  readonly on: "worktree" | "merge";
}

/** Where the run's work is: on its branch once everything is committed, then on the target too. */
export interface LoopWork {
  readonly repo: string;
  readonly branch: string;
  readonly commit: string;
  /** Where its target has it, be it by an earlier merge; null: the loop has not brought it there. */
  readonly merged: { readonly into: string; readonly commit: string } | null;
  /** A merge commit that is about to be published, or was when its loop was killed. */
  readonly merging?: { readonly into: string; readonly commit: string } | null;
  /** When it got there. */
  readonly time: string;
}

export const LOOP_RUNS = projectPath(".pawl/runs");

export function loopRunPath(task: string): ProjectPath {
  return projectPath(LOOP_RUNS, `${task}.json`);
}

/** Where the run of a task that is done is kept, for its evidence. */
export function loopDonePath(task: string): ProjectPath {
  return projectPath(".pawl/done", `${task}.json`);
}

const RECORD = fields({
  version: accepts((value) => value === 1, "1"),
  task: text,
  state: text,
  evidence: optional(accepts(Array.isArray, "a list")),
});

/** What `check` adds is what the reader needs beside the record. Throws `state-unreadable`. */
export function parseLoopRecord<T extends LoopRecord = LoopRecord>(
  path: ProjectPath,
  json: string,
  check: Check<unknown> = object,
): T {
  const id = path.slice(path.lastIndexOf("/") + 1, -".json".length);
  const anew = `To begin the task anew, delete it, then \`bloom ready ${id}\`.`;
  const record = readState<T>(
    json,
    as((value, at) => RECORD(value, at) ?? check(value, at)),
    stateUnreadable(path, "the task's run", anew),
  );
  return { ...record, evidence: record.evidence ?? [] };
}

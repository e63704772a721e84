/**
 * The loop's record of a task's run, as far as other workflows may rely on it: in `.pawl/runs/<id>.json`
 * during the run, in `.pawl/done/<id>.json` after it.
 */
import { type ProjectPath, projectPath } from "./path.ts";
import {
  accepts,
  as,
  type Check,
  fields,
  object,
  orNull,
  readState,
  text,
  unreadableStateError,
} from "./state-json.ts";

export interface LoopRecord {
  readonly version: 1;
  readonly task: string;
  readonly state: string;
  /** Why the task waits, is blocked, or is tried again. */
  readonly reason: string | null;
  /** The loop's own observations, newest last. */
  readonly evidence: readonly LoopEvidence[];
  /** Null: no commit of this run is known. */
  readonly work: LoopWork | null;
}

/** A command that the loop ran. */
export interface LoopEvidence {
  readonly step: string | null;
  readonly command: string;
  /** Null if a signal ended the command, or if it could not start. */
  readonly exit: number | null;
  readonly commit: string | null;
  /** The folder that holds its output. */
  readonly log: string;
  readonly duration: number;
  readonly time: string;
  /** Where the command ran: in the task's worktree, or on the merged result. */
  readonly on: "worktree" | "merge";
  /** According to its output, it ran no test. */
  readonly empty?: true | undefined;
  /**
   * The result of the first try, if it passed only on a repeat with the same files. Absent: it passed at
   * once.
   */
  readonly flaky?: { readonly exit: number | null; readonly log: string };
}

/** Where the run's work is: on its branch once everything is committed, then also on the target. */
export interface LoopWork {
  readonly repo: string;
  readonly branch: string;
  readonly commit: string;
  /**
   * The commit that has the work on its target, possibly through an earlier merge. Null: the loop has not
   * brought it there.
   */
  readonly merged: { readonly into: string; readonly commit: string } | null;
  /** A merge commit that the loop is publishing, or was publishing when it died. */
  readonly merging?: { readonly into: string; readonly commit: string } | null;
  readonly time: string;
}

export const LOOP_RUNS = projectPath(".pawl/runs");
export const LOOP_DONE = projectPath(".pawl/done");
/** The lives with which runs began, each under the hash of its text. */
export const LIVES = projectPath(".pawl/lives");

export function loopRunPath(task: string): ProjectPath {
  return projectPath(LOOP_RUNS, `${task}.json`);
}

/** The path of a finished task's run, kept for its evidence. */
export function loopDonePath(task: string): ProjectPath {
  return projectPath(LOOP_DONE, `${task}.json`);
}

const RECORD = fields({
  version: accepts((value) => value === 1, "1"),
  task: text,
  state: text,
  evidence: accepts(Array.isArray, "a list"),
  work: orNull(object),
});

/**
 * Parses a record. `check` checks the fields that the reader needs besides the record's own. Throws
 * `state-unreadable`.
 */
export function parseLoopRecord<T extends LoopRecord = LoopRecord>(
  path: ProjectPath,
  json: string,
  check: Check<unknown> = object,
): T {
  const id = path.slice(path.lastIndexOf("/") + 1, -".json".length);
  const anew = `To start the task again, delete the file, then run \`bloom ready ${id}\`.`;
  return readState<T>(
    json,
    as((value, at) => RECORD(value, at) ?? check(value, at)),
    unreadableStateError(path, "the task's run", anew),
  );
}

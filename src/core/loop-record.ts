/**
 * What the loop keeps of a task's run, as far as another workflow may build on it: in `.pawl/runs/<id>.json` while it
 * goes on, in `.pawl/done/<id>.json` once it is done.
 */
import { PawlError } from "./error.ts";
import { type ProjectPath, projectPath } from "./path.ts";

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
  /** When it came to be there. */
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

/** Throws `state-unreadable`. */
export function parseLoopRecord(path: ProjectPath, text: string): LoopRecord {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch (error) {
    throw unreadable(path, `it is no JSON: ${(error as Error).message}`);
  }
  const record = found as Partial<LoopRecord> | null;
  if (record?.version !== 1 || typeof record.task !== "string" || typeof record.state !== "string")
    throw unreadable(path, "it lacks version 1, task or state");
  if (record.evidence !== undefined && !Array.isArray(record.evidence))
    throw unreadable(path, "its evidence is no list");
  return { ...record, evidence: record.evidence ?? [] } as LoopRecord;
}

function unreadable(path: ProjectPath, what: string): PawlError {
  const id = path.slice(path.lastIndexOf("/") + 1, -".json".length);
  return new PawlError(
    "state-unreadable",
    `${path} cannot be read as a task's run: ${what}.`,
    `Correct it, or begin the task anew: delete ${path}, then \`bloom ready ${id}\`.`,
  );
}

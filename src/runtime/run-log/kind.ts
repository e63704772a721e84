import type { Caller } from "../../core/event.ts";
import type { ProjectPath } from "../../core/path.ts";
import type { View } from "../../core/ports/store.ts";
import type { Configuration, Workflow } from "../../engine/workflow.ts";
import type { Json } from "./patch.ts";
import type { Step, StepDetails } from "./step.ts";

/** A run's configuration, and the table that it is in. */
export interface At extends Configuration {
  readonly machine: string;
}

/** A workflow's runs, for the log. */
export interface RunKind {
  /** A table of its runs, by name; null: it has none of that name. */
  tableOf(machine: string): Workflow | null;
  /** Where a run is before its first move; absent: a step of its own begins it. */
  readonly start?: At;
  /** The run of a state file; null: the path is no state file. */
  runOf(path: string): string | null;
  /** The files that may hold the run's state; only one of them exists. */
  pathsOf(run: string): readonly [ProjectPath, ...ProjectPath[]];
  /** The run's position according to a file's text; null: it is unreadable. Never throws. */
  at(text: string): At | null;
  /**
   * The part of the state that decides what may happen next: an edit elsewhere in the file does not hold the
   * run. Absent: all of it.
   */
  readonly decides?: (document: Json) => Json;
  /** The laws that the steps follow beyond the tables; absent: the tables are all. */
  readonly law?: RunLaw;
  /** Git may bring the file without its log, as to a clone: then it is accepted as it is. */
  readonly comesByGit?: true;
  /** An earlier document that is put back counts. Absent: it holds the run. */
  readonly returns?: true;
  /**
   * The part of a state file's content that git shares, and whether the run rests there, so that others can act
   * on it; null: it is unreadable. Absent: git shares nothing.
   */
  sharedIn?(text: string): { readonly rests: boolean; readonly recordedState: object } | null;
}

/** What the log says of a commit's move beyond its event. */
export interface LoggedDetails extends StepDetails {
  /** Whose move it is, if not the caller's. */
  readonly by?: Caller;
  /** Where the run begins, if not at its kind's start. */
  readonly begins?: At | undefined;
  /** It begins anew there, on another table, although the life before is not over. */
  readonly anew?: true;
  /** The run had no state here: its position by what others recorded. */
  readonly found?: (At & Pick<StepDetails, "status">) | undefined;
  /** The steps of others from which a person continues, from the first one on. */
  readonly branch?: readonly Step[] | undefined;
}

/** A kind, or how to find that of a run, whose table is in a file of the project. */
export type Runs = RunKind | ((view: View, run: string) => Promise<RunKind>);

/** A run's state, as its file has it. */
export interface StateFile {
  readonly path: ProjectPath;
  readonly text: string;
}

/** Null: the run has none. */
export async function loadState(
  view: View,
  { pathsOf }: Pick<RunKind, "pathsOf">,
  run: string,
): Promise<StateFile | null> {
  for (const path of pathsOf(run)) {
    const text = await view.read(path);
    if (text !== null) return { path, text };
  }
  return null;
}

export async function kindOf(runs: Runs, view: View, run: string | null): Promise<RunKind> {
  return typeof runs === "function" ? runs(view, run ?? "") : runs;
}

/** What decides in a state file's content. */
export function decidedIn({ decides }: RunKind, document: Json): Json {
  return decides ? decides(document) : document;
}

/** The run's position according to a file's text; an unreadable one has none. */
export function placeIn(kind: RunKind, run: string, text: string): At {
  const [machine = ""] = run.split(":");
  return kind.at(text) ?? { machine, state: "", variables: {} };
}

/** Derives what decides in a run's state from its steps. */
export interface RunLaw {
  /** In a run without a step. */
  readonly first: Json;
  /** After one more step, or why the step is impossible. */
  after(before: Json, step: Step, commit: Commit): Json | { readonly fault: string };
}

/** The commit of a step. */
export interface Commit {
  /** The part of the written state that decides what may happen next. */
  readonly decides: Json;
  /** There was no state before the step: a new life of the run begins with it. */
  readonly isFirst: boolean;
  /** The step is the last of several. */
  readonly isLast: boolean;
}

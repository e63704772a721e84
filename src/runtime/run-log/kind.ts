import type { ProjectPath } from "../../core/path.ts";
import type { Configuration, Workflow } from "../../engine/workflow.ts";

/** A workflow's runs, for the log. */
export interface RunKind {
  readonly table: Workflow;
  /** The run of a state file; null: the path is no state file. */
  runOf(path: string): string | null;
  /** The file with the run's state. */
  pathOf(run: string): ProjectPath;
  /** The run's configuration according to a file's text. Never throws. */
  configurationIn(text: string): Configuration;
  /** Git may bring the file without its log, as to a clone: then it is accepted as it is. */
  readonly comesByGit?: true;
  /** An earlier document that is put back counts. Absent: it holds the run. */
  readonly returns?: true;
}

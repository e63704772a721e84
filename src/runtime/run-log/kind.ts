import type { ProjectPath } from "../../core/path.ts";
import type { Configuration, Workflow } from "../../engine/workflow.ts";

/** A workflow's runs, as the log needs to know them. */
export interface RunKind {
  readonly table: Workflow;
  /** The run whose state the file is; null: it is not a state file. */
  runOf(path: string): string | null;
  /** The file with the run's state. */
  pathOf(run: string): ProjectPath;
  /** The run's configuration according to a file's text. Never throws. */
  configurationIn(text: string): Configuration;
  /** Git may bring the file without its log, as to a clone: then it is accepted as it is. */
  readonly comesByGit?: true;
  /** An earlier document counts where somebody puts it back. Absent: then the run is held. */
  readonly returns?: true;
}

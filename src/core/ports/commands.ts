/** Commands that Pawl runs itself, to check the work. */
import { type ProjectPath, projectPath } from "../path.ts";
import type { AgentLimits } from "./agents.ts";
import type { AgentFolder } from "./worktrees.ts";

export interface Commands {
  /**
   * Runs a shell command to its end, then ends its leftover processes. Never throws because of the command's
   * behaviour.
   */
  run(order: CommandOrder): CommandRun;
}

export interface CommandOrder {
  /** An id, unique like an agent's run id. */
  readonly run: string;
  /** The task whose work it checks. */
  readonly task?: string;
  readonly command: string;
  readonly folder: AgentFolder;
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits?: Pick<AgentLimits, "inactivity" | "total">;
  /**
   * It makes or removes what checks need, instead of checking: no wall is around it. `lasting`: its processes
   * stay, even when this process dies.
   */
  readonly acts?: "lasting" | "ending";
}

/** The output file of a command whose processes stay. It exists before the command begins. */
export function lastingOutput(run: string): ProjectPath {
  return projectPath(".pawl/commands", run, "lasting.log");
}

export interface CommandRun {
  readonly ended: Promise<CommandEnd>;
  stop(): Promise<CommandEnd>;
}

/** How each line of Pawl's own begins in a command's output. */
export const OWN_LINE = "[pawl] ";

export interface CommandEnd {
  /** Null if a signal ended the command, or if it could not start. */
  readonly exit: number | null;
  readonly signal: string | null;
  /** Why Pawl ended it, if it did. */
  readonly ended: "itself" | "stopped" | "inactive" | "timed-out";
  readonly duration: number;
  /**
   * The last lines of output, both streams in the order in which they came, of bounded size; then Pawl's own remarks, each a
   * line that begins with `OWN_LINE`.
   */
  readonly tail: string;
  readonly output: ProjectPath;
  /** By its output, it ran no test. Absent: it ran some, or does not say. */
  readonly empty?: true;
  readonly leftovers: { readonly ended: number; readonly alive: number };
}

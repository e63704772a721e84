/** Commands that the engine runs itself, to see for itself. */
import type { ProjectPath } from "../path.ts";
import type { AgentLimits } from "./agents.ts";
import type { Folder } from "./worktrees.ts";

export interface Commands {
  /** Runs a shell command to its end and ends whatever it left behind. Never throws for what the command does. */
  run(order: CommandOrder): CommandRun;
}

export interface CommandOrder {
  /** An id, unique as an agent's run is. */
  readonly run: string;
  readonly command: string;
  readonly folder: Folder;
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits?: Pick<AgentLimits, "inactivity" | "total">;
}

export interface CommandRun {
  readonly ended: Promise<CommandEnd>;
  stop(): Promise<CommandEnd>;
}

export interface CommandEnd {
  /** Null: a signal ended it, or it could not be started. */
  readonly exit: number | null;
  readonly signal: string | null;
  /** Why we ended it, if we did. */
  readonly ended: "itself" | "stopped" | "inactive" | "timed-out";
  readonly duration: number;
  /** The last lines of output, standard and error together as they came, of bounded size. */
  readonly tail: string;
  readonly output: ProjectPath;
  readonly leftovers: { readonly ended: number; readonly alive: number };
}

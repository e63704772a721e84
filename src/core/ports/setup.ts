import type { SetupSettings } from "../settings.ts";
import type { AgentFolder } from "./worktrees.ts";

/** Whether a folder has what its repository's `setup` makes: packages and the like. */
export interface Setups {
  /** `restored`: copied from an earlier setup with the same inputs. `needed`: run the commands. */
  prepare(folder: AgentFolder, setup: SetupSettings, use: SetupUse): Promise<SetupState>;
  /** Records that the commands have run. Returns the tracked files that were put back, since they are no work. */
  done(folder: AgentFolder, setup: SetupSettings): Promise<readonly string[]>;
}

/**
 * `fresh`: a task's workspace without work, whose results may serve other folders. `worked`: a task's
 * workspace. `check`: a folder in which no agent works.
 */
export type SetupUse = "fresh" | "worked" | "check";

export type SetupState = "ready" | "restored" | "needed";

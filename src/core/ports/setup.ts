/** What a checkout needs before anybody works in it. */
import type { SetupSettings } from "../settings.ts";
import type { Folder } from "./worktrees.ts";

/** Whether a folder has what its repository's `setup` makes: packages and the like, which git ignores. */
export interface Setups {
  /** `restored`: it was copied from what an earlier setup with the same inputs made. `needed`: run the commands. */
  look(folder: Folder, setup: SetupSettings): Promise<SetupState>;
  /** The commands have run. `keep`: what they made may serve other folders: nobody has worked in this one yet. */
  done(folder: Folder, setup: SetupSettings, keep: boolean): Promise<void>;
}

export type SetupState = "ready" | "restored" | "needed";

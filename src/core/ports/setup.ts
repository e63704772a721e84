import type { SetupSettings } from "../settings.ts";
import type { Folder } from "./worktrees.ts";

/** Whether a folder has what its repository's `setup` makes: packages and the like, which git ignores. */
export interface Setups {
  /** `restored`: copied from an earlier setup with the same inputs. `needed`: run the commands. */
  look(folder: Folder, setup: SetupSettings): Promise<SetupState>;
  /**
   * Records that the commands have run. `keep`: their results may serve other folders, since there has been
   * no work in this one yet.
   */
  done(folder: Folder, setup: SetupSettings, keep: boolean): Promise<void>;
}

export type SetupState = "ready" | "restored" | "needed";

/**
 * Git's folder of a workspace, which an agent's own sandbox must allow: some keep every `.git` from being written. No git outside
 * reads what is in it. In a person's checkout it stays closed: others would run the hooks and settings that are written there.
 */
import { join } from "node:path";
import { isWorkspace, topOf } from "../process/work-folder.ts";

export function gitFoldersOf(folder: string): readonly string[] {
  return isWorkspace(folder) ? [join(topOf(folder), ".git")] : [];
}

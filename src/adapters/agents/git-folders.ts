/**
 * The git folder of a workspace, which an agent's own sandbox must allow: some protect every `.git`. No git
 * outside reads it. In a person's checkout it stays protected: the person's git would run hooks and settings
 * written there.
 */
import { join } from "node:path";
import { isWorkspace, topOf } from "../process/work-folder.ts";

export function gitFoldersOf(folder: string): readonly string[] {
  return isWorkspace(folder) ? [join(topOf(folder), ".git")] : [];
}

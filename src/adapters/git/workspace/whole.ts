/** Whether a workspace still is a repository of its own, by its files alone; sets one aside that is not. */
import { existsSync } from "node:fs";
import type { AgentFolder } from "../../../core/ports/worktrees.ts";
import { isEmpty, kindIn, moveFolder } from "../../files/agent-folder.ts";

export function isWhole(top: AgentFolder): boolean {
  const folders = [".git", ".git/objects", ".git/refs"];
  return folders.every((path) => kindIn(top, path) === "folder") && kindIn(top, ".git/HEAD") === "file";
}

/** Moves the folder's content aside, unless it is empty, and returns its new place. Deletes nothing. */
export function setAside(folder: AgentFolder, name: (n: number) => string): AgentFolder | null {
  if (isEmpty(folder)) return null;
  for (let n = 1; ; n++) {
    const aside = name(n);
    if (existsSync(aside)) continue;
    moveFolder(folder, aside);
    return { agentPath: aside };
  }
}

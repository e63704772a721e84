/**
 * The only access to folders in which an agent may have written anything: no component of a path below the folder
 * is followed as a link, only regular files are opened, and what is read has a limit (`read-at.ts`, `plain-file.ts`).
 */
import { closeSync, constants, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import type { AgentFolder } from "../../core/ports/worktrees.ts";
import { nodeDisk } from "./node-disk.ts";
import { firstNames, openBelow, readPlainText } from "./plain-file.ts";
import { checkFolders, readAt } from "./read-at.ts";
import { removeTree } from "./remove-tree.ts";

export function isThere({ agentPath }: AgentFolder): boolean {
  return existsSync(agentPath);
}

/** What is at the path below the folder; null: nothing, or a link or no folder is on the way. */
export function kindIn(
  { agentPath }: AgentFolder,
  path: string,
): "file" | "folder" | "link" | "other" | null {
  const disk = nodeDisk(agentPath);
  return attempt(() => (checkFolders(disk, path) ? (disk.lstat(path)?.kind ?? null) : null), null);
}

/** The file's bytes; null: it cannot be read. */
export function bytesIn({ agentPath }: AgentFolder, path: string): Uint8Array | null {
  return attempt(() => readAt(nodeDisk(agentPath), path)?.bytes ?? null, null);
}

/** The same as text. */
export function textIn({ agentPath }: AgentFolder, path: string, most: number): string | null {
  const disk = nodeDisk(agentPath);
  return attempt(() => (checkFolders(disk, path) ? readPlainText(join(agentPath, path), most) : null), null);
}

/** The folder at the path below it, made if it is missing. Throws if it is no folder, or behind a link. */
export function folderIn({ agentPath }: AgentFolder, path: string): AgentFolder {
  const full = join(agentPath, path);
  if (!checkFolders(nodeDisk(agentPath), `${path}/.`)) mkdirSync(full, { recursive: true });
  return { agentPath: full };
}

/**
 * Copies a file of the person's checkout to the same path, where nothing is. Throws if something is in the way, or if it is
 * no regular file: a task without a repository may be writing the checkout.
 */
export function putIn(folder: AgentFolder, path: string, checkout: string): void {
  const { copyFrom, file } = openBelow(checkout, path);
  try {
    const parent = path.includes("/") ? folderIn(folder, dirname(path)) : folder;
    copyFileSync(copyFrom, join(parent.agentPath, basename(path)), constants.COPYFILE_EXCL);
  } finally {
    closeSync(file);
  }
}

/** The place of a path below it, missing or not. Throws if a link or no folder is on the way. */
export function placeIn({ agentPath }: AgentFolder, path: string): string {
  checkFolders(nodeDisk(agentPath), path);
  return join(agentPath, path);
}

/** Removes the file at the path below it, if there is one. */
export function removeFileIn(folder: AgentFolder, path: string): void {
  if (kindIn(folder, path) === "file") rmSync(join(folder.agentPath, path), { force: true });
}

export function removeFolder({ agentPath }: AgentFolder): Promise<void> {
  return removeTree(agentPath);
}

export function moveFolder({ agentPath }: AgentFolder, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  renameSync(agentPath, to);
}

export function isEmpty({ agentPath }: AgentFolder): boolean {
  return firstNames(agentPath, 1).length === 0;
}

/**
 * The address of a project's board, for links to it (a notice, a reply): `board.json` in the project's state
 * folder, while the board runs. It holds no secret: the address alone gives no access.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "../adapters/files/write-whole.ts";
import { attempt } from "../core/attempt.ts";

export interface BoardAddress {
  /** `http://127.0.0.1:4000/` */
  readonly url: string;
  readonly pid: number;
}

const NAME = "board.json";
const URL_OF_BOARD = /^http:\/\/127\.0\.0\.1:\d{1,5}\/$/;

/** The running board of this state folder's project; null: there is none. */
export function boardOf(stateFolder: string): BoardAddress | null {
  // Every call over MCP checks this, and most projects have none: an exception would cost ten times the
  // check.
  if (!hasBoardFile(stateFolder)) return null;
  const value = attempt(() => JSON.parse(readFileSync(join(stateFolder, NAME), "utf8")), null);
  const isOne = typeof value?.url === "string" && URL_OF_BOARD.test(value.url) && Number.isInteger(value.pid);
  return isOne && isAlive(value.pid) ? { url: value.url, pid: value.pid } : null;
}

/** Whether the state folder names a board, running or not. */
export function hasBoardFile(stateFolder: string): boolean {
  return existsSync(join(stateFolder, NAME));
}

/** Publishes the board's address, unless another one runs. Returns a function that withdraws it. */
export function publishBoard(stateFolder: string, project: BoardAddress): () => void {
  if (boardOf(stateFolder) !== null) return () => {};
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  const path = join(stateFolder, NAME);
  writeWhole(path, `${JSON.stringify(project)}\n`);
  return () => {
    if (boardOf(stateFolder)?.pid === project.pid) rmSync(path, { force: true });
  };
}

/** Another user's process is no board of this user. */
function isAlive(pid: number): boolean {
  return attempt(() => process.kill(pid, 0), false);
}

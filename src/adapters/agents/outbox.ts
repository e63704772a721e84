/**
 * Calls of an agent in a sandbox, which cannot write the project, and so cannot mark its own step. Its run
 * has a folder that it can write: `bloom step done` and the like leave their calls there, and the loop makes
 * them after the run.
 *
 * O1  A call is a whole file or none: it is written under another name, then renamed.
 * O2  The loop takes calls in the order in which they were written, and removes each one. If it is killed in
 *     between, it takes the call again.
 * O3  Other files in the folder are skipped and removed: an agent can write anything there.
 * O4  A call carries the capability of its run. The loop decides whether that is this run.
 */

import { randomUUID } from "node:crypto";
import { lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { parseForeign } from "../../core/json.ts";
import type { DeferredCall } from "../../core/ports/agents.ts";
import { firstNames, readPlainText } from "../files/plain-file.ts";
import { removeTree } from "../files/remove-tree.ts";
import { writeWhole } from "../files/write-whole.ts";
import type { RunFolder } from "./run-folder.ts";

/** The folder's path, in the agent's environment. */
export const OUTBOX = "PAWL_OUTBOX";

const MAX_CALL_BYTES = 64 * 1024;
const MAX_CALLS = 200;
/** Names that are read; calls are taken from the first ones. */
const MAX_NAMES = 10_000;

export function openOutbox({ folder }: Pick<RunFolder, "folder">): string {
  const outbox = join(folder, "outbox");
  mkdirSync(outbox, { recursive: true, mode: 0o700 });
  return outbox;
}

/** A call in the outbox. Its author is not proved yet. */
export interface PostedCall extends DeferredCall {
  readonly capability: unknown;
}

export function postCall(outbox: string, call: PostedCall): void {
  const name = `${String(Date.now()).padStart(15, "0")}-${randomUUID()}.json`;
  writeWhole(join(outbox, name), JSON.stringify(call));
}

export async function takeCalls(
  { folder }: Pick<RunFolder, "folder">,
  take: (call: PostedCall) => Promise<void>,
): Promise<void> {
  const outbox = join(folder, "outbox");
  for (const name of namesIn(outbox).slice(0, MAX_CALLS)) {
    const call = readCall(join(outbox, name));
    if (call) await take(call);
    await removeTree(join(outbox, name));
  }
  await removeTree(outbox);
}

function namesIn(folder: string): readonly string[] {
  return attempt(() => (lstatSync(folder).isDirectory() ? firstNames(folder, MAX_NAMES).toSorted() : []), []);
}

function readCall(path: string): PostedCall | null {
  return attempt(() => {
    const stats = lstatSync(path);
    if (!path.endsWith(".json") || !stats.isFile() || stats.size > MAX_CALL_BYTES) return null;
    const call = parseForeign(readPlainText(path, MAX_CALL_BYTES)) as PostedCall;
    const { verb, input, capability = null } = call;
    const isCall = typeof verb === "string" && typeof input === "object" && input !== null;
    return isCall ? { verb, input, capability } : null;
  }, null);
}

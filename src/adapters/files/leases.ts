/** Reads the leases: `.pawl/claims/<what>.json`, each with its owner's last heartbeat. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import type { Lease } from "../../core/ports/leases.ts";
import { isAbsence } from "./disk.ts";
import { toDiskError } from "./disk-error.ts";
import { ownPath } from "./own-folder.ts";
import { readPlainText } from "./plain-file.ts";

export const LEASES = ".pawl/claims";

/** The leases that are held, or whose owner died. Skips a torn lease: it has no owner. */
export async function listLeases(root: string): Promise<readonly Lease[]> {
  const folder = ownPath(root, LEASES);
  const names = (await namesIn(folder)).filter((name) => name.endsWith(".json")).sort();
  return (await Promise.all(names.map((name) => leaseIn(join(folder, name))))).filter(
    (lease) => lease !== null,
  );
}

export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if (isAbsence(thrown)) return [];
    throw toDiskError(thrown, "Looking for leases of dead owners");
  }
}

async function leaseIn(path: string): Promise<Lease | null> {
  const text = await textOf(path);
  const { beat, what } = attempt(() => JSON.parse(text ?? "null"), null) ?? {};
  return typeof what === "string" ? { what, beat: typeof beat === "string" ? beat : null } : null;
}

/** Null if it was released meanwhile. Throws if it is unreadable, since it may be held. */
async function textOf(path: string): Promise<string | null> {
  try {
    return readPlainText(path);
  } catch (thrown) {
    if (isAbsence(thrown)) return null;
    throw toDiskError(thrown, `Reading the lease ${path}`);
  }
}

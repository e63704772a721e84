/**
 * Values computed from texts, one file per kind beside the project's key. No clone, checkout or merge can put
 * a file there, so a hit needs no hash to be trusted. Disposable: any fault is a miss.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Cache } from "../../core/ports/cache.ts";
import { errnoOf } from "./disk.ts";
import type { StateFolder } from "./project-key.ts";
import { writeWhole } from "./write-whole.ts";

interface Latest {
  readonly source: string;
  readonly worked: () => unknown;
}

const GAP_MILLISECONDS = 100;
/** Writing takes at most 1/200 of the time while changes follow each other. */
const SHARE = 200;
const LONGEST_GAP_MILLISECONDS = 60_000;

/** Milliseconds of a monotonic clock. Does not use `performance`, which Node loads on demand. */
const clock = () => process.uptime() * 1000;

/** Delayed writes. At its end the process makes them at once. */
const late = new Set<() => void>();
let knowsOfEnd = false;

function writeBeforeEnd(write: () => void): void {
  late.add(write);
  if (knowsOfEnd) return;
  knowsOfEnd = true;
  process.on("beforeExit", () => {
    for (const each of late) each();
  });
}

/**
 * Stores nothing if the project has no folder there yet: its first commit makes it. `version`: the program's,
 * since another version may compute something else.
 */
export function openCache(state: Pick<StateFolder, "folder">, version: string): Cache {
  const folder = () => join(state.folder, "cache");
  const pending = new Map<string, Latest>();
  /** Per kind, the earliest time of the next write. */
  const free = new Map<string, number>();
  const flush = (kind: string) => {
    const latest = pending.get(kind);
    pending.delete(kind);
    const begun = clock();
    if (latest) keep(folder, kind, version, latest);
    const took = clock() - begun;
    free.set(kind, begun + Math.min(LONGEST_GAP_MILLISECONDS, Math.max(GAP_MILLISECONDS, SHARE * took)));
  };
  return {
    async get(kind, source) {
      try {
        const kept = JSON.parse(readFileSync(join(folder(), `${kind}.json`), "utf8"));
        return kept.version === version && kept.source === source ? kept.worked : null;
      } catch {
        return null;
      }
    },
    put(kind, source, worked) {
      const before = pending.get(kind);
      pending.set(kind, { source, worked });
      if (before !== undefined) return;
      // A single change, as in a command, is written soon; many changes in a row, as in a loop, are written
      // once.
      const rest = (free.get(kind) ?? 0) - clock();
      if (rest <= 0) setImmediate(() => flush(kind));
      else {
        const write = () => {
          late.delete(write);
          flush(kind);
        };
        setTimeout(write, rest).unref();
        writeBeforeEnd(write);
      }
    },
  };
}

/**
 * A reader gets the old file or the new one; after a power cut perhaps a part of one, which is not valid
 * JSON.
 */
function keep(cacheFolder: () => string, kind: string, version: string, { source, worked }: Latest): void {
  try {
    const folder = cacheFolder();
    const text = JSON.stringify({ version, source, worked: worked() });
    inFolder(folder, () => writeWhole(join(folder, `${kind}.json`), text));
  } catch {}
}

/** Makes the folder only if it is missing, and never its parent. */
function inFolder(folder: string, write: () => void): void {
  try {
    write();
  } catch (thrown) {
    if (errnoOf(thrown) !== "ENOENT") throw thrown;
    mkdirSync(folder, { mode: 0o700 });
    write();
  }
}

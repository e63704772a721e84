/**
 * What was computed from texts, one file per kind beside the project's key. No clone, checkout or merge can put a file
 * there, so a hit needs no hash to be trusted. Disposable: any fault is a miss.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cache } from "../../core/ports/cache.ts";
import { errnoOf } from "./disk.ts";
import type { StatePlace } from "./vault.ts";

interface Latest {
  readonly source: string;
  readonly worked: () => unknown;
}

const GAP_MILLISECONDS = 100;

/** Milliseconds of a clock that never goes back. `performance` is a part of Node that takes milliseconds to load. */
const clock = () => process.uptime() * 1000;

/** Keeps nothing if the project has no folder there yet: its first commit makes it. */
export function openCache(state: Pick<StatePlace, "folder">): Cache {
  const folder = () => join(state.folder, "cache");
  const pending = new Map<string, Latest>();
  let last = Number.NEGATIVE_INFINITY;
  const flush = (kind: string) => {
    const latest = pending.get(kind);
    pending.delete(kind);
    last = clock();
    if (latest) keep(folder, kind, latest);
  };
  return {
    async get(kind, source) {
      try {
        const kept = JSON.parse(readFileSync(join(folder(), `${kind}.json`), "utf8"));
        return kept.source === source ? kept.worked : null;
      } catch {
        return null;
      }
    },
    put(kind, source, worked) {
      const before = pending.get(kind);
      pending.set(kind, { source, worked });
      if (before !== undefined) return;
      // A single change, as in a command, is written at once; many changes in a row, as in a loop, are written once.
      const rest = last + GAP_MILLISECONDS - clock();
      if (rest > 0) setTimeout(() => flush(kind), rest);
      else setImmediate(() => flush(kind));
    },
  };
}

/** A reader sees the old file or the new one; after a power cut perhaps a part of one, which is not valid JSON. */
function keep(place: () => string, kind: string, { source, worked }: Latest): void {
  try {
    const folder = place();
    const fresh = join(folder, `${kind}.${process.pid}.new`);
    const text = JSON.stringify({ source, worked: worked() });
    inFolder(folder, () => writeFileSync(fresh, text, { mode: 0o600 }));
    renameSync(fresh, join(folder, `${kind}.json`));
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

/**
 * What was worked out of texts, one file per kind in `.pawl/cache/`: a line with the hash of the source and the hash of
 * what follows, then that. Disposable: whatever is wrong with it is a miss. The hashes are keyed, so that nobody's cache
 * but the project's own says what a text means.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Cache } from "../../core/ports/cache.ts";
import { hashOf, macOf } from "./hash.ts";
import { openOwnFolder } from "./own-folder.ts";

interface Latest {
  readonly source: string;
  readonly worked: () => string;
}

const CACHE = ".pawl/cache";
const GAP_MILLISECONDS = 100;
// O_NOFOLLOW is absent on Windows.
const FLAGS = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

/** Milliseconds of a clock that never goes back. `performance` is a part of Node that takes milliseconds to load. */
const clock = () => process.uptime() * 1000;

/** `key`: the project's own; where it has none yet, nothing is kept. */
export function openCache(root: string, key: () => Uint8Array | null): Cache {
  const pathOf = (kind: string) => join(root, CACHE, `${kind}.json`);
  const pending = new Map<string, Latest>();
  let last = Number.NEGATIVE_INFINITY;
  const flush = (kind: string) => {
    const latest = pending.get(kind);
    pending.delete(kind);
    last = clock();
    if (latest) keep(root, pathOf(kind), key, latest);
  };
  return {
    async get(kind, source) {
      try {
        const text = readFileSync(pathOf(kind), "utf8");
        const end = text.indexOf("\n");
        const worked = text.slice(end + 1);
        return text.slice(0, end) === headOf(key, source, worked) ? worked : null;
      } catch {
        return null;
      }
    },
    put(kind, source, worked) {
      const before = pending.get(kind);
      pending.set(kind, { source, worked });
      if (before !== undefined) return;
      // At once for a command's single text; a loop's many changes in a row are kept once.
      const rest = last + GAP_MILLISECONDS - clock();
      if (rest > 0) setTimeout(() => flush(kind), rest);
      else setImmediate(() => flush(kind));
    },
  };
}

/** In place, for to free a replaced file takes some disks milliseconds: what is torn or mixed has not this hash. */
function keep(root: string, path: string, key: () => Uint8Array | null, latest: Latest): void {
  try {
    const worked = latest.worked();
    const head = headOf(key, latest.source, worked);
    if (head === null) return;
    openOwnFolder(root, CACHE);
    const fd = openSync(path, FLAGS);
    try {
      const bytes = Buffer.from(`${head}\n${worked}`);
      const { size } = fstatSync(fd);
      writeFileSync(fd, bytes);
      if (size > bytes.length) ftruncateSync(fd, bytes.length);
    } finally {
      closeSync(fd);
    }
  } catch {}
}

function headOf(key: () => Uint8Array | null, source: string, worked: string): string | null {
  const known = key();
  return known && macOf(known, `${hashOf(source)} ${hashOf(worked)}`);
}

/**
 * What was worked out of texts, one file per kind in `.pawl/cache/`: a line with the hash of the source and the hash of
 * what follows, then that. Disposable: whatever is wrong with it is a miss.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Cache } from "../../base/ports.ts";
import { hashOf } from "./hash.ts";

const GAP_MILLISECONDS = 100;
// O_NOFOLLOW is absent on Windows.
const FLAGS = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

/** Milliseconds of a clock that never goes back. `performance` is a part of Node that takes milliseconds to load. */
const clock = () => process.uptime() * 1000;

export function openCache(root: string): Cache {
  const folder = join(root, ".pawl", "cache");
  const pathOf = (kind: string) => join(folder, `${kind}.json`);
  const pending = new Map<string, { readonly source: string; readonly worked: () => string }>();
  let last = Number.NEGATIVE_INFINITY;
  const flush = (kind: string) => {
    const latest = pending.get(kind);
    pending.delete(kind);
    last = clock();
    if (latest) keep(folder, pathOf(kind), latest.source, latest.worked());
  };
  return {
    async get(kind, source) {
      try {
        const text = readFileSync(pathOf(kind), "utf8");
        const end = text.indexOf("\n");
        const worked = text.slice(end + 1);
        return text.slice(0, end) === headOf(source, worked) ? worked : null;
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
function keep(folder: string, path: string, source: string, worked: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    const fd = openSync(path, FLAGS);
    try {
      const bytes = Buffer.from(`${headOf(source, worked)}\n${worked}`);
      const { size } = fstatSync(fd);
      writeFileSync(fd, bytes);
      if (size > bytes.length) ftruncateSync(fd, bytes.length);
    } finally {
      closeSync(fd);
    }
  } catch {}
}

function headOf(source: string, worked: string): string {
  return `${hashOf(source)} ${hashOf(worked)}`;
}

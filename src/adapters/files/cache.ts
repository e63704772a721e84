/**
 * What was worked out of texts, one file per kind in `.pawl/cache/`: a line with the hash of the source and the hash of
 * what follows, then that. Disposable: whatever is wrong with it is a miss.
 */
import { hash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Cache } from "../../base/ports.ts";

const GAP_MILLISECONDS = 100;

export function openCache(root: string): Cache {
  const folder = join(root, ".pawl", "cache");
  const pathOf = (kind: string) => join(folder, `${kind}.json`);
  const pending = new Map<string, { readonly source: string; readonly worked: () => string }>();
  let last = Number.NEGATIVE_INFINITY;
  const flush = async (kind: string) => {
    const latest = pending.get(kind);
    pending.delete(kind);
    last = performance.now();
    if (latest) await keep(folder, pathOf(kind), latest.source, latest.worked());
  };
  return {
    async get(kind, source) {
      try {
        const text = await readFile(pathOf(kind), "utf8");
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
      const rest = last + GAP_MILLISECONDS - performance.now();
      if (rest > 0) setTimeout(() => flush(kind), rest);
      else setImmediate(() => flush(kind));
    },
  };
}

async function keep(folder: string, path: string, source: string, worked: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(temporary, `${headOf(source, worked)}\n${worked}`);
    await rename(temporary, path);
  } catch {
    await rm(temporary, { force: true }).catch(() => {});
  }
}

function headOf(source: string, worked: string): string {
  return `${hash("sha256", source)} ${hash("sha256", worked)}`;
}

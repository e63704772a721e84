/**
 * What was worked out of texts, one file per kind in `.pawl/cache/`: a line with the hash of the source and the hash of
 * what follows, then that. Disposable: whatever is wrong with it is a miss.
 */
import { hash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Cache } from "../../base/ports.ts";

export function openCache(root: string): Cache {
  const folder = join(root, ".pawl", "cache");
  const pathOf = (kind: string) => join(folder, `${kind}.json`);
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
    async put(kind, source, worked) {
      const path = pathOf(kind);
      const temporary = `${path}.${process.pid}.tmp`;
      try {
        await mkdir(folder, { recursive: true });
        await writeFile(temporary, `${headOf(source, worked)}\n${worked}`);
        await rename(temporary, path);
      } catch {
        await rm(temporary, { force: true }).catch(() => {});
      }
    },
  };
}

function headOf(source: string, worked: string): string {
  return `${hash("sha256", source)} ${hash("sha256", worked)}`;
}

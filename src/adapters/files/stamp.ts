import { statSync } from "node:fs";
import { join } from "node:path";

/**
 * Size, times and inode: equal as long as the file is not written, or the folder's entries stay. `-`: nothing
 * is there.
 */
export function stampOf(root: string, path: string): string {
  const stats = statSync(join(root, path), { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? "-" : `${stats.size}.${stats.mtimeNs}.${stats.ctimeNs}.${stats.ino}`;
}

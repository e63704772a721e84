import { statSync } from "node:fs";
import { join } from "node:path";

/** Equal as long as nobody has written the file, or changed the folder's entries: size, times and inode. `-`: there is none. */
export function stampOf(root: string, path: string): string {
  const found = statSync(join(root, path), { bigint: true, throwIfNoEntry: false });
  return found === undefined ? "-" : `${found.size}.${found.mtimeNs}.${found.ctimeNs}.${found.ino}`;
}

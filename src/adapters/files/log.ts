import { type Disk, withFile } from "./disk.ts";
import { ensureFolders } from "./journal/temporary.ts";
import { checkFolders } from "./look.ts";

/** Appends one whole line in one write. Removes the part that a full disk cut short. */
export function appendLog(disk: Disk, path: string, line: string): void {
  if (!checkFolders(disk, path)) ensureFolders(disk, path);
  const bytes = Buffer.from(line.endsWith("\n") ? line : `${line}\n`);
  withFile(disk, path, "append", (fd) => {
    const before = disk.stat(fd).size;
    const written = disk.write(fd, bytes, before);
    if (written < bytes.length && disk.stat(fd).size === before + written) disk.truncate(fd, before);
  });
}

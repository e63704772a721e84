/** Who is in a group, as the system's files list it. */
import { readFileSync } from "node:fs";
import { attempt } from "../../core/attempt.ts";

export interface UserFiles {
  /** The text of `/etc/passwd`. */
  readonly users: string;
  /** The text of `/etc/group`. */
  readonly groups: string;
}

const read = (path: string) => attempt(() => readFileSync(path, "utf8"), "");

/** On macOS a directory service lists them, and these files do not. */
export function listedUsers(): UserFiles | null {
  return process.platform === "linux" ? { users: read("/etc/passwd"), groups: read("/etc/group") } : null;
}

/** Whether the group is listed, and has no member but this user and root: dev containers make such groups for Node's tools. */
export function isOnlyOf(uid: number, gid: number, { groups, users }: UserFiles): boolean {
  const own = rows(groups).filter(([, , id]) => id === String(gid));
  const primary = rows(users).filter(([, , id, group]) => group === String(gid) && id !== "0");
  const names = new Set(
    rows(users).flatMap(([name, , id]) => (id === String(uid) || id === "0" ? [name] : [])),
  );
  return (
    own.length > 0 &&
    primary.every(([, , id]) => id === String(uid)) &&
    own.every(([, , , members = ""]) => members.split(",").every((name) => name === "" || names.has(name)))
  );
}

function rows(text: string): readonly (readonly string[])[] {
  return text.split("\n").map((line) => line.trim().split(":"));
}

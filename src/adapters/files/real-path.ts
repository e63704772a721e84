import { lstatSync, readlinkSync } from "node:fs";
import { attempt } from "../../core/attempt.ts";

const MAX_LINKS = 40;

/**
 * The absolute path without links, as the system follows it. Follows a link to a missing file too, because
 * writing through it makes that file. Keeps the parts that do not exist. Never throws.
 */
export function realPathOf(path: string): string {
  let [done, links] = ["", 0];
  // The names still to follow, the next one last.
  const names = namesOf(path);
  while (names.length > 0) {
    const name = names.pop() ?? "";
    if (name === "..") {
      done = done.slice(0, Math.max(0, done.lastIndexOf("/")));
      continue;
    }
    const path = `${done}/${name}`;
    const target = links < MAX_LINKS ? targetOf(path) : null;
    if (target === null) done = path;
    else {
      links += 1;
      if (target.startsWith("/")) done = "";
      names.push(...namesOf(target));
    }
  }
  return done === "" ? "/" : done;
}

function namesOf(path: string): string[] {
  return path
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .reverse();
}

function targetOf(path: string): string | null {
  return attempt(
    () => (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : null),
    null,
  );
}

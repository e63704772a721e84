/**
 * Repositories without a commit inside a project: git refuses to look into them, so their files are inspected
 * here.
 */
import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { hashOf } from "../../core/hash.ts";
import { firstNames, readPlainText } from "../files/plain-file.ts";
import { searchBelow } from "../wall/mask.ts";

const MAX_FILES = 20_000;

/** Stamps of the files by folder, relative to the root. A rewritten file counts as changed. */
export function emptyRepositories(root: string): Readonly<Record<string, string>> {
  const folders = searchBelow(root, [".pawl", "node_modules"]).gits.map(dirname);
  const empty = folders.filter((folder) => folder !== "." && !hasCommit(join(root, folder, ".git")));
  return Object.fromEntries(empty.map((folder) => [folder, stampsIn(join(root, folder))]));
}

function hasCommit(git: string): boolean {
  // A `.git` file that points elsewhere, or an invalid one: git has its own rules for these.
  const head = attempt(() => readPlainText(join(git, "HEAD")).trim(), null);
  const [, ref] = /^ref: (refs\/\S+)$/.exec(head ?? "") ?? [];
  if (head === null || ref === undefined) return true;
  const packed = attempt(() => readPlainText(join(git, "packed-refs")), "");
  return lstatSync(join(git, ref), { throwIfNoEntry: false }) !== undefined || packed.includes(` ${ref}\n`);
}

function stampsIn(folder: string): string {
  const lines: string[] = [];
  const open = [""];
  while (open.length > 0 && lines.length < MAX_FILES) {
    const at = open.pop() ?? "";
    for (const name of attempt(() => firstNames(join(folder, at), MAX_FILES), []).toSorted()) {
      const path = at === "" ? name : `${at}/${name}`;
      const stats = lstatSync(join(folder, path), { throwIfNoEntry: false, bigint: true });
      if (!stats || name === ".git") continue;
      if (stats.isDirectory()) open.push(path);
      else
        lines.push(
          JSON.stringify([
            path,
            String(stats.mode),
            String(stats.ino),
            String(stats.size),
            String(stats.ctimeNs),
          ]),
        );
    }
  }
  return hashOf(lines.join("\n"));
}

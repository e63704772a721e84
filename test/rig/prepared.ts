/** Folders with repositories take a dozen processes to make: each kind is made once for a run of the tests, then copied. */
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { MAIN } from "./project.ts";

/** Beside the rig's programs: gone with the next run. */
const PLACE = join(dirname(MAIN), "prepared");
/** In place of the folder's own path, where git has written it down. */
const OWN = "/the-prepared-folder";

/** Fills `folder` with what `make` makes there for this key. */
export function copyPrepared(key: string, folder: string, make: (folder: string) => void): void {
  const kept = join(PLACE, createHash("sha256").update(key).digest("hex").slice(0, 16));
  if (!existsSync(kept)) {
    mkdirSync(PLACE, { recursive: true });
    const draft = mkdtempSync(join(PLACE, "draft-"));
    make(draft);
    renamePaths(draft, draft, OWN);
    try {
      renameSync(draft, kept);
    } catch {
      // Another process was faster.
      rmSync(draft, { recursive: true });
    }
  }
  cpSync(kept, folder, { recursive: true, preserveTimestamps: true });
  renamePaths(folder, OWN, folder);
}

/** Git's configurations name remotes by their paths. What git shows as samples is left out. */
function renamePaths(folder: string, from: string, to: string): void {
  for (const git of repositoriesIn(folder)) {
    const config = join(git, "config");
    writeFileSync(config, readFileSync(config, "utf8").replaceAll(from, to));
    rmSync(join(git, "hooks"), { recursive: true, force: true });
    mkdirSync(join(git, "hooks"));
  }
}

function repositoriesIn(folder: string): readonly string[] {
  const near = readdirSync(folder).map((name) => join(folder, name));
  const places = [folder, ...near].flatMap((place) => [place, join(place, ".git")]);
  return places.filter((place) => existsSync(join(place, "HEAD")) && existsSync(join(place, "objects")));
}

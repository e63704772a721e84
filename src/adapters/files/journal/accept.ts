/** Opens a foreign journal that was set aside, for a person who may accept what it would write. */
import { PawlError } from "../../../core/error.ts";
import type { ForeignJournal } from "../../../runtime/project.ts";
import { fileOnDisk, foldersOf, readAt, tryTextOf } from "../read-at.ts";
import { outcomeOf } from "./apply.ts";
import { chainsOf } from "./chain.ts";
import { parseUntrusted } from "./record.ts";
import type { Project } from "./recover.ts";

/** Throws `journal-refused` if one of its commits contains something that Pawl never writes. */
export async function openForeign(
  { disk, editors }: Pick<Project, "disk" | "editors">,
  kept: string,
): Promise<ForeignJournal> {
  await editors.load();
  const commits = parseUntrusted(readAt(disk, kept)?.bytes ?? new Uint8Array());
  const steps = commits.flatMap((each) => each ?? []);
  const chains = chainsOf(steps);
  const paths = [...chains.keys()];
  const nested = paths.find((path) => foldersOf(path).some((folder) => chains.has(folder)));
  if (commits.includes(null) || commits.length === 0 || nested !== undefined)
    throw refusedJournalError(
      kept,
      nested === undefined
        ? "one of its commits does something that Pawl never does, such as write outside the project or into git's folder"
        : `it writes ${nested}, and also a file in place of that path's folder`,
    );
  return {
    paths,
    outcome(path, text) {
      const file = text === null ? null : fileOnDisk(Buffer.from(text), 0o644);
      const bytes = outcomeOf({ editors, torn: false }, chains.get(path) ?? [], file);
      const after = bytes === null ? null : tryTextOf(bytes);
      if (bytes !== null && after === null)
        throw refusedJournalError(kept, `what it would write to ${path} is not text`);
      return after;
    },
    setAccepted: () => disk.rename(kept, kept.replace(/foreign-journal$/, "accepted-journal")),
  };
}

function refusedJournalError(kept: string, why: string): PawlError {
  return new PawlError(
    "journal-refused",
    `${kept} cannot be accepted: ${why}. Nothing was changed.`,
    `Open ${kept} in an editor and copy what you want by hand, or remove it.`,
  );
}

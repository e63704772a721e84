/**
 * The tasks file of a checkout and the one in the database, brought together.
 *
 * E1  The base is a version that both sides' files contain: after a pull the database's, after a push the checkout's.
 * E2  A push commits to the database first, then notes its base: whoever is killed in between finds the same change on both
 *     sides, which is none. A pull writes file and base in one commit.
 * E3  With the base goes how many commits the database had had. One with fewer is a restored backup, which may lack what the
 *     base has: then nobody knows what both came from, and nothing of the person's is taken back.
 */
import { attempt } from "../../../core/attempt.ts";
import { PawlError } from "../../../core/error.ts";
import type { PawlEvent } from "../../../core/event.ts";
import { type ProjectPath, projectPath } from "../../../core/path.ts";
import type { Change, Store, View } from "../../../core/ports/store.ts";
import { appended } from "../../../runtime/run-transaction.ts";
import { tasksInvalid } from "../../../tasks-file/load.ts";
import { mergeTasks, type Versions } from "../../../tasks-file/merge/merge.ts";
import type { Conflict, Settle } from "../../../tasks-file/merge/merge-slots.ts";
import { type Summary, summarize } from "../../../tasks-file/merge/summarize.ts";
import { readTasks } from "../../../tasks-file/read.ts";

export interface Place {
  /** The checkout's. */
  readonly files: Store;
  readonly shared: Store;
  /** Of the tasks file. */
  readonly path: ProjectPath;
  readonly base: BasePaths;
  /** How many commits the database had. */
  revision(): Promise<number>;
  /** The database, for people. */
  readonly shown: string;
  /** An event of this person's. */
  event(changed: Summary): PawlEvent;
}

export interface BasePaths {
  readonly text: ProjectPath;
  readonly revision: ProjectPath;
}

export interface Order {
  readonly settle: Settle;
  readonly dryRun: boolean;
}

/** What was written, or would be: to the file or to the database. */
export type Exchanged =
  | {
      readonly conflicts: null;
      readonly before: string | null;
      readonly after: string;
      readonly changed: Summary;
      /** The other side has something that this one did not get: what it was not asked for. */
      readonly isBehind: boolean;
      readonly isRestored: boolean;
    }
  | { readonly conflicts: readonly Conflict[]; readonly isRestored: boolean };

/** Where the base is kept: another project's database has another. */
export function basePaths(project: string, tasksFile: string): BasePaths {
  const at = (name: string) => projectPath(".pawl/pulled", project, name);
  return { text: at(tasksFile), revision: at("revision.json") };
}

const MAX_TRIES = 100;

/** The database's tasks into the checkout's file. */
export async function pull(place: Place, { dryRun, settle }: Order): Promise<Exchanged> {
  return retried(place, async () => {
    const { base, here, isRestored, mine, theirs } = await versionsIn(place);
    if (theirs === null)
      throw new PawlError(
        "tasks-missing",
        `The project in ${place.shown} has no ${place.path}.`,
        "Run `pawl push` to put yours there.",
      );
    const merged = mine === null ? { text: theirs } : merge(place, { base, mine, theirs }, settle);
    if ("conflicts" in merged) return { ...merged, isRestored };
    const { text } = merged;
    const changes = [...written(place.path, mine, text), ...(await baseChanges(place, here, theirs))];
    const isHeld =
      dryRun || changes.length === 0 || (await place.files.commit(here, changes)) === "committed";
    const changed = summarize(mine, text);
    return isHeld
      ? { conflicts: null, before: mine, after: text, changed, isBehind: text !== theirs, isRestored }
      : "changed";
  });
}

/** The checkout's tasks into the database. The file stays as it is. */
export async function push(place: Place, { dryRun, settle }: Order): Promise<Exchanged> {
  return retried(place, async () => {
    const { base, isRestored, mine, theirs, there } = await versionsIn(place);
    if (mine === null)
      throw new PawlError(
        "tasks-missing",
        `There is no ${place.path} here to push.`,
        "Run `pawl pull` to get the database's.",
      );
    const merged = theirs === null ? { text: mine } : merge(place, { base, mine, theirs }, settle);
    if ("conflicts" in merged) return { ...merged, isRestored };
    const { text } = merged;
    // What was put together was read.
    if (text === mine && text !== theirs) checkValid(place.path, text);
    const changed = summarize(theirs, text);
    if (!dryRun) {
      const changes =
        text === theirs ? [] : [...written(place.path, theirs, text), appended(place.event(changed))];
      if (changes.length > 0 && (await place.shared.commit(there, changes)) === "changed") return "changed";
      await noteBase(place, mine);
    }
    return { conflicts: null, before: theirs, after: text, changed, isBehind: text !== mine, isRestored };
  });
}

async function versionsIn({ base, files, path, revision, shared }: Place) {
  const [here, there] = [files.view(), shared.view()];
  const mine = await here.read(path);
  const isRestored = seenIn(await here.read(base.revision)) > (await revision());
  const from = await here.read(base.text);
  return { base: isRestored ? null : from, mine, theirs: await there.read(path), here, there, isRestored };
}

function seenIn(text: string | null): number {
  const seen = attempt(() => Number(JSON.parse(text ?? "0")), 0);
  return Number.isFinite(seen) ? seen : 0;
}

/** The base, and with a new one how many commits there are now: at least those that it has. */
async function baseChanges(
  { base, revision }: Pick<Place, "base" | "revision">,
  view: View,
  text: string,
): Promise<readonly Change[]> {
  const now = await revision();
  const [before, seen] = [await view.read(base.text), await view.read(base.revision)];
  if (before === text && seenIn(seen) <= now) return [];
  return [...written(base.text, before, text), ...written(base.revision, seen, `${now}\n`)];
}

async function retried(
  { path, shown }: Place,
  work: () => Promise<Exchanged | "changed">,
): Promise<Exchanged> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const done = await work();
    if (done !== "changed") return done;
  }
  throw new PawlError(
    "project-busy",
    `${path} changed during each of ${MAX_TRIES} attempts, here or in ${shown}. Nothing was changed.`,
    "Run the command again.",
  );
}

/** The base alone: a person may have saved the file again meanwhile. */
export async function noteBase(
  place: Pick<Place, "base" | "files" | "revision">,
  text: string,
): Promise<void> {
  let view: View;
  let changes: readonly Change[];
  do {
    view = place.files.view();
    changes = await baseChanges(place, view, text);
  } while (changes.length > 0 && (await place.files.commit(view, changes)) === "changed");
}

function written(path: ProjectPath, before: string | null, text: string): readonly Change[] {
  return before === text ? [] : [{ type: "write", path, text }];
}

function merge(
  { path, shown }: Pick<Place, "path" | "shown">,
  versions: Versions,
  settle: Settle,
): { readonly text: string } | { readonly conflicts: readonly Conflict[] } {
  const merged = mergeTasks(versions, settle);
  if (merged.ok) return merged;
  if ("conflicts" in merged) return merged;
  if (merged.in === "base") return merge({ path, shown }, { ...versions, base: null }, settle);
  if (merged.in === "mine") throw tasksInvalid(path, merged.problems);
  if (merged.in === "theirs")
    throw tasksInvalid(
      path,
      merged.problems,
      `${path} in ${shown}`,
      "Have it corrected where it was pushed.",
    );
  throw tasksInvalid(
    path,
    merged.problems,
    `${path} and the one in ${shown}, put together,`,
    `Edit ${path} so that both go together, then run the command again. Nothing was changed.`,
  );
}

export function checkValid(path: ProjectPath, text: string): void {
  const read = readTasks(text, null);
  if (!read.ok) throw tasksInvalid(path, read.problems);
}

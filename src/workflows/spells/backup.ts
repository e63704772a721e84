/**
 * Copies of `.ai/`: made, listed and brought back.
 *
 * B1  A copy is never changed and never overwritten.
 * B2  What is no text, and links, are left out of a copy and left alone by a restore; both say which.
 * B3  Before `.ai/` is replaced by a copy it is copied itself, so that nothing is lost. All in one commit.
 */
import { PawlError, toPawlError } from "../../core/error.ts";
import { type ProjectPath, projectPath } from "../../core/path.ts";
import type { Change, View } from "../../core/ports/store.ts";
import type { Reply, Transaction } from "../../runtime/module.ts";
import { AI_FOLDER, RUN } from "./files.ts";
import { freeName } from "./free-name.ts";
import { SPELLS_STATES } from "./recorded.ts";
import { toSeconds } from "./state-file.ts";

/** Where the copies are, each in a folder named by its date. */
export const BACKUPS = projectPath(".ai-backups");

/** Paths below a folder, with their texts. */
export type Tree = ReadonlyMap<string, string>;

/** Reads all files below a folder. With `leftOut`, which then holds their paths, it passes over what is no text. */
export async function readTree(view: View, folder: ProjectPath, leftOut?: ProjectPath[]): Promise<Tree> {
  const tree = new Map<string, string>();
  const walk = async (below: ProjectPath, prefix: string): Promise<void> => {
    for (const { name, kind } of await view.list(below)) {
      const path = projectPath(below, name);
      if (kind === "folder") await walk(path, `${prefix}${name}/`);
      else {
        const text = kind === "file" ? await readText(view, path, leftOut !== undefined) : null;
        if (text !== null) tree.set(`${prefix}${name}`, text);
        else leftOut?.push(path);
      }
    }
  };
  await walk(folder, "");
  return tree;
}

/** Null where there is no text, if that `may` be; else it throws. */
async function readText(view: View, path: ProjectPath, may: boolean): Promise<string | null> {
  try {
    return await view.read(path);
  } catch (thrown) {
    if (may && toPawlError(thrown).code === "state-unreadable") return null;
    throw thrown;
  }
}

/** What writes a tree as a new copy, and the copy's name. */
export function planBackup(
  tree: Tree,
  taken: readonly string[],
  time: string,
): { readonly name: string; readonly changes: readonly Change[] } {
  const name = freeName(toSeconds(time).replaceAll(":", "-"), taken);
  return { name, changes: planTree(tree, projectPath(BACKUPS, name)) };
}

/** What writes a tree below a folder. */
export function planTree(tree: Tree, folder: ProjectPath): readonly Extract<Change, { type: "write" }>[] {
  return [...tree].map(([path, text]) => ({ type: "write", path: projectPath(folder, path), text }));
}

/** What removes those files of a tree that another does not have. */
export function planRemoval(tree: Tree, kept: Tree, folder: ProjectPath): readonly Change[] {
  const gone = [...tree.keys()].filter((path) => !kept.has(path));
  return gone.map((path) => ({ type: "remove", path: projectPath(folder, path) }));
}

export async function listBackups(view: View): Promise<readonly string[]> {
  return (await view.list(BACKUPS)).filter(({ kind }) => kind === "folder").map(({ name }) => name);
}

interface Seen {
  readonly tree: Tree;
  /** What is no text, by path. */
  readonly leftOut: readonly ProjectPath[];
  readonly backups: readonly string[];
}

/** Copies `.ai/`. */
export const backUp: Transaction<object, Seen, undefined, Reply> = {
  run: () => RUN,
  async read(view) {
    const leftOut: ProjectPath[] = [];
    return { tree: await readTree(view, AI_FOLDER, leftOut), leftOut, backups: await listBackups(view) };
  },
  propose({ tree, leftOut, backups }, _gathered, _input, { now }) {
    if (tree.size === 0)
      return { reply: { text: "There is nothing in .ai/ to be copied.\n", data: { name: null } } };
    const { name, changes } = planBackup(tree, backups, now.time);
    const text = `${count(tree)} of .ai/ copied to ${BACKUPS}/${name}/. Bring them back with \`pawl spells restore ${name}\`.${named(" Left out (links, and files that are no text)", leftOut)}\n`;
    return { reply: { text, data: { name, files: tree.size, left_out: leftOut } }, changes };
  },
};

interface RestoreSeen extends Seen {
  readonly name: string;
  readonly copy: Tree;
}

/** Brings a copy of `.ai/` back: the one that is named, else the latest. */
export const restore: Transaction<{ readonly name?: string | undefined }, RestoreSeen, undefined, Reply> = {
  states: SPELLS_STATES,
  run: () => RUN,
  async read(view, { name: wanted }) {
    const backups = await listBackups(view);
    const name = wanted ?? backups.at(-1) ?? "";
    if (!backups.includes(name)) throw noSuchBackup(wanted, backups);
    const copy = await readTree(view, projectPath(BACKUPS, name));
    const leftOut: ProjectPath[] = [];
    return { name, copy, backups, tree: await readTree(view, AI_FOLDER, leftOut), leftOut };
  },
  propose({ name, copy, tree, leftOut, backups }, _gathered, _input, { now }) {
    const present = planBackup(tree, backups, now.time);
    const before = tree.size === 0 ? "" : ` What was there before is in ${BACKUPS}/${present.name}/.`;
    return {
      reply: {
        text: `${count(copy)} of .ai/ brought back from ${BACKUPS}/${name}/.${before}${named(" Left as it is", leftOut)}\n`,
        data: { name, files: copy.size, before: tree.size === 0 ? null : present.name },
      },
      changes: [
        ...present.changes,
        ...planRemoval(tree, copy, AI_FOLDER),
        ...planTree(copy, AI_FOLDER).filter(({ path }) => !leftOut.includes(path)),
      ],
    };
  },
};

function named(what: string, paths: readonly ProjectPath[]): string {
  return paths.length === 0 ? "" : `${what}: ${[...paths].sort().join(", ")}.`;
}

function count(tree: Tree): string {
  return tree.size === 1 ? "1 file" : `${tree.size} files`;
}

function noSuchBackup(wanted: string | undefined, backups: readonly string[]): PawlError {
  const found = backups.length === 0 ? "none" : backups.join(", ");
  return new PawlError(
    "usage",
    wanted === undefined
      ? `There is no copy of .ai/ to bring back: ${BACKUPS}/ has none.`
      : `There is no copy of .ai/ called ${JSON.stringify(wanted)}: found ${found}.`,
    backups.length === 0 ? "Make one with `pawl spells backup`." : `Name one of ${found}.`,
  );
}

/**
 * Copies few objects as loose files, in git's own format. A pack for each small work would slow down every
 * call of git, and making one takes two calls.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { errnoOf } from "../files/disk.ts";
import type { GitCall } from "./git.ts";
import { FOLDER_MODE, LINK_MODE, parseTree, type TreeEntry } from "./objects.ts";
import { ask, commitsOf } from "./reader.ts";

const MAX_OBJECTS = 100;

/** Reads the number of objects from the pack's header. */
export function isSmallPack(pack: string): boolean {
  const head = Buffer.alloc(12);
  const file = openSync(pack, "r");
  try {
    return readSync(file, head, 0, 12, 0) === 12 && head.readUInt32BE(8) <= MAX_OBJECTS;
  } finally {
    closeSync(file);
  }
}

/**
 * Links the objects that these commits add into another repository, files before commits. Returns false, and
 * has done nothing, if there are too many or some are not loose.
 */
export async function giveLoose(
  from: GitCall,
  common: string,
  to: GitCall,
  commits: readonly string[],
): Promise<boolean> {
  const wanted = await addedBy(from, to, commits);
  const fileOf = (objects: string, id: string) => join(objects, id.slice(0, 2), id.slice(2));
  const [mine, theirs] = [join(from.folder, "objects"), join(common, "objects")];
  if (wanted === null || !wanted.every((id) => existsSync(fileOf(mine, id)))) return false;
  for (const id of wanted) linkOrCopy(fileOf(mine, id), fileOf(theirs, id));
  return true;
}

function linkOrCopy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  const isThere = (thrown: unknown) => errnoOf(thrown) === "EEXIST";
  try {
    linkSync(from, to);
  } catch (thrown) {
    if (isThere(thrown)) return;
    // Another file system, or one without hard links.
    const draft = `${to}.${process.pid}`;
    copyFileSync(from, draft);
    renameSync(draft, to);
  }
}

/**
 * The objects of the commits, and of their ancestors, that the other repository lacks; an object comes after
 * those that it names. Null: too many.
 */
async function addedBy(
  from: GitCall,
  to: GitCall,
  commits: readonly string[],
): Promise<readonly string[] | null> {
  const wanted: string[] = [];
  const visited = new Set<string>();
  let ahead: readonly string[] = commits;
  while (ahead.length > 0) {
    const there = await ask(to, ahead);
    const news = ahead.filter((commit) => !there.has(commit) && !visited.has(commit));
    const before: string[] = [];
    for (const commit of news) {
      visited.add(commit);
      const [mine] = (await commitsOf(from, [commit])) ?? [];
      const others = mine && (await commitsOf(from, mine.parents));
      if (!mine || !others || wanted.length > MAX_OBJECTS) return null;
      const added = await filesOf(
        from,
        mine.tree,
        others.map(({ tree }) => tree),
      );
      if (added === null) return null;
      wanted.unshift(...added, commit);
      before.push(...mine.parents);
    }
    ahead = before;
  }
  return wanted.length > MAX_OBJECTS ? null : wanted;
}

/**
 * The objects of a tree that no other tree has in the same place; a folder follows its files. Null: too many.
 */
async function filesOf(
  call: GitCall,
  tree: string,
  others: readonly string[],
): Promise<readonly string[] | null> {
  if (others.includes(tree)) return [];
  const [mine, ...theirs] = await entriesOf(call, [tree, ...others]);
  if (mine === undefined) return null;
  const named = theirs.map((entries) => new Map(entries.map((entry) => [entry.name, entry])));
  const wanted: string[] = [];
  for (const { id, mode, name } of mine) {
    const matching = named.flatMap((entries) => entries.get(name) ?? []);
    if (mode === LINK_MODE || matching.some((entry) => entry.id === id)) continue;
    const folders = matching.filter((entry) => entry.mode === FOLDER_MODE).map((entry) => entry.id);
    const files = mode === FOLDER_MODE ? await filesOf(call, id, folders) : [id];
    if (files === null || wanted.length + files.length > MAX_OBJECTS) return null;
    wanted.push(...files);
  }
  return [...wanted, tree];
}

async function entriesOf(
  call: GitCall,
  trees: readonly string[],
): Promise<readonly (readonly TreeEntry[])[]> {
  const existing = await ask(call, trees);
  return trees.flatMap((tree) => {
    const object = existing.get(tree);
    return object ? [parseTree(object.bytes, tree.length / 2)] : [];
  });
}

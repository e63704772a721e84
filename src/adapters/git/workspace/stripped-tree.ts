/**
 * Computes trees without some paths, to compare what a person approved with what is committed, whatever
 * records were added since. It only computes ids and writes nothing, so a bare clone is enough.
 */
import { createHash } from "node:crypto";
import type { CommittedTree } from "../../../core/ports/git.ts";
import { forkOf } from "../changes.ts";
import { prefixOf } from "../discover.ts";
import { type GitCall, git, gitLine } from "../git.ts";
import { FOLDER_MODE, parseTree, readObjects, type TreeEntry } from "../objects.ts";
import { unavailable } from "../reason.ts";

const FILE_MODES: ReadonlySet<string> = new Set(["100644", "100755"]);

/** What to leave out: a folder entirely, or some paths below it. */
type Left = Map<string, Left>;

/**
 * Leaves out a whole folder, but only its folders and files. A link or a submodule stays, in it or in its
 * place: neither is a record, and both point elsewhere.
 */
const ENTIRELY: Left = new Map();

/**
 * For each tree, the id of the same tree without the paths. Empty folders are dropped, since git stores none.
 */
export async function strippedTrees(
  call: GitCall,
  trees: readonly string[],
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const left = leftOut(paths);
  const read = new Map<string, readonly TreeEntry[]>();
  let level = trees.map((id) => ({ id, left }));
  while (level.length > 0) {
    const objects = await readObjects(
      call,
      level.map(({ id }) => id).filter((id) => !read.has(id)),
    );
    for (const [id, { bytes }] of objects) read.set(id, parseTree(bytes, id.length / 2));
    level = level.flatMap(({ id, left: out }) =>
      (read.get(id) ?? []).flatMap(({ id: below, mode, name }) => {
        const deeper = belowOf(out, name);
        return mode === FOLDER_MODE && deeper ? [{ id: below, left: deeper }] : [];
      }),
    );
  }
  return new Map(trees.map((id) => [id, strip(id, left, read).id]));
}

function belowOf(left: Left, name: string): Left | undefined {
  return left === ENTIRELY ? ENTIRELY : left.get(name);
}

function leftOut(paths: readonly string[]): Left {
  const root: Left = new Map();
  for (const path of paths) {
    const names = path.split("/");
    let at = root;
    for (const [index, name] of names.entries()) {
      if (index === names.length - 1) at.set(name, ENTIRELY);
      else if (at.get(name) === ENTIRELY) break;
      else {
        const next: Left = at.get(name) ?? new Map();
        at.set(name, next);
        at = next;
      }
    }
  }
  return root;
}

function strip(
  id: string,
  left: Left,
  read: ReadonlyMap<string, readonly TreeEntry[]>,
): { readonly id: string; readonly isEmpty: boolean } {
  const entries = read.get(id);
  if (!entries) return { id, isEmpty: false };
  const kept = entries.flatMap((entry) => {
    const below = belowOf(left, entry.name);
    if (below === undefined) return [entry];
    if (entry.mode !== FOLDER_MODE) return left === ENTIRELY && FILE_MODES.has(entry.mode) ? [] : [entry];
    const stripped = strip(entry.id, below, read);
    return stripped.isEmpty ? [] : [{ ...entry, id: stripped.id }];
  });
  return { id: idOf(kept, id.length), isEmpty: kept.length === 0 };
}

/** The id of a tree with these entries, in the repository's hash. */
function idOf(entries: readonly TreeEntry[], length: number): string {
  const body = Buffer.concat(
    entries.flatMap(({ id, mode, name }) => [
      Buffer.from(`${mode} ${name}\0`, "latin1"),
      Buffer.from(id, "hex"),
    ]),
  );
  const hash = createHash(length === 64 ? "sha256" : "sha1");
  return hash.update(`tree ${body.length}\0`).update(body).digest("hex");
}

/**
 * A commit's tree without the `own` paths, and what it changed since it left the base branch. Never throws.
 */
export async function committed(
  call: GitCall,
  order: { readonly commit: string; readonly target: string | null; readonly own: readonly string[] },
): Promise<CommittedTree> {
  try {
    const { commit, own, target } = order;
    const fork = await forkOf({ ...call, accept: [1, 128] }, target, commit);
    if ("reason" in fork) return { kind: "unavailable", reason: fork.reason };
    const prefix = prefixOf(call.folder);
    const paths = own.map((path) => `${prefix}${path}`);
    const tree = await gitLine(call, ["rev-parse", "--verify", "--end-of-options", `${commit}^{tree}`]);
    const stripped = await strippedTrees(call, [tree], paths);
    const args = ["diff", "--name-only", "-z", "--no-renames", fork.commit, commit, "--"];
    const names = (await git(call, args)).output.split("\0").filter(Boolean);
    const files = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
    return { kind: "tree", tree: stripped.get(tree) ?? tree, base: fork.commit, files };
  } catch (thrown) {
    return unavailable(thrown);
  }
}

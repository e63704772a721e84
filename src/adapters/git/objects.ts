/**
 * Reads objects of a repository, many per call. No working folder, index or configuration has any influence.
 */
import { type GitCall, git } from "./git.ts";

export interface GitObject {
  readonly type: string;
  /** One character per byte. */
  readonly bytes: string;
}

/** Reads objects by their names (ids, `<commit>:<path>`), in ASCII. A missing object has no entry. */
export async function readObjects(
  call: GitCall,
  names: readonly string[],
): Promise<ReadonlyMap<string, GitObject>> {
  const wanted = [...new Set(names)].filter((name) => !/[\n\r]/.test(name));
  if (wanted.length === 0) return new Map();
  const input = wanted.map((name) => `${name}\n`).join("");
  const { output } = await git({ ...call, input, encoding: "latin1" }, ["cat-file", "--batch"]);
  const objects = new Map<string, GitObject>();
  let at = 0;
  for (const name of wanted) {
    const answer = readAnswer(output, at);
    if (answer === null) break;
    if (answer.object !== null) objects.set(name, answer.object);
    at = answer.end;
  }
  return objects;
}

/**
 * One answer of `cat-file --batch`, one character per byte: `<id> <type> <size>`, the object, a line break;
 * or `<name> missing`. Null: incomplete so far.
 */
export function readAnswer(
  output: string,
  at: number,
): { readonly object: GitObject | null; readonly end: number } | null {
  const head = output.indexOf("\n", at);
  if (head < 0) return null;
  const [, type, size] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(output.slice(at, head)) ?? [];
  if (type === undefined) return { object: null, end: head + 1 };
  const last = head + 1 + Number(size);
  if (output.length <= last) return null;
  return { object: { type, bytes: output.slice(head + 1, last) }, end: last + 1 };
}

export interface TreeEntry {
  readonly mode: string;
  /** One character per byte. */
  readonly name: string;
  readonly id: string;
}

export const FOLDER_MODE = "40000";
/** Of a submodule's entry: a commit of another repository. */
export const LINK_MODE = "160000";

/** Reads a tree object: a sequence of `<mode> <name> NUL <id>`. */
export function parseTree(bytes: string, idLength: number): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const blank = bytes.indexOf(" ", at);
    const zero = bytes.indexOf("\0", blank);
    if (blank < 0 || zero < 0) break;
    const id = Buffer.from(bytes.slice(zero + 1, zero + 1 + idLength), "latin1").toString("hex");
    entries.push({ mode: bytes.slice(at, blank), name: bytes.slice(blank + 1, zero), id });
    at = zero + 1 + idLength;
  }
  return entries;
}

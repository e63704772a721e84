/**
 * What a reader need not go through line by line: renames, generated files, blanks and line ends, the sizes of
 * binary files. Attributes count as the base has them, so no change can hide itself by them.
 */
import type { FileShape } from "../../core/ports/git.ts";
import { type GitCall, git } from "./git.ts";
import { checkedId, fromRoot, prefixOf, withScratch } from "./tree.ts";

const LIMIT = 30_000;
/** Files beyond this many are not looked into for a generator's words. */
const MOST_SEARCHED = 2_000;
const HEADER_LINES = 5;
/** In one of the first lines of a file, it says that a program wrote it. */
const HEADER = "@generated|auto-?generated|generated[^.]*(by|from|do not)|do not (edit|modify)[^.]*generated";
/** The change of blanks and of line ends does not count; that from none to some does. */
const BLANKS = ["-b", "--ignore-cr-at-eol", "--ignore-blank-lines"];

/** Empty if git cannot tell. Never throws. */
export async function shapes(place: GitCall, from: string, to: string): Promise<readonly FileShape[]> {
  try {
    return await withScratch(place, null, async ({ call }) => {
      const objects = [checkedId(from), checkedId(to)];
      const asked = { ...call, limit: LIMIT };
      const tree = ["diff-tree", "-r", "-z"];
      const raw = await git(asked, [...tree, "--raw", "-M50%", "-l1000", "--abbrev=64", ...objects]);
      const entries = entriesOf(raw.output);
      const renamed = await git(asked, [...tree, "--numstat", "-M50%", "-l1000", ...objects]);
      const inked = await git(asked, [...tree, "--numstat", "--no-renames", ...BLANKS, ...objects]);
      const counts = countsOf(renamed.output);
      const written = new Set(
        [...countsOf(inked.output)].filter(([, own]) => own !== "0 0").map(([path]) => path),
      );
      const sizes = await sizesOf(asked, entries, counts);
      const attributed = await attributedIn(asked, checkedId(from), entries);
      const headed = await headedIn(asked, checkedId(to), entries);
      const prefix = prefixOf(place);
      return entries.map(({ after, before, path, similarity, status, was }): FileShape => {
        const [added, deleted] = (counts.get(path) ?? "").split(" ").map(Number);
        return {
          path: fromRoot(prefix, path),
          ...(was !== null && {
            was: fromRoot(prefix, was),
            ...{ similarity, added: added || 0, deleted: deleted || 0 },
          }),
          isBlank: status === "M" && before !== after && !written.has(path),
          generated: attributed.has(path) ? "attribute" : headed.has(path) ? "header" : null,
          bytes: { before: sizes.get(before) ?? null, after: sizes.get(after) ?? null },
        };
      });
    });
  } catch {
    return [];
  }
}

interface Entry {
  readonly before: string;
  readonly after: string;
  readonly status: string;
  readonly similarity: number;
  readonly was: string | null;
  readonly path: string;
}

/** Reads `:MODE MODE ID ID STATUS NUL PATH NUL`, with two paths of a rename. */
function entriesOf(output: string): readonly Entry[] {
  const fields = output.split("\0");
  const entries: Entry[] = [];
  for (let at = 0; at < fields.length; ) {
    const [, before = "", after = "", status = "", score = ""] =
      /^:\d+ \d+ (\w+) (\w+) ([A-Z])(\d*)$/.exec(fields[at++] ?? "") ?? [];
    if (status === "") continue;
    const first = fields[at++] ?? "";
    const path = status === "R" ? (fields[at++] ?? "") : first;
    entries.push({
      before,
      after,
      status,
      similarity: Number(score),
      was: status === "R" ? first : null,
      path,
    });
  }
  return entries;
}

/** `added deleted` by path; of a rename, by the new one. A binary file's are dashes. */
function countsOf(output: string): ReadonlyMap<string, string> {
  const fields = output.split("\0");
  const counts = new Map<string, string>();
  for (let at = 0; at < fields.length; ) {
    const [, added = "", deleted = "", path = ""] =
      /^(\d+|-)\t(\d+|-)\t([\s\S]*)$/.exec(fields[at++] ?? "") ?? [];
    if (added === "") continue;
    if (path === "") at++;
    counts.set(path === "" ? (fields[at++] ?? "") : path, `${added} ${deleted}`);
  }
  return counts;
}

/** By object; of binary files alone. */
async function sizesOf(
  call: GitCall,
  entries: readonly Entry[],
  counts: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, number>> {
  const binary = entries.filter(({ path }) => counts.get(path) === "- -");
  if (binary.length === 0) return new Map();
  const input = binary.flatMap(({ after, before }) => [before, after]).join("\n");
  const { output } = await git({ ...call, input: `${input}\n` }, ["cat-file", "--batch-check"]);
  return new Map(
    output.split("\n").flatMap((line) => {
      const [, id = "", size] = /^(\w+) blob (\d+)$/.exec(line) ?? [];
      return size === undefined ? [] : [[id, Number(size)] as const];
    }),
  );
}

/** Those that the tree's `.gitattributes` call generated. */
async function attributedIn(
  call: GitCall,
  tree: string,
  entries: readonly Entry[],
): Promise<ReadonlySet<string>> {
  const named = ["grep", "-q", "-I", "-F", "linguist-generated", tree, "--", ":(glob)**/.gitattributes"];
  if ((await git({ ...call, accept: [1] }, named)).code !== 0) return new Set();
  await git(call, ["read-tree", tree]);
  const input = entries.map(({ path }) => `${path}\0`).join("");
  const args = ["check-attr", "--cached", "-z", "--stdin", "linguist-generated"];
  const fields = (await git({ ...call, input }, args)).output.split("\0");
  const isSet = (value: string | undefined) => value === "set" || value === "true";
  return new Set(entries.flatMap(({ path }, at) => (isSet(fields[at * 3 + 2]) ? [path] : [])));
}

async function headedIn(
  call: GitCall,
  tree: string,
  entries: readonly Entry[],
): Promise<ReadonlySet<string>> {
  const sought = entries.filter(({ status }) => status !== "D").slice(0, MOST_SEARCHED);
  if (sought.length === 0) return new Set();
  const args = ["grep", "-n", "-z", "-I", "-i", "-E", "-m1", "-e", HEADER, tree, "--"];
  const named = sought.map(({ path }) => `:(literal,top)${path}`);
  const { output } = await git({ ...call, accept: [1] }, [...args, ...named]);
  const found = output.matchAll(/(?:^|\n)[0-9a-f]+:([^\0]+)\0(\d+)\0/g);
  return new Set([...found].flatMap(([, path = "", line]) => (Number(line) <= HEADER_LINES ? [path] : [])));
}

/** A file's bytes in a tree; null: there is none, or it is larger. Never throws. */
export async function blob(
  place: GitCall,
  { most, object, path }: { readonly object: string; readonly path: string; readonly most: number },
): Promise<Uint8Array | null> {
  try {
    return await withScratch(place, null, async ({ call }) => {
      const prefix = prefixOf(place);
      const name = `${checkedId(object)}:${prefix === "" ? path : `${prefix}/${path}`}`;
      const size = await git(call, ["cat-file", "-s", name]);
      if (!(Number(size.output) <= most)) return null;
      const { output } = await git({ ...call, encoding: "latin1", most: most + 1 }, [
        "cat-file",
        "blob",
        name,
      ]);
      return Buffer.from(output, "latin1");
    });
  } catch {
    return null;
  }
}

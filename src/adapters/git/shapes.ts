/**
 * What a reader need not go through line by line: renames, generated files, blanks and line ends, the sizes of
 * binary files. Attributes count as the base has them, so no change can hide itself by them.
 */
import type { FileShape } from "../../core/ports/git.ts";
import { parseNumstat, parseRaw, type RawChange } from "./changes.ts";
import { fromRoot, prefixOf } from "./discover.ts";
import { type GitCall, git } from "./git.ts";
import { LINK_MODE as MODULE, readObjects } from "./objects.ts";
import { checkedId, withScratch } from "./tree.ts";

const GIT_TIMEOUT = 30_000;
/** Which files count as renamed. */
export const RENAMES = ["-M50%", "-l1000"];
/** The mode of a symbolic link. */
const SYMBOLIC = "120000";
/** Files beyond this many are not looked into for a generator's words. */
const MAX_SEARCHED = 2_000;
const HEADER_LINES = 5;
/** In one of the first lines of a file, it says that a program wrote it. */
const HEADER = "@generated|auto-?generated|generated[^.]*(by|from|do not)|do not (edit|modify)[^.]*generated";
/** The change of blanks and of line ends does not count; that from none to some does. */
const BLANKS = ["-b", "--ignore-cr-at-eol", "--ignore-blank-lines"];

/**
 * Throws where git cannot list the changes or read their links, which a reader must know of. What else it cannot tell,
 * as of too many or too large files, is left out: then there is more to read.
 */
export async function shapes(gitCall: GitCall, from: string, to: string): Promise<readonly FileShape[]> {
  return withScratch(gitCall, null, async ({ call }) => {
    const prefix = prefixOf(gitCall.folder);
    const objects = [checkedId(from), checkedId(to)];
    const limited = { ...call, limit: GIT_TIMEOUT };
    const compare = async (...options: readonly string[]) =>
      (await git(limited, ["diff-tree", "-r", "-z", ...options, ...objects])).output;
    const list = async (...pairing: readonly string[]) => ({
      entries: parseRaw(await compare("--raw", "--abbrev=64", ...pairing)),
      counts: parseNumstat(await compare("--numstat", ...pairing)),
    });
    const { counts: counted, entries } = await list(...RENAMES).catch(() => list("--no-renames"));
    const counts = new Map(counted.map((file) => [file.path, file]));
    const written = await compare("--numstat", "--no-renames", ...BLANKS).then(writtenIn, () => null);
    const isBinary = ({ path }: RawChange) => counts.get(path)?.added === null;
    const sizes = await sizesOf(limited, entries.filter(isBinary)).catch(() => new Map<string, number>());
    const links = await linksOf(limited, entries);
    const attributed = await attributedIn(limited, checkedId(from), entries).catch(() => NONE);
    const headed = await headedIn(limited, checkedId(to), entries).catch(() => NONE);
    return entries.map(({ after, before, mode, path, similarity, status, was }): FileShape => {
      const { added, deleted } = counts.get(path) ?? {};
      return {
        path: fromRoot(prefix, path),
        ...(was !== null && {
          was: fromRoot(prefix, was),
          ...{ similarity, added: added || 0, deleted: deleted || 0 },
        }),
        isBlank: status === "M" && before !== after && written?.has(path) === false,
        generated: attributed.has(path) ? "attribute" : headed.has(path) ? "header" : null,
        ...(mode === SYMBOLIC && links.has(after) && { link: links.get(after) as string }),
        ...(mode === MODULE && { module: { before, after } }),
        bytes: { before: sizes.get(before) ?? null, after: sizes.get(after) ?? null },
      };
    });
  });
}

const NONE: ReadonlySet<string> = new Set();

function writtenIn(numstat: string): ReadonlySet<string> {
  return new Set(
    parseNumstat(numstat).flatMap(({ added, deleted, path }) => (added === 0 && deleted === 0 ? [] : [path])),
  );
}

/** No system follows a longer one. */
const LONGEST_LINK = 4_096;

/** Links read at once: together they fit into one answer. */
const LINKS_AT_ONCE = 5_000;

/** Where the changes' symbolic links lead, by object. */
async function linksOf(call: GitCall, entries: readonly RawChange[]): Promise<ReadonlyMap<string, string>> {
  const links = entries.filter(({ mode }) => mode === SYMBOLIC);
  const sizes = await sizesOf(call, links);
  const short = links.filter(({ after }) => (sizes.get(after) ?? Infinity) <= LONGEST_LINK);
  const ids = short.map(({ after }) => after);
  const texts = new Map<string, string>();
  for (let at = 0; at < ids.length; at += LINKS_AT_ONCE)
    for (const [id, { bytes }] of await readObjects(call, ids.slice(at, at + LINKS_AT_ONCE)))
      texts.set(id, Buffer.from(bytes, "latin1").toString("utf8"));
  return texts;
}

/** By object. */
async function sizesOf(call: GitCall, changes: readonly RawChange[]): Promise<ReadonlyMap<string, number>> {
  if (changes.length === 0) return new Map();
  const input = changes.flatMap(({ after, before }) => [before, after]).join("\n");
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
  entries: readonly RawChange[],
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
  entries: readonly RawChange[],
): Promise<ReadonlySet<string>> {
  const sought = entries.filter(({ status }) => status !== "D").slice(0, MAX_SEARCHED);
  if (sought.length === 0) return new Set();
  const args = ["grep", "-n", "-z", "-I", "-i", "-E", "-m1", "-e", HEADER, tree, "--"];
  const named = sought.map(({ path }) => `:(literal,top)${path}`);
  const { output } = await git({ ...call, accept: [1] }, [...args, ...named]);
  const matches = output.matchAll(/(?:^|\n)[0-9a-f]+:([^\0]+)\0(\d+)\0/g);
  return new Set([...matches].flatMap(([, path = "", line]) => (Number(line) <= HEADER_LINES ? [path] : [])));
}

/** A file's bytes in a tree; null: there is none, or it is larger. Never throws. */
export async function blob(
  gitCall: GitCall,
  { most, object, path }: { readonly object: string; readonly path: string; readonly most: number },
): Promise<Uint8Array | null> {
  try {
    return await withScratch(gitCall, null, async ({ call }) => {
      const name = `${checkedId(object)}:${prefixOf(gitCall.folder)}${path}`;
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

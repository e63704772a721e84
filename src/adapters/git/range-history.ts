/**
 * A range of commits for `pawl verify`. A handful of calls reads it from the repository's objects, so a bare
 * clone is enough.
 */
import { PawlError } from "../../core/error.ts";
import { BOOKKEEPING } from "../../core/gate-record.ts";
import type { RangeCommit, RangeHistory } from "../../core/ports/history.ts";
import type { Entry, View } from "../../core/ports/store.ts";
import { lastLineOf } from "../../core/text/lines.ts";
import { fromRoot, prefixOf } from "./discover.ts";
import { type GitCall, git, gitLine } from "./git.ts";
import { readObjects } from "./objects.ts";
import { isAncestor } from "./reader.ts";
import { commitOf } from "./refs.ts";
import { plantedIn } from "./workspace/planted.ts";
import { strippedTrees } from "./workspace/stripped-tree.ts";

export interface RangeSources {
  readonly call: GitCall;
  readonly packaged: (path: string) => Promise<string | null>;
}

/** `range`: `BASE..HEAD`. Throws `usage` if one of its commits is missing. */
export async function openRange({ call, packaged }: RangeSources, range: string): Promise<RangeHistory> {
  const ends = rangeIn(range);
  if (ends === null)
    throw new PawlError(
      "usage",
      `${JSON.stringify(range.slice(0, 200))} is not a range: expected BASE..HEAD.`,
      "For instance, write origin/main..HEAD.",
    );
  const [base, head] = [await endOf(call, ends.base), await endOf(call, ends.head)];
  const prefix = prefixOf(call.folder);
  const bookkeeping = BOOKKEEPING.map((path) => `${prefix}${path}`);
  const [commits, planted] = await Promise.all([
    readCommits(call, `${base}..${head}`, prefix),
    plantedIn(call, base, head),
  ]);
  const works = await strippedTrees(
    call,
    commits.map(({ tree }) => tree),
    bookkeeping,
  );
  const views = new Map<string, View>();
  return {
    base,
    head,
    planted: planted.reason,
    commits: commits.map((commit) => ({ ...commit, work: works.get(commit.tree) ?? commit.tree })),
    view(commit) {
      const view = views.get(commit) ?? viewOf(call, commit, prefix, packaged);
      views.set(commit, view);
      return view;
    },
    async workOf(commit) {
      const tree = await gitLine(call, ["rev-parse", "--verify", "--end-of-options", `${commit}^{tree}`]);
      return (await strippedTrees(call, [tree], bookkeeping)).get(tree) ?? tree;
    },
    isAncestor: (one, other) => isAncestor(call, one, other),
    merged: (parents) => mergedTree(call, parents),
    async changed(one, other) {
      const args = ["diff", "--name-only", "-z", "--no-renames", one, other, "--"];
      const names = (await git(call, args)).output.split("\0").filter(Boolean);
      return names.map((name) => fromRoot(prefix, name));
    },
    async list(commit, folder) {
      const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", `${prefix}${folder}`];
      return (await git(call, args)).output
        .split("\0")
        .filter(Boolean)
        .map((name) => fromRoot(prefix, name));
    },
  };
}

/** Parses `BASE..HEAD`, where HEAD may be left out; null if it is not a range. */
export function rangeIn(range: string): { readonly base: string; readonly head: string } | null {
  const at = range.indexOf("..");
  const [base, head] = [range.slice(0, Math.max(0, at)), range.slice(at + 2) || "HEAD"];
  const isName = (name: string) => name !== "" && !/^[-.]|\s/.test(name);
  return at > 0 && isName(base) && isName(head) ? { base, head } : null;
}

async function endOf(call: GitCall, name: string): Promise<string> {
  const commit = await commitOf(call, name);
  if (commit !== null) return commit;
  throw new PawlError(
    "usage",
    `The repository has no commit ${JSON.stringify(name)}: expected a branch, a tag or a commit's id.`,
    "Fetch it with its history first (`git fetch --unshallow`), or name another.",
  );
}

/** The commits of the range, newest first, each with what it changed. */
async function readCommits(
  call: GitCall,
  range: string,
  prefix: string,
): Promise<readonly Omit<RangeCommit, "work">[]> {
  const shape = ["-z", "-c", "--raw", "--no-renames", "--no-abbrev", "--topo-order"];
  const args = ["-c", "log.showRoot=true", "log", ...shape, "--format=commit:%H %T %P%x00%s", range, "--"];
  const { output } = await git(call, args);
  const tokens = output.split("\0").map((token) => token.replace(/^\n/, ""));
  const commits: (Omit<RangeCommit, "work" | "changes"> & { changes: RangeCommit["changes"][number][] })[] =
    [];
  // Any contributor can choose titles and paths freely, so each field is read by its position and never
  // searched for.
  for (let at = 0; at < tokens.length; at += 2) {
    const [token = "", next = ""] = [tokens[at], tokens[at + 1]];
    if (token.startsWith("commit:")) {
      const [id = "", tree = "", ...parents] = token.slice("commit:".length).split(" ").filter(Boolean);
      commits.push({ id, tree, parents, title: next, changes: [] });
    } else if (token.startsWith(":"))
      commits.at(-1)?.changes.push({ path: fromRoot(prefix, next), what: whatOf(token) });
    else if (token === "") at -= 1;
    else throw new Error("git log has an unexpected shape.");
  }
  return commits;
}

/** Reads `:100644 100644 040… 040… M`; for a merge, with as many colons and letters as it has parents. */
function whatOf(entry: string): RangeCommit["changes"][number]["what"] {
  const letters = entry.split(" ").at(-1) ?? "";
  return /^A+$/.test(letters) ? "added" : /^D+$/.test(letters) ? "deleted" : "modified";
}

async function mergedTree(call: GitCall, parents: readonly string[]): Promise<string | null> {
  const [one, other] = parents;
  if (parents.length !== 2 || one === undefined || other === undefined) return null;
  const args = ["merge-tree", "--write-tree", "--no-messages", one, other];
  const { code, output } = await git({ ...call, accept: [1] }, args);
  return code === 0 ? (output.trim().split("\n")[0] ?? null) : null;
}

/** The project's files in a commit. */
function viewOf(call: GitCall, commit: string, prefix: string, packaged: RangeSources["packaged"]): View {
  const texts = new Map<string, Promise<string | null>>();
  const read = async (path: string) => {
    const name = `${commit}:${prefix}${path}`;
    const object = (await readObjects(call, [name])).get(name);
    return object?.type === "blob" ? Buffer.from(object.bytes, "latin1").toString("utf8") : null;
  };
  const readOnce = (path: string) => {
    const text = texts.get(path) ?? read(path);
    texts.set(path, text);
    return text;
  };
  return {
    packaged,
    isCurrent: async () => true,
    read: readOnce,
    lastLine: async (path) => lastLineOf(await readOnce(path)),
    async list(folder) {
      const args = ["ls-tree", "-z", "--full-tree", `${commit}:${prefix}${folder}`];
      const { code, output } = await git({ ...call, accept: [128] }, args);
      if (code !== 0) return [];
      return output
        .split("\0")
        .filter(Boolean)
        .map((line): Entry => {
          const [mode, type] = line.split(" ");
          const kind = type === "tree" ? "folder" : mode?.startsWith("100") ? "file" : "other";
          return { name: line.slice(line.indexOf("\t") + 1), kind };
        });
    },
  };
}

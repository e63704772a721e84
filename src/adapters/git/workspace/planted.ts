/**
 * Files that never belong in a repository: Pawl's own folder, in any spelling, which other clones would treat
 * as their own project's state; and nested repositories, committed as a bare link to a commit that no remote
 * has.
 */
import { PawlError } from "../../../core/error.ts";
import { isPawlName } from "../../../core/path.ts";
import { type GitCall, git } from "../git.ts";
import { LINK_MODE } from "../objects.ts";
import { tracksPawl } from "../tracked.ts";

/** Files that a person's next tasks and git follow, with what they decide. */
const GOVERNING = new Map([
  [".worktreeinclude", "names the ignored files that agents get"],
  [".lfsconfig", "decides where git-lfs sends and fetches files"],
]);

/** Milliseconds. The merge's turn waits meanwhile, and a few trees that hold each other list a billion paths. */
const LIMIT = 20_000;

interface Planted {
  readonly reason: string | null;
  readonly hasLinks: boolean;
  /** The last change of a file that a person alone merges, or null. */
  readonly governing: string | null;
}

/**
 * Why the commits of the branch beyond the target are refused, for a person; or null. A file that was added
 * and removed again counts; removals do not.
 */
export async function plantedIn(call: GitCall, target: string, branch: string): Promise<Planted> {
  const range = `${target}..${branch}`;
  const shape = ["-z", "-c", "--raw", "--no-renames", "--abbrev=12", "--format=commit:%H"];
  const log = ["-c", "log.showRoot=true", "log", ...shape, range, "--"];
  const { output } = await git({ ...call, limit: LIMIT }, log);
  let commit = "";
  let hasLinks = false;
  let governing: string | null = null;
  const tokens = output.split("\0").map((token) => token.replace(/^\n/, ""));
  for (const [index, token] of tokens.entries()) {
    if (token.startsWith("commit:")) commit = token.slice("commit:".length, "commit:".length + 12);
    if (!token.startsWith(":")) continue;
    const path = tokens[index + 1] ?? "";
    hasLinks ||= token.includes(LINK_MODE);
    const decides = GOVERNING.get(path.toLowerCase());
    if (decides !== undefined && !isRemoval(token))
      governing ??= `its commit ${commit} changes ${path}, which ${decides}`;
    const fault = faultOf(token, path);
    if (fault === null) continue;
    if (fault === "repository" && (await hasModules(call, branch))) continue;
    const reason =
      fault === "pawl"
        ? `its commit ${commit} holds ${path}: Pawl's own folder must not be in a repository; take it out of the branch's history (\`git rebase -i ${target.slice(0, 12)}\`)`
        : `its commit ${commit} holds the repository ${path} as a bare link, without its files; remove ${path}/.git and commit the files, or add it by \`git submodule add\``;
    return { reason, hasLinks, governing };
  }
  return { reason: null, hasLinks, governing };
}

/**
 * Reads `::100644 100644 040000 … MM`: the old modes, then the new one; the letters at the end are the kinds
 * of change.
 */
function faultOf(entry: string, path: string): "pawl" | "repository" | null {
  const [colons = ""] = /^:+/.exec(entry) ?? [];
  const words = entry.slice(colons.length).split(" ");
  if (isRemoval(entry)) return null;
  if (path.split("/").some(isPawlName)) return "pawl";
  const before = words.slice(0, colons.length);
  return words[colons.length] === LINK_MODE && !before.includes(LINK_MODE) ? "repository" : null;
}

function isRemoval(entry: string): boolean {
  return / D+$/.test(entry);
}

async function hasModules(call: GitCall, branch: string): Promise<boolean> {
  const { code } = await git({ ...call, accept: [1, 128] }, ["cat-file", "-e", `${branch}:.gitmodules`]);
  return code === 0;
}

/** Throws `pawl-tracked` if the repository around the project has files of its `.pawl/`. */
export async function checkUntracked(call: GitCall): Promise<void> {
  if (tracksPawl(call.folder) === "no") return;
  const { code, output } = await git({ ...call, accept: [128] }, ["ls-files", "-z", "--", ":(icase).pawl"]);
  const [first, ...others] = code === 0 ? output.split("\0").filter(Boolean) : [];
  if (first === undefined) return;
  const more = others.length === 0 ? "" : ` and ${others.length} more files`;
  throw new PawlError(
    "pawl-tracked",
    `${first}${more} in ${call.folder} came with the repository: expected Pawl's own folder to be untracked. Everyone who clones the repository would get another machine's state.`,
    "Review what is in it, then run `git rm -r --cached .pawl`, remove the folder, and commit.",
  );
}

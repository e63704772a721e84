/**
 * Submodules that a task moves forward: their new commits must be available to everyone who gets the merge.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { discover } from "../discover.ts";
import { type GitCall, git, gitLine } from "../git.ts";

const LINK = "160000";
const FETCH_LIMIT = 60_000;

/**
 * Fetches the commits to which the branch moves submodules, into the person's own repositories of the
 * submodules. Returns why the branch is refused: a submodule's remote lacks its commit; or null. Skips
 * submodules that the person has not fetched.
 */
export async function bringSubmodules(
  hub: GitCall,
  from: GitCall,
  target: string,
  branch: string,
  stop: AbortSignal | undefined,
): Promise<string | null> {
  const moved = await movedLinks(hub, target, branch);
  if (moved.length === 0) return null;
  const modules = join(discover(from.folder)?.common ?? "", "modules");
  const names = await namesIn(hub, branch);
  for (const { commit, path } of moved) {
    const name = names.get(path);
    if (name === undefined || name.split("/").some((part) => part === "" || part.startsWith("."))) continue;
    const own: GitCall = { ...from, folder: join(modules, name), accept: [1, 124, 128], stop };
    if (!existsSync(join(own.folder, "objects"))) continue;
    if ((await git(own, ["cat-file", "-e", `${commit}^{commit}`])).code === 0) continue;
    const there = { ...own, remote: { name: "origin" }, limit: FETCH_LIMIT };
    await git(there, ["fetch", "--quiet", "--no-tags", "origin", "+refs/heads/*:refs/remotes/origin/*"]);
    if ((await git(own, ["cat-file", "-e", `${commit}^{commit}`])).code !== 0)
      return `it moves the submodule ${path} to ${commit.slice(0, 12)}, which the submodule's remote does not have; push that commit there`;
  }
  return null;
}

async function movedLinks(hub: GitCall, target: string, branch: string) {
  const raw = await gitLine(hub, [
    "diff-tree",
    "-r",
    "-z",
    "--raw",
    "--no-abbrev",
    "--no-renames",
    target,
    branch,
  ]);
  const fields = raw.split("\0");
  return fields.flatMap((field, at) => {
    const [, mode, , commit = ""] = field.startsWith(":") ? field.split(" ") : [];
    return mode === LINK ? [{ commit, path: fields[at + 1] ?? "" }] : [];
  });
}

/** The submodules' names by their paths. */
async function namesIn(hub: GitCall, branch: string): Promise<ReadonlyMap<string, string>> {
  const args = ["config", "-z", `--blob=${branch}:.gitmodules`, "--get-regexp", "^submodule\\..*\\.path$"];
  const { code, output } = await git({ ...hub, accept: [1, 128] }, args);
  if (code !== 0) return new Map();
  return new Map(
    output.split("\0").flatMap((entry) => {
      const [key = "", path = ""] = entry.split("\n");
      return path === "" ? [] : [[path, key.slice("submodule.".length, -".path".length)] as const];
    }),
  );
}

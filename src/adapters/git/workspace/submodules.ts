/**
 * Submodules that a task moves forward: their new commits must be available to everyone who gets the merge.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentFolder } from "../../../core/ports/worktrees.ts";
import { parseRaw } from "../changes.ts";
import { discover } from "../discover.ts";
import { type GitCall, git, gitLine } from "../git.ts";
import { LINK_MODE } from "../objects.ts";
import { ask } from "../reader.ts";
import { bringObjects } from "./hand-in.ts";
import { isWhole } from "./whole.ts";
import type { Workplace } from "./workplace.ts";

const FETCH_LIMIT = 60_000;
const MAX_PUSHED = 100;

interface Link {
  readonly commit: string;
  readonly path: string;
}

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
  const [lacking] = await lackingIn(hub, { ...from, stop }, branch, await movedLinks(hub, target, branch));
  if (lacking === undefined) return null;
  const { commit, path } = lacking;
  return `it moves the submodule ${path} to ${commit.slice(0, 12)}, which the submodule's remote does not have; push that commit there`;
}

type Send = (
  call: GitCall,
  order: {
    readonly remote: string;
    readonly commit: string;
    readonly ref: string;
    readonly stop: AbortSignal | undefined;
  },
) => Promise<{ readonly reason: string } | { readonly kind: string }>;

/**
 * Pushes the commits that a task made in submodules, to a branch of the task's name on their remotes: the
 * agent has no remote in reach. Returns why a remote refused one, or null.
 */
export async function pushSubmodules(
  workplace: Workplace,
  hub: GitCall,
  from: GitCall,
  order: { readonly commit: string; readonly branch: string; readonly send: Send; readonly top: AgentFolder },
): Promise<string | null> {
  const { branch, commit: tip, send, top } = order;
  if ((await ask(hub, [`${tip}:.gitmodules`])).size === 0 || !isWhole(top)) return null;
  const lacking = await lackingIn(hub, from, tip, await linksIn(hub, tip));
  // The merge refuses what is left.
  for (const { commit, own, path } of lacking.slice(0, MAX_PUSHED)) {
    const call = { folder: own.folder, environment: own.environment };
    // What the workspace lacks, too, is for the merge to refuse.
    const refused = await bringObjects(workplace, call, top, [commit], [], { submodule: path }).catch(
      () => "",
    );
    if (refused === "") continue;
    if (refused !== null) return `the commits of the submodule ${path} cannot be imported: ${refused}`;
    const to = { remote: "origin", ref: `refs/heads/${branch}`, stop: from.stop };
    const pushed = await send(call, { ...to, commit });
    if ("reason" in pushed)
      return `the remote of the submodule ${path} does not take ${commit.slice(0, 12)}: ${pushed.reason}`;
  }
  return null;
}

/** The links whose commits neither the person's repository of the submodule nor its remote has. */
async function lackingIn(
  hub: GitCall,
  from: GitCall,
  branch: string,
  links: readonly Link[],
): Promise<readonly (Link & { readonly own: GitCall })[]> {
  if (links.length === 0) return [];
  const modules = join(discover(from.folder)?.common ?? "", "modules");
  const names = await namesIn(hub, branch);
  const lacking: (Link & { readonly own: GitCall })[] = [];
  // Each remote is asked once: an agent can make thousands of links.
  for (const [name, linked] of Map.groupBy(links, ({ path }) => names.get(path) ?? "")) {
    if (name.split("/").some((part) => part === "" || part.startsWith("."))) continue;
    const own: GitCall = { ...from, folder: join(modules, name), accept: [1, 124, 128] };
    if (!existsSync(join(own.folder, "objects"))) continue;
    const before = await withoutCommits(own, linked);
    if (before.length === 0) continue;
    const there = { ...own, remote: { name: "origin" }, limit: FETCH_LIMIT };
    await git(there, ["fetch", "--quiet", "--no-tags", "origin", "+refs/heads/*:refs/remotes/origin/*"]);
    lacking.push(...(await withoutCommits(own, before)).map((link) => ({ ...link, own })));
  }
  return lacking;
}

/** The links whose commits the repository lacks. */
async function withoutCommits(own: GitCall, links: readonly Link[]): Promise<readonly Link[]> {
  const input = links.map(({ commit }) => `${commit}^{commit}\n`).join("");
  const { output } = await git({ ...own, input }, ["cat-file", "--batch-check"]);
  const answers = output.split("\n");
  return links.filter((_, at) => !/^[0-9a-f]+ commit /.test(answers[at] ?? ""));
}

async function linksIn(hub: GitCall, commit: string): Promise<readonly Link[]> {
  const entries = (await gitLine(hub, ["ls-tree", "-r", "-z", commit])).split("\0");
  return entries.flatMap((entry) => {
    const [, id = "", path = ""] = /^160000 commit ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
    return path === "" ? [] : [{ commit: id, path }];
  });
}

async function movedLinks(hub: GitCall, target: string, branch: string): Promise<readonly Link[]> {
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", target, branch];
  return parseRaw((await git(hub, args)).output).flatMap(({ after, mode, path }) =>
    mode === LINK_MODE ? [{ commit: after, path }] : [],
  );
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

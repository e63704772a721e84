/** What a branch builds on, and a commit of its target checked out apart from all work. */
import type { Base, BaseOrder, CheckedOut, Repo } from "../../core/ports/worktrees.ts";
import { removeFolder } from "../files/agent-folder.ts";
import { git, gitLine } from "./git.ts";
import { follow, openHub } from "./hub.ts";
import { fetchBranch } from "./merge.ts";
import { isAncestor } from "./reader.ts";
import { branchRefs, commitOf, upstreamOf } from "./refs.ts";
import { insideOf, makeWorkspace } from "./workspace/ensure.ts";
import type { Workplace } from "./workspace/workplace.ts";
import { checkBranch, checkoutOf, worktreePathsOf } from "./workspace/worktree-paths.ts";

export async function baseOf(workplace: Workplace, order: BaseOrder): Promise<Base | null> {
  const call = workplace.call(checkoutOf(workplace.projectRoot, order.repo));
  const hub = await openHub(workplace, order.repo);
  const { branch, into, remote: counts, stop } = order;
  const name = counts ? await upstreamOf(call, checkBranch(into)) : null;
  if (name !== null) await fetchBranch(call, name, into, stop);
  const refs = branchRefs(checkBranch(into), name);
  const fetched = await follow(hub, call, refs);
  const tip = await commitOf(hub, `refs/heads/${checkBranch(branch)}`);
  const [local = null, far = null] = refs.map((ref) => fetched.get(ref) ?? null);
  const isBehind = far !== null && (local === null || !(await isAncestor(hub, far, local)));
  const target = isBehind ? far : local;
  if (tip === null || target === null) return null;
  const { code, output } = await git({ ...hub, accept: [1] }, ["merge-base", tip, target]);
  return code === 0 ? { base: output.trim(), target } : null;
}

export async function treeOf(workplace: Workplace, repo: Repo, commit: string): Promise<string> {
  return gitLine(await openHub(workplace, repo), ["rev-parse", "--verify", `${commit}^{tree}`]);
}

export async function checkOut(workplace: Workplace, repo: Repo, commit: string): Promise<CheckedOut> {
  const { apart: top, checkout } = worktreePathsOf(workplace, repo);
  const [hub, from] = [await openHub(workplace, repo), workplace.call(checkout)];
  await makeWorkspace(workplace, { hub, from, top, branch: null, commit });
  const release = () => removeFolder(top);
  return { folder: insideOf(checkout, top), release };
}

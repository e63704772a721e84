/** Whether a branch's work has reached its target, here or on a remote. */
import type { ReachedOrder } from "../../core/ports/worktrees.ts";
import { fetchMoved } from "./fetch.ts";
import { type GitCall, git } from "./git.ts";
import { openHub, tipOf } from "./hub.ts";
import { upstreamOf } from "./refs.ts";
import type { Workplace } from "./workspace/workplace.ts";
import { checkBranch, checkoutOf } from "./workspace/worktree-paths.ts";

export async function reached(
  workplace: Workplace,
  order: ReachedOrder,
): Promise<"yes" | "no" | "unreachable"> {
  const branch = checkBranch(order.branch);
  const into = checkBranch(order.into);
  const call = workplace.call(checkoutOf(workplace.projectRoot, order.repo));
  const hub = await openHub(workplace, order.repo);
  const fetched = !order.fetch || (await fetchTarget({ ...call, stop: order.stop }, into));
  const commit = await tipOf(hub, call, branch);
  if (commit === null) return fetched ? "no" : "unreachable";
  // One call, since this runs often: lists the targets that contain the branch's last commit. Fails if none
  // can.
  const { code, output } = await git({ ...call, accept: [1, 128, 129] }, [
    "for-each-ref",
    "--format=%(refname)",
    `--contains=${commit}`,
    `refs/heads/${into}`,
    `refs/remotes/*/${into}`,
  ]);
  if (code === 0 && output.trim() !== "") return "yes";
  return fetched ? "no" : "unreachable";
}

async function fetchTarget(call: GitCall, into: string): Promise<boolean> {
  const remote = await upstreamOf(call, into);
  if (remote === null) return true;
  return (await fetchMoved(call, remote, [into])).length === 0;
}

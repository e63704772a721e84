/** Whether a branch's work has reached its target, here or on the remote. */
import type { Repo } from "../../base/ports.ts";
import { git } from "./git.ts";
import { checkBranch, placesOf } from "./places.ts";
import { commitOf, remoteOf } from "./refs.ts";
import { unmergedCommits } from "./state.ts";
import type { Workplace } from "./workplace.ts";

const FETCH_LIMIT = 60_000;

export async function reached(
  place: Workplace,
  order: {
    readonly repo: Repo;
    readonly branch: string;
    readonly into: string;
    readonly fetch: boolean;
    readonly stop?: AbortSignal;
  },
): Promise<"yes" | "no" | "unreachable"> {
  const branch = checkBranch(order.branch);
  const into = checkBranch(order.into);
  const call = place.call(placesOf(place.projectRoot, order.repo).checkout);
  const remote = await remoteOf(call, branch);
  let fetched = true;
  if (order.fetch && remote !== null) {
    const spec = `+refs/heads/${into}:refs/remotes/${remote}/${into}`;
    const fetch = { ...call, accept: [1, 124, 128], limit: FETCH_LIMIT, stop: order.stop };
    fetched = (await git(fetch, ["fetch", "--quiet", "--no-tags", remote, spec])).code === 0;
  }
  const tip = await commitOf(call, `refs/heads/${branch}`);
  if (tip !== null && (await unmergedCommits(call, [tip], into, remote)) === 0) return "yes";
  return fetched ? "no" : "unreachable";
}

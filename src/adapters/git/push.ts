/**
 * Pushes a task's branch to its remote: checks first, never forces. It pushes from the person's repository,
 * with the person's remotes, credentials and hooks; the commits get no ref there.
 */
import type { Pushed, Repo } from "../../core/ports/worktrees.ts";
import { configOf, type GitAnswer, type GitCall, git } from "./git.ts";
import { give, openHub, tipOf } from "./hub.ts";
import { moveRef } from "./hub-refs.ts";
import { isAncestor } from "./reader.ts";
import { reasonOf } from "./reason.ts";
import { checkoutsOf, commitOf, remoteOf } from "./refs.ts";
import { hooksFolder } from "./safe-config.ts";
import { pushSubmodules } from "./workspace/submodules.ts";
import type { Workplace } from "./workspace/workplace.ts";
import { checkBranch, checkoutOf, worktreePathsOf } from "./workspace/worktree-paths.ts";

export const PUSH_LIMIT = 600_000;

/**
 * Sends a commit to a ref of the remote, never forced: the remote rejects it if the ref has other commits.
 */
export type Send<More = never> = (
  call: GitCall,
  order: {
    readonly remote: string;
    readonly commit: string;
    readonly ref: string;
    readonly stop?: AbortSignal | undefined;
  },
) => Promise<
  | { readonly kind: "pushed" }
  | { readonly kind: "unchanged" }
  | Extract<Pushed, { readonly reason: string }>
  | More
>;

export async function push(
  workplace: Workplace,
  {
    repo,
    branch: name,
    stop,
  }: { readonly repo: Repo; readonly branch: string; readonly stop?: AbortSignal | undefined },
  send: Send = pushCommit,
): Promise<Pushed> {
  const branch = checkBranch(name);
  const call = workplace.call(checkoutOf(workplace.projectRoot, repo));
  const remote = await remoteOf(call, branch);
  if (remote === null) return { kind: "no-remote" };
  const ref = `refs/heads/${branch}`;
  const hub = await openHub(workplace, repo);
  const commit = await tipOf(hub, call, branch);
  if (commit === null) return { kind: "rejected", reason: `there is no branch ${branch}` };
  const top = worktreePathsOf(workplace, repo).worktree(branch);
  const order = { branch, commit, send: pushCommit, top };
  const refused = await pushSubmodules(workplace, hub, { ...call, stop }, order);
  if (refused !== null) return { kind: "rejected", reason: refused };

  await give(hub, call, [commit]);
  const pushed = await send(call, { remote, commit, ref, stop });
  return "reason" in pushed ? pushed : { ...pushed, commit, remote };
}

/**
 * Puts the branch into the person's repository, for the person's own tools. Leaves a branch alone that has
 * other commits than Pawl left there, or that is checked out.
 */
export async function offerBranch(workplace: Workplace, repo: Repo, name: string): Promise<void> {
  const branch = checkBranch(name);
  const ref = `refs/heads/${branch}`;
  const [call, hub] = [
    workplace.call(checkoutOf(workplace.projectRoot, repo)),
    await openHub(workplace, repo),
  ];
  const [commit, present] = [await commitOf(hub, ref), await commitOf(call, ref)];
  if (commit === null || commit === present) return;
  await give(hub, call, [commit]);
  const left = `refs/pawl/left/${branch}`;
  const isOurs = present === null || present === (await commitOf(hub, left));
  if (!isOurs && !(await isAncestor(call, present, commit))) return;
  if ((await checkoutsOf(call)).some((one) => one.branch === branch)) return;
  const move = ["update-ref", "-m", "pawl: the task's work", ref, commit, present ?? ""];
  const moved = await git({ ...call, accept: [1, 128] }, move);
  if (moved.code === 0) await moveRef(hub, left, commit);
}

export const pushCommit: Send = async (call, { remote, commit, ref, stop }) => {
  const args = [...(await hookOptions(call)), "push", "--porcelain", remote, `${commit}:${ref}`];
  const there = { remote: { name: remote, push: true }, accept: [1, 124, 128], limit: PUSH_LIMIT } as const;
  const answer = await git({ ...call, ...there, stop }, args);
  if (answer.code === 0) return { kind: /^=\t/m.test(answer.output) ? "unchanged" : "pushed" };
  const refused = refusalIn(answer);
  return refused === null
    ? { kind: "unreachable", reason: reasonOf(answer.errors) }
    : { kind: "rejected", reason: refused };
};

/**
 * The hooks of a push: those of the repository's own folder (git-lfs sends large files by one), or of the
 * person's own setting. Hooks in a folder that the repository's configuration names do not run, since an
 * agent could have written both.
 */
export async function hookOptions(call: GitCall): Promise<readonly string[]> {
  const folder = hooksFolder(await configOf(call), call.environment);
  return folder === null ? NO_HOOKS : ["-c", `core.hooksPath=${folder}`];
}

export const NO_HOOKS: readonly string[] = ["-c", "core.hooksPath=/dev/null"];

/** Why the remote, or the person's own hook, refused a push; null: the remote sent no answer. */
export function refusalIn({ code, errors, output }: GitAnswer): string | null {
  const reasons = [...output.matchAll(/^!\t\S+\t(.*)$/gm)].map(([, reason]) => reason ?? "");
  const own = reasons.find((reason) => !/atomic (?:push|transaction) failed/.test(reason)) ?? reasons[0];
  if (own !== undefined) return `${own}${hintOf(errors)}`;
  // Git reached the remote, which refused nothing.
  if (code !== 1) return null;
  const printed = `${output}\n${errors}`.replace(/^(?:To |error: failed to push ).*$/gm, "");
  return `your pre-push hook refuses it: ${reasonOf(printed)}`;
}

function hintOf(errors: string): string {
  const hints = errors
    .split("\n")
    .filter((line) => line.startsWith("remote: "))
    .map((line) => line.slice(8).trim());
  return hints.length > 0 ? ` (${hints.join(" ").trim().slice(0, 300)})` : "";
}

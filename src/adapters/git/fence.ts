/**
 * The fence on a git remote: one ref there per lease, whose commit names the holder. With it the remote
 * refuses pushes of workers that have lost their lease.
 *
 * R1  A push moves the refs of its leases too, each from where it was last read, in one atomic transaction of
 *     the remote. If one of them moved meanwhile, the whole push fails.
 * R2  The commit that was read has no higher epoch, and with the same epoch the same holder. So an epoch only
 *     grows.
 * R3  No refspec has a `+`: with one, git does not check where a lease's ref was.
 * R4  A lease's ref is never removed: without it, a late push would pass.
 * R5  Each commit is on top of the one before, so a remote that forbids rewriting history accepts it.
 */

import { PawlError } from "../../core/error.ts";
import { hashOf } from "../../core/hash.ts";
import type { HeldLease } from "../../core/ports/worktrees.ts";
import { oneLine } from "../../core/text/lines.ts";
import { fetch } from "./fetch.ts";
import { type GitAnswer, type GitCall, git, gitError, gitLine } from "./git.ts";
import { refusalIn } from "./push.ts";
import { reasonOf } from "./reason.ts";
import { identityOptions } from "./refs.ts";

/**
 * `refs`: refs of Pawl's own; `branches`: branches, for remotes that accept nothing else; `none`: no fence.
 */
export type FenceKind = "refs" | "branches" | "none";

export interface Fence {
  readonly kind: FenceKind;
  /** Distinguishes the leases of projects with one remote. */
  readonly project: string;
  /** The last known state of the leases' refs, by repository, remote and ref. */
  readonly seen: Map<string, LeaseRef>;
}

export function openFence({ kind, project }: Pick<Fence, "kind" | "project">): Fence {
  return { kind, project, seen: new Map() };
}

/** The content of a lease's ref on a remote; without a commit, the lease has never been held. */
interface LeaseRef {
  readonly commit: string | null;
  readonly epoch: number;
  readonly holder: string;
}

export interface FencedPush {
  readonly remote: string;
  readonly leases: readonly HeldLease[];
  /** `commit: null` removes the ref. */
  readonly updates: readonly { readonly ref: string; readonly commit: string | null }[];
  /** Git options that select the hooks. */
  readonly hooks: readonly string[];
  /** Milliseconds. */
  readonly limit: number;
  readonly stop?: AbortSignal | undefined;
}

export type FencedPushed =
  | { readonly kind: "pushed" }
  | { readonly kind: "rejected" | "unreachable"; readonly reason: string }
  /** Another worker holds the lease. */
  | { readonly kind: "overtaken"; readonly lease: HeldLease; readonly by: string };

const READ_LIMIT = 60_000;
const MAX_TRIES = 5;

/** The ref's name below the remote's namespace for Pawl: `wip/T-1`. */
export function ownRef(kind: FenceKind, name: string): string {
  return `${kind === "branches" ? "refs/heads/pawl" : "refs/pawl"}/${name}`;
}

function leaseRef({ kind, project }: Fence, { what }: HeldLease): string {
  const hash = hashOf(`${project}\0${what}`);
  return ownRef(kind, `lease/${hash}`);
}

/**
 * Publishes the lease's holder on the remote, which refuses pushes of earlier holders from then on. Throws
 * `fence-refused`.
 */
export async function raise(
  fence: Fence,
  call: GitCall,
  order: Pick<FencedPush, "remote" | "leases" | "stop">,
): Promise<Exclude<FencedPushed, { readonly kind: "rejected" }>> {
  if (fence.kind === "none") return { kind: "pushed" };
  const answer = await pushFenced(fence, call, { ...order, updates: [], hooks: [], limit: READ_LIMIT });
  if (answer.kind !== "rejected") return answer;
  const prefix = ownRef(fence.kind, "");
  throw new PawlError(
    "fence-refused",
    `The remote ${order.remote} of ${call.folder} refuses ${prefix}…, where Pawl records who works on a task: ${answer.reason}.`,
    fence.kind === "refs"
      ? `Allow ${prefix}* there, or set \`git: {fence: branches}\` in pawl.yaml: then Pawl uses branches named pawl/…. With \`fence: none\` nothing keeps a worker that lost a task from pushing it.`
      : `Allow the branches pawl/* there. With \`git: {fence: none}\` in pawl.yaml nothing keeps a worker that lost a task from pushing it.`,
  );
}

/** Pushes all updates or none, and only while the leases are held. Throws `fence-refused`. */
export async function pushFenced(fence: Fence, call: GitCall, order: FencedPush): Promise<FencedPushed> {
  for (let tries = 1; ; tries++) {
    const marks: Mark[] = [];
    for (const lease of fence.kind === "none" ? [] : order.leases) {
      const current = await currentLease(fence, call, order, lease);
      if ("reason" in current) return { kind: "unreachable", ...current };
      if (isOver(current, lease)) return { kind: "overtaken", lease, by: current.holder };
      marks.push({
        ref: leaseRef(fence, lease),
        current,
        next: await markOf(call, lease, current.commit),
        lease,
      });
    }
    if (marks.length + order.updates.length === 0) return { kind: "pushed" };
    const answer = await git(
      { ...call, ...remoteCall(order, true), limit: order.limit },
      argsOf(order, marks),
    );
    for (const { lease, next, ref } of marks) {
      if (answer.code !== 0) fence.seen.delete(keyOf(call, order, ref));
      else fence.seen.set(keyOf(call, order, ref), { ...lease, commit: next });
    }
    if (answer.code === 0) return { kind: "pushed" };
    checkAtomic(call, order, answer);
    const reason = refusalIn(answer);
    if (reason === null) return { kind: "unreachable", reason: reasonOf(answer.errors) };
    if (tries < MAX_TRIES && (await haveMoved(fence, call, order, marks))) continue;
    return { kind: PASSES.test(reason) ? "unreachable" : "rejected", reason };
  }
}

interface Mark {
  readonly lease: HeldLease;
  readonly ref: string;
  readonly current: LeaseRef;
  /** The commit to which the ref moves. */
  readonly next: string;
}

function argsOf({ hooks, remote, updates }: FencedPush, marks: readonly Mark[]): readonly string[] {
  return [
    ...hooks,
    "push",
    "--porcelain",
    ...(marks.length > 0 ? ["--atomic"] : []),
    ...marks.map(({ ref, current: seen }) => `--force-with-lease=${ref}:${seen.commit ?? ""}`),
    remote,
    ...updates.map(({ commit, ref }) => `${commit ?? ""}:${ref}`),
    ...marks.map(({ next, ref }) => `${next}:${ref}`),
  ];
}

/** Two holders with the same epoch come from two databases: then neither may push over the other. */
function isOver(current: LeaseRef, { epoch, holder }: HeldLease): boolean {
  return current.epoch > epoch || (current.epoch === epoch && current.holder !== oneLine(holder));
}

/** Whether the leases' refs differ from what this push read. */
async function haveMoved(
  fence: Fence,
  call: GitCall,
  order: FencedPush,
  marks: readonly Mark[],
): Promise<boolean> {
  for (const { lease, current: seen } of marks) {
    const now = await currentLease(fence, call, order, lease);
    if ("reason" in now || now.commit !== seen.commit) return true;
  }
  return false;
}

// ── What a lease's ref says ──────────────────────────────────────────────────────────────────────────────────────

const NOBODY: LeaseRef = { commit: null, epoch: 0, holder: "" };

async function currentLease(
  fence: Fence,
  call: GitCall,
  order: Pick<FencedPush, "remote" | "stop">,
  lease: HeldLease,
): Promise<LeaseRef | { readonly reason: string }> {
  const ref = leaseRef(fence, lease);
  const key = keyOf(call, order, ref);
  const cached = fence.seen.get(key);
  if (cached !== undefined) return cached;
  const there = { ...call, ...remoteCall(order), limit: READ_LIMIT };
  const listed = await git(there, ["ls-remote", order.remote, ref]);
  if (listed.code !== 0) return { reason: reasonOf(listed.errors) };
  const commit =
    listed.output
      .split("\n")
      .find((line) => line.endsWith(`\t${ref}`))
      ?.split("\t")[0] ?? null;
  if (commit === null) return remember(fence, key, NOBODY);
  const fetched = await fetch(there, [
    "--no-tags",
    order.remote,
    `+${ref}:${ownRef("refs", `seen/${ref.slice(5)}`)}`,
  ]);
  if (fetched.code !== 0) return { reason: reasonOf(fetched.errors) };
  return remember(fence, key, parseMark(call, ref, commit, await readCommit(call, commit)));
}

function remember({ seen }: Fence, key: string, lease: LeaseRef): LeaseRef {
  seen.set(key, lease);
  return lease;
}

async function readCommit(call: GitCall, commit: string): Promise<string> {
  return gitLine(call, ["cat-file", "commit", commit]);
}

function parseMark(call: GitCall, ref: string, commit: string, text: string): LeaseRef {
  const [, epoch] = /^epoch: (\d{1,15})$/m.exec(text) ?? [];
  const [, holder] = /^holder: (.*)$/m.exec(text) ?? [];
  if (epoch !== undefined && holder !== undefined) return { commit, epoch: Number(epoch), holder };
  throw gitError(
    ["fetch"],
    call.folder,
    `${ref} on the remote is at ${commit}, which does not say who holds the lease`,
  );
}

/** An empty commit that names the lease's holder. */
async function markOf(call: GitCall, lease: HeldLease, before: string | null): Promise<string> {
  const tree = await gitLine({ ...call, input: "" }, ["mktree"]);
  const { epoch, holder, what } = lease;
  const text = `pawl: lease on ${oneLine(what)}\n\nepoch: ${epoch}\nholder: ${oneLine(holder)}\n`;
  const parent = before === null ? [] : ["-p", before];
  const options = await identityOptions(call);
  return gitLine({ ...call, input: text }, [...options, "commit-tree", tree, ...parent]);
}

function keyOf({ folder }: GitCall, { remote }: Pick<FencedPush, "remote">, ref: string): string {
  return [folder, remote, ref].join("\0");
}

// ── What git answers ─────────────────────────────────────────────────────────────────────────────────────────────

function remoteCall({ remote, stop }: Pick<FencedPush, "remote" | "stop">, push?: true): Partial<GitCall> {
  return { remote: { name: remote, ...(push && { push }) }, accept: [1, 124, 128], stop };
}

/** Another push is moving the refs at this moment, perhaps one whose client is dead. */
const PASSES = /\block\b|failed to (?:update|lock)|unable to lock|incorrect old value|stale info/;

function checkAtomic({ folder }: GitCall, { remote }: FencedPush, { errors }: GitAnswer): void {
  if (!/does not support (?:--)?atomic/.test(errors)) return;
  throw new PawlError(
    "fence-refused",
    `The remote ${remote} of ${folder} takes no atomic pushes: expected it to move several refs at once or none. Only then can it refuse the push of a worker that lost its task.`,
    "Enable them there (`git config receive.advertiseAtomic true`), or use another remote. With `git: {fence: none}` in pawl.yaml nothing keeps a worker that lost a task from pushing it.",
  );
}

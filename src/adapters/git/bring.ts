/**
 * Fetches objects that other machines made and this repository lacks, from the remote that holds saved work
 * (`wip.ts`).
 */
import { type FenceKind, ownRef } from "./fence.ts";
import { fetch } from "./fetch.ts";
import { type GitCall, git } from "./git.ts";
import { remoteOf } from "./refs.ts";

const GIT_TIMEOUT = 20_000;
/** Milliseconds before the remote is queried again for an object that it lacked. */
const AGAIN = 60_000;
const OBJECT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** When an object was last fetched for, by repository and object. */
const requests = new Map<string, number>();

/**
 * Fetches missing objects, as far as the remote has them. Never throws: a caller reports what is still
 * missing.
 */
export async function bring(gitCall: GitCall, kind: FenceKind, objects: readonly string[]): Promise<void> {
  const call: GitCall = { ...gitCall, accept: [1, 128], limit: GIT_TIMEOUT };
  try {
    for (const object of objects) if (OBJECT.test(object)) await bringOne(call, kind, object);
  } catch {}
}

async function bringOne(call: GitCall, kind: FenceKind, object: string): Promise<void> {
  if ((await git(call, ["cat-file", "-e", object])).code === 0) return;
  const key = `${call.folder}\0${object}`;
  const last = requests.get(key);
  if (last !== undefined && performance.now() - last < AGAIN) return;
  requests.set(key, performance.now());
  const branch = await git(call, ["symbolic-ref", "--short", "--quiet", "HEAD"]);
  const remote = await remoteOf(call, branch.output.trim());
  if (remote === null) return;
  const there = { ...call, remote: { name: remote }, accept: [1, 124, 128] };
  const work = kind === "none" ? [] : [`+${ownRef(kind, "wip/*")}:${ownRef("refs", "seen/wip/*")}`];
  await fetch(there, ["--no-tags", remote, ...work, `+refs/heads/*:refs/remotes/${remote}/*`]);
}

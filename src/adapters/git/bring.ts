/** What other machines have made: an object that this repository lacks is fetched from the remote, where work is saved (`wip.ts`). */
import { type FenceKind, ownRef } from "./fence.ts";
import { fetch } from "./fetch.ts";
import { type GitCall, git } from "./git.ts";
import { remoteOf } from "./refs.ts";

const LIMIT = 20_000;
/** A remote that did not have it is asked again after so many milliseconds. */
const AGAIN = 60_000;
const OBJECT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** By repository and object: when it was last looked for. */
const asked = new Map<string, number>();

/** Fetches what is lacking, as far as it can be had. Never throws: what lacks the objects says so. */
export async function bring(place: GitCall, kind: FenceKind, objects: readonly string[]): Promise<void> {
  const call: GitCall = { ...place, accept: [1, 128], limit: LIMIT };
  try {
    for (const object of objects) if (OBJECT.test(object)) await bringOne(call, kind, object);
  } catch {}
}

async function bringOne(call: GitCall, kind: FenceKind, object: string): Promise<void> {
  if ((await git(call, ["cat-file", "-e", object])).code === 0) return;
  const key = `${call.folder}\0${object}`;
  const last = asked.get(key);
  if (last !== undefined && performance.now() - last < AGAIN) return;
  asked.set(key, performance.now());
  const branch = await git(call, ["symbolic-ref", "--short", "--quiet", "HEAD"]);
  const remote = await remoteOf(call, branch.output.trim());
  if (remote === null) return;
  const there = { ...call, remote: { name: remote }, accept: [1, 124, 128] };
  const work = kind === "none" ? [] : [`+${ownRef(kind, "wip/*")}:${ownRef("refs", "seen/wip/*")}`];
  await fetch(there, ["--no-tags", remote, ...work, `+refs/heads/*:refs/remotes/${remote}/*`]);
}

/**
 * The hub: a bare repository of Pawl's own for each repository of the project, outside the project. The work
 * of all tasks comes together in it, and every workspace borrows its objects.
 *
 * H1  Its objects are hard links to the repository's, so borrowed objects stay when the person removes, packs
 *     or prunes. Nothing in the hub is ever pruned, and the person's repository holds no ref and no setting
 *     of it.
 * H2  No wall lets an agent write it. An agent's commits come in by `hand-in.ts` alone.
 * H3  It is built in a temporary folder and renamed into place. Later objects of the person's repository come
 *     by an ordinary fetch.
 * H4  It knows its repository. If the path holds another repository, the hub is set aside with its
 *     workspaces.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { copyFile, link, mkdir, readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { attempt } from "../../core/attempt.ts";
import type { Repo } from "../../core/ports/worktrees.ts";
import { errnoOf, isAbsence } from "../files/disk.ts";
import { readPlain, readPlainText } from "../files/plain-file.ts";
import { writeAll, writeWhole } from "../files/write-whole.ts";
import { discover } from "./discover.ts";
import { fetch } from "./fetch.ts";
import { configOf, type GitCall, git, gitError, gitLine } from "./git.ts";
import { moveRef, removeLeft } from "./hub-refs.ts";
import { giveLoose, isSmallPack } from "./loose.ts";
import { ask } from "./reader.ts";
import { commitOf, newestRefs } from "./refs.ts";
import { type KnownConfig, lastOf } from "./safe-config.ts";
import { makeGitFolder, type Setting } from "./workspace/skeleton.ts";
import { lockName, type Workplace } from "./workspace/workplace.ts";
import { worktreePathsOf } from "./workspace/worktree-paths.ts";

const LOCK_LIMIT = 300_000;
const GIT_TIMEOUT = 600_000;

/** Git in the hub. Makes the hub if it is missing. */
export async function openHub(workplace: Workplace, repo: Repo): Promise<GitCall> {
  const { checkout, hub } = worktreePathsOf(workplace, repo);
  const call: GitCall = { ...workplace.call(hub), isHub: true };
  const from = workplace.call(checkout);
  if (isItsHub(hub, from)) return call;
  const lock = await workplace.locks.acquire(lockName("hub", repo), `making the hub of ${repo}`, LOCK_LIMIT);
  try {
    if (existsSync(hub) && !isItsHub(hub, from)) {
      if (await isSame(call, from)) writeMark(from, hub);
      else putAside(workplace, dirname(hub));
    }
    if (!existsSync(hub)) await makeHub(workplace, from, hub);
  } finally {
    lock.release();
  }
  return call;
}

/** The hub's file that identifies the git folder that it was made for. */
const MARK = "made-for";

function isItsHub(hub: string, from: GitCall): boolean {
  const mark = attempt(() => readFileSync(join(hub, MARK), "utf8"), null);
  return existsSync(hub) && [null, mark].includes(markOf(from));
}

/**
 * Identifies the git folder. Another repository at the same path has another mark; so may a restored one.
 * Null: there is no repository at the moment.
 */
function markOf(from: GitCall): string | null {
  const stats = statSync(commonOf(from), { throwIfNoEntry: false });
  return stats ? `${stats.dev} ${stats.ino} ${Math.trunc(stats.birthtimeMs)}` : null;
}

function writeMark(from: GitCall, hub: string): void {
  writeWhole(join(hub, MARK), markOf(from) ?? "");
}

/** Whether the person's repository has a root commit of the hub. */
async function isSame(hub: GitCall, from: GitCall): Promise<boolean> {
  const roots = (await gitLine(hub, ["rev-list", "--all", "--max-parents=0"])).split("\n").filter(Boolean);
  return roots.length === 0 || (await missingIn(from, roots)).length < new Set(roots).size;
}

/** Moves the folder aside instead of deleting it: it may be the only copy of some work. */
function putAside(workplace: Workplace, base: string): void {
  for (let n = 1; ; n += 1) {
    const aside = `${workplace.work}.aside-${n}`;
    const to = join(aside, basename(base));
    if (existsSync(to)) continue;
    mkdirSync(aside, { recursive: true, mode: 0o700 });
    renameSync(base, to);
    return;
  }
}

/**
 * The folder of the hub's objects, for reading commits that are only there yet; undefined: there is no hub.
 */
export function objectsOf(workplace: Pick<Workplace, "projectRoot" | "work">, repo: Repo) {
  const objects = join(worktreePathsOf(workplace, repo).hub, "objects");
  return existsSync(objects) ? objects : undefined;
}

async function makeHub(workplace: Workplace, from: GitCall, hub: string): Promise<void> {
  const common = commonOf(from);
  const draft = `${hub}.new`;
  // Left by a killed process: this one holds the lock.
  rmSync(draft, { recursive: true, force: true });
  workplace.makeWork();
  const objects = join(common, "objects");
  await linkAll(objects, join(draft, "objects"));
  const alternates = alternatesOf(objects);
  makeGitFolder(draft, { settings: hubSettings(await configOf(from)), objects: alternates });
  const shallow = attempt(() => readPlain(join(common, "shallow")), null);
  if (shallow !== null) writeFileSync(join(draft, "shallow"), shallow);
  // Git LFS searches for large files beside the objects that an alternate points to.
  symlinkSync(join(common, "lfs"), join(draft, "lfs"));
  writeMark(from, draft);
  renameSync(draft, hub);
}

function commonOf(call: GitCall): string {
  return discover(call.folder)?.common ?? join(call.folder, ".git");
}

function hubSettings(config: KnownConfig): readonly Setting[] {
  const promised = promisesOf(config);
  const addresses = config.entries.filter(({ key }) => /^remote\..*\.url$/s.test(key));
  const isPartial = promised.length > 0;
  return [
    ...formOf(config, { bare: true, isExtended: isPartial }),
    { key: "gc.auto", value: "0" },
    { key: "uploadpack.allowanysha1inwant", value: "true" },
    ...promised,
    ...(isPartial ? addresses.filter(({ value }) => !/\/\/[^/\s@]*@/.test(value)) : []),
  ];
}

/** The settings by which git accepts that a partial clone lacks objects. */
export function promisesOf({ entries }: KnownConfig): readonly Setting[] {
  const settings = entries.filter(({ key }) => /^remote\..*\.(?:promisor|partialclonefilter)$/s.test(key));
  return settings.some(({ key }) => key.endsWith(".promisor")) ? settings : [];
}

/** The settings of a repository in the same format (hash, ref storage) as the person's. */
export function formOf(config: KnownConfig, form: { readonly bare: boolean; readonly isExtended?: boolean }) {
  const format = lastOf(config, "extensions.objectformat");
  const isExtended = form.isExtended === true || format === "sha256";
  return [
    { key: "core.repositoryformatversion", value: isExtended ? "1" : "0" },
    { key: "core.bare", value: String(form.bare) },
    { key: "core.filemode", value: lastOf(config, "core.filemode") ?? "true" },
    ...(format === "sha256" ? [{ key: "extensions.objectformat", value: format }] : []),
  ];
}

/** A relative path in `alternates` would point elsewhere from another folder. */
export function alternatesOf(objects: string): readonly string[] {
  const text = attempt(() => readPlainText(join(objects, "info/alternates")), "");
  return text
    .split("\n")
    .flatMap((line) => (line === "" || line.startsWith("#") ? [] : [resolve(objects, line)]));
}

const AT_ONCE = 64;

/** Hard-links each object file; copies it if the file system refuses links. */
async function linkAll(from: string, to: string): Promise<void> {
  const files: (readonly [string, string])[] = [];
  for (const folder of await readdir(from)) {
    if (!/^(?:[0-9a-f]{2}|pack)$/.test(folder)) continue;
    await mkdir(join(to, folder), { recursive: true, mode: 0o700 });
    for (const name of await readdir(join(from, folder)))
      if (/^(?:[0-9a-f]{38,}|pack-[0-9a-f]{40,}\.(?:pack|idx|rev|bitmap|promisor))$/.test(name))
        files.push([join(from, folder, name), join(to, folder, name)]);
  }
  for (let at = 0; at < files.length; at += AT_ONCE)
    await Promise.all(files.slice(at, at + AT_ONCE).map(([one, other]) => linkOne(one, other)));
}

async function linkOne(from: string, to: string): Promise<void> {
  try {
    await link(from, to).catch(async (thrown) => {
      if (isAbsence(thrown) || errnoOf(thrown) === "ENOSPC") throw thrown;
      await copyFile(from, to);
    });
  } catch (thrown) {
    // The person's git repacked it at this moment: the next fetch brings it.
    if (!isAbsence(thrown)) throw thrown;
  }
}

// ── What the person's repository has ─────────────────────────────────────────────────────────────────────────────

/** The hub's name for a ref of the person's repository. */
function followed(ref: string): string {
  return ref.replace(/^refs\//, "refs/person/");
}

/**
 * Brings the commits of these refs of the person's repository into the hub. Returns the commits, without
 * missing refs.
 */
export async function follow(
  hub: GitCall,
  from: GitCall,
  refs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const commits = new Map<string, string>();
  const news: string[] = [];
  for (const ref of refs) {
    const commit = await commitOf(from, ref);
    if (commit === null) continue;
    commits.set(ref, commit);
    if ((await commitOf(hub, followed(ref))) === commit) continue;
    // The loop's own merges came from the hub.
    if ((await missingIn(hub, [commit])).length === 0) await moveRef(hub, followed(ref), commit);
    else news.push(`+${ref}:${followed(ref)}`);
  }
  if (news.length > 0) await fetchFrom(hub, commonOf(from), news);
  return commits;
}

/** Brings the commits of these refs of the person's repository into the hub, and returns them by ref. */
export async function followAll(
  hub: GitCall,
  from: GitCall,
  refs: ReadonlyMap<string, string>,
): Promise<void> {
  const missing = new Set(await missingIn(hub, [...refs.values()]));
  const news = [...refs]
    .filter(([, commit]) => missing.has(commit))
    .map(([ref]) => `+${ref}:${followed(ref)}`);
  if (news.length > 0) await fetchFrom(hub, commonOf(from), news);
}

/**
 * The commit of a task's branch; null: there is none. If a person adopted the task from a colleague, the
 * branch is in the person's repository.
 */
export async function tipOf(hub: GitCall, from: GitCall, branch: string): Promise<string | null> {
  const ref = `refs/heads/${branch}`;
  return (await commitOf(hub, ref)) ?? (await follow(hub, from, [ref])).get(ref) ?? null;
}

/** Brings these commits of the person's repository into the hub. */
export async function followCommits(hub: GitCall, from: GitCall, commits: readonly string[]): Promise<void> {
  const missing = await missingIn(hub, commits);
  if (missing.length > 0)
    await fetchFrom(
      hub,
      commonOf(from),
      missing.map((commit) => `+${commit}:refs/person/commits/${commit}`),
    );
}

/**
 * Brings these commits of the hub into the person's repository, without a ref: a push or a branch follows.
 * Uses a pack, since a fetch fails if any ref or worktree there is damaged.
 */
export async function give(hub: GitCall, to: GitCall, commits: readonly string[]): Promise<void> {
  const missing = await missingIn(to, commits);
  if (missing.length === 0 || (await giveLoose(hub, commonOf(to), to, missing))) return;
  // The person's repository has these, so the pack can leave them out.
  const theirs = new Set((await newestRefs(hub, ["refs/person"])).values());
  const pack = join(hub.folder, `outgoing-${process.pid}-${missing[0]}`);
  const file = openSync(pack, "w", 0o600);
  try {
    await git(
      {
        ...{ ...hub, limit: GIT_TIMEOUT },
        input: [...missing, ...[...theirs].map((commit) => `^${commit}`)].map((line) => `${line}\n`).join(""),
        onOutput(chunk) {
          writeAll(file, chunk);
          return true;
        },
      },
      ["pack-objects", "--revs", "--thin", "--stdout", "-q", "--delta-base-offset"],
    );
    const read = isSmallPack(pack) ? ["unpack-objects", "-q"] : ["index-pack", "--stdin", "--fix-thin"];
    const { code } = await git({ ...to, limit: GIT_TIMEOUT, inputFile: pack, accept: [1, 128] }, read);
    // Failed: the person has pruned a commit that the pack builds on.
    if (code !== 0) await fetchFrom(to, hub.folder, missing);
  } finally {
    closeSync(file);
    rmSync(pack, { force: true });
  }
}

async function fetchFrom(call: GitCall, remote: string, refs: readonly string[]): Promise<void> {
  const options = ["--no-tags", "--no-write-fetch-head", "--update-shallow", "--no-recurse-submodules"];
  const args = [...options, remote, ...refs];
  // These refs are the hub's.
  for (const [, ref] of refs.map((spec) => spec.split(":")))
    if (ref !== undefined) removeLeft(join(call.folder, `${ref}.lock`));
  // Several tasks follow the same branch at once: the fetch that loses is repeated.
  const { code, errors } = await fetch({ ...call, limit: GIT_TIMEOUT, accept: [1, 128] }, args);
  if (code !== 0) throw gitError(["fetch"], call.folder, errors.trim());
}

export async function missingIn(call: GitCall, commits: readonly string[]): Promise<readonly string[]> {
  const wanted = [...new Set(commits)];
  const existing = await ask(call, wanted);
  return wanted.filter((commit) => !existing.has(commit));
}

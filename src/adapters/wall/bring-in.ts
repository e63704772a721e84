/**
 * Brings into the repository what an agent committed behind the wall: its objects, and the one branch that is its own.
 * No other change to its copies counts.
 *
 * I1  The agent could write anything here. So only plain files are accepted, and an object only if its content matches
 *     its name.
 * I2  The branch moves only from where it was when the run began, and only to a complete commit.
 * I3  Objects come before the branch, and the note of what remains to do is removed last: if killed in between,
 *     everything is done again.
 */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { chmod, copyFile, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createInflate } from "node:zlib";
import { isObjectId } from "../../core/object-id.ts";
import { errnoOf, isAbsence } from "../files/disk.ts";
import { type GitCall, git } from "../git/git.ts";
import { commitOf } from "../git/refs.ts";
import type { Environment } from "../process/environment.ts";
import type { Pending } from "./git-view.ts";
import { type Store, storesOf } from "./store.ts";

/** No source file is longer than this. */
const LARGEST = 2 ** 31;
/** A ref's file holds one line. */
const LONGEST_REF = 4096;

/** What could not be brought in of a run, in words; empty if everything was, or there was nothing. */
export async function bringInRun(
  projectRoot: string,
  environment: Environment,
  run: string,
): Promise<readonly string[]> {
  const store = storesOf(projectRoot).find((each) => pendingIn(each)?.run === run);
  return store === undefined ? [] : bringIn(store, environment);
}

export async function bringIn(store: Store, environment: Environment): Promise<readonly string[]> {
  const pending = pendingIn(store);
  if (pending === null) return [];
  const told: string[] = [];
  if (existsSync(pending.own)) {
    const call: GitCall = {
      folder: existsSync(pending.folder) ? pending.folder : pending.common,
      environment,
    };
    told.push(...(await bringObjects(store, pending, call)));
    told.push(...(await bringBranch(store, pending, call)));
    await leaveStrangeBranch(store, pending, call);
    removeLocks(pending.own);
  }
  rmSync(join(store.folder, "pending.json"), { force: true });
  return told;
}

function pendingIn({ folder }: Store): Pending | null {
  try {
    return JSON.parse(readFileSync(join(folder, "pending.json"), "utf8")) as Pending;
  } catch (thrown) {
    if (isAbsence(thrown) || thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}

// ── Objects ──────────────────────────────────────────────────────────────────────────────────────────────────────

async function bringObjects(store: Store, { common }: Pending, call: GitCall): Promise<readonly string[]> {
  const from = join(store.folder, "objects");
  let refused = 0;
  for (const name of namesIn(from)) {
    if (/^[0-9a-f]{2}$/.test(name))
      refused += await bringLoose(join(from, name), name, join(common, "objects", name));
    else if (name === "pack") refused += await bringPacks(join(from, name), call);
    else rmSync(join(from, name), { recursive: true, force: true });
  }
  return refused === 0 ? [] : [`${refused} of its objects do not match their names and were left out`];
}

/** Returns how many were refused. */
async function bringLoose(from: string, start: string, to: string): Promise<number> {
  let refused = 0;
  for (const name of namesIn(from)) {
    const [file, place] = [join(from, name), join(to, name)];
    // Removes its own temporary files of a killed call.
    const isObject = isObjectId(start + name) && lstatSync(file).isFile();
    if (!isObject || existsSync(place)) rmSync(file, { recursive: true, force: true });
    else if ((await nameOf(file, start + name)) === start + name) await move(file, place, to);
    else {
      rmSync(file, { force: true });
      refused += 1;
    }
  }
  return refused;
}

/** The name that matches the object's content; null if it is not an object. */
async function nameOf(file: string, expected: string): Promise<string | null> {
  const hash = createHash(expected.length === 40 ? "sha1" : "sha256");
  let length = 0;
  try {
    await pipeline(createReadStream(file), createInflate(), async (parts: AsyncIterable<Buffer>) => {
      for await (const part of parts) {
        length += part.length;
        if (length > LARGEST) throw new RangeError("too long");
        hash.update(part);
      }
    });
    return hash.digest("hex");
  } catch {
    return null;
  }
}

async function move(file: string, place: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(file, 0o444);
  try {
    await rename(file, place);
  } catch (thrown) {
    if (errnoOf(thrown) !== "EXDEV") throw thrown;
    await copyFile(file, `${place}.new`);
    await rename(`${place}.new`, place);
    await rm(file, { force: true });
  }
}

/** Git reads a pack again, whatever its index says. */
async function bringPacks(folder: string, call: GitCall): Promise<number> {
  let refused = 0;
  for (const name of namesIn(folder)) {
    const file = join(folder, name);
    if (name.endsWith(".pack") && lstatSync(file).isFile()) {
      const { code } = await git({ ...call, inputFile: file, accept: [1, 124, 128] }, [
        "index-pack",
        "--stdin",
      ]);
      refused += code === 0 ? 0 : 1;
    }
    rmSync(file, { recursive: true, force: true });
  }
  return refused;
}

function namesIn(folder: string): readonly string[] {
  try {
    return lstatSync(folder).isDirectory() ? readdirSync(folder) : [];
  } catch (thrown) {
    if (isAbsence(thrown)) return [];
    throw thrown;
  }
}

// ── The branch ───────────────────────────────────────────────────────────────────────────────────────────────────

async function bringBranch(
  store: Store,
  { old, ref, run }: Pending,
  call: GitCall,
): Promise<readonly string[]> {
  if (ref === null) return [];
  const value = readOwn(join(store.folder, "heads"), ref.slice(ref.lastIndexOf("/") + 1));
  if (value === null || value === old) return [];
  const name = ref.slice("refs/heads/".length);
  if (!(await isWhole(call, value)))
    return [
      `it left ${name} at ${value.slice(0, 80)}, which is not a complete commit: the branch stays where it was`,
    ];
  const before = old ?? "0".repeat(value.length);
  const reason = ["-m", `pawl: run ${run}`];
  const moved = await git({ ...call, accept: [1, 128] }, ["update-ref", ...reason, ref, value, before]);
  if (moved.code === 0 || (await commitOf(call, ref)) === value) return [];
  const kept = `refs/pawl/${run}`;
  await git(call, ["update-ref", kept, value]);
  return [`somebody else moved ${name} while it ran: its own commits are kept as ${kept}`];
}

function readOwn(heads: string, name: string): string | null {
  const file = join(heads, name);
  try {
    const found = lstatSync(file);
    if (!found.isFile() || found.size > LONGEST_REF) return null;
    const text = readFileSync(file, "utf8").trim();
    return isObjectId(text) ? text : null;
  } catch {
    return null;
  }
}

/** Whether it is a commit, and the repository has everything that it consists of. */
async function isWhole(call: GitCall, commit: string): Promise<boolean> {
  const args = ["rev-list", "--objects", "--quiet", `${commit}^{commit}`, "--not", "--all"];
  return (await git({ ...call, accept: [1, 128] }, args)).code === 0;
}

/** A branch that it created for itself exists only in its copy: its worktree is left at that commit, on no branch. */
async function leaveStrangeBranch(store: Store, { own, ref }: Pending, call: GitCall): Promise<void> {
  const head = readHead(own);
  if (head === null || head === ref || ref === null) return;
  if (dirnameOf(head) !== dirnameOf(ref) || (await commitOf(call, head)) !== null) return;
  const value = readOwn(join(store.folder, "heads"), head.slice(head.lastIndexOf("/") + 1));
  if (value === null || !(await isWhole(call, value))) return;
  await git(call, ["update-ref", "--no-deref", "HEAD", value]);
}

/** The run and all its processes have ended: only a killed git can have left them. */
function removeLocks(own: string): void {
  for (const name of namesIn(own)) if (name.endsWith(".lock")) rmSync(join(own, name), { force: true });
}

function dirnameOf(ref: string): string {
  return ref.slice(0, ref.lastIndexOf("/"));
}

function readHead(own: string): string | null {
  try {
    const [, ref] = /^ref: (refs\/heads\/\S+)$/.exec(readFileSync(join(own, "HEAD"), "utf8").trim()) ?? [];
    return ref ?? null;
  } catch {
    return null;
  }
}

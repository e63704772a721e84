/**
 * Brings an agent's commits into the hub: as a pack, made in its workspace behind the wall, read and checked
 * outside.
 *
 * I1  Nothing of the workspace's git folder is read outside: no object file, no ref, no configuration. The
 *     pack's objects get their names from their content (`index-pack`), and git's checks of them are on
 *     (`--strict`).
 * I2  They are kept apart until they are known to be complete: a commit without its files does not come in.
 *     Then they join the hub's objects, and its refs move last.
 * I3  Size, memory and time have limits. A large pack leaves room on the disk for everything else. A killed call
 *     leaves only a folder, which the next call removes.
 */
import { closeSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isObjectId } from "../../../core/id.ts";
import type { AgentFolder } from "../../../core/ports/worktrees.ts";
import { birthOf } from "../../checks/process.ts";
import { lackForChunk, lackOfSpace } from "../../files/free-space.ts";
import { writeAll } from "../../files/write-whole.ts";
import {
  type GitCall,
  git,
  gitError,
  hubVariable,
  plainEnvironment,
  quotedPath,
  runProgram,
} from "../git.ts";
import { missingIn } from "../hub.ts";
import { moveRef } from "../hub-refs.ts";
import { isSmallPack } from "../loose.ts";
import { commitsOf } from "../reader.ts";
import { inside } from "./inside.ts";
import type { Workplace } from "./workplace.ts";

const GIT_TIMEOUT = 600_000;
/** Maximum bytes of a pack. */
const MAX_PACK_BYTES = 2 ** 31;
/** Kilobytes of memory that git may use to read it. */
const MEMORY = 4 * 1024 * 1024;

export interface Tip {
  readonly commit: string;
  /** The hub's ref to move, and its current commit; null: the ref is missing. */
  readonly ref: string;
  readonly before: string | null;
}

/**
 * Brings commits of a workspace into the hub, and moves its refs to them. Returns why they are refused, or
 * null. `known`: commits that the workspace borrows from the hub. `isOurs`: Pawl made them, from commits that
 * the hub has.
 */
export async function handIn(
  workplace: Workplace,
  hub: GitCall,
  folder: AgentFolder,
  tips: readonly Tip[],
  known: readonly string[],
  isOurs = false,
): Promise<string | null> {
  const commits = tips.map(({ commit }) => commit);
  const refused = await bringObjects(workplace, hub, folder, commits, known, { isOurs });
  if (refused !== null) return refused;
  if ((await commitsOf(hub, commits)) === null) return "a branch is at an object that is no commit";
  for (const { ref, commit, before } of tips) await moveRef(hub, ref, commit, before);
  return null;
}

const PACK = `
git pack-objects --revs --thin --stdout -q --delta-base-offset
`;

/** Of a submodule: without what its clone began with, which the person's repository of it has. */
const PACK_SUBMODULE = `
cd "$1" && { cat; git for-each-ref --format='^%(objectname)' refs/remotes; } |
git pack-objects --revs --thin --stdout -q --delta-base-offset
`;

/**
 * Brings commits in without a ref. `through`: the git folder that has them, if it is not the workspace's.
 * `submodule`: the path of the submodule that has them; `hub` is then the person's repository of it.
 */
export async function bringObjects(
  workplace: Workplace,
  hub: GitCall,
  folder: AgentFolder,
  commits: readonly string[],
  known: readonly string[],
  {
    isOurs = false,
    submodule,
    through,
  }: { readonly isOurs?: boolean; readonly submodule?: string; readonly through?: string } = {},
): Promise<string | null> {
  const tips = await missingIn(hub, commits);
  if (tips.length === 0) return null;
  if (!tips.every(isObjectId)) return "a commit has an invalid name";
  const apart = openApart(hub.folder);
  try {
    const pack = join(apart, "sent.pack");
    const file = openSync(pack, "wx", 0o600);
    let bytes = 0;
    let lacking: string | null = null;
    try {
      await inside(workplace, {
        folder,
        ...(submodule === undefined ? { script: PACK } : { script: PACK_SUBMODULE, args: [submodule] }),
        readOnly: true,
        ...(through === undefined ? {} : { environment: { GIT_DIR: through }, writes: [through] }),
        input: [...tips, ...known.map((commit) => `^${commit}`)].map((line) => `${line}\n`).join(""),
        limit: GIT_TIMEOUT,
        onOutput(chunk) {
          lacking = lackForChunk(apart, bytes, chunk);
          bytes += chunk.length;
          if (bytes > MAX_PACK_BYTES || lacking !== null) return false;
          writeAll(file, chunk);
          return true;
        },
      });
    } finally {
      closeSync(file);
    }
    if (bytes > MAX_PACK_BYTES) return `they are larger than ${MAX_PACK_BYTES / 2 ** 20} MB`;
    // Git writes it once more.
    lacking ??= lackOfSpace(apart, bytes);
    if (lacking !== null) return `they do not fit: ${lacking}`;
    const own = {
      GIT_OBJECT_DIRECTORY: apart,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(join(hub.folder, "objects")),
    };
    const environment = { ...plainEnvironment(hub.environment), ...hubVariable(hub), ...own };
    const options = [
      "-c",
      "core.bigFileThreshold=32m",
      "-c",
      "pack.threads=1",
      "-c",
      "core.packedGitLimit=512m",
    ];
    const isSmall = isSmallPack(pack);
    const way = isSmall ? ["unpack-objects", "-q"] : ["index-pack", "--stdin", "--fix-thin"];
    const read = [...way, "--strict", `--max-input-size=${MAX_PACK_BYTES}`];
    const script = `ulimit -v ${MEMORY} 2>/dev/null; exec git "$@"`;
    const call = { ...hub, limit: GIT_TIMEOUT, inputFile: pack };
    const indexed = await runProgram(call, "sh", ["-c", script, "sh", ...options, ...read], environment);
    if (indexed.code !== 0) return `git does not accept them: ${lastLine(indexed.errors)}`;
    // A small merge of Pawl's own adds only objects that `--strict` has checked, or that the hub has.
    const missing = isOurs && isSmall ? null : await missingBelow({ ...hub, gitVariables: own }, tips);
    if (missing !== null) return `they are incomplete: ${missing}`;
    joinObjects(apart, join(hub.folder, "objects"));
    return null;
  } finally {
    rmSync(apart, { recursive: true, force: true });
  }
}

/** Why the commits are incomplete; null: they are complete. */
async function missingBelow(call: GitCall, tips: readonly string[]): Promise<string | null> {
  const whole = ["rev-list", "--objects", "--quiet", "--no-object-names", ...tips, "--not", "--all"];
  const found = await git({ ...call, limit: GIT_TIMEOUT, accept: [1, 124, 128] }, whole);
  return found.code === 0 ? null : lastLine(found.errors);
}

const APART = "incoming-";

/** A folder for unchecked objects. Removes those of dead processes. */
function openApart(hub: string): string {
  for (const name of readdirSync(hub)) {
    const [, pid] = /^incoming-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && birthOf(Number(pid)) === null)
      rmSync(join(hub, name), { recursive: true, force: true });
  }
  for (let n = 0; ; n++) {
    const folder = join(hub, `${APART}${process.pid}-${n}`);
    if (mkdirSync(folder, { recursive: true, mode: 0o700 }) === undefined) continue;
    mkdirSync(join(folder, "pack"));
    return folder;
  }
}

function joinObjects(apart: string, objects: string): void {
  joinPacks(apart, join(objects, "pack"));
  for (const folder of readdirSync(apart).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    mkdirSync(join(objects, folder), { recursive: true, mode: 0o700 });
    for (const name of readdirSync(join(apart, folder)).filter((each) => /^[0-9a-f]{38,}$/.test(each)))
      renameSync(join(apart, folder, name), join(objects, folder, name));
  }
}

/** The index comes last, since git finds a pack by it. */
function joinPacks(apart: string, packs: string): void {
  const names = readdirSync(join(apart, "pack")).filter((name) =>
    /^pack-[0-9a-f]+\.(?:pack|rev|idx)$/.test(name),
  );
  const order = [".pack", ".rev", ".idx"];
  const rank = (name: string) => order.findIndex((end) => name.endsWith(end));
  for (const name of names.sort((one, other) => rank(one) - rank(other)))
    renameSync(join(apart, "pack", name), join(packs, name));
}

function lastLine(text: string): string {
  return (text.trim().split("\n").at(-1) ?? "").slice(0, 300) || "it gave no reason";
}

export function refusedWorkError({ agentPath }: AgentFolder, branch: string, reason: string) {
  return gitError(["hand-in"], agentPath, `the commits of ${branch} cannot be imported: ${reason}`);
}

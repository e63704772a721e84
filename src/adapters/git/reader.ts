/**
 * Queries objects through one long-lived git process per repository: starting a process per query takes
 * longer than all answers.
 *
 * R1  Each answer is current: git checks again for an object that it did not find before. An idle process ends, as
 *     does one whose repository was replaced.
 * R2  An idle git process does not keep Pawl's process alive, and ends with it.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { findProgram } from "../process/programs.ts";
import { spawn } from "../process/start-program.ts";
import { type GitCall, git, gitLine, hubVariable, plainEnvironment } from "./git.ts";
import { type GitObject, readAnswer, readObjects } from "./objects.ts";
import { FIXED } from "./safe-config.ts";

/** Milliseconds without a query after which the process ends. */
const IDLE_MILLISECONDS = 3_000;
/** Milliseconds for one answer. */
const ANSWER_TIMEOUT = 120_000;
/** Characters of an answer: each chunk is looked at together with those before it. */
const MAX_ANSWER = 4 * 1024 * 1024;

interface Reader {
  ask(name: string): Promise<GitObject | null>;
  end(): void;
}

const readers = new Map<string, Reader>();

/** Small objects, by their names; a missing object has no entry. */
export async function ask(call: GitCall, names: readonly string[]): Promise<ReadonlyMap<string, GitObject>> {
  if (call.gitVariables !== undefined || call.objects !== undefined || names.some((name) => /\s/.test(name)))
    return readObjects(call, names);
  const objects = new Map<string, GitObject>();
  try {
    const reader = readerOf(call);
    await Promise.all(
      [...new Set(names)].map(async (name) => {
        const object = await reader.ask(name);
        if (object !== null) objects.set(name, object);
      }),
    );
    return objects;
  } catch {
    // The process was killed or its answer was malformed: a call of its own reports why.
    return readObjects(call, names);
  }
}

function readerOf(call: GitCall): Reader {
  const stat = attempt(() => statSync(join(call.folder, ".git")), null) ?? statSync(call.folder);
  const key = `${call.folder}\0${stat.dev}:${stat.ino}:${stat.birthtimeMs}`;
  const cached = readers.get(key);
  if (cached) return cached;
  const reader = start(call, () => readers.delete(key));
  readers.set(key, reader);
  return reader;
}

interface Question {
  readonly answer: (object: GitObject | null) => void;
  readonly fail: (cause: Error) => void;
}

function start(call: GitCall, onEnd: () => void): Reader {
  const { environment, folder } = call;
  const { path, why } = findProgram("git", environment);
  if (path === null) throw new Error(why);
  const options = FIXED.flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  const child = spawn(path, [...options, "cat-file", "--batch"], {
    cwd: folder,
    env: { ...plainEnvironment(environment), ...hubVariable(call) },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const { stdin, stdout } = child;
  const questions: Question[] = [];
  let rest = "";
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    clearTimeout(timer);
    onEnd();
    child.kill("SIGKILL");
    for (const { fail } of questions.splice(0)) fail(new Error("git has ended"));
  };
  // Only an open query keeps Pawl's process alive.
  const hold = () => {
    clearTimeout(timer);
    const isOpen = questions.length > 0;
    for (const each of [child, stdout as unknown as { ref(): void; unref(): void }])
      if (isOpen) each.ref();
      else each.unref();
    timer = setTimeout(end, isOpen ? ANSWER_TIMEOUT : IDLE_MILLISECONDS);
    if (!isOpen) timer.unref();
  };
  (stdin as unknown as { unref?(): void }).unref?.();
  for (const each of [child, stdin, stdout]) each.on("error", end);
  child.on("exit", end);
  stdout.setEncoding("latin1").on("data", (chunk: string) => {
    rest += chunk;
    for (let read = readAnswer(rest, 0); read !== null; read = readAnswer(rest, 0)) {
      rest = rest.slice(read.end);
      questions.shift()?.answer(read.object);
    }
    // A call of its own reads a larger object, or fails.
    if (rest.length > MAX_ANSWER) end();
    else hold();
  });
  return {
    ask: (name) =>
      new Promise((answer, fail) => {
        questions.push({ answer, fail });
        stdin.write(`${name}\n`);
        hold();
      }),
    end,
  };
}

// ── Commits ──────────────────────────────────────────────────────────────────────────────────────────────────────

interface Commit {
  readonly tree: string;
  readonly parents: readonly string[];
  /** Seconds. */
  readonly time: number;
}

/** A commit never changes. */
const commits = new Map<string, Commit>();
const MAX_CACHED_COMMITS = 20_000;

/** Null: at least one is not a commit of the repository. */
export async function commitsOf(call: GitCall, names: readonly string[]): Promise<readonly Commit[] | null> {
  const unknown = names.filter((name) => !commits.has(name));
  if (unknown.length > 0) {
    const answers = await ask(call, unknown);
    if (commits.size > MAX_CACHED_COMMITS) commits.clear();
    for (const [name, { type, bytes }] of answers)
      if (type === "commit") commits.set(name, parseCommit(bytes));
  }
  const all = names.flatMap((name) => commits.get(name) ?? []);
  return all.length === names.length ? all : null;
}

function parseCommit(bytes: string): Commit {
  const head = bytes.slice(0, bytes.indexOf("\n\n"));
  return {
    tree: /^tree ([0-9a-f]+)$/m.exec(head)?.[1] ?? "",
    parents: [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, id = ""]) => id),
    time: Number(/^committer .* (\d+) [-+]\d+$/m.exec(head)?.[1] ?? 0),
  };
}

/** Beyond this many commits, git does the walk. */
const MAX_WALKED = 500;
/** The walk continues this many commits past the last relevant one, since clocks differ. */
const MORE = 50;

/**
 * The number of commits reachable from `tips` and not from `targets`. Walks from the newest to the oldest, as
 * `git rev-list` does. Null: use git instead.
 */
async function walked(
  call: GitCall,
  tips: readonly string[],
  targets: readonly string[],
): Promise<number | null> {
  const ours = new Set<string>();
  const theirs = new Set<string>();
  const ahead = new Map<string, Commit>();
  const meet = async (names: readonly string[], into: Set<string>): Promise<boolean> => {
    const fresh = names.filter((name) => !into.has(name));
    const commits = await commitsOf(call, fresh);
    if (commits === null) return false;
    for (const [at, name] of fresh.entries()) {
      into.add(name);
      ahead.set(name, commits[at] as Commit);
    }
    return true;
  };
  if (!(await meet(targets, theirs)) || !(await meet(tips, ours))) return null;
  for (let n = 0, beyond = 0; ahead.size > 0 && beyond < MORE; n++) {
    if (n > MAX_WALKED) return null;
    const [name, { parents }] = newest(ahead);
    ahead.delete(name);
    beyond = [...ahead.keys(), name].some((each) => ours.has(each) && !theirs.has(each)) ? 0 : beyond + 1;
    if (theirs.has(name) && !(await meet(parents, theirs))) return null;
    if (ours.has(name) && !theirs.has(name) && !(await meet(parents, ours))) return null;
  }
  return [...ours].filter((name) => !theirs.has(name)).length;
}

function newest(commits: ReadonlyMap<string, Commit>): readonly [string, Commit] {
  return [...commits].reduce((one, other) => (other[1].time > one[1].time ? other : one));
}

/** A program that can write the repository can falsify its commit graph. */
const NO_GRAPH = ["-c", "core.commitGraph=false"];

/** The number of commits reachable from `tips` and not from `targets`. */
export async function countMissing(
  call: GitCall,
  tips: readonly string[],
  targets: readonly string[],
): Promise<number> {
  if (tips.length === 0) return 0;
  const counts = await walked(call, tips, targets);
  if (counts !== null) return counts;
  return Number(await gitLine(call, [...NO_GRAPH, "rev-list", "--count", ...tips, "--not", ...targets]));
}

export async function isAncestor(call: GitCall, older: string, newer: string): Promise<boolean> {
  if (older === newer) return true;
  const missing = await walked(call, [older], [newer]);
  if (missing !== null) return missing === 0;
  const args = [...NO_GRAPH, "merge-base", "--is-ancestor", older, newer];
  return (await git({ ...call, accept: [1, 128] }, args)).code === 0;
}

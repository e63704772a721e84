/**
 * A long night in minutes: `node test/soak/run.ts [--minutes 15] [--agents 8]`.
 *
 * Thirty tasks a minute, in layers, each pushed, verified, merged and cleaned up behind the wall. Meanwhile the loop is killed each
 * minute, a second loop comes and goes, others push to the target, a person edits tasks.yaml, and the disk is full twice (as root:
 * it is a small one of its own). Then nothing may be lost, done twice, blocked or left behind. Prints what it saw; ends with 1 if
 * something is wrong.
 */
import { type ChildProcess, execFileSync } from "node:child_process";
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type BloomProject, bloomProject } from "../rig/bloom-project.ts";
import setup from "../rig/global-setup.ts";
import { leftBehind } from "../rig/loop-proof.ts";
import { end } from "../rig/project.ts";
import { NO_WALL } from "../rig/wall.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "15" }, agents: { type: "string", default: "8" } },
});
const MINUTES = Number(values.minutes);
const AGENTS = Number(values.agents);
const TASKS = Math.round(30 * MINUTES);
const LAYER = 20;
/** What is still to be done when the time is over gets as long again, and as much more on a busy machine. */
const PATIENCE = 4;
const MAX_MEMORY = 200;
const SECOND = 1000;

const isRoot = process.getuid?.() === 0;
const disk = mkdtempSync(join(tmpdir(), "pawl-soak-"));
if (isRoot) execFileSync("mount", ["-t", "tmpfs", "-o", "size=700m", "tmpfs", disk]);
process.env.TMPDIR = disk;
await setup();

const id = (n: number) => `T${n}`;
// Its agent tries again while the disk is full.
const task = (n: number) => `- id: ${id(n)}
  title: Task ${n}
  repo: .
  merge_into: main
${n < LAYER ? "" : `  depends_on: [${id(n - LAYER)}]\n`}  verify: ["test -f work/${n}.txt"]
  instructions: |
    RUN: sleep 0.5; for t in $(seq 60); do mkdir -p work && echo ${n} > work/${n}.txt && git add -A && { git diff --cached --quiet || git commit -qm 'Work ${n}'; } && break; sleep 1; done
    RUN: bloom done ${id(n)}
`;

const project = bloomProject({
  tasks: `git: {push_to_remote: true, auto_cleanup_merged: true}
tasks:
${Array.from({ length: TASKS }, (_, n) => task(n)).join("")}`,
  project: { sandbox: NO_WALL ? "none" : "bwrap" },
  settings: { agents: AGENTS },
});

const faults: string[] = [];
const began = performance.now();
const isTime = () => performance.now() - began < MINUTES * 60 * SECOND;
let isOver = false;
let most = 0;

const ends: string[] = [];
await Promise.all([loops(), seconds(), others(), person(), fills()].map(stopping));
faults.push(...(await findings(project)));
project[Symbol.dispose]();
if (isRoot) execFileSync("umount", ["-l", disk]);
rmSync(disk, { recursive: true, force: true });
for (const fault of faults) process.stdout.write(`WRONG: ${fault}\n`);
const minutes = (performance.now() - began) / 60 / SECOND;
process.stdout.write(
  `${TASKS} tasks in ${minutes.toFixed(1)} minutes, ${most} MB at most, ${faults.length} things wrong\n`,
);
process.exit(faults.length === 0 ? 0 : 1);

async function stopping(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (thrown) {
    isOver = true;
    faults.push(String(thrown));
  }
}

/** One loop after the other, each killed after a minute, until all is done. */
async function loops(): Promise<void> {
  for (let n = 1; !isOver; n++) {
    const child = project.start("--once");
    const ended = end(child);
    const isEnded = await Promise.race([ended, pause(60 * SECOND, null), watchMemory(child)]);
    if (isEnded === null && (isTime() || n === 1)) {
      child.kill("SIGKILL");
      await ended;
      continue;
    }
    const { code, err } = await ended;
    ends.push(`${code} ${err.trim().split("\n").at(-1) ?? ""}`);
    const tasks = project.tasks();
    // What depends on a blocked one waits for a person.
    const isSettled =
      tasks.some(({ status }) => status === "blocked") || tasks.every(({ status }) => status === "done");
    if (isSettled) isOver = true;
    else if (performance.now() - began > PATIENCE * MINUTES * 60 * SECOND) {
      isOver = true;
      faults.push(`it does not come to an end: the last loops ended with ${ends.slice(-5).join(" | ")}`);
    } else await pause(SECOND);
  }
}

async function watchMemory(child: ChildProcess): Promise<never> {
  for (;;) {
    const status = readOr(`/proc/${child.pid}/status`);
    most = Math.max(most, Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024));
    await pause(SECOND);
    if (status === "") await new Promise(() => {});
  }
}

function readOr(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Does it again and again while there is time. */
async function each(gap: number, act: () => Promise<void> | void): Promise<void> {
  for (let next = performance.now() + gap; isTime() && !isOver; ) {
    await pause(SECOND);
    if (performance.now() < next) continue;
    await act();
    next = performance.now() + gap;
  }
}

async function seconds(): Promise<void> {
  await each(25 * SECOND, async () => {
    const child = project.start("--once");
    const ended = end(child);
    await Promise.race([ended, pause(15 * SECOND)]);
    child.kill("SIGTERM");
    await ended;
  });
}

/** Somebody else's commits on the target. */
async function others(): Promise<void> {
  const clone = join(project.root, "../clone");
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: clone, env: { ...project.environment }, stdio: "pipe" });
  let n = 0;
  await each(12 * SECOND, () => {
    try {
      if (n === 0)
        execFileSync("git", ["clone", "-q", "remote.git", "clone"], { cwd: join(project.root, "..") });
      n += 1;
      writeFileSync(join(clone, `other-${n}.txt`), "");
      git("add", "-A");
      git("commit", "-qm", `Other ${n}`);
      git("pull", "-q", "--rebase");
      git("push", "-q");
    } catch {
      // Overtaken, or the disk is full: next time.
    }
  });
}

/** Another title for a task, and a note. */
async function person(): Promise<void> {
  let n = 0;
  await each(10 * SECOND, () => {
    n += 1;
    const text = project.read("tasks.yaml") ?? "";
    const later = project.tasks().findLast(({ status }) => status === "todo" || status === undefined);
    if (!later) return;
    const better = text.replace(`title: Task ${later.id.slice(1)}\n`, `title: Better ${n}\n`);
    try {
      const draft = join(project.root, "../tasks.new");
      writeFileSync(draft, `${better}# ${n}\n`);
      // As editors do: what was saved meanwhile is not overwritten.
      if (project.read("tasks.yaml") !== text) return;
      renameSync(draft, join(project.root, "tasks.yaml"));
    } catch {
      // No room.
    }
  });
}

/** Twice there is no room for a while. */
async function fills(): Promise<void> {
  if (!isRoot) return;
  const filler = join(disk, "filler");
  await each((MINUTES * 60 * SECOND) / 3, async () => {
    const file = openSync(filler, "w");
    try {
      for (;;) writeSync(file, Buffer.alloc(4096, 1));
    } catch {
      // Full.
    } finally {
      closeSync(file);
    }
    await pause(5 * SECOND);
    rmSync(filler);
  });
}

async function findings(project: BloomProject): Promise<readonly string[]> {
  const found: string[] = [];
  const undone = project.tasks().filter(({ status }) => status !== "done");
  if (undone.length > 0)
    found.push(`not done: ${undone.map((each) => `${each.id} ${each.status}`).join(", ")}`);
  const events = project.stored();
  const story = (task: string) =>
    events
      .filter(({ run, taskId }) => taskId === task || run === `bloom:${task}`)
      .map((event) => JSON.stringify(event))
      .join("\n");
  for (const event of events)
    if (event.type === "task:blocked") found.push(`blocked: ${JSON.stringify(event)}`);
  const done = events.filter(({ type }) => type === "task:completed").map(({ taskId }) => String(taskId));
  if (done.length !== new Set(done).size) found.push(`completed twice: ${twice(done).map(story).join("\n")}`);
  const files = project.remoteGit("ls-tree", "--name-only", "main:work").split("\n");
  if (files.length !== TASKS) found.push(`${files.length} of ${TASKS} files are on the remote's main`);
  const merges = project.remoteGit("log", "--format=%s", "main").split("\n");
  const merged = merges.filter((line) => line.startsWith("Merge T")).map((line) => line.split(":")[0] ?? "");
  if (new Set(merged).size !== merged.length) found.push(`merged twice: ${twice(merged).join(", ")}`);
  found.push(...leftBehind(project));
  for (const [where, git] of Object.entries({ hub: project.hub, remote: project.remoteGit })) {
    const left = git("for-each-ref", "--format=%(refname)", "refs/heads").split("\n");
    const own = left.filter((ref) => ref !== "" && ref !== "refs/heads/main");
    if (own.length > 0) found.push(`branches left in the ${where}: ${own.join(", ")}`);
  }
  const stats = JSON.parse((await project.bloom("stats", "--json")).out) as {
    readonly total?: { readonly runs?: number };
  };
  const started = events.filter(({ type }) => type === "agent:started").length;
  if (stats.total?.runs !== started)
    found.push(`stats tells of ${JSON.stringify(stats).slice(0, 300)}: ${started} runs began`);
  if (most > MAX_MEMORY) found.push(`a loop had ${most} MB: expected ${MAX_MEMORY}`);
  found.push(
    ...slowed(
      events.filter(({ type }) => type === "task:completed").map(({ time }) => Date.parse(String(time))),
    ),
  );
  return found;
}

function twice(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
}

/** The second half of the tasks must not take twice as long as the first. */
function slowed(times: readonly number[]): readonly string[] {
  const [first = 0, middle = 0, last = 0] = [times[0], times[times.length >> 1], times.at(-1)];
  const ratio = (last - middle) / (middle - first);
  process.stdout.write(`the second half of the tasks took ${ratio.toFixed(2)} times as long as the first\n`);
  return ratio > 2 ? [`it slows down: the second half took ${ratio.toFixed(2)} times as long`] : [];
}

/**
 * Ends every process of a run.
 *
 * P1  A process belongs to a run if it is in the run's cgroup, has the run's tag, descends from such a
 *     process, or is in the group or session of the run's first process.
 * P2  A process once found stays found (by id and start time), even after the process that led to it has
 *     ended.
 * P3  First SIGTERM and a grace period. Then no process may outrun its end: the kernel kills the cgroup as a
 *     whole. Pawl also stops (SIGSTOP) each process as it finds it, newest first, and its whole process group
 *     if all of that is the run's, until several searches in a row find no new one. A stopped process cannot
 *     fork, and no fork escapes a signal to its group. Then Pawl kills them all.
 * P4  It finishes within the given time, even if a process cannot be ended. The result says how many are
 *     left.
 *
 * What escapes without a cgroup: on Linux a process that has cleared its environment *and* lost its parent
 * *and* has its own session. Elsewhere (no /proc) `ps` shows the environment of the user's own processes
 * only, and of no system program.
 */
import { existsSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { attempt } from "../../core/attempt.ts";
import { execFileSync } from "../process/start-program.ts";
import { type Cgroup, cgroupMembers, findCgroup, isPopulated, killCgroup, removeCgroup } from "./cgroup.ts";
import { bearsMark } from "./mark.ts";
import { readProc, statOf } from "./proc.ts";

export interface Tree {
  readonly mark: string;
  /** The run's first process, if this process started it. It leads a group and a session. */
  readonly leader?: number | undefined;
  /**
   * The first process is bwrap, which forwards no SIGTERM and would kill everything inside; it exits with the
   * processes inside.
   */
  readonly isWall?: boolean;
  /**
   * Its start time, from `startOf`. No older process can belong to the run, so none is checked for its tag.
   */
  readonly since?: number | undefined;
  /** Absent: found by the run tag. Null: there is none. */
  readonly cgroup?: Cgroup | null;
}

export interface EndTimes {
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly grace: number;
  /** Milliseconds after which it gives up. */
  readonly within: number;
}

export const END_TIMES: EndTimes = { grace: 3000, within: 9000 };
/**
 * For a lost lease, when another machine may soon begin the same work: most of the remaining time is a
 * reserve for a busy machine.
 */
export const LOST_TIMES: EndTimes = { grace: 1000, within: 9000 };

/** Milliseconds between two checks of processes that got SIGTERM, and between two searches. */
const SHORT_WAIT = 20;
const PAUSE = 250;
/**
 * How many searches in a row must find nothing new after one that did: a process may fork between two
 * searches.
 */
const EMPTY_SEARCHES = 4;
/** Milliseconds that the kernel may take to end the processes behind a wall. */
const FALL = 500;
/** Milliseconds that the kernel may take to clear the dead of a cgroup. */
const CGROUP_WAIT = 1000;

/** Ends the run's processes. Returns how many there were and how many could not be ended. */
export async function endTree(
  tree: Tree,
  times: EndTimes = END_TIMES,
): Promise<{ ended: number; alive: number }> {
  const cgroup = tree.cgroup === undefined ? findCgroup(tree.mark) : tree.cgroup;
  const inCgroup = { ...tree, cgroup };
  const startTimes: StartTimes = new Map();
  const began = performance.now();
  const left = () => times.within - (performance.now() - began);
  if (inCgroup.isWall && (await hasFallen(inCgroup))) {
    if (cgroup !== null) await removeCgroup(cgroup, CGROUP_WAIT);
    return { ended: 0, alive: 0 };
  }
  // Without a cgroup, a search may miss a process that forks continuously.
  const searches = cgroup === null ? EMPTY_SEARCHES : 1;
  for (let tries = 0; tries < searches && startTimes.size === 0; tries++) findTree(inCgroup, startTimes);
  if (startTimes.size > 0) await askToEnd(inCgroup, startTimes, times.grace);
  const isOver = startTimes.size === 0 && !(cgroup && isPopulated(cgroup));
  const alive = isOver ? 0 : await killAll(inCgroup, startTimes, left);
  if (cgroup !== null && alive === 0) await removeCgroup(cgroup, Math.min(CGROUP_WAIT, Math.max(0, left())));
  return { ended: Math.max(0, startTimes.size - alive), alive };
}

/**
 * Once a wall's first process has ended, the kernel ends everything behind it, so no second search is needed.
 */
async function hasFallen(tree: Tree): Promise<boolean> {
  if (tree.leader === undefined || isAlive(statOf(tree.leader)[0])) return false;
  for (const began = performance.now(); performance.now() - began < FALL; await sleep(2))
    if (findTree(tree).length === 0) return true;
  return false;
}

/** Process id → its start time. */
type StartTimes = Map<number, string>;

/** Sends SIGTERM to each process once, and waits until all have ended or the grace period is over. */
async function askToEnd(tree: Tree, startTimes: StartTimes, grace: number): Promise<void> {
  const began = performance.now();
  const signalled = new Set<number>();
  let lastSearch = began;
  for (let alive = livingParentsFirst(startTimes); alive.length > 0; alive = livingParentsFirst(startTimes)) {
    for (const pid of alive)
      if (!signalled.has(pid) && !(tree.isWall && pid === tree.leader)) signal(pid, "SIGTERM");
    for (const pid of alive) signalled.add(pid);
    if (performance.now() - began >= grace) return;
    await sleep(SHORT_WAIT);
    if (performance.now() - lastSearch < PAUSE) continue;
    findTree(tree, startTimes);
    lastSearch = performance.now();
  }
}

/** Stops each process as it is found, then kills them all. Returns how many are left. */
async function killAll(tree: Tree, startTimes: StartTimes, left: () => number): Promise<number> {
  const stopped = new Set<string>();
  const groups = new Set<number>();
  const stop = (pid: number, start: string) => {
    if (stopped.has(`${pid} ${start}`)) return;
    signal(pid, "SIGSTOP");
    stopped.add(`${pid} ${start}`);
  };
  for (let empty = 0; empty < EMPTY_SEARCHES && left() > 0; ) {
    if (tree.cgroup && isPopulated(tree.cgroup)) killAsWhole(tree.cgroup, startTimes);
    const before = stopped.size;
    const { found, mixed, whole } = search(tree, startTimes, stop);
    for (const pid of found) stop(pid, startTimes.get(pid) ?? "");
    for (const group of whole) groups.add(group);
    // A whole group stays a target, even if this search saw none of its processes alive.
    for (const group of mixed) groups.delete(group);
    for (const group of groups) signal(-group, "SIGSTOP");
    empty = stopped.size === before ? empty + 1 : 0;
    if (empty === EMPTY_SEARCHES && (found.length > 0 || groups.size > 0)) {
      for (const one of [...found, ...[...groups].map((group) => -group)]) signal(one, "SIGKILL");
      groups.clear();
      empty = 0;
    }
    // Random length, so as not to synchronise with a process that forks at a fixed pace.
    await sleep(1 + Math.random() * 4);
  }
  return findTree(tree, startTimes).length;
}

function killAsWhole(cgroup: Cgroup, startTimes: StartTimes): void {
  for (const pid of cgroupMembers(cgroup)) startTimes.set(pid, statOf(pid)[19] ?? "");
  killCgroup(cgroup);
}

/** Parents before children: a parent that waits for a child gets SIGTERM before the child does. */
function livingParentsFirst(startTimes: StartTimes): readonly number[] {
  const isProc = existsSync("/proc/self/stat");
  const alive = [...startTimes].filter(([pid, start]) => {
    if (!isProc) return exists(pid);
    const fields = statOf(pid);
    return isAlive(fields[0]) && fields[19] === start;
  });
  return alive.map(([pid]) => pid).sort((a, b) => a - b);
}

function exists(pid: number): boolean {
  return attempt(() => {
    process.kill(pid, 0);
    return true;
  }, false);
}

/**
 * The process ids that belong to the run at this moment. Adds to `startTimes`.
 */
export function findTree(tree: Tree, startTimes: Map<number, string> = new Map()): number[] {
  return search(tree, startTimes, () => {}).found;
}

interface FoundProcesses {
  readonly found: number[];
  /** Process groups whose seen members all belong to the run, and those of which only some do. */
  readonly whole: ReadonlySet<number>;
  readonly mixed: ReadonlySet<number>;
}

/** Calls `onProcess` for each process with the run's tag as soon as it is found. */
function search(
  tree: Tree,
  startTimes: Map<number, string>,
  onProcess: (pid: number, start: string) => void,
): FoundProcesses {
  const inside = new Set(tree.cgroup ? cgroupMembers(tree.cgroup) : []);
  const self = ourselves();
  const processes: ListedProcess[] = [];
  const members = new Set<number>();
  for (const one of listProcesses(tree, inside)) {
    processes.push(one);
    if (self.has(one.pid) || !belongs(one, tree, startTimes)) continue;
    members.add(one.pid);
    onProcess(one.pid, one.start);
  }
  for (let grown = members.size > 0; grown; ) {
    const before = members.size;
    for (const { pid, parent } of processes) if (members.has(parent) && !self.has(pid)) members.add(pid);
    grown = members.size > before;
  }
  for (const { pid, start } of processes) if (members.has(pid)) startTimes.set(pid, start);
  const mixed = new Set(processes.flatMap(({ group, pid }) => (members.has(pid) ? [] : [group])));
  const groups = processes.flatMap(({ group, pid }) => (members.has(pid) && group > 1 ? [group] : []));
  return { found: [...members], whole: new Set(groups.filter((group) => !mixed.has(group))), mixed };
}

function belongs(one: ListedProcess, { leader }: Tree, startTimes: ReadonlyMap<number, string>): boolean {
  if (one.marked || (startTimes.has(one.pid) && startTimes.get(one.pid) === one.start)) return true;
  return leader !== undefined && leader > 1 && (one.group === leader || one.session === leader);
}

/** This process, its ancestors, and init: never ended, whatever the search finds. */
function ourselves(): ReadonlySet<number> {
  const excluded = new Set([0, 1, process.pid, process.ppid]);
  if (!existsSync("/proc/self/stat")) return excluded;
  for (let pid = process.ppid; pid > 1; ) {
    pid = Number(statOf(pid)[1] ?? 0);
    if (excluded.has(pid)) break;
    excluded.add(pid);
  }
  return excluded;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone, or another user's: the next search decides.
  }
}

interface ListedProcess {
  readonly pid: number;
  readonly start: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Whether it has the run's tag or is in the cgroup. */
  readonly marked: boolean;
}

function listProcesses(tree: Tree, inside: ReadonlySet<number>): Iterable<ListedProcess> {
  return existsSync("/proc/self/stat") ? fromProc(tree, inside) : fromPs(tree.mark);
}

const KERNEL_THREAD = 0x00200000;

function isKernelThread(flags: string | undefined): boolean {
  return (Number(flags) & KERNEL_THREAD) !== 0;
}

/** Zombies and dead processes have already ended. */
function isAlive(state: string | undefined): boolean {
  return state !== undefined && state !== "" && state !== "Z" && state !== "X";
}

/** One by one, newest first, then those that began since: this catches a process that forks continuously. */
function* fromProc({ mark, since = 0 }: Tree, inside: ReadonlySet<number>): Generator<ListedProcess> {
  for (const pid of presentAndComing()) {
    const fields = statOf(pid);
    const [state, parent, group, session] = fields;
    const start = fields[19];
    if (!isAlive(state) || !start || isKernelThread(fields[6])) continue;
    // Reading an environment waits for locks of the process's memory, so only possible members are read.
    const isNew = Number(start) >= since && !inside.has(pid);
    const marked = inside.has(pid) || (isNew && bearsMark(readProc(`/proc/${pid}/environ`), mark));
    yield { pid, start, parent: Number(parent), group: Number(group), session: Number(session), marked };
  }
}

/** How many new process ids one search follows. */
const MAX_COMING = 1024;

function* presentAndComing(): Generator<number> {
  let newest = newestPid();
  const pids = readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name));
  yield* pids.map(Number).sort((a, b) => b - a);
  for (let coming = 0; coming < MAX_COMING && newest < newestPid(); coming++) yield ++newest;
}

/** The latest process id; 0: unknown. Ids are given in order, and restart after the highest. */
function newestPid(): number {
  return Number(readProc("/proc/loadavg").trim().split(" ").at(-1)) || 0;
}

const PS = { encoding: "utf8", maxBuffer: 64 << 20 } as const;

/** Environments by process id, for systems without /proc; in the form of /proc. */
export function psEnvironments(): ReadonlyMap<number, string> {
  const environments = new Map<number, string>();
  for (const line of execFileSync("/bin/ps", ["-A", "-E", "-ww", "-o", "pid=,command="], PS).split("\n")) {
    const [, pid, rest] = /^\s*(\d+)\s(.*)$/s.exec(line) ?? [];
    if (pid) environments.set(Number(pid), (rest ?? "").replaceAll(" ", "\0"));
  }
  return environments;
}

function fromPs(mark: string): readonly ListedProcess[] {
  const table = execFileSync("/bin/ps", ["-A", "-o", "pid=,ppid=,pgid=,stat=,lstart="], PS);
  const environments = psEnvironments();
  return table.split("\n").flatMap((line) => {
    const [pid, parent, group, state, ...start] = line.trim().split(/\s+/);
    if (!pid || state?.startsWith("Z")) return [];
    const marked = bearsMark(environments.get(Number(pid)) ?? "", mark);
    const numbers = { parent: Number(parent), group: Number(group), session: -1 };
    return { pid: Number(pid), start: start.join(" "), ...numbers, marked };
  });
}

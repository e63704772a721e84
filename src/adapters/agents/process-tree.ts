/**
 * Ends everything that a run started.
 *
 * P1  A process belongs to a run if it bears the run's mark, descends from one that does, or is in the group or the
 *     session of the run's first process.
 * P2  What was once found stays found (by id and start time), also when what it was found by has ended.
 * P3  First SIGTERM and a grace, then SIGKILL, then looked for again until several looks in a row find none: a
 *     process that forked while it was being looked for is found by a later look.
 * P4  It is over within the time given, also if a process cannot be ended; the answer says how many are left.
 *
 * What escapes: on Linux a process that has cleared its environment *and* lost its parent *and* has a session of its
 * own; elsewhere (no /proc) `ps` shows the environment of the user's own processes only, and of no system program.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { bearsMark } from "./mark.ts";
import { readProc, statOf } from "./proc.ts";

export interface Tree {
  readonly mark: string;
  /** The run's first process, if this process started it: it leads a group and a session. */
  readonly leader?: number | undefined;
  /** When it began, as `startOf` tells it: no older process can be one of the run's, nor need be asked for its mark. */
  readonly since?: number | undefined;
}

export interface EndTimes {
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly grace: number;
  /** Milliseconds after which it gives up. */
  readonly within: number;
}

export const END_TIMES: EndTimes = { grace: 3000, within: 9000 };

/** Ends the run's processes; says how many there were and how many could not be ended. */
export async function endTree(
  tree: Tree,
  times: EndTimes = END_TIMES,
): Promise<{ ended: number; alive: number }> {
  const known = new Map<number, string>();
  const started = performance.now();
  const passed = () => performance.now() - started;
  const told = new Set<number>();
  let found: number[] = [];
  for (let empty = 0; empty < emptyLooks(known) && passed() < times.within; ) {
    found = findTree(tree, known);
    empty = found.length === 0 ? empty + 1 : 0;
    const patient = passed() < times.grace;
    for (const pid of found) if (!patient || !told.has(pid)) signal(pid, patient ? "SIGTERM" : "SIGKILL");
    for (const pid of found) told.add(pid);
    // Of uneven length, so as not to keep step with what forks at a pace of its own.
    if (known.size > 0) await sleep(found.length > 0 && patient ? 20 : 3 + Math.random() * 12);
  }
  const alive = found.length === 0 ? 0 : findTree(tree, known).length;
  return { ended: known.size - alive, alive };
}

/** Where there was something, it may still be forking from one process to the next, between two looks. */
function emptyLooks(known: ReadonlyMap<number, string>): number {
  return known.size === 0 ? 2 : 12;
}

/** The process ids that belong to the run now. `known` (id → start time) is added to. */
export function findTree(tree: Tree, known: Map<number, string> = new Map()): number[] {
  const processes = listProcesses(tree);
  const members = new Set(processes.filter((one) => belongs(one, tree, known)).map(({ pid }) => pid));
  for (let grown = members.size > 0; grown; ) {
    const before = members.size;
    for (const { pid, parent } of processes) if (members.has(parent)) members.add(pid);
    grown = members.size > before;
  }
  for (const pid of ourselves(processes)) members.delete(pid);
  for (const { pid, start } of processes) if (members.has(pid)) known.set(pid, start);
  return [...members];
}

function belongs(one: Seen, { leader }: Tree, known: ReadonlyMap<number, string>): boolean {
  if (one.marked || (known.has(one.pid) && known.get(one.pid) === one.start)) return true;
  return leader !== undefined && leader > 1 && (one.group === leader || one.session === leader);
}

/** This process, what it descends from, and init: never ended, whatever was found. */
function ourselves(processes: readonly Seen[]): Set<number> {
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]));
  const own = new Set([0, 1]);
  for (let pid: number | undefined = process.pid; pid !== undefined && !own.has(pid); pid = parents.get(pid))
    own.add(pid);
  return own;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone meanwhile, or another user's: the next look tells.
  }
}

interface Seen {
  readonly pid: number;
  readonly start: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly marked: boolean;
}

function listProcesses(tree: Tree): readonly Seen[] {
  return existsSync("/proc/self/stat") ? fromProc(tree) : fromPs(tree.mark);
}

const KERNEL_THREAD = 0x00200000;

function isKernelThread(flags: string | undefined): boolean {
  return (Number(flags) & KERNEL_THREAD) !== 0;
}

function fromProc({ mark, since = 0 }: Tree): readonly Seen[] {
  const seen: Seen[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^[0-9]+$/.test(name)) continue;
    const fields = statOf(name);
    const [state, parent, group, session] = fields;
    const start = fields[19];
    // Zombies and the dead are already ended.
    if (!state || !start || state === "Z" || state === "X" || isKernelThread(fields[6])) continue;
    // Asking for an environment waits for whatever holds the process's memory: only those that can be ours are asked.
    const marked = Number(start) >= since && bearsMark(readProc(`/proc/${name}/environ`), mark);
    const numbers = { parent: Number(parent), group: Number(group), session: Number(session) };
    seen.push({ pid: Number(name), start, ...numbers, marked });
  }
  return seen;
}

function fromPs(mark: string): readonly Seen[] {
  const options = { encoding: "utf8", maxBuffer: 64 << 20 } as const;
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid=,pgid=,stat=,lstart="], options);
  const environments = new Map<number, string>();
  for (const line of execFileSync("ps", ["-A", "-E", "-ww", "-o", "pid=,command="], options).split("\n")) {
    const [, pid, rest] = /^\s*(\d+)\s(.*)$/s.exec(line) ?? [];
    if (pid) environments.set(Number(pid), (rest ?? "").replaceAll(" ", "\0"));
  }
  return table.split("\n").flatMap((line) => {
    const [pid, parent, group, state, ...start] = line.trim().split(/\s+/);
    if (!pid || state?.startsWith("Z")) return [];
    const marked = bearsMark(environments.get(Number(pid)) ?? "", mark);
    const numbers = { parent: Number(parent), group: Number(group), session: -1 };
    return { pid: Number(pid), start: start.join(" "), ...numbers, marked };
  });
}

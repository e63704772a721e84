/** What the processes share, in memory: the project's files, its locks and leases; and each process's ports to it. */
import type { Cache } from "../../../src/core/ports/cache.ts";
import type { FreePorts } from "../../../src/core/ports/free-ports.ts";
import type { LeaseManager, TakenLease } from "../../../src/core/ports/leases.ts";
import type { Change, Entry, Store, View } from "../../../src/core/ports/store.ts";
import type { Watch } from "../../../src/core/ports/watch.ts";
import { lastLineOf } from "../../../src/core/text/lines.ts";
import { editTasks } from "../../../src/tasks-file/edit.ts";
import type { ParsedFile } from "../../../src/tasks-file/entries.ts";
import { readTasks } from "../../../src/tasks-file/read.ts";
import type { TaskEdit } from "../../../src/tasks-file/splice.ts";
import type { Process, Simulator } from "./simulator.ts";

interface Owned {
  owner: Process;
  readonly waiting: { readonly process: Process; go(): void }[];
}

export interface MemoryDisk {
  readonly files: Map<string, string>;
  readonly leases: Map<string, Process>;
  /** What dead owners left. */
  readonly abandoned: Set<string>;
  readonly turns: Map<string, { readonly process: Process; readonly owner: string }>;
  /** Each line appended to events.jsonl, as it is committed. */
  onEvent(event: { readonly type: string; readonly taskId?: string }, by: Process): void;
  readonly freePorts: FreePorts;
  storeOf(process: Process): Store;
  claimsOf(process: Process): LeaseManager;
  watchOf(process: Process): Watch;
  /** A person's editor. */
  save(path: string, text: string): void;
  /** Lets go of what the process held. */
  died(process: Process): void;
}

const EVENTS = ".pawl/events.jsonl";
const TASKS = "tasks.yaml";

export function openMemoryDisk(simulator: Simulator): MemoryDisk {
  const files = new Map<string, string>();
  const leases = new Map<string, Process>();
  const abandoned = new Set<string>();
  const turns: MemoryDisk["turns"] = new Map();
  const holds = new Map<string, Owned>();
  const listeners = new Set<{ process: Process; heard: () => void; told: boolean }>();

  const notify = () => {
    for (const each of listeners) {
      if (each.told || !each.process.alive) continue;
      each.told = true;
      simulator.soon(each.process, "", () => {
        each.told = false;
        if (listeners.has(each)) each.heard();
      });
    }
  };

  const letGo = (run: string) => {
    const held = holds.get(run);
    const next = held?.waiting.filter(({ process }) => process.alive).shift();
    if (!held || !next) return void holds.delete(run);
    holds.set(run, { owner: next.process, waiting: held.waiting.slice(held.waiting.indexOf(next) + 1) });
    next.go();
  };

  const usedPorts = new Set<number>();
  const disk: MemoryDisk = {
    files,
    leases,
    abandoned,
    turns,
    freePorts: {
      async take(count, not) {
        const ports: number[] = [];
        for (let port = 20_000; ports.length < count; port++)
          if (!not.has(port) && !usedPorts.has(port)) ports.push(port);
        for (const port of ports) usedPorts.add(port);
        return { ports, release: () => ports.forEach((port) => void usedPorts.delete(port)) };
      },
    },
    onEvent: () => {},
    save(path, text) {
      files.set(path, text);
      if (path === TASKS) notify();
    },
    died(process) {
      process.alive = false;
      for (const [run, held] of holds) if (held.owner === process) letGo(run);
      for (const [what, owner] of leases)
        if (owner === process) {
          leases.delete(what);
          abandoned.add(what);
        }
      for (const [target, turn] of turns) if (turn.process === process) turns.delete(target);
    },
    storeOf(process) {
      const reads = new WeakMap<View, Map<string, string | null>>();
      const list = (folder: string): readonly Entry[] => {
        const names = new Set<string>();
        for (const path of files.keys())
          if (path.startsWith(`${folder}/`) && !path.slice(folder.length + 1).includes("/"))
            names.add(path.slice(folder.length + 1));
        return [...names].sort().map((name) => ({ name, kind: "file" as const }));
      };
      const now = (key: string) =>
        key.startsWith("list ") ? JSON.stringify(list(key.slice(5))) : (files.get(key) ?? null);
      return {
        view() {
          const seen = new Map<string, string | null>();
          const read = async (key: string) => {
            if (simulator.chance(0.2)) await simulator.step(process, "");
            const found = now(key);
            if (!seen.has(key)) seen.set(key, found);
            return found;
          };
          const view: View = {
            read: (path) => read(path),
            lastLine: async (path) => lastLineOf(await read(path)),
            list: async (folder) => JSON.parse((await read(`list ${folder}`)) ?? "[]"),
            isCurrent: async (paths) =>
              paths.every((path) => !seen.has(path) || seen.get(path) === now(path)),
            packaged: async () => null,
          };
          reads.set(view, seen);
          return view;
        },
        async hold(run) {
          await simulator.step(process, "");
          const held = holds.get(run);
          if (held) await new Promise<void>((go) => held.waiting.push({ process, go }));
          else holds.set(run, { owner: process, waiting: [] });
          return { [Symbol.asyncDispose]: async () => letGo(run) };
        },
        holds: async (view) => [...(reads.get(view) ?? [])].every(([key, before]) => now(key) === before),
        async commit(view, changes) {
          await simulator.step(process, "");
          if (![...(reads.get(view) ?? [])].every(([key, before]) => now(key) === before)) return "changed";
          for (const change of changes) apply(change, process);
          notify();
          // It may die before it knows.
          await simulator.step(process, "");
          return "committed";
        },
        catchUp: async () => null,
        pending: () => null,
        log: async () => {},
        settle: async () => {},
      };
    },
    claimsOf: (process) => openMemoryClaims(simulator, disk, process),
    watchOf: (process) => ({
      onChange(heard) {
        const listener = { process, heard, told: false };
        listeners.add(listener);
        return { close: () => void listeners.delete(listener) };
      },
    }),
  };

  const apply = (change: Change, process: Process) => {
    switch (change.type) {
      case "write":
      case "edit":
        files.set(change.path, change.text);
        break;
      case "remove":
        files.delete(change.path);
        break;
      case "move":
        files.set(change.to, files.get(change.from) ?? "");
        files.delete(change.from);
        break;
      case "append":
        if (change.path === EVENTS) disk.onEvent(JSON.parse(change.text), process);
        else files.set(change.path, (files.get(change.path) ?? "") + change.text);
    }
  };
  return disk;
}

function openMemoryClaims(
  simulator: Simulator,
  { leases, abandoned }: MemoryDisk,
  process: Process,
): LeaseManager {
  const own: LeaseManager = {
    async take(what) {
      await simulator.step(process, "");
      if (leases.has(what)) return null;
      const wasAbandoned = abandoned.delete(what);
      leases.set(what, process);
      const lease: TakenLease = {
        what,
        abandoned: wasAbandoned,
        async release() {
          await simulator.step(process, "");
          if (leases.get(what) === process) leases.delete(what);
        },
      };
      return lease;
    },
    async sweep() {
      await simulator.step(process, "");
      abandoned.clear();
    },
  };
  return own;
}

/** Parses at once, where the file's cache would: nothing in a schedule may wait for the real world. */
export function memoryCache(files: ReadonlyMap<string, string>): Cache {
  let known: ParsedFile | null = null;
  return {
    async get(kind, source) {
      if (!kind.startsWith("tasks")) return null;
      const result = readTasks(files.get(source) ?? "", known);
      if (!result.ok) return null;
      known = result.parsed;
      return known;
    },
    put() {},
  };
}

/** The text with a task's status as a person's editor would leave it. */
export function withStatus(text: string, id: string, status: string): string {
  return editTasks(text, [{ type: "set", id, key: "status", value: status } satisfies TaskEdit]);
}

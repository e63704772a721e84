import type { Disk, FileStat, OpenMode } from "../../src/adapters/files/disk.ts";
import type { StateFolder } from "../../src/adapters/files/project-key.ts";
import { type Machine, SimError, type SimFile } from "./sim-machine.ts";

/** One call of a process on its disk. */
export interface Call {
  /** From 1. */
  readonly index: number;
  readonly name: string;
  readonly path: string;
}

/** What is done to a call: nothing, an error instead of it, or the death of its process. */
export type Fate =
  | undefined
  /** The process dies before the call. */
  | "die"
  /** The process dies in the middle of a write; before any other call. */
  | "die-halfway"
  /** The process is suspended before the call, for good: its locks stay. */
  | "stop"
  /** The disk refuses. A write is first cut short, and the rest of it refused. */
  | "ENOSPC"
  | "EIO"
  /** A sync fails, and what it should have written is lost, though programs still see it. */
  | "EIO-lost";

export class Death extends Error {}

/** The disk of one process on the machine. Every call is counted and given its fate. */
export function simDisk(machine: Machine, fateOf: (call: Call) => Fate = () => undefined): Disk {
  interface Open {
    readonly file: SimFile;
    readonly path: string;
    readonly how: OpenMode;
  }
  const process = {};
  const opened = new Map<number, Open>();
  let lastFd = 2;
  let calls = 0;
  let dead = false;
  /** After a write that was cut short, what the rest of it will be told. */
  let refusal: Fate;

  const die = (): never => {
    dead = true;
    for (const [id, owner] of machine.locks) if (owner === process) machine.locks.delete(id);
    throw new Death();
  };

  /** Throws for errors and death; answers what the call itself must see to. */
  const enter = (name: string, path: string): Fate => {
    if (dead) throw new Death();
    calls++;
    machine.clock++;
    const fate = fateOf({ index: calls, name, path });
    if (fate === "die") die();
    if (fate === "stop") {
      dead = true;
      throw new Death();
    }
    const isPartial = name === "write" && fate !== "EIO-lost";
    const isLost = name === "fsync" && fate === "EIO-lost";
    if (fate === undefined || isPartial || isLost) return fate;
    if (fate === "die-halfway") die();
    throw new SimError(fate === "EIO-lost" ? "EIO" : fate, path);
  };
  const file = (fd: number): Open => {
    const open = opened.get(fd);
    if (open === undefined) throw new Error(`file descriptor ${fd} is not open`);
    return open;
  };
  const close = (fd: number) => {
    const open = file(fd);
    opened.delete(fd);
    if (machine.locks.get(open.file.id) === process) machine.locks.delete(open.file.id);
  };
  const stat = (node: ReturnType<Machine["find"]>): FileStat | null =>
    node === null
      ? null
      : {
          kind: node.kind,
          size: node.kind === "file" ? node.bytes.length : 0,
          mode: node.kind === "file" ? node.mode : 0o755,
          inode: String(node.id),
        };

  return {
    open(path, how, mode = 0o644) {
      enter("open", path);
      const { folder, name } = machine.parent(path);
      let node = machine.find(path);
      if (node !== null && how === "new") throw new SimError("EEXIST", path);
      if (node === null && how === "read") throw new SimError("ENOENT", path);
      node ??= machine.create(folder, name, "file", mode);
      if (node.kind === "folder") throw new SimError("EISDIR", path);
      opened.set(++lastFd, { file: node, path, how });
      return lastFd;
    },
    close(fd) {
      const { path } = file(fd);
      // As on Linux: the file is closed, whatever the answer.
      if (!dead) close(fd);
      enter("close", path);
    },
    closeLater(fd) {
      if (!dead) close(fd);
    },
    read(fd, offset, length) {
      const { file: found, path } = file(fd);
      enter("read", path);
      return Buffer.from(found.bytes.subarray(offset, offset + length));
    },
    write(fd, bytes, offset) {
      const { file: target, path, how } = file(fd);
      const fate = enter("write", path) ?? refusal;
      const at = how === "append" ? target.bytes.length : offset;
      const part = fate === undefined ? bytes : bytes.subarray(0, bytes.length >> 1);
      if (part.length > 0) machine.write(target, at, part);
      if (fate === "die-halfway") die();
      const isRefused = refusal !== undefined;
      refusal = isRefused ? undefined : fate;
      if (fate !== undefined && (isRefused || part.length === 0)) throw new SimError(fate, path);
      return part.length;
    },
    truncate(fd, length) {
      const { file: target, path } = file(fd);
      enter("truncate", path);
      machine.truncate(target, length);
    },
    chmod(fd, mode) {
      const { file: target, path } = file(fd);
      enter("chmod", path);
      target.mode = mode;
    },
    fsync(fd) {
      const { file: target, path } = file(fd);
      if (enter("fsync", path) === "EIO-lost") {
        machine.forget(target.id);
        throw new SimError("EIO", path);
      }
      machine.sync(target.id);
    },
    fsyncFolder(path) {
      enter("fsyncFolder", path);
      machine.sync(machine.folder(path).id);
    },
    stat(fd) {
      const { file: found, path } = file(fd);
      enter("stat", path);
      return stat(found) as FileStat;
    },
    lstat(path) {
      enter("lstat", path);
      return stat(machine.find(path));
    },
    list(path) {
      enter("list", path);
      const { entries } = machine.folder(path);
      return [...entries].map(([name, id]) => ({ name, kind: machine.nodes.get(id)?.kind ?? "other" }));
    },
    mkdir(path) {
      enter("mkdir", path);
      const { folder, name } = machine.parent(path);
      if (folder.entries.has(name)) throw new SimError("EEXIST", path);
      machine.create(folder, name, "folder", 0o755);
    },
    rename(from, to) {
      enter("rename", to);
      const node = machine.find(from);
      if (node === null) throw new SimError("ENOENT", from);
      const source = machine.parent(from);
      const target = machine.parent(to);
      machine.setEntry(target.folder, target.name, node.id);
      machine.setEntry(source.folder, source.name, null);
    },
    unlink(path) {
      enter("unlink", path);
      if (machine.find(path) === null) throw new SimError("ENOENT", path);
      const { folder, name } = machine.parent(path);
      machine.setEntry(folder, name, null);
    },
    link(from, to) {
      enter("link", to);
      const node = machine.find(from);
      if (node === null) throw new SimError("ENOENT", from);
      const { folder, name } = machine.parent(to);
      if (folder.entries.has(name)) throw new SimError("EEXIST", to);
      machine.setEntry(folder, name, node.id);
    },
    writable(path) {
      enter("writable", path);
      return true;
    },
    async prepareLocks() {},
    tryLock(fd) {
      const { file: target, path } = file(fd);
      enter("tryLock", path);
      if (machine.locks.has(target.id)) return false;
      machine.locks.set(target.id, process);
      return true;
    },
    bootId: () => `boot-${machine.boot}`,
    pid: 1000 + machine.boot,
    now: () => new Date(machine.clock),
    uniqueId: () => machine.uniqueId(),
    random: (length) => Buffer.alloc(length, machine.uniqueId()),
    async sleep(milliseconds) {
      if (dead) throw new Death();
      machine.clock += milliseconds;
    },
  };
}

/** Where the machine keeps what is outside of the project. */
export const STATE_HOME = "~state";

/** On the same disk, so that its calls are counted and given their fate with those on the project's. */
export function simState(disk: Disk): StateFolder {
  const at = (path: string) => (path === "" ? STATE_HOME : `${STATE_HOME}/${path}`);
  return {
    folder: STATE_HOME,
    disk: below(disk, at),
    make() {
      if (disk.lstat(STATE_HOME) !== null) return;
      disk.mkdir(STATE_HOME);
      disk.fsyncFolder("");
    },
  };
}

/** The disk of a folder on it. */
function below(disk: Disk, at: (path: string) => string): Disk {
  return {
    ...disk,
    open: (path, how, mode) => disk.open(at(path), how, mode),
    fsyncFolder: (path) => disk.fsyncFolder(at(path)),
    lstat: (path) => disk.lstat(at(path)),
    list: (path) => disk.list(at(path)),
    mkdir: (path) => disk.mkdir(at(path)),
    rename: (from, to) => disk.rename(at(from), at(to)),
    unlink: (path) => disk.unlink(at(path)),
    link: (from, to) => disk.link(at(from), at(to)),
    writable: (path) => disk.writable(at(path)),
  };
}

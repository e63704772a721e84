/**
 * A machine with a disk, in memory: what programs see (the cache) apart from what a power cut leaves (the platter).
 * Data, sizes and folder entries reach the platter each on its own: at once when synced, else in any order or never.
 *
 * S1  A sync of a file makes its data and size durable, not its entry; a sync of a folder makes its entries durable.
 * S2  A rename is two entries, which may reach the platter without each other.
 * S3  A write reaches the platter in pieces.
 */
import type { EntryKind } from "../../src/adapters/files/disk.ts";

export interface SimFile {
  readonly kind: "file";
  readonly id: number;
  mode: number;
  bytes: Buffer;
}

export interface SimFolder {
  readonly kind: "folder";
  readonly id: number;
  readonly entries: Map<string, number>;
}

export type Node = SimFile | SimFolder;

export type Effect =
  | { readonly type: "data"; readonly id: number; readonly offset: number; readonly bytes: Buffer }
  | { readonly type: "size"; readonly id: number; readonly size: number }
  | { readonly type: "entry"; readonly id: number; readonly name: string; readonly target: number | null };

interface Platter {
  readonly files: Map<number, { bytes: Buffer; size: number; mode: number }>;
  readonly folders: Map<number, Map<string, number>>;
}

const ROOT = 1;

export class SimError extends Error {
  readonly code: string;
  readonly path: string;
  constructor(code: string, path: string) {
    super(`${code}: ${path}`);
    this.code = code;
    this.path = path;
  }
}

export class Machine {
  nodes = new Map<number, Node>([[ROOT, { kind: "folder", id: ROOT, entries: new Map() }]]);
  /** What was done and is not on the platter, in order. */
  unsynced: Effect[] = [];
  readonly locks = new Map<number, object>();
  boot = 1;
  clock = Date.UTC(2026, 0, 1);
  private platter: Platter = { files: new Map(), folders: new Map() };
  private lastId = ROOT;
  private uniqueIds = 0;

  clone(): Machine {
    const copy = new Machine();
    copy.nodes = new Map([...this.nodes].map(([id, node]) => [id, cloneNode(node)]));
    copy.unsynced = [...this.unsynced];
    copy.boot = this.boot;
    copy.clock = this.clock;
    copy.platter = clonePlatter(this.platter);
    copy.lastId = this.lastId;
    copy.uniqueIds = this.uniqueIds;
    return copy;
  }

  uniqueId(): string {
    this.uniqueIds++;
    return `0000-${String(this.uniqueIds).padStart(4, "0")}`;
  }

  // ── Paths ──

  find(path: string): Node | null {
    let node: Node | undefined = this.nodes.get(ROOT);
    for (const name of path === "" ? [] : path.split("/")) {
      if (node?.kind !== "folder") return null;
      const id = node.entries.get(name);
      node = id === undefined ? undefined : this.nodes.get(id);
      if (node === undefined) return null;
    }
    return node ?? null;
  }

  folder(path: string): SimFolder {
    const node = this.find(path);
    if (node === null) throw new SimError("ENOENT", path);
    if (node.kind !== "folder") throw new SimError("ENOTDIR", path);
    return node;
  }

  parent(path: string): { folder: SimFolder; name: string } {
    const slash = path.lastIndexOf("/");
    return { folder: this.folder(slash === -1 ? "" : path.slice(0, slash)), name: path.slice(slash + 1) };
  }

  kind(path: string): EntryKind | null {
    return this.find(path)?.kind ?? null;
  }

  // ── Changes, as programs make them ──

  setEntry(folder: SimFolder, name: string, target: number | null): void {
    if (target === null) folder.entries.delete(name);
    else folder.entries.set(name, target);
    this.unsynced.push({ type: "entry", id: folder.id, name, target });
  }

  create(folder: SimFolder, name: string, kind: "file" | "folder", mode: number): Node {
    const id = ++this.lastId;
    const node: Node =
      kind === "file" ? { kind, id, mode, bytes: Buffer.alloc(0) } : { kind, id, entries: new Map() };
    this.nodes.set(id, node);
    this.setEntry(folder, name, id);
    return node;
  }

  write(file: SimFile, offset: number, bytes: Uint8Array): void {
    const end = offset + bytes.length;
    if (end > file.bytes.length) {
      file.bytes = Buffer.concat([file.bytes, Buffer.alloc(end - file.bytes.length)]);
      this.unsynced.push({ type: "size", id: file.id, size: end });
    } else {
      file.bytes = Buffer.from(file.bytes);
    }
    file.bytes.set(bytes, offset);
    const pieces = bytes.length > 30 ? 3 : 1;
    for (let piece = 0; piece < pieces; piece++) {
      const from = Math.floor((piece * bytes.length) / pieces);
      const to = Math.floor(((piece + 1) * bytes.length) / pieces);
      const part = Buffer.from(bytes.subarray(from, to));
      if (part.length > 0)
        this.unsynced.push({ type: "data", id: file.id, offset: offset + from, bytes: part });
    }
  }

  truncate(file: SimFile, size: number): void {
    const grown = Math.max(0, size - file.bytes.length);
    file.bytes = Buffer.concat([file.bytes.subarray(0, size), Buffer.alloc(grown)]);
    this.unsynced.push({ type: "size", id: file.id, size });
  }

  sync(id: number): void {
    for (const effect of this.unsynced) if (effect.id === id) this.reach(effect);
    this.forget(id);
  }

  /** What a disk does that fails to write: programs go on seeing what will never be there. */
  forget(id: number): void {
    this.unsynced = this.unsynced.filter((effect) => effect.id !== id);
  }

  /** As a person's editor saves, synced: in place, or by a new file that is renamed to the path. */
  save(path: string, text: string, how: "in-place" | "by-rename"): void {
    const names = path.split("/");
    for (let depth = 1; depth < names.length; depth++) {
      const folder = names.slice(0, depth).join("/");
      if (this.find(folder) === null) {
        const { folder: parent, name } = this.parent(folder);
        this.create(parent, name, "folder", 0o755);
      }
    }
    const { folder, name } = this.parent(path);
    const there = this.find(path);
    let file = there;
    if (file?.kind !== "file" || how === "by-rename") file = this.create(folder, name, "file", 0o644);
    if (file.kind !== "file") throw new Error(`${path} is a folder`);
    this.truncate(file, 0);
    this.write(file, 0, Buffer.from(text));
    this.sync(file.id);
    for (let depth = 0; depth < names.length; depth++)
      this.sync(this.folder(names.slice(0, depth).join("/")).id);
  }

  /** Every file by path, as programs see it. */
  tree(): Map<string, string> {
    const files = new Map<string, string>();
    const walk = (folder: SimFolder, prefix: string) => {
      for (const name of [...folder.entries.keys()].sort()) {
        const node = this.nodes.get(folder.entries.get(name) ?? 0);
        if (node?.kind === "folder") walk(node, `${prefix}${name}/`);
        else if (node !== undefined) files.set(`${prefix}${name}`, node.bytes.toString("utf8"));
      }
    };
    walk(this.folder(""), "");
    return files;
  }

  // ── Power ──

  /** The machine starts anew with what is on the platter and those unsynced effects that reached it. */
  cutPower(reached: (index: number) => boolean): void {
    this.unsynced.forEach((effect, index) => {
      if (reached(index)) this.reach(effect);
    });
    this.unsynced = [];
    this.locks.clear();
    this.boot++;
    this.nodes = this.fromPlatter();
  }

  private reach(effect: Effect): void {
    if (effect.type === "entry") {
      const entries = getOr(this.platter.folders, effect.id, () => new Map<string, number>());
      if (effect.target === null) entries.delete(effect.name);
      else entries.set(effect.name, effect.target);
      return;
    }
    const file = getOr(this.platter.files, effect.id, () => ({
      bytes: Buffer.alloc(0),
      size: 0,
      mode: 0o644,
    }));
    if (effect.type === "size") {
      // What was beyond a smaller size reads as zeros when the file grows again.
      file.bytes = Buffer.from(file.bytes.subarray(0, effect.size < file.size ? effect.size : undefined));
      file.size = effect.size;
      return;
    }
    const end = effect.offset + effect.bytes.length;
    file.bytes = Buffer.concat([file.bytes, Buffer.alloc(Math.max(0, end - file.bytes.length))]);
    file.bytes.set(effect.bytes, effect.offset);
  }

  private fromPlatter(): Map<number, Node> {
    const nodes = new Map<number, Node>();
    const load = (id: number) => {
      const was = this.nodes.get(id);
      if (was === undefined || nodes.has(id)) return;
      if (was.kind === "folder") {
        const entries = new Map(this.platter.folders.get(id) ?? []);
        nodes.set(id, { kind: "folder", id, entries });
        for (const target of entries.values()) load(target);
        return;
      }
      const file = this.platter.files.get(id) ?? { bytes: Buffer.alloc(0), size: 0 };
      const bytes = Buffer.alloc(file.size);
      file.bytes.copy(bytes, 0, 0, file.size);
      nodes.set(id, { kind: "file", id, mode: was.mode, bytes });
    };
    load(ROOT);
    return nodes;
  }
}

function getOr<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const there = map.get(key);
  if (there !== undefined) return there;
  const made = make();
  map.set(key, made);
  return made;
}

function cloneNode(node: Node): Node {
  // Buffers are never changed in place, only replaced.
  return node.kind === "file" ? { ...node } : { ...node, entries: new Map(node.entries) };
}

function clonePlatter(platter: Platter): Platter {
  return {
    files: new Map([...platter.files].map(([id, file]) => [id, { ...file, bytes: Buffer.from(file.bytes) }])),
    folders: new Map([...platter.folders].map(([id, entries]) => [id, new Map(entries)])),
  };
}

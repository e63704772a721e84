/**
 * `.pawl/events.jsonl` by offsets. A file's generation is the hash of its first line: it stays while the file grows, is copied or
 * is renamed by a rotation, and differs for the file that follows.
 */
import { createHash } from "node:crypto";
import { closeSync, existsSync, type FSWatcher, openSync, readSync, watch } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import type { EventLog, LogEntry, LogLook, LogPart } from "../../core/ports/event-log.ts";

const LINE_END = 10;
const CHUNK = 256 * 1024;
/** Read for the first line at first; a line that is longer than the second is known by its beginning. */
const USUAL_FIRST = 4 * 1024;
const LONGEST_FIRST = 64 * 1024;
/** Milliseconds between looks, in case the operating system reports no change: without and with a watched folder. */
const LOOK_AGAIN = { unwatched: 500, watched: 5000 };

export function openEventLog(path: string): EventLog {
  return {
    look: () => withFile(path, lookAt),
    async read({ generation, ...order }) {
      const present = await withFile(path, (file) => readFrom(file, generation, order));
      return present ?? readElsewhere(path, generation, order);
    },
    async readBack(order) {
      return (await withFile(path, (file) => readBack(file, order))) ?? [];
    },
    watch: (heard) => watchLog(path, heard),
  };
}

async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T | null>): Promise<T | null> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw cause;
  }
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

async function lookAt(file: FileHandle): Promise<LogLook | null> {
  const generation = await generationOf(file);
  if (generation === null) return null;
  const { size } = await file.stat();
  for (let to = size; to > 0; ) {
    const from = Math.max(0, to - CHUNK);
    const at = (await bytesAt(file, from, to)).lastIndexOf(LINE_END);
    if (at >= 0) return { generation, end: from + at + 1 };
    to = from;
  }
  return { generation, end: 0 };
}

/** Null: it has no whole line. */
async function generationOf(file: FileHandle): Promise<string | null> {
  for (const most of [USUAL_FIRST, LONGEST_FIRST]) {
    const bytes = await bytesAt(file, 0, most);
    const isEnough = bytes.length < most || most === LONGEST_FIRST || bytes.includes(LINE_END);
    if (isEnough) return generationIn(bytes);
  }
  return null;
}

/** The same, for callers that cannot wait; null too where there is no log. */
export function generationNow(path: string): string | null {
  const bytes = Buffer.alloc(LONGEST_FIRST);
  const file = attempt(() => openSync(path, "r"), null);
  if (file === null) return null;
  try {
    return generationIn(bytes.subarray(0, readSync(file, bytes, 0, LONGEST_FIRST, 0)));
  } finally {
    closeSync(file);
  }
}

/** Of the log's first bytes: its first line, or as much of it as counts. */
function generationIn(bytes: Buffer): string | null {
  const end = bytes.indexOf(LINE_END);
  if (end < 0 && bytes.length < LONGEST_FIRST) return null;
  const first = end < 0 ? bytes : bytes.subarray(0, end);
  return createHash("sha256").update(first).digest("hex").slice(0, 16);
}

type Order = Omit<Parameters<EventLog["read"]>[0], "generation">;

async function readFrom(
  file: FileHandle,
  generation: string,
  { containing, from, most }: Order,
): Promise<LogPart | null> {
  if ((await generationOf(file)) !== generation) return null;
  let wanted = most;
  for (;;) {
    const bytes = await bytesAt(file, from, from + wanted);
    const whole = bytes.lastIndexOf(LINE_END) + 1;
    const isAll = bytes.length < wanted;
    // One line is longer than all that was asked for.
    if (whole === 0 && !isAll) {
      wanted *= 2;
      continue;
    }
    const entries = containing ? foundIn(bytes, whole, from, containing) : linesIn(bytes, whole, from);
    return { entries, next: from + whole, isAll };
  }
}

function linesIn(bytes: Buffer, whole: number, from: number): readonly LogEntry[] {
  const entries: LogEntry[] = [];
  for (let at = 0; at < whole; ) {
    const end = bytes.indexOf(LINE_END, at) + 1;
    entries.push({ text: bytes.toString("utf8", at, end - 1), start: from + at, end: from + end });
    at = end;
  }
  return entries;
}

function foundIn(bytes: Buffer, whole: number, from: number, texts: readonly string[]): readonly LogEntry[] {
  const entries = new Map<number, LogEntry>();
  for (const text of texts) {
    for (let at = bytes.indexOf(text); at >= 0 && at < whole; ) {
      const start = bytes.lastIndexOf(LINE_END, at) + 1;
      const end = bytes.indexOf(LINE_END, at) + 1;
      entries.set(start, {
        text: bytes.toString("utf8", start, end - 1),
        start: from + start,
        end: from + end,
      });
      at = bytes.indexOf(text, end);
    }
  }
  return texts.length > 1 ? [...entries.values()].sort((a, b) => a.start - b.start) : [...entries.values()];
}

/** A rotation renames the log beside itself: `events.jsonl.1`. */
async function readElsewhere(path: string, generation: string, order: Order): Promise<LogPart | null> {
  const names = await readdir(dirname(path)).catch(() => []);
  const start = `${basename(path)}.`;
  for (const name of names.filter((each) => each.startsWith(start)).sort()) {
    const found = await withFile(join(dirname(path), name), (file) =>
      readFrom(file, generation, order),
    ).catch(() => null);
    if (found) return found;
  }
  return null;
}

async function readBack(
  file: FileHandle,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<readonly LogEntry[]> {
  const { size } = await file.stat();
  let to = Math.min(before, size);
  let from = to;
  let entries: readonly LogEntry[] = [];
  while (from > 0 && entries.length <= limit) {
    from = Math.max(0, from - CHUNK);
    const bytes = await bytesAt(file, from, to);
    // The line that begins before the chunk is not whole.
    const first = from === 0 ? 0 : bytes.indexOf(LINE_END) + 1;
    const whole = bytes.lastIndexOf(LINE_END) + 1;
    if (first < whole) entries = [...linesIn(bytes.subarray(first), whole - first, from + first), ...entries];
    if (first > 0 && first <= whole) to = from + first;
  }
  return entries.slice(-limit).reverse();
}

async function bytesAt(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.max(0, to - from));
  let read = 0;
  while (read < buffer.length) {
    const { bytesRead } = await file.read(buffer, read, buffer.length - read, from + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return buffer.subarray(0, read);
}

function watchLog(path: string, heard: () => void): { close(): void } {
  let watcher: FSWatcher | null = null;
  let timer: NodeJS.Timeout | undefined;
  const open = () => {
    if (watcher || !existsSync(dirname(path))) return;
    watcher = watch(dirname(path), { persistent: false }, heard);
    watcher.on("error", () => {
      watcher?.close();
      watcher = null;
    });
  };
  const tick = () => {
    open();
    heard();
    timer = setTimeout(tick, watcher ? LOOK_AGAIN.watched : LOOK_AGAIN.unwatched).unref();
  };
  open();
  timer = setTimeout(tick, watcher ? LOOK_AGAIN.watched : LOOK_AGAIN.unwatched).unref();
  return {
    close() {
      clearTimeout(timer);
      watcher?.close();
    },
  };
}

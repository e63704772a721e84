/**
 * `.pawl/events.jsonl` by offsets. A log's generation is the hash of its first line: it stays the same while
 * the log grows, is copied, is renamed by a person, or is split into parts because it is long. Offsets count
 * over all the parts.
 */
import { existsSync, type FSWatcher, watch } from "node:fs";
import { type FileHandle, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { EventLog, LogEntry, LogPart, LogPosition } from "../../core/ports/event-log.ts";
import { hasAny } from "./event-line.ts";
import { bytesAt, generationOf, LINE_END, openLogParts, withFile } from "./log-parts.ts";

const CHUNK = 256 * 1024;
/**
 * Milliseconds between checks, in case the operating system reports no change: without and with a watched
 * folder.
 */
const POLL = { unwatched: 500, watched: 5000 };

export function openEventLog(path: string): EventLog {
  return {
    position: () => withLog(path, stateOf),
    async read({ generation, ...order }) {
      const present = await withLog(path, async (log) =>
        log.generation === generation ? readParts(log, order) : null,
      );
      return present ?? readElsewhere(path, generation, order);
    },
    readBack: (order) => withLog(path, (log) => readBackParts(log, order)).then((entries) => entries ?? []),
    watch: (onChange) => watchLog(path, onChange),
  };
}

/** A part, and its offset in the log. */
interface Part {
  readonly base: number;
  /** Null: it is still growing. */
  readonly size: number | null;
  use<T>(work: (file: FileHandle) => Promise<T>): Promise<T | null>;
}

interface Log {
  readonly generation: string;
  readonly parts: readonly Part[];
}

/** Null: there is no log, or no whole line in it. */
async function withLog<T>(path: string, use: (log: Log) => Promise<T>): Promise<T | null> {
  const { aside, log } = await openLogParts(path);
  try {
    let base = 0;
    const parts: Part[] = aside.map(({ path: partPath, size }) => {
      base += size;
      return { base: base - size, size, use: (work) => withFile(partPath, work) };
    });
    if (log) parts.push({ base, size: null, use: (work) => work(log) });
    const generation = (await parts[0]?.use(generationOf)) ?? null;
    return generation === null ? null : await use({ generation, parts });
  } finally {
    await log?.close();
  }
}

async function stateOf({ generation, parts }: Log): Promise<LogPosition> {
  const last = parts.at(-1);
  const end = (await last?.use(endOf)) ?? 0;
  return { generation, end: (last?.base ?? 0) + end };
}

/** The end of its last whole line. */
async function endOf(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  for (let to = size; to > 0; ) {
    const from = Math.max(0, to - CHUNK);
    const at = (await bytesAt(file, from, to)).lastIndexOf(LINE_END);
    if (at >= 0) return from + at + 1;
    to = from;
  }
  return 0;
}

type Order = Omit<Parameters<EventLog["read"]>[0], "generation">;

/** Reads from the part that holds the offset. */
async function readParts({ parts }: Log, order: Order): Promise<LogPart | null> {
  const part = parts.findLast(({ base }) => base <= order.from);
  if (part === undefined) return null;
  const { base, size } = part;
  const partOrder = { ...order, from: order.from - base };
  const read = await part.use((file) => readFrom(file, partOrder, size !== null));
  if (read === null) return null;
  const next = base + (size !== null && read.isAll ? size : read.next);
  const end = size === null ? Number.POSITIVE_INFINITY : size;
  return {
    entries: read.entries.map((each) => moved({ ...each, end: Math.min(each.end, end) }, base)),
    next: Math.max(next, order.from),
    isAll: read.isAll && part === parts.at(-1),
  };
}

function moved({ end, start, text }: LogEntry, base: number): LogEntry {
  return { text, start: start + base, end: end + base };
}

/** `isClosed`: the file no longer grows, so its end is the end of a line. */
async function readFrom(
  file: FileHandle,
  { containing, from, most }: Order,
  isClosed = false,
): Promise<LogPart> {
  let wanted = most;
  for (;;) {
    const bytes = await bytesAt(file, from, from + wanted);
    const isAll = bytes.length < wanted;
    const whole = isClosed && isAll ? bytes.length : bytes.lastIndexOf(LINE_END) + 1;
    // One line is longer than the requested part.
    if (whole === 0 && !isAll) {
      wanted *= 2;
      continue;
    }
    const entries = linesIn(bytes, whole, from).filter(({ text }) => hasAny(text, containing));
    return { entries, next: from + whole, isAll };
  }
}

function linesIn(bytes: Buffer, whole: number, from: number): readonly LogEntry[] {
  const entries: LogEntry[] = [];
  for (let at = 0; at < whole; ) {
    const lineEnd = bytes.indexOf(LINE_END, at);
    const end = lineEnd < 0 ? whole : lineEnd;
    entries.push({ text: bytes.toString("utf8", at, end), start: from + at, end: from + end + 1 });
    at = end + 1;
  }
  return entries;
}

/** A person's rotation renames the log beside itself: `events.jsonl.1`. */
async function readElsewhere(path: string, generation: string, order: Order): Promise<LogPart | null> {
  const names = await readdir(dirname(path)).catch(() => []);
  const start = `${basename(path)}.`;
  for (const name of names.filter((each) => each.startsWith(start)).sort()) {
    const found = await withFile(join(dirname(path), name), async (file) =>
      (await generationOf(file)) === generation ? readFrom(file, order) : null,
    ).catch(() => null);
    if (found) return found;
  }
  return null;
}

/** Newest first. */
async function readBackParts(
  { parts }: Log,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<readonly LogEntry[]> {
  const entries: LogEntry[] = [];
  for (const { base, use } of parts.toReversed()) {
    if (before <= base || entries.length >= limit) continue;
    const order = { before: before - base, limit: limit - entries.length };
    const found = (await use((file) => readBack(file, order))) ?? [];
    entries.push(...found.map((each) => moved(each, base)));
  }
  return entries;
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

function watchLog(path: string, onChange: () => void): { close(): void } {
  let watcher: FSWatcher | null = null;
  let timer: NodeJS.Timeout | undefined;
  const open = () => {
    if (watcher || !existsSync(dirname(path))) return;
    watcher = watch(dirname(path), { persistent: false }, onChange);
    watcher.on("error", () => {
      watcher?.close();
      watcher = null;
    });
  };
  const tick = () => {
    open();
    onChange();
    timer = setTimeout(tick, watcher ? POLL.watched : POLL.unwatched).unref();
  };
  open();
  timer = setTimeout(tick, watcher ? POLL.watched : POLL.unwatched).unref();
  return {
    close() {
      clearTimeout(timer);
      watcher?.close();
    },
  };
}

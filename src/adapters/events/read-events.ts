/**
 * Reads `.pawl/events.jsonl` and its renamed parts, and follows the log as it grows. It waits for the rest of
 * an unfinished last line. If the log is renamed, rotated by a person or cut, it reads the old file to its
 * end, then the new one from its beginning.
 */
import { existsSync, type FSWatcher, watch } from "node:fs";
import { type FileHandle, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { PawlEvent } from "../../core/event.ts";
import type { EventsOptions } from "../../runtime/project.ts";
import { eventIn, namedBy } from "./event-line.ts";
import { type Aside, openIfThere, openLogParts } from "./log-parts.ts";

export interface ReadEventsOptions extends EventsOptions {
  /** The whole file as it will be, if part of it is committed but not in the file yet; else null. */
  readonly pending?: () => Promise<string | null>;
}

const CHUNK = 512 * 1024;
const LINE_END = 10;
/** Milliseconds between checks, in case the operating system does not report a change. */
const LOOK_AGAIN = 500;

/**
 * Yields the events in the order written. Lines that are not events, as after a damaged disk, are left out.
 */
export async function* readEvents(path: string, options: ReadEventsOptions = {}): AsyncGenerator<PawlEvent> {
  const { follow = false, pending = async () => null, signal } = options;
  const changes = follow ? openChanges(path) : null;
  const named = namedBy(options.run);
  let file: OpenFile | null = null;
  const early = new Set<string>();
  /** The latest part that has been read, by its number, and the last file, by its inode. */
  let read: Pick<Aside, "inode" | "number"> = { inode: -1, number: 0 };
  try {
    while (!signal?.aborted) {
      const whole = await pending();
      if (file === null) {
        const { aside, log } = await openLogParts(path);
        if (log) file = await openedFile(log);
        const unread = aside.filter(({ inode, number }) => number > read.number && inode !== read.inode);
        for (const each of unread)
          for await (const line of linesOf(each, named)) yield* unlessTold(eventIn(line), early);
        read = { inode: file?.inode ?? -1, number: aside.at(-1)?.number ?? 0 };
      }
      if (file) for await (const line of newLines(file, named)) yield* unlessTold(eventIn(line), early);
      if (whole !== null) yield* unreadEvents(whole, file, early);
      if (!changes) return;
      if (file && (await isReplaced(path, file))) {
        // Lines written between the last read and the rotation.
        for await (const line of newLines(file, named)) yield* unlessTold(eventIn(line), early);
        await file.handle.close();
        file = null;
        continue;
      }
      await changes.next(signal);
    }
  } finally {
    changes?.close();
    await file?.handle.close();
  }
}

/** Skips each event once that was already reported before it was in the file. */
function unlessTold(events: readonly PawlEvent[], early: Set<string>): readonly PawlEvent[] {
  return events.filter(({ id }) => !early.delete(id));
}

/** The events of the whole file after the part that has been read. */
function unreadEvents(whole: string, file: OpenFile | null, early: Set<string>): readonly PawlEvent[] {
  const read = file === null ? 0 : file.position - file.rest.length;
  const lines = Buffer.from(whole).subarray(read).toString("utf8").split("\n");
  const events = lines.flatMap(eventIn).filter(({ id }) => !early.has(id));
  for (const { id } of events) early.add(id);
  return events;
}

interface OpenFile {
  readonly handle: FileHandle;
  readonly inode: number;
  position: number;
  /** The beginning of an unfinished line. */
  rest: Buffer;
}

async function openedFile(handle: FileHandle): Promise<OpenFile> {
  return { handle, inode: (await handle.stat()).ino, position: 0, rest: Buffer.alloc(0) };
}

async function* linesOf({ path }: Aside, named: string | null): AsyncGenerator<string> {
  const handle = await openIfThere(path);
  if (handle === null) return;
  try {
    yield* newLines(await openedFile(handle), named);
  } finally {
    await handle.close();
  }
}

/** Uses one buffer for all chunks: fresh memory for each would cost more than the search. */
async function* newLines(file: OpenFile, named: string | null): AsyncGenerator<string> {
  let buffer = Buffer.concat([file.rest, Buffer.allocUnsafe(CHUNK)]);
  let held = file.rest.length;
  for (;;) {
    if (buffer.length - held < CHUNK / 2) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
    const { bytesRead } = await file.handle.read(buffer, held, buffer.length - held, file.position);
    if (bytesRead === 0) break;
    file.position += bytesRead;
    const bytes = buffer.subarray(0, held + bytesRead);
    const whole = bytes.lastIndexOf(LINE_END) + 1;
    for (let at = 0; at < whole; ) {
      const found = named === null ? at : bytes.indexOf(named, at);
      if (found < 0 || found >= whole) break;
      const end = bytes.indexOf(LINE_END, found);
      yield bytes.toString("utf8", named === null ? at : bytes.lastIndexOf(LINE_END, found) + 1, end);
      at = end + 1;
    }
    held = bytes.copy(buffer, 0, whole);
  }
  file.rest = Buffer.from(buffer.subarray(0, held));
}

async function isReplaced(path: string, { inode, position }: OpenFile): Promise<boolean> {
  try {
    const { ino, size } = await stat(path);
    return ino !== inode || size < position;
  } catch {
    // Moved away; the new file is about to appear.
    return true;
  }
}

interface Changes {
  /** Resolves when something may have changed. */
  next(signal: AbortSignal | undefined): Promise<void>;
  close(): void;
}

function openChanges(path: string): Changes {
  let watcher: FSWatcher | null = null;
  let wake = () => {};
  let isPending = false;
  const changed = () => {
    isPending = true;
    wake();
  };
  return {
    async next(signal) {
      if (!watcher && existsSync(dirname(path))) {
        watcher = watch(dirname(path), { persistent: false }, changed);
        watcher.on("error", () => {});
      }
      if (!isPending)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(() => wake(), LOOK_AGAIN);
          wake = () => {
            clearTimeout(timer);
            signal?.removeEventListener("abort", wake);
            resolve();
          };
          signal?.addEventListener("abort", wake);
          if (signal?.aborted) wake();
        });
      isPending = false;
    },
    close: () => watcher?.close(),
  };
}

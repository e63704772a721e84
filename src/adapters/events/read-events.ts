/**
 * Reads `.pawl/events.jsonl`, and follows it as it grows. A last line without its end is waited for; a file that was
 * rotated or cut is read to its end first, then the new one from its beginning.
 */
import { existsSync, type FSWatcher, watch } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { attempt } from "../../core/attempt.ts";
import type { PawlEvent } from "../../core/event.ts";

export interface ReadEventsOptions {
  /** The whole file as it will be, where something of it is committed and not in the file yet; else null. */
  readonly pending?: () => Promise<string | null>;
  /** Goes on with what is written later, until aborted. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

const CHUNK = 64 * 1024;
/** Where the operating system does not tell of a change, it is looked for this often. */
const LOOK_AGAIN = 500;

/** In the order written. Lines that are no event, as after a damaged disk, are left out. */
export async function* readEvents(path: string, options: ReadEventsOptions = {}): AsyncGenerator<PawlEvent> {
  const { follow = false, pending = async () => null, signal } = options;
  const changes = follow ? openChanges(path) : null;
  let file: OpenFile | null = null;
  const early = new Set<string>();
  try {
    while (!signal?.aborted) {
      const whole = await pending();
      file ??= await openFile(path);
      if (file) for await (const line of newLines(file)) yield* unlessTold(eventIn(line), early);
      if (whole !== null) yield* toldEarly(whole, file, early);
      if (!changes) return;
      if (file && (await isReplaced(path, file))) {
        // What was written between the last look and the rotation.
        for await (const line of newLines(file)) yield* unlessTold(eventIn(line), early);
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

/** Each is passed over once: it was told before it came into the file. */
function unlessTold(events: readonly PawlEvent[], early: Set<string>): readonly PawlEvent[] {
  return events.filter(({ id }) => !early.delete(id));
}

/** What the file will hold behind what was read of it. */
function toldEarly(whole: string, file: OpenFile | null, early: Set<string>): readonly PawlEvent[] {
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
  /** The beginning of a line whose end is not there yet. */
  rest: Buffer;
}

async function openFile(path: string): Promise<OpenFile | null> {
  try {
    const handle = await open(path, "r");
    return { handle, inode: (await handle.stat()).ino, position: 0, rest: Buffer.alloc(0) };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw cause;
  }
}

async function* newLines(file: OpenFile): AsyncGenerator<string> {
  const chunk = Buffer.alloc(CHUNK);
  for (;;) {
    const { bytesRead } = await file.handle.read(chunk, 0, CHUNK, file.position);
    if (bytesRead === 0) return;
    file.position += bytesRead;
    let bytes = Buffer.concat([file.rest, chunk.subarray(0, bytesRead)]);
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10)) {
      yield bytes.toString("utf8", 0, end);
      bytes = bytes.subarray(end + 1);
    }
    file.rest = Buffer.from(bytes);
  }
}

function eventIn(line: string): readonly PawlEvent[] {
  return attempt(() => {
    const event = JSON.parse(line);
    return typeof event?.type === "string" && typeof event.time === "string" ? [event] : [];
  }, []);
}

async function isReplaced(path: string, { inode, position }: OpenFile): Promise<boolean> {
  try {
    const { ino, size } = await stat(path);
    return ino !== inode || size < position;
  } catch {
    // Moved away; the new one is about to come.
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

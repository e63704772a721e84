/** The terminal that a process belongs to, independent of its standard input and output. */
import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import { ReadStream } from "node:tty";
import { attempt } from "../../../core/attempt.ts";

export interface ControllingTerminal {
  isThere(): boolean;
  /** Null if there is none. */
  open(): Conversation | null;
  /** Calls back for each line that is typed from now on. Null: there is no terminal. */
  onLine(typed: () => void): { close(): void } | null;
}

export interface Conversation {
  write(text: string): void;
  /** The next typed line; input from before the question does not count. Null: the end of input. */
  readLine(): string | null;
  close(): void;
}

const DEVICE = "/dev/tty";

/** This process's terminal. */
export const CONTROLLING_TERMINAL: ControllingTerminal = {
  isThere() {
    const file = openDevice();
    if (file !== null) closeSync(file);
    return file !== null;
  },
  open() {
    const file = openDevice();
    if (file === null) return null;
    discardTyped();
    return {
      write: (text) => void writeSync(file, text),
      readLine: () => readLine(file),
      close: () => closeSync(file),
    };
  },
  onLine(typed) {
    const file = openDevice();
    if (file === null) return null;
    const stream = new ReadStream(file);
    // The terminal itself ends.
    stream.on("error", () => {});
    stream.on("data", typed);
    return { close: () => void stream.destroy() };
  },
};

function openDevice(): number | null {
  return attempt(() => openSync(DEVICE, "r+"), null);
}

/** Discards the terminal's buffer, because it was typed, or injected, before the question was shown. */
function discardTyped(): void {
  const file = openSync(DEVICE, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const buffer = Buffer.alloc(4096);
    while (readSync(file, buffer) > 0);
  } catch {
    // EAGAIN: the buffer is empty.
  } finally {
    closeSync(file);
  }
}

const MAX_LINE = 4096;

function readLine(file: number): string | null {
  const buffer = Buffer.alloc(MAX_LINE);
  let text = "";
  while (!text.includes("\n") && text.length < MAX_LINE) {
    const size = readSync(file, buffer);
    if (size === 0) return text === "" ? null : text;
    text += buffer.toString("utf8", 0, size);
  }
  return text.split("\n", 1)[0] ?? "";
}

import { fstatSync, writeSync } from "node:fs";

/** Where the CLI writes: the one home of standard output and error. */
export interface Terminal {
  readonly columns: number;
  readonly paint: Paint;
  /** Output goes to a person's screen, which can be drawn over. */
  readonly isScreen: boolean;
  /** False: nobody reads the output any more. */
  out(text: string): boolean;
  err(text: string): void;
}

type Colour = (text: string) => string;

/** Colours, or the texts as they are where there is no colour. */
export interface Paint {
  readonly bold: Colour;
  readonly dim: Colour;
  readonly red: Colour;
  readonly green: Colour;
  readonly yellow: Colour;
  readonly cyan: Colour;
}

const NARROWEST = 40;
const WIDEST = 100;
const DEFAULT_COLUMNS = 80;

export function openTerminal(environment: Readonly<Record<string, string | undefined>>): Terminal {
  // Node's stream takes as long to load as all of a quick command. Only a real terminal needs it, for its width.
  const stdout = isDevice(OUT) ? process.stdout : undefined;
  // Who reads may stop reading (`pawl status | head -1`); that is no failure of ours.
  stdout?.on("error", () => {});
  return {
    columns: columnsOf(stdout?.columns, environment.COLUMNS),
    paint: paintOf(hasColour(environment, stdout?.isTTY ?? false)),
    isScreen: stdout?.isTTY === true && environment.TERM !== "dumb",
    out(text) {
      if (!stdout) return writeWhole(OUT, text);
      stdout.write(text);
      return true;
    },
    err: (text) => void writeWhole(ERR, text),
  };
}

/** The screen's own width; where there is none, the one that the caller names. */
function columnsOf(screen: number | undefined, named: string | undefined): number {
  const wanted = screen || (/^\d+$/.test(named ?? "") && Number(named)) || DEFAULT_COLUMNS;
  return Math.min(Math.max(wanted, NARROWEST), WIDEST);
}

const OUT = 1;
const ERR = 2;

function isDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    // It was closed before the program began; there is nowhere to write to.
    return false;
  }
}

/** Writes all of the text, waiting where a pipe is full; stops, and says false, where nobody reads. */
function writeWhole(descriptor: number, text: string): boolean {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EAGAIN") return false;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
  return true;
}

function hasColour(environment: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  if (environment.NO_COLOR) return false;
  if (environment.FORCE_COLOR) return environment.FORCE_COLOR !== "0";
  return isTerminal && environment.TERM !== "dumb";
}

function paintOf(colour: boolean): Paint {
  const code = (on: number, off: number): Colour =>
    colour ? (text) => `\u001b[${on}m${text}\u001b[${off}m` : (text) => text;
  return {
    bold: code(1, 22),
    dim: code(2, 22),
    red: code(31, 39),
    green: code(32, 39),
    yellow: code(33, 39),
    cyan: code(36, 39),
  };
}

/** Text from files and from outside, without what would move a terminal's cursor or change its colours. */
export function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  return text.replace(/\u001b\[[0-?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
}

/** One line of at most `width` characters; what is cut off ends in an ellipsis. */
export function cut(text: string, width: number): string {
  const line = clean(text).replace(/\s+/g, " ").trim();
  const letters = [...line];
  return letters.length <= width ? line : `${letters.slice(0, Math.max(0, width - 1)).join("")}…`;
}

/** The text's words in lines of at most `width` characters; a longer word stands alone. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of clean(text).split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

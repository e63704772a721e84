import { fstatSync, writeSync } from "node:fs";
import { clean } from "../../core/clean.ts";

export { clean };

/** Where the CLI writes: the one home of standard output and error. */
export interface Terminal {
  readonly columns: number;
  readonly rows: number;
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
const DEFAULT_ROWS = 24;

export function openTerminal(environment: Readonly<Record<string, string | undefined>>): Terminal {
  // Node's stream takes as long to load as all of a quick command. Only a real terminal needs it, for its width.
  const stdout = isDevice(OUT) ? process.stdout : undefined;
  // Who reads may stop reading (`pawl status | head -1`); that is no failure of ours.
  stdout?.on("error", () => {});
  return {
    // As it is now: a person may change the window's size.
    get columns() {
      return columnsOf(stdout?.columns, environment.COLUMNS);
    },
    get rows() {
      return stdout?.rows || DEFAULT_ROWS;
    },
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

const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u;
const WITHOUT_WIDTH = /^[\p{M}\p{Cf}]+$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is looked for
const ASCII = /^[\u0000-\u007f]*$/;

/** What the text takes on a screen: East Asian letters and most emoji take two columns, combining marks none. */
export function widthOf(text: string): number {
  return ASCII.test(text)
    ? text.length
    : lettersOf(text).reduce((sum, letter) => sum + letterWidth(letter), 0);
}

/** As a person sees them. */
function lettersOf(text: string): readonly string[] {
  return [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
}

function letterWidth(letter: string): number {
  return WITHOUT_WIDTH.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1;
}

/** One line of at most `width` columns; what is cut off ends in an ellipsis. */
export function cut(text: string, width: number): string {
  const line = clean(text).replace(/\s+/g, " ").trim();
  if (widthOf(line) <= width) return line;
  let room = Math.max(0, width - 1);
  let kept = "";
  // Letters have at least one unit each but for marks: no more of the text than this can be shown.
  for (const letter of lettersOf(line.slice(0, 20 * width))) {
    room -= letterWidth(letter);
    if (room < 0) break;
    kept += letter;
  }
  return `${kept}…`;
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

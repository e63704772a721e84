import { fstatSync, statSync } from "node:fs";
import { devNull } from "node:os";
import { attempt } from "../../../core/attempt.ts";
import { clean } from "../../../core/text/clean.ts";
import { writeWhole } from "../../write-whole.ts";
import { fitPlain } from "./plain-text.ts";

export { clean };

/** Standard output and error; nothing else in the CLI writes to them. */
export interface Terminal {
  readonly columns: number;
  readonly rows: number;
  readonly paint: Paint;
  /** For standard error, which may go elsewhere than standard output. */
  readonly errPaint: Paint;
  /** The output goes to a screen that can be redrawn. */
  readonly isScreen: boolean;
  /** Standard error goes to that screen, too: what is written there is wrapped. */
  readonly errIsScreen: boolean;
  /** Returns false once the output's reader is gone. */
  out(text: string): boolean;
  err(text: string): void;
}

type Colour = (text: string) => string;

/** Adds colour, or returns the text unchanged. */
export interface Paint {
  readonly bold: Colour;
  readonly dim: Colour;
  readonly underline: Colour;
  readonly red: Colour;
  readonly green: Colour;
  readonly yellow: Colour;
  readonly cyan: Colour;
}

const NARROWEST = 40;
const WIDEST = 100;
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

type Environment = Readonly<Record<string, string | undefined>>;

/** Receives the texts instead of the process's own standard output and error. */
export interface Sinks {
  out(text: string): void;
  err(text: string): void;
}

export function openTerminal(environment: Environment, sinks?: Sinks): Terminal {
  // Node's stream takes as long to load as a whole quick command. Only a real terminal needs it, for its
  // width.
  const stdout = !sinks && isDevice(OUT) ? process.stdout : undefined;
  // The reader may stop early (`pawl status | head -1`), which is not a failure.
  stdout?.on("error", () => {});
  const isScreen = stdout?.isTTY === true && environment.TERM !== "dumb";
  const errIsDevice = !sinks && isDevice(ERR);
  return {
    // Read each time: a window can be resized.
    get columns() {
      return columnsOf(stdout?.columns, environment.COLUMNS);
    },
    get rows() {
      return stdout?.rows || DEFAULT_ROWS;
    },
    paint: paintOf(hasColour(environment, stdout?.isTTY ?? false)),
    errPaint: paintOf(hasColour(environment, errIsDevice)),
    isScreen,
    errIsScreen: isScreen && errIsDevice,
    out(text) {
      if (!stdout && !sinks) return writeWhole(OUT, text);
      sinks?.out(text);
      stdout?.write(text);
      return true;
    },
    err(text) {
      if (sinks) sinks.err(text);
      else writeWhole(ERR, this.errIsScreen ? fitPlain(text, this.columns) : text);
    },
  };
}

/** The screen's width; without a screen, `$COLUMNS`. */
function columnsOf(screen: number | undefined, named: string | undefined): number {
  const wanted = screen || (/^\d+$/.test(named ?? "") && Number(named)) || DEFAULT_COLUMNS;
  return Math.min(Math.max(wanted, NARROWEST), WIDEST);
}

const OUT = 1;
const ERR = 2;

/**
 * Whether a person may read there. `/dev/null` is a character device, too, but scripts discard output there.
 */
function isDevice(descriptor: number): boolean {
  // It was closed before the program started.
  const stats = attempt(() => fstatSync(descriptor), null);
  return stats?.isCharacterDevice() === true && stats.rdev !== attempt(() => statSync(devNull).rdev, null);
}

/** `NO_COLOR` wins over `FORCE_COLOR`; each counts only if it is not empty. */
export function hasColour(environment: Environment, isTerminal: boolean): boolean {
  if (environment.NO_COLOR) return false;
  if (environment.FORCE_COLOR) return !/^(?:0|false)$/.test(environment.FORCE_COLOR);
  return isTerminal && environment.TERM !== "dumb";
}

export function paintOf(colour: boolean): Paint {
  const code = (on: number, off: number): Colour =>
    colour ? (text) => `\u001b[${on}m${text}\u001b[${off}m` : (text) => text;
  return {
    bold: code(1, 22),
    dim: code(2, 22),
    underline: code(4, 24),
    red: code(31, 39),
    green: code(32, 39),
    yellow: code(33, 39),
    cyan: code(36, 39),
  };
}

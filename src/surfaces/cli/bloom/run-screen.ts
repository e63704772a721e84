/**
 * The loop's output for a person: one line per event. On a terminal, a block of lines stays below them: each
 * active agent with a bar over its steps, what waits for a person, and the totals. A pipe gets only the event
 * lines.
 *
 * S1  The block is drawn with the terminal's line wrapping off: even if a letter is wider there than
 *     expected, each entry is one line and can be redrawn.
 */
import type { BloomEvent } from "../../../core/bloom-event.ts";
import type { PawlEvent } from "../../../core/event.ts";
import { cleanLine } from "../../../core/text/clean.ts";
import { fewOf } from "../../../core/text/few.ts";
import { clockOf } from "../../../core/text/local-time.ts";
import { clean, type Terminal } from "../terminal/terminal.ts";
import { causeOf, emptyBoard, frameOf, progressLine, track, waitWords } from "./run-board.ts";
import { lineOf } from "./run-lines.ts";

export interface Screen {
  show(event: BloomEvent | PawlEvent): void;
  say(text: string): void;
  /** Erases the block; may be called twice. */
  close(): void;
}

const TICK_MILLISECONDS = 1000;
/** The block is redrawn at most this often for an agent's output. */
const SETTLE_MILLISECONDS = 100;
const WRAP_OFF = "\u001b[?7l";
const WRAP_ON = "\u001b[?7h";

/** `ends`: the loop ends when it has nothing to do, so no line says that it is idle. */
export function openScreen(terminal: Terminal, { ends = false } = {}): Screen {
  const now = () => new Date();
  const board = emptyBoard();
  const unseen = new Map<string, string>();
  let isIdle = false;
  let drawn: readonly string[] = [];
  let settling: NodeJS.Timeout | undefined;
  let open = true;
  let same: SameCause | null = null;
  let ending: NodeJS.Timeout | undefined;

  const redraw = (line: string | null) => {
    if (!open) return;
    clearTimeout(settling);
    settling = undefined;
    const frame = terminal.isScreen ? frameOf(board, terminal, terminal.paint, now().getTime()) : [];
    if (line === null && frame.length === drawn.length && frame.every((each, at) => each === drawn[at]))
      return;
    const lines = frame.length === 0 ? "" : `${WRAP_OFF}${frame.join("\n")}\n${WRAP_ON}`;
    terminal.out(`${above(drawn.length)}${line === null ? "" : `${line}\n`}${lines}`);
    drawn = frame;
  };
  const printRepeated = () => {
    clearTimeout(ending);
    if (same && same.tasks.length > 0) redraw(sameLine(same, terminal, now()));
    same = null;
  };
  /** Without the block, only a line can show that the loop has nothing to do. */
  const idleLine = (event: BloomEvent | PawlEvent): string | null => {
    if (event.type !== "loop:progress" || terminal.isScreen || ends) return null;
    const begins = event.idle && !isIdle;
    isIdle = event.idle;
    return begins ? progressLine(event) : null;
  };
  const ticking = setInterval(() => {
    if (board.atWork.size + board.retries.size > 0) redraw(null);
  }, TICK_MILLISECONDS).unref();

  return {
    show(event) {
      track(board, event, now().getTime());
      if (event.type === "git:pr_unseen") {
        // A reason that repeats every minute is printed once.
        if (unseen.get(event.taskId) === event.reason) return;
        unseen.set(event.taskId, event.reason);
      }
      const cause = causeIn(event);
      if (cause !== null && same?.cause === cause.cause && same.first !== cause.first) {
        same.tasks.push(cause.first);
        clearTimeout(ending);
        ending = setTimeout(printRepeated, TICK_MILLISECONDS).unref();
        return;
      }
      const line = lineOf(event, board, terminal.paint, now()) ?? idleLine(event);
      if (line !== null) {
        printRepeated();
        same = cause;
        redraw(line);
      } else settling ??= setTimeout(() => redraw(null), SETTLE_MILLISECONDS).unref();
    },
    say(text) {
      printRepeated();
      redraw(clean(text));
    },
    close() {
      if (!open) return;
      printRepeated();
      clearInterval(ticking);
      clearTimeout(settling);
      open = false;
      terminal.out(above(drawn.length));
    },
  };
}

/** What the last line says of a task, and the tasks of which it is true, too. */
interface SameCause {
  readonly cause: string;
  readonly first: string;
  readonly isBlocked: boolean;
  readonly tasks: string[];
}

function causeIn(event: BloomEvent | PawlEvent): SameCause | null {
  if (event.type !== "task:blocked" && event.type !== "task:waiting") return null;
  const { reason, taskId: first, type } = event;
  return { cause: `${type} ${causeOf(first, reason)}`, first, isBlocked: type === "task:blocked", tasks: [] };
}

function sameLine({ first, isBlocked, tasks }: SameCause, { paint }: Terminal, now: Date): string {
  const what = isBlocked
    ? `${fewOf(tasks)} ${tasks.length === 1 ? "is" : "are"} blocked`
    : `${waitWords(tasks)} for you`;
  const text = `${what}, too, for the same reason as ${first}`;
  return `${paint.dim(clockOf(now))} ${paint[isBlocked ? "red" : "yellow"](cleanLine(text))}`;
}

/** Moves to the block's first line and erases the block. */
function above(lines: number): string {
  return lines === 0 ? "" : `\u001b[${lines}F\u001b[0J`;
}

/**
 * The loop for a person: what happened scrolls by; below it stays a line per agent at work with a bar over its steps,
 * what waits for a person, and how the whole stands.
 *
 * S1  The lines that stay are drawn with the terminal's wrapping off: whatever a letter's width is there, each is one
 *     line, and can be drawn over.
 */
import type { BloomHappening } from "../../../core/bloom-event.ts";
import type { PawlEvent } from "../../../core/event.ts";
import { clean, type Terminal } from "../terminal.ts";
import { emptyBoard, frameOf, track } from "./run-board.ts";
import { lineOf } from "./run-lines.ts";

export interface Screen {
  show(happening: BloomHappening | PawlEvent): void;
  say(text: string): void;
  /** Takes the lines that stay away; may be called twice. */
  close(): void;
}

const TICK_MILLISECONDS = 1000;
/** An agent that says much is drawn so often at most. */
const SETTLE_MILLISECONDS = 100;
const WRAP_OFF = "\u001b[?7l";
const WRAP_ON = "\u001b[?7h";

export function openScreen(terminal: Terminal, now: () => Date = () => new Date()): Screen {
  const board = emptyBoard();
  const unseen = new Map<string, string>();
  let drawn: readonly string[] = [];
  let settling: NodeJS.Timeout | undefined;
  let open = true;

  const redraw = (line: string | null) => {
    if (!open) return;
    clearTimeout(settling);
    settling = undefined;
    const frame = frameOf(board, terminal, terminal.paint, now().getTime());
    if (line === null && frame.length === drawn.length && frame.every((each, at) => each === drawn[at]))
      return;
    const lines = frame.length === 0 ? "" : `${WRAP_OFF}${frame.join("\n")}\n${WRAP_ON}`;
    terminal.out(`${above(drawn.length)}${line === null ? "" : `${line}\n`}${lines}`);
    drawn = frame;
  };
  const ticking = setInterval(() => {
    if (board.atWork.size + board.retries.size > 0) redraw(null);
  }, TICK_MILLISECONDS).unref();

  return {
    show(happening) {
      track(board, happening, now().getTime());
      if (happening.type === "git:pr_unseen") {
        // The same once a minute, all night, says no more than once.
        if (unseen.get(happening.taskId) === happening.reason) return;
        unseen.set(happening.taskId, happening.reason);
      }
      const line = lineOf(happening, board, terminal.paint, now());
      if (line !== null) redraw(line);
      else settling ??= setTimeout(() => redraw(null), SETTLE_MILLISECONDS).unref();
    },
    say: (text) => redraw(clean(text)),
    close() {
      if (!open) return;
      clearInterval(ticking);
      clearTimeout(settling);
      open = false;
      terminal.out(above(drawn.length));
    },
  };
}

/** To the first of the lines that stay; they are taken away. */
function above(lines: number): string {
  return lines === 0 ? "" : `\u001b[${lines}F\u001b[0J`;
}

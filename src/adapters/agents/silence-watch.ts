import { join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { readPlainText } from "../files/plain-file.ts";
import { type AgentLine, shortLine } from "./dialects/dialect.ts";

const FIRST_SECONDS = 30;
/** Matches lines of stderr with content, not stack frames or closing brackets. */
const MEANINGFUL_LINE = /^(?!\s*at |\s*[{}\])]).*\w.*$/;

export interface SilenceWatch {
  onLines(lines: readonly AgentLine[]): void;
  close(): void;
}

/** Reports after 30 seconds, then each time the silence has lasted twice as long. `folder`: the run's. */
export function openSilenceWatch(folder: string, report: (text: string) => void): SilenceWatch {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const after = (seconds: number, wait: number) => {
    timer = setTimeout(() => {
      report(
        `has printed nothing for ${seconds} s: its model may be slow, or a call is being retried${causeIn(folder)}`,
      );
      after(seconds * 2, seconds);
    }, wait * 1000).unref();
  };
  const begin = () => {
    clearTimeout(timer);
    after(FIRST_SECONDS, FIRST_SECONDS);
  };
  begin();
  return {
    onLines(lines) {
      if (isClosed) return;
      if (lines.at(-1)?.type === "tool") clearTimeout(timer);
      else begin();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

function causeIn(folder: string): string {
  const lines = attempt(() => readPlainText(join(folder, "errors.log")).slice(-4000).split("\n"), []);
  const last = lines.findLast((line) => MEANINGFUL_LINE.test(line));
  return last === undefined ? "" : ` (${shortLine(last)})`;
}

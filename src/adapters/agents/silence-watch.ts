/** Says when an agent has said nothing for a while, outside of a tool: its program may be trying a call of its model again. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { type AgentLine, shortly } from "./dialects/dialect.ts";

const FIRST_SECONDS = 30;
/** Of what a program writes of its errors, the last line that says more than where it stands in the code. */
const TOLD_LINES = /^(?!\s*at |\s*[{}\])]).*\w.*$/;

export interface SilenceWatch {
  heard(told: readonly AgentLine[]): void;
  close(): void;
}

/** First after half a minute, then each time it has lasted twice as long. `folder`: the run's. */
export function openSilenceWatch(folder: string, say: (text: string) => void): SilenceWatch {
  let timer: NodeJS.Timeout | undefined;
  const after = (seconds: number, wait: number) => {
    timer = setTimeout(() => {
      say(
        `has said nothing for ${seconds} s: its model may be slow, or it tries a call again${causeIn(folder)}`,
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
    heard(told) {
      if (told.at(-1)?.type === "tool") clearTimeout(timer);
      else begin();
    },
    close: () => clearTimeout(timer),
  };
}

function causeIn(folder: string): string {
  const lines = attempt(() => readFileSync(join(folder, "errors.log"), "utf8").slice(-4000).split("\n"), []);
  const last = lines.findLast((line) => TOLD_LINES.test(line));
  return last === undefined ? "" : ` (${shortly(last)})`;
}

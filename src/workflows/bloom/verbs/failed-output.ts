/** The output of the last failed command, to show why a task is stuck. */

import { PawlError } from "../../../core/error.ts";
import type { LoopEvidence } from "../../../core/loop-record.ts";
import { projectPath } from "../../../core/path.ts";
import type { View } from "../../../core/ports/store.ts";
import { clean } from "../../../core/text/clean.ts";

const MAX_LINES = 20;
const LONGEST_LINE = 400;

/** The file of a command's output, with both streams interleaved. */
export function outputFileOf({ log }: LoopEvidence): string {
  return `${log}/output.jsonl`;
}

/** The last lines of the last command's output, if it failed and its output is still kept. */
export async function loadFailedOutput(
  view: View,
  evidence: readonly LoopEvidence[],
): Promise<readonly string[]> {
  const last = evidence.at(-1);
  if (last === undefined || last.exit === 0) return [];
  const tail = await loadTail(view, last);
  return tail === "" ? [] : lastLines(tail);
}

/** The end of the command's output; empty if the output is no longer kept. */
export async function loadTail(view: View, { log }: LoopEvidence): Promise<string> {
  try {
    const text = await view.read(projectPath(log, "end.json"));
    const { tail } = JSON.parse(text ?? "{}") as { readonly tail?: unknown };
    return typeof tail === "string" ? tail : "";
  } catch (error) {
    // The output only supplements the evidence, so an unreadable one is left out.
    if (error instanceof PawlError || error instanceof SyntaxError) return "";
    throw error;
  }
}

function lastLines(text: string): readonly string[] {
  const lines = text.trimEnd().split(/\r*\n/);
  return lines.slice(-MAX_LINES).map((line) => {
    // A progress bar redraws its line: keep only what remains at the end.
    const shown = clean(line.slice(line.lastIndexOf("\r") + 1));
    return shown.length > LONGEST_LINE ? `${shown.slice(0, LONGEST_LINE)}…` : shown;
  });
}

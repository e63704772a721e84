/** A run's last messages and tool calls, from the end of its output on disk. */

import { join } from "node:path";
import { attempt } from "../../../core/attempt.ts";
import { ownPath } from "../../files/own-folder.ts";
import { readPlainEnd, readPlainText } from "../../files/plain-file.ts";
import { runFolder } from "../run-folder.ts";
import { DIALECTS } from "../setup.ts";
import type { AgentLine, Json } from "./dialect.ts";

const MAX_BYTES = 64 * 1024;
const MAX_LINES = 12;
const MAX_LINE_LENGTH = 400;

/** Oldest first; empty if nothing is known. */
export function lastWords(root: string, run: string): readonly string[] {
  return attempt(() => {
    const { path } = runFolder(root, "agents", run);
    const folder = ownPath(root, path);
    const { agent } = JSON.parse(readPlainText(join(folder, "call.json")));
    const dialect = Object.hasOwn(DIALECTS, agent) ? DIALECTS[agent] : undefined;
    const dialects = dialect ? [dialect] : Object.values(DIALECTS);
    const lines = endOf(join(folder, "output.jsonl")).split("\n").slice(1);
    const texts = lines.flatMap((line) => {
      const json = attempt(() => JSON.parse(line) as Json, null);
      return json === null
        ? []
        : dialects.flatMap((each) => attempt(() => each.read(json), [])).flatMap(wordsOf);
    });
    return texts.slice(-MAX_LINES).map((words) => words.slice(0, MAX_LINE_LENGTH));
  }, []);
}

function wordsOf(line: AgentLine): readonly string[] {
  if (line.type === "text") return [line.text.trim().replace(/\s+/g, " ")].filter((text) => text !== "");
  return line.type === "tool" ? [`${line.name}: ${line.detail}`] : [];
}

/** The first line may not be whole. */
function endOf(path: string): string {
  const { bytes, isCut } = readPlainEnd(path, MAX_BYTES);
  return `${isCut ? "" : "\n"}${bytes.toString("utf8")}`;
}

import { jsonText } from "../json.ts";

/** The longest run of backticks in a text. */
export function longestRun(text: string): number {
  let longest = 0;
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    run = text.charCodeAt(at) === 0x60 ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}

/**
 * Returns a fence that no text inside can close: longer than any run of backticks in it, and at least three.
 */
export function fenceFor(text: string): string {
  return "`".repeat(Math.max(3, longestRun(text) + 1));
}

/**
 * Puts a value in a fence that its text cannot close. A string stays unchanged; any other value becomes JSON.
 */
export function fenced(value: unknown): string {
  const isText = typeof value === "string";
  const text = isText ? value : jsonText(value);
  const fence = fenceFor(text);
  return `${fence}${isText ? "" : "json"}\n${text}\n${fence}`;
}

/** Marks every line as quoted, so that none can pass for a line of the surrounding text. */
export function quote(value: unknown): string {
  const lines = String(value).split(/\r\n|\r|\n/);
  return lines.map((line) => (line === "" ? ">" : `> ${line}`)).join("\n");
}

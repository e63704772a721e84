import { jsonText } from "./json-text.ts";

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

/** A fence that nothing in the text can close: longer than any run of backticks in it, and at least three. */
export function fenceFor(text: string): string {
  return "`".repeat(Math.max(3, longestRun(text) + 1));
}

/** As JSON (a text as it is) within a fence that nothing in it can close. */
export function fenced(value: unknown): string {
  const isText = typeof value === "string";
  const text = isText ? value : jsonText(value);
  const fence = fenceFor(text);
  return `${fence}${isText ? "" : "json"}\n${text}\n${fence}`;
}

/** Every line marked as quoted, so that none can pass for a line of the text around it. */
export function quote(value: unknown): string {
  const lines = String(value).split(/\r\n|\r|\n/);
  return lines.map((line) => (line === "" ? ">" : `> ${line}`)).join("\n");
}

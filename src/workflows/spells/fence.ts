import { fenceFor } from "../../core/text/fence.ts";
import { trimLineBreaks } from "../../core/text/lines.ts";

/**
 * Puts a text into a code fence longer than any inside it, so that no part of it passes for Pawl's own text.
 */
export function renderFenced(text: string, language = "text"): string {
  const fence = fenceFor(text);
  const body = trimLineBreaks(text.replace(/\r\n?/g, "\n"));
  return `${fence}${language}\n${body}\n${fence}`;
}

/** The line that closes the code fence in which the text ends, or null if it ends outside one. */
export function closingFence(text: string): string | null {
  let open: string | null = null;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, fence, info] = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))(.*)$/.exec(line) ?? [];
    if (fence === undefined) continue;
    if (open === null) open = fence;
    else if (fence.startsWith(open) && info?.trim() === "") open = null;
  }
  return open;
}

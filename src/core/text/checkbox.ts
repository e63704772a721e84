/**
 * The box at the beginning of a list item. People and tools write more boxes than `[ ]` and `[x]`: each of
 * them counts, so that no reader mistakes unfinished work for text.
 */
import { fewOf } from "./few.ts";

export interface Checkbox {
  /** The text between the brackets, without blanks; empty: an open box. */
  readonly mark: string;
  /** Written exactly as `[ ]`, `[x]` or `[X]`. */
  readonly isPlain: boolean;
  /** `[ ]*`, Kiro's mark for an optional item; formatters write `[ ]\*`. */
  readonly isStarred: boolean;
  readonly text: string;
}

/** Between brackets: up to three signs or one letter that people use as a tick, or a word for a state. */
const MARK =
  "(?:[^\\p{L}\\p{N}\\s[\\]\\\\]|[xvoyn]|(?![A-Za-z])\\p{L}){1,3}|todo|wip|done|open|pending|blocked|skip|skipped|partial|partially|started|doing|in[ -]progress|n/a|tbd|yes|no|ok";
const BRACKETS = new RegExp(
  `^[*_~\`]{0,3}(\\\\?[[［])([\\s\\u3000]{0,20}(?:${MARK})?[\\s\\u3000]{0,20})(\\\\?[\\]］])(\\\\?\\*)?(?![([])(?:[\\s\\u3000]+|(?=\\S)|$)`,
  "iu",
);
/** What people write before a box: also what is no marker to Markdown, such as `1.1.`, `(1)`, `a)` and `•`. */
export const MARKER_BEFORE_BOX =
  /^(?:[-*+•‣◦▪–—]|\(?(?:\d{1,9}|[a-z])(?:\.\d{1,9}){0,9}[.)]{1,2}|\d{1,9}(?:\.\d{1,9}){1,9})[ \t]*(?=\\?[[［☐⬜☑☒])/i;
const GLYPH = /^([☐⬜☑☒])\uFE0F?[\s\u3000]*/u;
const PLAIN = /^\[[ xX]\]\\?\*?(?:\s|$)/;

const SOMEWHERE = new RegExp(`[[［]\\s{0,20}(?:${MARK})?\\s{0,20}\\\\?[\\]］]|[☐⬜☑☒]`, "iu");

/** Whether the text can have a box at all: a cheap check before a parser is loaded. */
export function mayHoldCheckbox(text: string): boolean {
  return SOMEWHERE.test(text);
}

/** A note about boxes that count as open; empty: there are none. */
export function renderOddBoxes(lines: readonly string[], where: string): string {
  if (lines.length === 0) return "";
  const named = lines.map((line) => `\`${line.replaceAll("`", "'").slice(0, 80)}\``);
  return `In \`${where}\`, these boxes are neither \`[ ]\` nor \`[x]\` and count as open: ${fewOf(named, 5)}.`;
}

/** Null: the text begins with no box. A link or a footnote is none. */
export function parseCheckbox(text: string): Checkbox | null {
  const glyph = GLYPH.exec(text);
  if (glyph) {
    const mark = glyph[1] === "☐" || glyph[1] === "⬜" ? "" : (glyph[1] ?? "");
    return { mark, isPlain: false, isStarred: false, text: text.slice(glyph[0].length) };
  }
  const match = BRACKETS.exec(text);
  if (!match) return null;
  const [whole, , inside = "", , star] = match;
  // `[^1]` and the like are footnotes, `[x]: address` is a link's address.
  const mark = inside.trim();
  if (mark !== "" && text.startsWith(":", whole.trimEnd().length)) return null;
  return {
    mark,
    isPlain: PLAIN.test(text),
    isStarred: star !== undefined,
    text: text.slice(whole.length),
  };
}

import { oneLine } from "./lines.ts";

/**
 * Makes text of others safe to show to a person. Removes sequences that move a terminal's cursor, change its
 * colours or set its title. Shows characters that are invisible but count for a machine (zero-width and tag
 * characters, fillers), or that change the direction of a line, as their code point, `<U+202E>`: they can
 * neither hide words nor imitate others.
 */
export function clean(text: string): string {
  if (PLAIN.test(text)) return text;
  const shown = text
    .replace(SEQUENCES, "")
    .replace(/[\u0085\u2028\u2029]/g, "\n")
    .replace(CONTROLS, "");
  return shown.replace(hidden(), (character, at: number) =>
    joins(shown, character, at) ? character : named(character),
  );
}

/**
 * JSON that a terminal shows unchanged: escapes controls and invisible characters, which JSON itself permits.
 * Its value is the same.
 */
export function shownJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent) ?? "null";
  if (PLAIN.test(text)) return text;
  return text.replace(RAW, escaped).replace(hidden(), escaped);
}

/** Those below U+0020 are escaped anyway. */
const RAW = /[\u007f-\u009f\u2028\u2029]/g;

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** The text without colours, cursor movements and control characters other than the line break and the tab. */
export function withoutControls(text: string): string {
  return text.replace(SEQUENCES, "").replace(CONTROLS, "");
}

/** Cleans the text, into one line. */
export function cleanLine(text: string): string {
  return oneLine(clean(text));
}

/** Printable ASCII and line breaks: almost every text. */
const PLAIN = /^[\n\t\u0020-\u007e]*$/;

/**
 * Sequences that terminals execute: CSI with its parameters; OSC, DCS, SOS, PM and APC with their text, if
 * they end on the same line (an unterminated one must not swallow the following text); and two-character
 * sequences.
 */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  /(?:\u001b\[|\u009b)[0-?]{0,200}[ -/]{0,20}[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0080-\u009f\n]{0,2000}(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]{0,20}[0-~]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

// Lazy: Unicode classes take a millisecond to compile.

/**
 * Format characters (bidi marks, overrides and isolates, zero width, tags), fillers, variation selectors,
 * lone surrogates.
 */
const hidden = () => /\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Cs}|[\ufff0-\ufffb]/gu;

/**
 * Permits joiners that real writing needs: inside an emoji or between non-Latin letters, and an emoji's
 * variation selector.
 */
function joins(text: string, character: string, at: number): boolean {
  if (character !== "\u200d" && character !== "\u200c" && character !== "\ufe0e" && character !== "\ufe0f")
    return false;
  const before = text.slice(Math.max(0, at - 3), at);
  if (character === "\ufe0e" || character === "\ufe0f") return /[\p{Emoji}\p{Emoji_Modifier}]$/u.test(before);
  const after = text.slice(at + 1, at + 3);
  const isEmoji = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u.test(before);
  if (isEmoji && character === "\u200d") return /^[\p{Extended_Pictographic}\u2640\u2642]/u.test(after);
  return joined().test(before.slice(-1)) && joined().test(after.slice(0, 1));
}

/**
 * Scripts in which joiners change the shape of letters: Arabic and related scripts, those of India, Sinhala,
 * Myanmar, Khmer.
 */
const joined = () =>
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Myanmar}\p{Script=Khmer}]/u;

function named(character: string): string {
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;
}

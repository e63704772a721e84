/**
 * Text by others as a person may see it. What would move a terminal's cursor, change its colours or set its title is
 * taken out; what cannot be seen but counts for a machine (zero-width and tag characters, fillers) or turns the
 * direction of a line is shown as its code point, `<U+202E>`, so that it can neither hide words nor feign others.
 */
export function clean(text: string): string {
  if (PLAIN.test(text)) return text;
  const shown = text
    .replace(SEQUENCES, "")
    .replace(/[\u0085\u2028\u2029]/g, "\n")
    .replace(CONTROLS, "");
  return shown.replace(HIDDEN, (character, at: number) =>
    joins(shown, character, at) ? character : named(character),
  );
}

/** Printable ASCII and lines of it: almost everything. */
const PLAIN = /^[\n\t\u0020-\u007e]*$/;

/**
 * Sequences that terminals obey: CSI with its parameters; OSC, DCS, SOS, PM and APC with their text, where they end
 * within a line (one without an end must not take away what follows); and those of two characters.
 */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  /(?:\u001b\[|\u009b)[0-?]{0,200}[ -/]{0,20}[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0080-\u009f\n]{0,2000}(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]{0,20}[0-~]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Format characters (bidi marks, overrides and isolates, zero width, tags), fillers, variation selectors, halves. */
const HIDDEN = /\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Cs}|[\ufff0-\ufffb]/gu;

/** What writing needs: a joiner within an emoji or between letters that are not Latin, and an emoji's selector. */
function joins(text: string, character: string, at: number): boolean {
  if (character !== "\u200d" && character !== "\u200c" && character !== "\ufe0e" && character !== "\ufe0f")
    return false;
  const before = text.slice(Math.max(0, at - 3), at);
  if (character === "\ufe0e" || character === "\ufe0f") return /[\p{Emoji}\p{Emoji_Modifier}]$/u.test(before);
  const after = text.slice(at + 1, at + 3);
  const isEmoji = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u.test(before);
  if (isEmoji && character === "\u200d") return /^[\p{Extended_Pictographic}\u2640\u2642]/u.test(after);
  return JOINED.test(before.slice(-1)) && JOINED.test(after.slice(0, 1));
}

/** Scripts in which joiners change how letters look: Arabic and its kin, those of India, Sinhala, Myanmar, Khmer. */
const JOINED =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Myanmar}\p{Script=Khmer}]/u;

function named(character: string): string {
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;
}

/**
 * Text from files and from outside, without what would move a terminal's cursor, change its colours or turn the direction
 * of the rest of the line.
 */
export function clean(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
    /\u001b\[[0-?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    "",
  );
}

/** Front matter in YAML, above a markdown text. */
const FRONT =
  /^---[ \t]*\r?\n(?=\s*(?:#|[\w"'][^\r\n]{0,200}?:))([\s\S]*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;

export interface FrontMatter {
  /** The text between its marks. */
  readonly front: string;
  /** The whole text, with its marks. */
  readonly whole: string;
}

/**
 * Null: there is no front matter. Its first line must be a key or a comment, so two rules around a list do not
 * count.
 */
export function parseFrontMatter(text: string): FrontMatter | null {
  const match = text.startsWith("---") ? FRONT.exec(text) : null;
  return match ? { front: match[1] ?? "", whole: match[0] } : null;
}

/** The text with empty lines in place of its front matter, so that lines keep their numbers. */
export function withoutFrontMatter(text: string): string {
  const whole = parseFrontMatter(text)?.whole ?? "";
  return whole.replace(/[^\n]/g, "") + text.slice(whole.length);
}

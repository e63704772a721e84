/** Awkward texts: characters and sequences that parsers count, match, nest or look back for. */

/** One megabyte of each. */
export const LENGTH = 1_000_000;

const of = (piece: string) => piece.repeat(Math.ceil(LENGTH / piece.length)).slice(0, LENGTH);
const ending = (piece: string, end: string) => of(piece).slice(0, LENGTH - end.length) + end;

export const AWKWARD: Readonly<Record<string, string>> = {
  letters: of("x"),
  digits: of("0"),
  "[": of("["),
  "]": of("]"),
  "](": of("]("),
  "[a](": of("[a]("),
  "![": of("!["),
  "[[]]": of("[]"),
  "(": of("("),
  ")": of(")"),
  "{": of("{"),
  "{{": of("{{ "),
  "{%": of("{% if a %}"),
  "<": of("<"),
  "<a": of("<a "),
  "<div>": of("<div>"),
  "<!--": of("<!--"),
  "&": of("&amp"),
  backticks: of("`"),
  "backticks of growing length": growing("`"),
  "`a": of("`a"),
  fences: of("```\n"),
  "fences with words": of("```markdown\n"),
  "~~~": of("~~~\n"),
  "*": of("*"),
  "**a": of("**a"),
  "*a_": of("*a_"),
  _: of("_"),
  "#": of("#"),
  "# lines": of("#\n"),
  "## Title": of("## Title\n"),
  spaces: of(" "),
  "spaces and a letter": ending(" ", "x"),
  "spaces in lines": of(`${" ".repeat(2_000)}x\n`),
  tabs: ending("\t", "x"),
  CR: of("\r"),
  "CR and a letter": ending("\r", "x"),
  LF: of("\n"),
  "LF and a letter": ending("\n", "x"),
  "CR LF": ending("\r\n", "x"),
  NUL: of("\0"),
  ESC: of("\u001b]"),
  "- [ ] ": of("- [ ] "),
  "- [ ] lines": of("- [ ] a\n"),
  "- ": of("- "),
  "- lines": of("-\n"),
  "1. lines": of("1. a\n"),
  ">": of(">"),
  "> lines": of("> a\n"),
  "deeper and deeper lists": deeper("- a"),
  "deeper and deeper mappings": deeper("a:"),
  ": ": of("a: "),
  "? ": of("? "),
  "! ": of("!a "),
  "& and *": of("&a *a "),
  "- &a": of("- &a b\n"),
  '"': of('"'),
  "'": of("'"),
  "\\": of("\\"),
  "|": of("|"),
  "| a | lines": of("| a | b\n"),
  "|\n": of("a: |\n  b\n"),
  ",": of(","),
  "@": of("a@"),
  "/": ending("/", "x"),
  ".": ending(".", "x"),
  "https://": of("https://"),
  addresses: of("https://a.atlassian.net/x "),
  "addresses in one": of("https://a.atlassian.net/]("),
  "](https://": of("](https://a.atlassian.net"),
  "fetched headings": of("## Fetched from https://a\n```markdown\n"),
  "JSON lists": of('[{"a":'),
  "JSON keys": `{${of('"a":1,')}"b":1}`,
  "tildes and a backtick": ending("~", "`"),
  "a heading with blanks between": `# a${of(" ").slice(6)}x #`,
  "a table with many columns": `|${of("abcdefgh|").slice(7)}\n|-|\n`,
  "a table with many words": `|${of("a ").slice(8)}|\n|-|\n`,
  "a table with one wide row": `|${of("a|").slice(LENGTH / 2)}\n|-|\n${of("|a\n").slice(LENGTH / 2)}`,
  "a wide row of its own now and then": of(`|${"a|".repeat(200)}\n${"|a\n".repeat(200)}\n`),
  "open brackets at the ends of lines": of("a(\n"),
  "folds of GitLab": of("section_end:0:"),
  "a value of commas": `a=${ending(",", "x").slice(2)}`,
  "a value with blanks between": `a=x${ending(" ", "x").slice(3)}`,
  surrogates: of("\ud83d"),
  "combining marks": of("e\u0301"),
  emoji: of("👩‍👩‍👧"),
};

function growing(character: string): string {
  let text = "";
  for (let length = 1; text.length < LENGTH; length++) text += `${character.repeat(length)} `;
  return text.slice(0, LENGTH);
}

function deeper(line: string): string {
  let text = "";
  for (let depth = 0; text.length < LENGTH; depth++) text += `${"  ".repeat(depth)}${line}\n`;
  return text.slice(0, LENGTH);
}

/**
 * Parses command lines that consist only of programs with literal words. Lines with any other shell feature
 * (expansion, globs, output to files, scripts) are not plain, because their effect is unknown.
 */

/** A program and its words. */
export type PlainCommand = readonly [program: string, ...words: string[]];

const MAX_LENGTH = 20_000;
/** Redirections that write to no file. */
const NOWHERE = /(?:[012]?>{1,2}|&>|<)[ \t]*\/dev\/null(?=[\s;|&]|$)|2>&1(?=[\s;|&]|$)/y;
const BETWEEN = /&&|\|\|(?!&)|\|(?!&)|;(?!;)|\n/y;
const BLANKS = /[ \t]+/y;
const QUOTED = /'([^'\0]*)'|"([^"\\$`\0]*)"/y;
/** Includes braces and `^`, for git's revisions. */
const BARE = /(?:@\{[\w./-]*\}|[\w./,:@%+^=-])+/y;

/** The commands separated by `&&`, `||`, `|`, `;` or line ends; null: the line is not plain. */
export function plainCommands(line: string): readonly PlainCommand[] | null {
  const text = line.replace(/^[ \t\n]+|[ \t\n]+$/g, "");
  if (text === "" || text.length > MAX_LENGTH) return null;
  const commands: PlainCommand[] = [];
  let words: string[] = [];
  let at = 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) at = pattern.lastIndex;
    return match;
  };
  const end = () => {
    const [program, ...rest] = words;
    if (program === undefined || !/^[\w./+-]+$/.test(program)) return false;
    commands.push([program, ...rest]);
    words = [];
    return true;
  };
  while (at < text.length) {
    if (take(BLANKS) || take(NOWHERE)) continue;
    if (take(BETWEEN)) {
      if (!end()) return null;
      continue;
    }
    let word: string | null = null;
    for (;;) {
      const quoted = take(QUOTED);
      const part = quoted ? (quoted[1] ?? quoted[2] ?? "") : take(BARE)?.[0];
      if (part === undefined) break;
      word = (word ?? "") + part;
    }
    // The shell may be one that looks up a command for `=NAME`.
    if (word === null || (word.startsWith("=") && text[at - 1] !== "'")) return null;
    words.push(word);
  }
  return end() ? commands : null;
}

/**
 * Decides whether a command line is only a listed command. The first words are not enough: `git log
 * --output=FILE` writes any file, `git commit -F FILE` copies any. So each git option must be listed too, in
 * full: git completes abbreviations.
 */

/** Marks a command that is allowed only as a whole. */
const WHOLE = "=";

/** With one of these signs, a command can do more than its first words say. */
const SHELL_SIGNS = /[;&|`$()<>\n\r\\{}*?!#[\]]|^~|[:=]~/;

interface Options {
  /** Alone, or with a value after `=`. */
  readonly long: readonly string[];
  /** Letters that may be combined behind one dash. */
  readonly short: string;
  /** Letters and options that take the next word as their value: text, never a path. */
  readonly valued: readonly string[];
}

const SHOWING = [
  ...[
    "stat",
    "shortstat",
    "numstat",
    "name-only",
    "name-status",
    "summary",
    "patch",
    "raw",
    "color",
    "no-color",
  ],
  ...["word-diff", "unified", "diff-filter", "find-renames", "no-renames", "no-ext-diff", "no-textconv"],
  ...["ignore-all-space", "ignore-space-change", "minimal", "histogram", "patience"],
];

const GIT: Readonly<Record<string, Options>> = {
  add: { long: ["all", "update", "verbose", "dry-run"], short: "Auvn", valued: [] },
  commit: {
    long: ["all", "amend", "no-edit", "quiet", "signoff", "allow-empty", "verbose", "message"],
    short: "aqsv",
    valued: ["m", "message"],
  },
  status: { long: ["short", "branch", "porcelain", "ignored", "untracked-files"], short: "sbz", valued: [] },
  diff: { long: [...SHOWING, "cached", "staged", "check", "merge-base"], short: "pubwMz", valued: [] },
  log: {
    long: [
      ...[
        ...SHOWING,
        "oneline",
        "graph",
        "decorate",
        "format",
        "pretty",
        "since",
        "until",
        "after",
        "before",
      ],
      ...[
        "author",
        "grep",
        "all",
        "branches",
        "reverse",
        "merges",
        "no-merges",
        "follow",
        "max-count",
        "skip",
      ],
      ...["abbrev-commit", "first-parent", "date", "no-decorate", "regexp-ignore-case"],
    ],
    short: "pubwMzi",
    valued: ["n"],
  },
};

/**
 * `listed`: every command is listed and does no more; `refused`: one begins as a listed command and does
 * more; `other`: neither.
 */
export type Verdict = "listed" | "refused" | "other";

/** Judges commands joined by `&&`. `leaves`: whether a word, read as a path, leads out of the folder. */
export function judgeCommand(
  command: string,
  allow: readonly string[],
  leaves: (path: string) => boolean,
): Verdict {
  const parts = partsOf(command);
  // The loop runs these commands itself, so an agent may run them exactly as written, whatever signs they
  // have.
  if (allow.includes(`${WHOLE}${command}`)) return "listed";
  const begins = (part: string) =>
    allow.some((one) => part.startsWith(one) && !/^[\w-]/.test(part.slice(one.length)));
  if (parts.every((part) => isListed(part, allow, leaves))) return "listed";
  return parts.some((part) => begins(part) && !isListed(part, allow, leaves)) ? "refused" : "other";
}

/** Splits at each `&&` outside quotes. */
function partsOf(command: string): readonly string[] {
  const parts: string[] = [];
  let [from, quote] = [0, ""];
  for (let at = 0; at < command.length; at++) {
    const sign = command[at] ?? "";
    if (quote !== "") quote = sign === quote ? "" : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (command.startsWith("&&", at)) {
      parts.push(command.slice(from, at).trim());
      from = at + 2;
      at += 1;
    }
  }
  return [...parts, command.slice(from).trim()];
}

function isListed(command: string, allow: readonly string[], leaves: (path: string) => boolean): boolean {
  if (allow.includes(`${WHOLE}${command}`)) return true;
  const words = wordsOf(command);
  if (words === null) return false;
  const listed = allow.find((one) => command === one || command.startsWith(`${one} `));
  if (listed === undefined) return false;
  const [program, verb = ""] = words;
  if (program !== "git") return true;
  const options = Object.hasOwn(GIT, verb) ? GIT[verb] : undefined;
  return options !== undefined && areListed(words.slice(2), options, leaves);
}

/** Splits at blanks outside quotes. Null if the shell could read more into it. */
function wordsOf(command: string): readonly string[] | null {
  const words: string[] = [];
  const pattern = /\s*((?:"[^"]*"|'[^']*'|[^\s"'])+)/y;
  let at = 0;
  while (at < command.length) {
    pattern.lastIndex = at;
    const [whole, word] = pattern.exec(command) ?? [];
    if (whole === undefined || word === undefined) return command.slice(at).trim() === "" ? words : null;
    // Inside single quotes nothing is special; inside double quotes these signs still are.
    if (SHELL_SIGNS.test(word.replace(/'[^']*'/g, "").replace(/"([^"`$\\!]*)"/g, ""))) return null;
    words.push(word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));
    at += whole.length;
  }
  return words;
}

function areListed(words: readonly string[], options: Options, leaves: (path: string) => boolean): boolean {
  let isPath = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (isPath || !word.startsWith("-") || word === "-") {
      if (word === "-" || leaves(word)) return false;
    } else if (word === "--") isPath = true;
    else if (word.startsWith("--")) {
      const [name = ""] = word.slice(2).split("=", 1);
      if (!options.long.includes(name)) return false;
      if (options.valued.includes(name) && !word.includes("=")) at += 1;
    } else {
      const taken = shortTaken(word.slice(1), options);
      if (taken === null) return false;
      at += taken;
    }
  }
  return true;
}

/** How many of the next words are its values; null if it is not listed. */
function shortTaken(letters: string, { short, valued }: Options): number | null {
  if (/^\d+$/.test(letters)) return valued.includes("n") ? 0 : null;
  for (const [index, letter] of [...letters].entries()) {
    if (valued.includes(letter)) return index === letters.length - 1 ? 1 : 0;
    if (letter === "U" && /^\d+$/.test(letters.slice(index + 1))) return 0;
    if (!short.includes(letter)) return null;
  }
  return 0;
}

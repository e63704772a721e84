/** Which of a command's words are files that it writes. */
import { foundBy } from "./found-words.ts";
import { gitWords } from "./git-words.ts";
import type { Word } from "./shell-words.ts";

export interface Written {
  readonly paths: readonly Word[];
  readonly isDeep: boolean;
  /** The folder that relative paths start from, if the command names one. */
  readonly folder: string | null;
}

const NOTHING: Written = { paths: [], isDeep: false, folder: null };

type Rule = (args: readonly Word[]) => Partial<Written>;

const HERE: Word = { text: ".", isOpen: false, isPattern: false };

/** Every word that is no option. `valued`: options that take the next word. */
function plain(
  args: readonly Word[],
  valued: readonly string[] = [],
  takesNext: (text: string) => boolean = () => false,
): readonly Word[] {
  const found: Word[] = [];
  for (let at = 0; at < args.length; at++) {
    const { text } = args[at] ?? HERE;
    if (text === "--") return [...found, ...args.slice(at + 1)];
    if (valued.includes(text) || takesNext(text)) at += 1;
    else if (!/^-./.test(text)) found.push(args[at] ?? HERE);
  }
  return found;
}

const all =
  (valued: readonly string[] = [], isDeep = false): Rule =>
  (args) => ({ paths: plain(args, valued), isDeep });

/** The value of an option, in any of its forms: `-o X`, `-oX`, `--out X`, `--out=X`. */
function optionIn(args: readonly Word[], short: string, long: string): Word | null {
  for (const [at, word] of args.entries()) {
    const { text } = word;
    if (text === short || text === long) return args[at + 1] ?? null;
    if (long !== "" && text.startsWith(`${long}=`)) return { ...word, text: text.slice(long.length + 1) };
    if (short !== "" && text.startsWith(short) && !text.startsWith("--"))
      return { ...word, text: text.slice(short.length) };
  }
  return null;
}

/** `cp`, `mv` and their kin: the last word, or the folder of `-t`, and in it each file by its own name. */
const intoTarget =
  (takesAway: boolean): Rule =>
  (args) => {
    const named = args.some(({ text }) => /^(?:-t.*|--target-directory.*)$/.test(text))
      ? optionIn(args, "-t", "--target-directory")
      : null;
    const words = plain(args, ["-t", "--target-directory", "-S", "--suffix", "-m", "-o", "-g"]);
    const sources = named ? words : words.slice(0, -1);
    const target = named ?? words.at(-1);
    if (target === undefined) return {};
    const inside = sources.slice(0, MAX_SOURCES).map((source) => ({
      ...source,
      text: `${target.text}/${source.text.split("/").at(-1)}`,
      isOpen: source.isOpen || target.isOpen,
    }));
    return { paths: [target, ...inside, ...(takesAway ? sources : [])], isDeep: takesAway };
  };

const MAX_SOURCES = 200;

/** Switches that take no word, up to an `i`. */
const SED_IN_PLACE = /^-[nrEsuzb]*i|^--in-place/;
const PERL_IN_PLACE = /^-[acfhlnpsStTuUvwWXy0-9]*i/;
/** Whose next word belongs to it. */
const PERL_VALUED = /^-(?:[a-zA-Z0-9]*[eE]|[ICr])$/;

/** Perl and Ruby take no switches behind their script's name. */
function perlSwitches(args: readonly Word[]): readonly Word[] {
  const found: Word[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? HERE;
    if (word.text === "--" || !/^-./.test(word.text)) break;
    found.push(word);
    if (PERL_VALUED.test(word.text) && !/^-./.test(args[at + 1]?.text ?? "")) at += 1;
  }
  return found;
}

/** `sed -i`, `perl -i`: the first word is the script, unless options bring it. */
const inPlace =
  (
    isInPlace: RegExp,
    script: readonly string[],
    switches: (args: readonly Word[]) => readonly Word[] = (args) => args,
  ): Rule =>
  (args) => {
    if (!switches(args).some(({ text }) => isInPlace.test(text))) return {};
    const brings = args.some(
      ({ text }) => script.includes(text) || /^--(?:expression|file)=|^-\w*e$/.test(text),
    );
    const words = plain(args, script, (text) => /^-\w*e$/.test(text));
    return { paths: brings ? words : words.slice(1) };
  };

const RULES: Readonly<Record<string, Rule>> = {
  tee: all(),
  sponge: all(),
  touch: all(["-d", "-r", "-t"]),
  truncate: all(["-s", "-r"]),
  mkdir: all(["-m"]),
  mkfifo: all(["-m"]),
  rm: all([], true),
  rmdir: all([], true),
  unlink: all([], true),
  shred: all(["-n", "-s"]),
  // A mode may look like an option: `-x`.
  chmod: (args) => ({
    paths: plain(args).slice(args.some(({ text }) => /^-[rwxXst]+$/.test(text)) ? 0 : 1),
    isDeep: args.some(({ text }) => /^-\w*R|^--recursive$/.test(text)),
  }),
  cp: intoTarget(false),
  install: intoTarget(false),
  ln: intoTarget(false),
  rsync: intoTarget(false),
  mv: intoTarget(true),
  dd: (args) => ({
    paths: args.flatMap((word) =>
      word.text.startsWith("of=") ? [{ ...word, text: word.text.slice(3) }] : [],
    ),
  }),
  sed: inPlace(SED_IN_PLACE, ["-e", "-f", "--expression", "--file"]),
  perl: inPlace(PERL_IN_PLACE, ["-e", "-E"], perlSwitches),
  ruby: inPlace(PERL_IN_PLACE, ["-e"], perlSwitches),
  gawk: (args) => awk(args),
  awk: (args) => awk(args),
  patch: (args) => {
    const folder = optionIn(args, "-d", "--directory");
    const output = optionIn(args, "-o", "--output");
    const [file] = plain(args, [
      "-d",
      "-i",
      "-o",
      "-p",
      "-r",
      "-B",
      "--directory",
      "--input",
      "--output",
      "--strip",
    ]);
    if (args.some(({ text }) => text === "--dry-run")) return {};
    return { paths: [output ?? file ?? HERE], folder: folder?.text ?? null };
  },
  curl: (args) => ({ paths: [optionIn(args, "-o", "--output")].filter(isWord) }),
  wget: (args) => ({ paths: [optionIn(args, "-O", "--output-document")].filter(isWord) }),
  tar: (args) => {
    const [first] = args;
    const unpacks =
      args.some(({ text }) => /^-[a-zA-Z]*x|^--extract$/.test(text)) || /^[a-z]*x/.test(first?.text ?? "");
    return unpacks ? { paths: [optionIn(args, "-C", "--directory") ?? HERE] } : {};
  },
  unzip: (args) =>
    args.some(({ text }) => /^-[lptvz]/.test(text)) ? {} : { paths: [optionIn(args, "-d", "") ?? HERE] },
  find: (args) => (args.some(({ text }) => text === "-delete") ? { paths: foundBy(args), isDeep: true } : {}),
  git: (args) => git(args),
};

function awk(args: readonly Word[]): Partial<Written> {
  const isInPlace = args.some(
    ({ text }, at) => text === "inplace" && /^(?:-i|--include)$/.test(args[at - 1]?.text ?? ""),
  );
  return isInPlace ? { paths: plain(args, ["-i", "--include", "-f", "-F", "-v"]).slice(1) } : {};
}

/**
 * Only what puts texts in place that no commit holds, and what names files. Moving a whole checkout (`switch`, `pull`,
 * `stash`) is left out: prompts ask for it, and the tree is compared afterwards.
 */
function git(args: readonly Word[]): Partial<Written> {
  const { folder, words: texts } = gitWords(args.map(({ text }) => text));
  const words = args.slice(args.length - texts.length + 1);
  const has = (pattern: RegExp) => words.some(({ text }) => pattern.test(text));
  // Without git's hooks, nobody checks what an assistant commits and pushes.
  const options = args.slice(0, args.length - texts.length);
  if (options.some(({ text }) => /^(?:-c)?core\.hookspath=/i.test(text)))
    return { paths: [{ ...HERE, text: ".git/config" }], folder };
  const dashes = words.findIndex(({ text }) => text === "--");
  const named = dashes < 0 ? [] : words.slice(dashes + 1);
  switch (texts[0]) {
    case "apply":
      return has(/^--(?:check|stat|numstat|summary|cached)$/) ? {} : { paths: [HERE], folder };
    case "checkout":
      return { paths: named, folder };
    case "restore":
      return has(/^(?:--staged|-S)$/) && !has(/^(?:--worktree|-W)$/)
        ? {}
        : { paths: plain(words, ["-s", "--source"]), folder };
    case "rm":
      return has(/^--cached$/) ? {} : { paths: plain(words), isDeep: true, folder };
    case "mv":
      return { ...intoTarget(true)(words), folder };
    case "clean":
      return has(/^(?:-n|--dry-run)$/) ? {} : { paths: named.length > 0 ? named : [HERE], folder };
    case "config":
      return has(/^core\.hookspath$/i) && words.length > 1 && !has(/^(?:--get.*|get|-l|--list)$/)
        ? { paths: [{ ...HERE, text: ".git/config" }], folder }
        : {};
    default:
      return {};
  }
}

function isWord(word: Word | null): word is Word {
  return word !== null;
}

/** Whether the program's words are files, so that it starts no other program. */
export function onlyWrites(program: string): boolean {
  return Object.hasOwn(RULES, program) && !["find", "git", "perl", "ruby"].includes(program);
}

export function writesOf(program: string, args: readonly Word[]): Written {
  const rule = Object.hasOwn(RULES, program) ? RULES[program] : undefined;
  return rule === undefined ? NOTHING : { ...NOTHING, ...rule(args) };
}

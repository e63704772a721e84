/** Commands that are known to write no file of a project, and git commands for states that allow commits. */
import type { GitAct } from "../engine/workflow.ts";
import { personVerbOf } from "./person-verbs.ts";
import type { PlainCommand } from "./plain-commands.ts";

/** For messages. */
export const READING = "cat, head, tail, ls, find, grep, rg, wc, diff, git status, git diff, git log";

const NO_OPTION = /(?!)/;

/** Programs that only read, unless their words match the expression. */
const READERS: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    [
      ...["basename", "cat", "cd", "cmp", "column", "comm", "cut", "df", "diff", "dirname", "du", "echo"],
      ...["egrep", "false", "fgrep", "grep", "head", "id", "jq", "ls", "md5sum", "nl", "od"],
      ...["ps", "pwd", "readlink", "realpath", "rev", "sha1sum", "sha256sum", "sleep", "stat"],
      ...["strings", "tac", "tail", "tr", "true", "type", "uname", "wc", "which", "whoami"],
    ].map((name) => [name, NO_OPTION]),
  ),
  date: /^(?:-s|--s)/,
  file: /^-[^-]*C|^--c/,
  find: /^-(?:exec|ok|delete|fprint|fls)/,
  // The shell executes what stands in a variable's index: `printf -v 'a[$(command)]'`.
  printf: /^-v/,
  rg: /^--(?:pre|hostname-bin)/,
  sort: /^-[^-]*o|^--(?:o|co)/,
  test: /^-[vR]$/,
  // With R it writes a page in each folder.
  tree: /^-[^-]*[oR]|^--output/,
};

const GIT_READERS: readonly string[] = [
  ...["blame", "cat-file", "check-ignore", "describe", "diff", "for-each-ref", "grep", "log", "ls-files"],
  ...["ls-tree", "merge-base", "name-rev", "rev-list", "rev-parse", "shortlog", "show", "status", "version"],
];
/** These verbs only read if the next words match. */
const GIT_LISTING_WORDS: Readonly<Record<string, RegExp>> = {
  branch: /^(?:-a|-r|-v|-vv|-l|--list|--all|--show-current|--contains|--merged)$/,
  config: /^(?:--get|--get-all|-l|--list|get|list)$/,
  reflog: /^show$/,
  remote: /^(?:-v|get-url|show)$/,
  stash: /^(?:list|show)$/,
  tag: /^(?:-l|--list)$/,
  worktree: /^list$/,
};
const GIT_WRITERS: readonly string[] = [
  ...["add", "branch", "cherry-pick", "commit", "fetch", "merge", "pull", "push", "rebase", "reset"],
  ...["revert", "stash", "switch", "tag"],
];
/**
 * Options by which git starts another program, or writes to an arbitrary file. Git accepts abbreviated
 * options.
 */
const GIT_UNSAFE_OPTIONS = /^(?:--ou|--op|-O|--exe?c?(?:=|$)|--ext|-x|--upl|--rece|--tem|--textc)|::/;
/** Options before git's verb. */
const GIT_GLOBAL_OPTIONS = /^(?:--no-pager|-P|--no-optional-locks|--literal-pathspecs)$/;

interface GitCall {
  readonly verb: string;
  readonly words: readonly string[];
  /** Each from the one before. */
  readonly folders: readonly string[];
}

/** Null: git with options that may do anything. */
function gitCall([program, ...words]: PlainCommand): GitCall | null {
  if (program !== "git") return null;
  const folders: string[] = [];
  let at = 0;
  for (; words[at]?.startsWith("-"); at++)
    if (words[at] === "-C") folders.push(words[++at] ?? "");
    else if (!GIT_GLOBAL_OPTIONS.test(words[at] ?? "")) return null;
  const [verb = "", ...rest] = words.slice(at);
  return { verb, words: rest, folders };
}

/** Whether it only reads, for any content of the project. */
export function isReading(command: PlainCommand): boolean {
  const [program, ...words] = command;
  const git = gitCall(command);
  if (git) {
    if (git.words.some((word) => GIT_UNSAFE_OPTIONS.test(word))) return false;
    const lists = Object.hasOwn(GIT_LISTING_WORDS, git.verb) ? GIT_LISTING_WORDS[git.verb] : undefined;
    if (lists === undefined) return GIT_READERS.includes(git.verb);
    return (
      (["branch", "remote", "tag", "reflog"].includes(git.verb) && git.words.length === 0) ||
      lists.test(git.words[0] ?? "")
    );
  }
  // A second word would be an output file.
  if (program === "uniq") return words.filter((word) => !word.startsWith("-")).length <= 1;
  if (program === "sed")
    return (
      words[0] === "-n" &&
      /^\d+(?:,(?:\d+|\$))?p$/.test(words[1] ?? "") &&
      words.slice(2).every((word) => !word.startsWith("-"))
    );
  const more = Object.hasOwn(READERS, program) ? READERS[program] : undefined;
  return more !== undefined && !words.some((word) => more.test(word));
}

/**
 * Git's own work on branches and commits, and a pull request. Files of the checkout change by it only as the
 * commits define.
 */
export function isGitWork(command: PlainCommand): boolean {
  const git = gitCall(command);
  if (git === null)
    return (
      command[0] === "gh" &&
      command[1] === "pr" &&
      /^(?:create|edit|ready|view|checks)$/.test(command[2] ?? "")
    );
  if (git.words.some((word) => GIT_UNSAFE_OPTIONS.test(word))) return false;
  // With a commit and a file, it would restore the file from the commit.
  if (git.verb === "checkout") {
    const named = git.words.filter((word) => !/^-[qb]$/.test(word));
    return named.length === 1 || git.words.includes("-b");
  }
  return GIT_WRITERS.includes(git.verb);
}

const TESTS =
  /^(?:(?:npm|pnpm|yarn|bun) (?:run )?(?:test|t|check|lint)(?::[\w:-]+)?|pytest|python3? -m pytest|cargo (?:test|check|clippy)|go (?:test|vet)|make (?:test|check|lint)|mvn test|\.\/gradlew test|dotnet test)(?: |$)/;

/** Words that bring code of the line's own, or start a runner outside of the folder. */
const FOREIGN_TEST_WORDS =
  /^--?(?:E|eval|f|file|c|C|directory|I|init-script|exec|toolexec|vettool|overlay|modfile|config|manifest-path|prefix|script-shell|node-options|cwd|dir|rootdir|o)(?:=|$)|^\w+=|(?:^|=)[/~]|(?:^|[=/])\.\.(?:\/|$)/;

/** Runs the project's own tests, which states for testing require. */
export function isTesting(command: PlainCommand): boolean {
  return TESTS.test(command.join(" ")) && !command.some((word) => FOREIGN_TEST_WORDS.test(word));
}

/** Most folders in which a line's commands may run. */
const MAX_FOLDERS = 50;

/**
 * The folders whose settings decide what the commands start: git's repository, what npx finds, the project's tests. A
 * `cd` may fail, and in a pipe it does not count, so each folder before it stays possible. Null: unknown. `resolve`: the
 * places that a path from a folder may mean.
 */
export function startingFolders(
  commands: readonly PlainCommand[],
  cwd: string,
  resolve: (path: string, folder: string) => readonly string[],
): { readonly git: readonly string[]; readonly others: readonly string[] } | null {
  const git: string[] = [];
  const others: string[] = [];
  let possible = [...new Set(resolve(".", cwd))];
  for (const command of commands) {
    const [program, ...words] = command;
    const below = (folders: readonly string[], path: string) => [
      ...new Set(folders.flatMap((folder) => resolve(path, folder))),
    ];
    if (program === "cd") {
      const [to = "~", ...more] = words.filter((word) => word !== "--");
      // Only the shell knows where `-` is.
      if (more.length > 0 || to.startsWith("-")) return null;
      possible = [...new Set([...possible, ...below(possible, to)])];
    } else if (program === "git") {
      let named: readonly string[] = possible;
      for (const path of gitCall(command)?.folders ?? []) {
        named = below(named, path);
        if (named.length > MAX_FOLDERS) return null;
      }
      git.push(...named);
    } else if (program === "npx" || isTesting(command)) others.push(...possible);
    if (possible.length > MAX_FOLDERS || git.length > MAX_FOLDERS) return null;
  }
  return { git, others };
}

/** The files that a plain command removes or restores; null: it does something else. */
export function undoneBy(command: PlainCommand): readonly string[] | null {
  const git = gitCall(command);
  const [program, ...all] = command;
  const words = git ? git.words : all;
  const isUndoing = git
    ? git.verb === "restore" || (git.verb === "checkout" && words[0] === "--")
    : program === "rm";
  const options = words.filter((word) => word.startsWith("-"));
  if (!isUndoing || command.includes("-C") || options.some((word) => !/^(?:-f|--)$/.test(word))) return null;
  return words.filter((word) => !word.startsWith("-"));
}

const COMMITS = ["commit", "commit-tree", "cherry-pick", "revert", "am"];

/** The git act that the command, of git or of a forge's program, would perform; null: none. */
export function gitActOf([program, ...words]: PlainCommand): GitAct | null {
  const plain = words.filter((word, at) => !word.startsWith("-") && !/^-[Cc]$/.test(words[at - 1] ?? ""));
  const [noun = "", verb = ""] = plain;
  if (program === "git") return COMMITS.includes(noun) ? "commit" : noun === "push" ? "push" : null;
  const isRequest = (program === "gh" && noun === "pr") || (program === "glab" && noun === "mr");
  return isRequest && ["create", "new", "merge"].includes(verb) ? "push" : null;
}

const PAWL = /^(?:.*\/)?(?:pawl|bloom)(?:@[^/]*)?(?:\.[cm]?js)?$/;

/** Whether the word names Pawl's program. */
export function isPawlName(word: string): boolean {
  return PAWL.test(word) || /(?:^|\/)pawl\/(?:dist\/|src\/)?main\.[cm]?[jt]s$/.test(word);
}

/** The words after Pawl's program; null: it is another program. */
export function pawlWords(command: PlainCommand): readonly string[] | null {
  const [program, ...words] = command;
  if (PAWL.test(program)) return words;
  const isStarter = /^(?:npx|bunx|env|nohup|setsid|time|sudo|watch|xargs|timeout|nice|node)$/.test(program);
  if (!isStarter) return null;
  const at = words.findIndex(isPawlName);
  return at < 0 ? null : words.slice(at + 1);
}

/** Options of npx before Pawl's name; with others, such as `--call`, npx runs something else. */
const NPX_OPTIONS: readonly string[] = [
  ...["--no", "--no-install", "--force", "--loglevel=error", "--package=pawl", "--"],
];

/** Whether it is Pawl, called directly or by npx, which checks its own calls. */
export function isPawlCall(command: PlainCommand): boolean {
  const [program, ...words] = command;
  if (program === "pawl" || program === "bloom") return true;
  const at = words.findIndex((word) => !word.startsWith("-"));
  const isNamed = words[at] === "pawl" || words[at] === "bloom";
  return program === "npx" && isNamed && words.slice(0, at).every((word) => NPX_OPTIONS.includes(word));
}

export function personVerbIn(command: PlainCommand): string | null {
  const words = pawlWords(command);
  return words && personVerbOf(words);
}

/**
 * The listed commands for clients whose own lists know only patterns of the command's text: whole commands,
 * and forms whose open part can hold nothing that the shell or git would read as more. Left out are options
 * that write, read or run (`--output`, `-F`, `--template`, `--ext-diff`), and paths for `diff`, which
 * compares two files outside the worktree.
 */

/** Whole commands. */
const EXACT = [
  ...["git status", "git status -s", "git status --short", "git status -sb", "git status --porcelain"],
  ...["git diff", "git diff HEAD", "git diff --stat", "git diff --cached", "git diff --staged"],
  ...["git diff --cached --stat", "git diff --staged --stat", "git diff --name-only", "git diff --check"],
  ...["git log", "git log --oneline", "git log --stat", "git log -1", "git log -5", "git log -10"],
  ...["git log --oneline -5", "git log --oneline -10", "git log --oneline -20", "git log -1 --stat"],
  ...["git add -A", "git add --all", "git add -u", "git add ."],
  ...["git commit --amend --no-edit"],
];
/** Followed by one message in quotes, or by two with `-m` between them. */
const MESSAGES = [
  "git commit -m",
  "git commit -q -m",
  "git commit -qm",
  "git commit -a -m",
  "git commit -am",
];

export interface StaticLists {
  readonly exact: readonly string[];
  /** Followed by a message in quotes. */
  readonly messages: readonly string[];
  /** Followed by paths. */
  readonly paths: readonly string[];
  /** Bloom's own verbs, which are harmless: followed by words and a quoted text. */
  readonly verbs: readonly string[];
}

export function staticLists(allow: readonly string[]): StaticLists {
  const isAllowed = (command: string) =>
    allow.some((one) => command === one || command.startsWith(`${one} `));
  return {
    exact: [...EXACT.filter(isAllowed), ...allow.flatMap((one) => (isPlain(one) ? [one.slice(1)] : []))],
    messages: MESSAGES.filter(isAllowed),
    paths: ["git add"].filter(isAllowed),
    verbs: allow.filter((one) => !one.startsWith("git ") && !one.startsWith("=")),
  };
}

/**
 * A whole command without a sign that a client's pattern, or the client's file of rules, would read as more.
 */
function isPlain(one: string): boolean {
  return /^=[\w./:@=, -]+$/.test(one);
}

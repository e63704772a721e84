/** Git's options before its own command. */
const GIT_VALUED = ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"];

/** The words from git's own command on. */
export function gitWords(args: readonly string[]): {
  readonly words: readonly string[];
  readonly folder: string | null;
} {
  let folder: string | null = null;
  let at = 0;
  for (; at < args.length && args[at]?.startsWith("-"); at++) {
    if (args[at] === "-C") folder = args[at + 1] ?? null;
    if (GIT_VALUED.includes(args[at] ?? "")) at += 1;
  }
  return { words: args.slice(at), folder };
}

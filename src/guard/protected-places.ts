/**
 * What no assistant may write, in any state and without any run: what Pawl keeps, what governs its runs, and what starts
 * the guard. Names compare as the most lenient file system reads them.
 */
import { foldedName, isGitName, isPawlName } from "../core/path.ts";
import { matchesGlob, segmentMatches } from "./glob.ts";
import { isWithin } from "./paths.ts";

/** What of a project is protected besides the names that are the same everywhere; relative to its root. */
export interface ProjectFiles {
  readonly tasksFile: string;
  /** The definitions of its own workflows. */
  readonly workflows: readonly string[];
}

const PAWL = "Pawl keeps it: change it by Pawl's tools and commands";
const POLICY = "it governs the runs: a person changes it";
export const HOOKS = "it can turn the guard off: a person changes it";
const TASKS = "Pawl keeps it: change tasks by `bloom` or Pawl's tools";
const GIT = "git keeps it: change it by git commands";

/**
 * Files by which a client, for a project or for its user, starts hooks or allows what hooks refuse. Lower case. In a
 * project they count in every folder: a client may be started in any.
 */
export const CLIENT_FILES: readonly string[] = [
  ".claude/settings*.json",
  ".codex/config.toml",
  ".codex/hooks.json",
  ".github/hooks/**",
  ".copilot/config.json",
  ".copilot/settings.json",
  ".copilot/hooks/**",
  ".cursor/hooks.json",
  ".gemini/settings.json",
  ".gemini/config/**",
  ".gemini/trusted_hooks.json",
  ".agents/hooks.json",
  ".opencode/plugin/**",
  ".opencode/plugins/**",
  ".opencode/opencode.json*",
  "opencode.json*",
  ".vscode/settings.json",
];

/** Git's hooks in the folders of a project that `core.hooksPath` usually names. */
const GIT_HOOKS: readonly string[] = [
  ...[".husky/pre-commit", ".husky/pre-push", ".husky/_/**"],
  ...[".githooks/pre-commit", ".githooks/pre-push"],
];

/** What `npx` starts for `pawl`, and what tells it to start another; in every folder of a project, too. */
const STARTS: readonly string[] = [
  ".npmrc",
  "node_modules/pawl/**",
  ...["pawl", "pawl.*", "bloom", "bloom.*"].map((name) => `node_modules/.bin/${name}`),
];

/** The same for walls, one by one. */
const WALLED: readonly string[] = [
  ...[".pawl/**", ".alfred/**", ".ai/task/state.json", "pawl.yaml", "tasks.yaml", ".npmrc"],
  ...[".claude/settings.json", ".claude/settings.local.json", "opencode.json", "opencode.jsonc"],
  ...[
    ".husky/**",
    ".githooks/**",
    "node_modules/pawl/**",
    "node_modules/.bin/pawl",
    "node_modules/.bin/bloom",
  ],
];

export interface ProtectedPlace {
  /** Relative to the root. */
  readonly path: string;
  readonly isFolder: boolean;
}

/** The places below the root, whether they exist or not. Git's own folders are found by looking. */
export function protectedPlaces({ tasksFile, workflows }: ProjectFiles): readonly ProtectedPlace[] {
  const clients = CLIENT_FILES.filter((place) => !/[^/*]\*|\*[^/*]/.test(place));
  return [...new Set([...WALLED, tasksFile, ...workflows, ...clients])].map((place) => ({
    path: place.replace(/^\.\//, "").replace(/\/\*\*$/, ""),
    isFolder: place.endsWith("/**"),
  }));
}

const GUARD_FILES: readonly string[] = [...CLIENT_FILES, ...GIT_HOOKS, ...STARTS];

/** The same below a home folder, where these also stand. */
const HOME_FILES: readonly string[] = [
  ...CLIENT_FILES,
  ".npmrc",
  ".claude.json",
  ".config/opencode/opencode.json*",
  ".config/opencode/config.json",
  ".config/opencode/plugin/**",
  ".config/opencode/plugins/**",
];

/** Why nothing may write this path below a project's root, or null. */
export function protectedIn(path: string, { tasksFile, workflows }: ProjectFiles): string | null {
  const names = namesIn(path);
  const [first = "", second, third] = names;
  if (isPawlName(first)) return PAWL;
  if (first === ".alfred") return PAWL;
  if (first === ".ai" && second === "task" && third === "state.json") return PAWL;
  if (names.some(isGitName)) return GIT;
  if (names.length === 1 && first === "pawl.yaml") return POLICY;
  if (isSame(names, tasksFile) || (names.length === 1 && first === "tasks.yaml")) return TASKS;
  if (workflows.some((file) => isSame(names, file))) return POLICY;
  const isGuardFile = names.some((_, at) => GUARD_FILES.some((glob) => matches(names, glob, at)));
  return isGuardFile ? HOOKS : null;
}

/** The folder of the package that the program, which is the guard, belongs to; null: it is the project itself. */
export function packageOf(program: string, root: string): string | null {
  const folder = program.replace(/(?:\/(?:dist|src))?\/[^/]*$/, "");
  return folder === "" || isWithin(root, folder) ? null : folder;
}

/** Why nothing may write this path below the user's home, or null. */
export function protectedAtHome(path: string): string | null {
  const names = namesIn(path);
  return HOME_FILES.some((glob) => matches(names, glob)) ? HOOKS : null;
}

/** A protected path that lies below this one, such as `.ai/task/state.json` below `.ai`; null: none does. */
export function protectedBelow(path: string, { tasksFile, workflows }: ProjectFiles): string | null {
  const names = namesIn(path);
  const places = [".ai/task/state.json", tasksFile, ...workflows, ...CLIENT_FILES, ...GIT_HOOKS];
  const inside = (place: string) => {
    const whole = namesIn(place);
    return whole.length > names.length && names.every((name, at) => segmentMatches(name, whole[at] ?? ""));
  };
  return places.find(inside) ?? null;
}

/** What a folder's search by name may take away of the places that are folders or patterns themselves. */
export const SAMPLES: readonly string[] = [
  ...CLIENT_FILES.map((glob) => glob.replace("/**", "/pawl.json").replace("*", "")),
  ...[".pawl/a.json", ".pawl/a.jsonl", ".pawl/a.yaml", ".git/config", ".git/HEAD", ".git/index"],
];

/**
 * A protected place at the root that a shell's pattern such as `*.yaml` would reach; null: none. `others`: more of them,
 * relative to the root.
 */
export function protectedByPattern(
  pattern: string,
  files: ProjectFiles,
  others: readonly string[],
): string | null {
  const globs = namesIn(pattern);
  const anywhere = globs.includes("**") ? globs.join("/") : null;
  const places = [".pawl", ".alfred", ".git", ".ai/task/state.json", "pawl.yaml", "tasks.yaml", ".npmrc"];
  const reached = [...places, ...GIT_HOOKS, files.tasksFile, ...files.workflows, ...others].find((place) => {
    const names = namesIn(place);
    if (anywhere !== null)
      return names.some((_, at) => matchesGlob(names.slice(0, at + 1).join("/"), anywhere));
    // A pattern that ends at a folder reaches all of it.
    return (
      globs.length <= names.length &&
      globs.every((glob, at) => {
        const name = names[at] ?? "";
        return (!name.startsWith(".") || glob.startsWith(".")) && segmentMatches(name, glob);
      })
    );
  });
  return reached ?? null;
}

function namesIn(path: string): readonly string[] {
  return path
    .split(/[/\\]/)
    .filter((name) => name !== "" && name !== ".")
    .map(foldedName);
}

function isSame(names: readonly string[], file: string): boolean {
  return names.join("/") === namesIn(file).join("/");
}

/** Whether the names from `from` on are those of the glob. */
function matches(names: readonly string[], glob: string, from = 0): boolean {
  const globs = glob.split("/");
  const isDeep = globs.at(-1) === "**";
  const own = isDeep ? globs.slice(0, -1) : globs;
  const count = names.length - from;
  if (isDeep ? count < own.length : count !== own.length) return false;
  return own.every((each, at) => segmentMatches(names[from + at] ?? "", each));
}

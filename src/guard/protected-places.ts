/**
 * The places that no assistant and no agent may write, in any state and without any run: Pawl's data, what
 * governs its runs, and what starts the guard or a person's next program. The guard, the walls and the later
 * comparison all use this list. Names are compared as the most lenient file system does.
 */
import { foldedName, isGitName, isPawlName } from "../core/path.ts";
import { isWithin } from "./paths.ts";

/** A project's own protected files, besides the names that are protected everywhere; relative to its root. */
export interface ProjectFiles {
  readonly tasksFile: string;
  /** The definition files of its own workflows. */
  readonly workflows: readonly string[];
}

const PAWL = "Pawl keeps it: change it by Pawl's tools and commands";
const POLICY = "it governs the runs: a person changes it";
export const HOOKS = "it can turn the guard off: a person changes it";
const TASKS = "Pawl keeps it: change tasks by `bloom` or Pawl's tools";
const GIT = "git keeps it: change it by git commands";

/**
 * Files through which a client, for a project or for its user, starts hooks, servers or tools, or allows what hooks
 * refuse. In Claude Code agents, commands and skills may have hooks of their own, and a skill's folder may be a
 * plugin. Lower case. In a project they are protected in every folder, because a client may be started in any.
 */
export const CLIENT_FILES: readonly string[] = [
  ".mcp.json",
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".claude/agents/**",
  ".claude/commands/**",
  ".claude/skills/**",
  ".codex/config.toml",
  ".codex/hooks.json",
  ".codex/rules/**",
  ".github/copilot/**",
  ".github/extensions/**",
  ".github/hooks/**",
  ".github/mcp.json",
  ".copilot/config.json",
  ".copilot/mcp-config.json",
  ".copilot/settings.json",
  ".copilot/extensions/**",
  ".copilot/hooks/**",
  ".cursor/cli.json",
  ".cursor/hooks.json",
  ".cursor/mcp.json",
  ".cursor/worktrees.json",
  ".gemini/settings.json",
  ".gemini/config/**",
  ".gemini/trusted_hooks.json",
  ".agents/hooks.json",
  ".agents/mcp_config.json",
  ".opencode/plugin/**",
  ".opencode/plugins/**",
  ".opencode/tool/**",
  ".opencode/tools/**",
  ".opencode/opencode.json",
  ".opencode/opencode.jsonc",
  "opencode.json",
  "opencode.jsonc",
  ".vscode/settings.json",
  ".vscode/tasks.json",
  ".vscode/mcp.json",
];

/**
 * Protected in every folder of a project: git's hooks at the usual values of `core.hooksPath`, a person's git
 * configuration that is kept in a project, and the programs that `npx` and husky start for `pawl`, which search
 * there first: `pawl` itself, a shell for it, and Node.
 */
const STARTS: readonly string[] = [
  ...[".husky/**", ".githooks/**", ".gitconfig", ".npmrc", "node_modules/pawl/**"],
  ...["pawl", "bloom", "sh", "node", "npx"].map((name) => `node_modules/.bin/${name}`),
];

/** The files that are protected below a home folder. */
const HOME_FILES: readonly string[] = [
  ...CLIENT_FILES,
  ".npmrc",
  ".claude.json",
  ".config/opencode/opencode.json",
  ".config/opencode/opencode.jsonc",
  ".config/opencode/config.json",
  ".config/opencode/plugin/**",
  ".config/opencode/plugins/**",
  ".config/opencode/tool/**",
  ".config/opencode/tools/**",
];

const KEPT = [".pawl/**", ".alfred/**", ".ai/task/state.json"];

/** Places relative to the root only, with the reason. */
function rooted({ tasksFile, workflows }: ProjectFiles): readonly (readonly [string, string])[] {
  return [
    ...KEPT.map((place) => [place, PAWL] as const),
    ...["pawl.yaml", ".worktreeinclude"].map((place) => [place, POLICY] as const),
    ...["tasks.yaml", tasksFile].map((place) => [place, TASKS] as const),
    ...workflows.map((place) => [place, POLICY] as const),
  ];
}

/** Why this path below a project's root must not be written; null: it is not protected. */
export function protectedIn(path: string, files: ProjectFiles): string | null {
  const names = namesIn(path);
  if (isPawlName(names[0] ?? "")) return PAWL;
  if (names.some(isGitName)) return GIT;
  const protection = rooted(files).find(([place]) => matches(names, place));
  if (protection) return protection[1];
  const isGuardFile = names.some((_, at) =>
    [...CLIENT_FILES, ...STARTS].some((place) => matches(names, place, at)),
  );
  return isGuardFile ? HOOKS : null;
}

export interface ProtectedPlace {
  /** Relative to the root or to the home folder. */
  readonly path: string;
  readonly isFolder: boolean;
}

/**
 * The protected places below the root, existing or not. Git's own folders are not among them: they must be
 * searched for.
 */
export function protectedPlaces(files: ProjectFiles): readonly ProtectedPlace[] {
  return placesIn([...rooted(files).map(([place]) => place), ...CLIENT_FILES, ...STARTS]);
}

/** Those in any folder that begin with this name in it. */
export function protectedPlacesBy(name: string): readonly ProtectedPlace[] {
  return ANYWHERE.get(name) ?? [];
}

export function protectedPlacesAtHome(): readonly ProtectedPlace[] {
  return placesIn(HOME_FILES);
}

function placesIn(places: readonly string[]): readonly ProtectedPlace[] {
  return [...new Set(places)].map((place) => ({
    path: place.replace(/^\.\//, "").replace(/\/\*\*$/, ""),
    isFolder: place.endsWith("/**"),
  }));
}

const ANYWHERE = Map.groupBy(placesIn([...CLIENT_FILES, ...STARTS]), ({ path }) => path.split("/")[0] ?? "");

/**
 * The folder of the package that contains the program, which is the guard itself; null: it is the project
 * itself.
 */
export function packageOf(program: string, root: string): string | null {
  const folder = program.replace(/(?:\/(?:dist|src))?\/[^/]*$/, "");
  return folder === "" || isWithin(root, folder) ? null : folder;
}

/** Why this path below the user's home must not be written; null: it is not protected. */
export function protectedAtHome(path: string): string | null {
  const names = namesIn(path);
  return HOME_FILES.some((place) => matches(names, place)) ? HOOKS : null;
}

function namesIn(path: string): string[] {
  return path
    .split(/[/\\]/)
    .filter((name) => name !== "" && name !== ".")
    .map(foldedName);
}

/** Whether the names from `from` on are the place, or below it. */
function matches(names: readonly string[], place: string, from = 0): boolean {
  const placeNames = namesIn(place);
  const isDeep = placeNames.at(-1) === "**";
  if (isDeep) placeNames.pop();
  const count = names.length - from;
  if (isDeep ? count < placeNames.length : count !== placeNames.length) return false;
  return placeNames.every((each, at) => names[from + at] === each);
}

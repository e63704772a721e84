/**
 * What setup makes in a workspace and git does not ignore, such as a lock file or generated code: git is told
 * to ignore it there, so `git add -A` does not make it part of the task's work.
 *
 * L1  A file stays left out until it is changed: then it counts as work. A second index
 *     in Pawl's own git folder knows each file's content.
 * L2  What setup changes in tracked files of a workspace without work yet, such as a lock file that a package
 *     manager rewrites, is restored: it is not the task's work either.
 * L3  A folder counts as a whole if it is a virtual environment, a repository, or has more files than a person
 *     would read. New files in other folders are work.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "../../../core/attempt.ts";
import type { AgentFolder, Repo } from "../../../core/ports/worktrees.ts";
import { writeWhole } from "../../files/write-whole.ts";
import { beside, topOf } from "../../process/work-folder.ts";
import type { WorkspaceFiles } from "../../setup/setup.ts";
import type { Wall } from "../../wall/wall.ts";
import type { GitAnswer } from "../git.ts";
import { type InsideOrder, inside } from "./inside.ts";
import { openWorkplace, type Workplace } from "./workplace.ts";
import { checkoutOf } from "./worktree-paths.ts";

const MAX_FILES = 1000;
const GIT_TIMEOUT = 180_000;

interface LeftOut {
  readonly files: readonly string[];
  /** Without the slash at the end. */
  readonly folders: readonly string[];
}

export function openWorkspaceFiles(
  projectRoot: string,
  environment: Readonly<Record<string, string | undefined>>,
  wall?: Wall,
): WorkspaceFiles {
  const workplace = openWorkplace(projectRoot, environment, undefined, wall);
  return {
    async untracked(folder) {
      const { all, changed } = await listed(workplace, topOf(folder));
      return [...all, ...changed];
    },
    leaveOut: (folder, before) => leaveOut(workplace, topOf(folder), new Set(before)),
    async putBack(folder) {
      const { output } = await run(workplace, topOf(folder), { script: PUT_BACK });
      return output.split("\0").filter(Boolean);
    },
    mixed: (folder, paths) => mixed(workplace, topOf(folder), paths),
  };
}

/** Files that were left out and have changed since are work from now on. */
export async function takeChangedIn(workplace: Workplace, top: AgentFolder): Promise<void> {
  const { changed } = await listed(workplace, top);
  const { files, folders } = readLeftOut(top);
  await apply(workplace, top, { files: files.filter((path) => !changed.includes(path)), folders });
}

/** For scripts in a workspace: whether something that is left out has changed. `$look`: Pawl's git folder. */
export const HAS_CHANGED = `[ -s "$look/made" ] && [ -n "$(GIT_INDEX_FILE=$look/made git diff-files --name-only --diff-filter=MT)" ]`;

/** `$1` is Pawl's git folder for the workspace. */
async function run(
  workplace: Workplace,
  top: AgentFolder,
  { args = [], ...order }: Pick<InsideOrder, "args" | "input" | "readOnly" | "script">,
): Promise<GitAnswer> {
  const scratch = beside(top, "look");
  const { repo } = JSON.parse(readFileSync(`${beside(top, "of")}.json`, "utf8")) as { repo: Repo };
  const from = workplace.call(checkoutOf(workplace.projectRoot, repo));
  return inside(workplace, {
    ...order,
    folder: top,
    from,
    args: [scratch, ...args],
    writes: [scratch],
    limit: GIT_TIMEOUT,
  });
}

const PUT_BACK = `
export GIT_DIR="$1" GIT_WORK_TREE="$PWD" GIT_INDEX_FILE="$1/index"
git update-index -q --refresh --ignore-submodules
git diff-files -z --name-only --ignore-submodules=all
git diff-files -z --name-only --ignore-submodules=all | git checkout-index --force --index -z --stdin
`;

const LIST = `
look=$1
export GIT_DIR="$look" GIT_WORK_TREE="$PWD"
GIT_INDEX_FILE="$look/index" git ls-files -z --others --exclude-standard || exit
printf '\\0'
GIT_INDEX_FILE="$look/index" git ls-files -z --others --exclude-standard --directory --no-empty-directory || exit
printf '\\0'
[ ! -s "$look/made" ] || GIT_INDEX_FILE="$look/made" git diff-files --name-only -z --diff-filter=MT
`;

interface Listed {
  /** Files that git neither tracks nor ignores, and nested repositories, which end with a slash. */
  readonly all: readonly string[];
  /** The same, with a folder in place of its files if git tracks none of them. */
  readonly collapsed: readonly string[];
  /** Files that were left out and have changed. */
  readonly changed: readonly string[];
}

async function listed(workplace: Workplace, top: AgentFolder): Promise<Listed> {
  const { output } = await run(workplace, top, { script: LIST, readOnly: true });
  const fields = output.split("\0");
  const first = fields.indexOf("");
  const second = fields.indexOf("", first + 1);
  return {
    all: fields.slice(0, first),
    collapsed: fields.slice(first + 1, second),
    changed: fields.slice(second + 1).filter(Boolean),
  };
}

async function leaveOut(workplace: Workplace, top: AgentFolder, before: ReadonlySet<string>): Promise<void> {
  const { all, collapsed } = await listed(workplace, top);
  const made = all.filter((path) => !before.has(path));
  const kept = readLeftOut(top);
  const files = kept.files.filter((path) => !before.has(path));
  if (made.length === 0 && files.length === 0) return;
  const within = new Set(collapsed.filter((path) => path.endsWith("/")));
  const folderOf = (path: string) => foldersOf(path).find((folder) => within.has(folder)) ?? "";
  const byFolder = Map.groupBy(made, folderOf);
  const mixed = new Set([...before].map(folderOf));
  const folders = [...byFolder].filter(([folder, paths]) => !mixed.has(folder) && isWhole(folder, paths));
  const wholes = new Set(folders.map(([folder]) => folder));
  const single = made.filter((path) => !path.endsWith("/") && !wholes.has(folderOf(path)));
  await apply(workplace, top, {
    files: [...new Set([...files, ...single])],
    folders: [...new Set([...kept.folders, ...[...wholes].map((path) => path.slice(0, -1))])],
  });
}

function isWhole(folder: string, paths: readonly string[]): boolean {
  if (folder === "") return false;
  return paths.length > MAX_FILES || paths.includes(folder) || paths.includes(`${folder}pyvenv.cfg`);
}

/** The folders of the path, itself included if it is one, each with its slash. */
function foldersOf(path: string): readonly string[] {
  return [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1));
}

function stateFile(top: AgentFolder): string {
  return join(beside(top, "look"), "left-out.json");
}

function readLeftOut(top: AgentFolder): LeftOut {
  const none: LeftOut = { files: [], folders: [] };
  return attempt(() => JSON.parse(readFileSync(stateFile(top), "utf8")) as LeftOut, none);
}

/** The blocks are replaced: other lines in the files are the person's, or the agent's. */
const APPLY = `
look=$1
apply() {
  mkdir -p "\${1%/*}" && {
    [ ! -f "$1" ] || awk '/^# pawl: begin/ { own = 1 } !own; /^# pawl: end/ { own = 0 }' "$1"
    echo "# pawl: begin (setup made these: ignored until they change)"; cat "$look/left-out"; echo "# pawl: end"
  } >"$1.pawl" && mv -f "$1.pawl" "$1"
}
apply "$look/info/exclude" && apply .git/info/exclude && rm -f "$look/made" || exit
export GIT_DIR="$look" GIT_WORK_TREE="$PWD" GIT_INDEX_FILE="$look/made"
git update-index --add --info-only -z --stdin
`;

async function apply(workplace: Workplace, top: AgentFolder, leftOut: LeftOut): Promise<void> {
  const scratch = beside(top, "look");
  const patterns = [
    ...leftOut.files.map(patternOf),
    ...leftOut.folders.map((path) => `${patternOf(path)}/`),
  ].filter((line) => !/[\r\n]/.test(line));
  mkdirSync(dirname(stateFile(top)), { recursive: true });
  writeWhole(join(scratch, "left-out"), patterns.map((line) => `${line}\n`).join(""));
  writeWhole(stateFile(top), JSON.stringify(leftOut));
  const input = leftOut.files.map((path) => `${path}\0`).join("");
  await run(workplace, top, { script: APPLY, input });
}

/** A line of `.gitignore` that means this path alone. */
function patternOf(path: string): string {
  return `/${path.replace(/[\\*?[]/g, "\\$&").replace(/ $/, "\\ ")}`;
}

const MIXED = `
look=$1; shift
export GIT_DIR="$look" GIT_WORK_TREE="$PWD" GIT_INDEX_FILE="$look/index" GIT_LITERAL_PATHSPECS=1
git ls-files -z -- "$@" || exit
printf '\\0'
git ls-files -z --others --directory -- "$@"
`;

/** Whether the paths hold tracked files, and others besides. */
async function mixed(workplace: Workplace, top: AgentFolder, paths: readonly string[]) {
  const { output } = await run(workplace, top, { script: MIXED, args: paths, readOnly: true });
  const fields = output.split("\0");
  const first = fields.indexOf("");
  const [tracked, others] = [fields.slice(0, first), fields.slice(first + 1)];
  const holds = (path: string, all: readonly string[]) =>
    all.some((each) => each === path || each.startsWith(`${path}/`));
  return new Map(
    paths.filter((path) => holds(path, tracked)).map((path) => [path, holds(path, others)] as const),
  );
}

/**
 * Puts the guard into the hooks that git runs before a commit and a push.
 *
 * H1  The hooks are in git's own place: the folder that `core.hooksPath` names, husky's own, or the one that
 *     all worktrees share. A folder outside the repository is left alone.
 * H2  An existing hook stays, with its arguments and its input: a shell script gets the guard's lines before
 *     its own, and anything else is called after the guard.
 * H3  No link is followed: neither the folder nor a hook, nor the place to which a hook is moved. Nothing in
 *     that place is overwritten, and a hook is moved back only if the guard's own is unchanged.
 */
import { constants, copyFileSync, existsSync, lstatSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { attempt } from "../../../core/attempt.ts";
import {
  type GitHooks,
  type GitHooksChange,
  type GitHooksState,
  GUARDED_HOOKS,
  type GuardedHook,
  type HookState,
} from "../../../core/ports/git-hooks.ts";
import { writeOwnFile } from "../../files/own-folder.ts";
import { readLinkedText } from "../../files/plain-file.ts";
import { realPathOf } from "../../files/real-path.ts";
import type { Environment } from "../../process/environment.ts";
import { discover } from "../discover.ts";
import { configOf } from "../git.ts";
import { lastOf } from "../safe-config.ts";

export interface HooksContext {
  readonly root: string;
  readonly environment: Environment;
  /** The command that starts Pawl from a hook of this machine, quoted for a shell. */
  readonly own: string;
  /** The same for a hook that others share: without a path of this machine. */
  readonly shared: string;
  /** Variables that agents set for their child processes. */
  readonly marks: readonly string[];
}

/** Where a hook goes. */
interface HookFolder {
  readonly folder: string;
  /** The nearest parent that belongs to the repository: from there on no link is followed. */
  readonly inside: string;
  /** The folder is committed with the project. */
  readonly isShared: boolean;
}

export function openGitHooks(setup: HooksContext): GitHooks {
  return {
    async inspect(): Promise<GitHooksState> {
      const hookFolder = await folderOf(setup);
      if (typeof hookFolder === "string") return { kind: "left", reason: hookFolder };
      const hooks = GUARDED_HOOKS.map((name) => {
        const path = join(hookFolder.folder, name);
        const text = textIn(path);
        const lines = linesOf(setup, hookFolder, name);
        return { name, path, text, guard: guardIn(text, lines), script: `#!/bin/sh\n${lines}` };
      });
      return { kind: "found", folder: hookFolder.folder, hooks };
    },
    install: () => change(setup, (hookFolder, name) => put(setup, hookFolder, name), takenAside),
    uninstall: () => change(setup, removeLines),
  };
}

async function change(
  setup: HooksContext,
  apply: (hookFolder: HookFolder, name: GuardedHook) => boolean,
  inTheWay: (paths: readonly string[]) => string | undefined = () => undefined,
): Promise<GitHooksChange> {
  const hookFolder = await folderOf(setup);
  if (typeof hookFolder === "string") return { kind: "left", reason: hookFolder };
  const paths = GUARDED_HOOKS.map((name) => join(hookFolder.folder, name));
  const linked = paths.flatMap((path) => [path, path + ASIDE]).find(isLink);
  if (linked !== undefined)
    return { kind: "left", reason: `${linked} is a symbolic link, and Pawl follows none.` };
  const taken = inTheWay(paths);
  if (taken !== undefined)
    return {
      kind: "left",
      reason: `${taken} exists, and Pawl would have to move a hook there: move it away.`,
    };
  const changed = GUARDED_HOOKS.filter((name) => apply(hookFolder, name));
  return {
    ...{ kind: "done", folder: hookFolder.folder },
    changed: changed.map((name) => join(hookFolder.folder, name)),
    left: paths.map((path) => path + ASIDE).filter((aside) => existsSync(aside)),
  };
}

/** The folder, or why the hooks are left alone. */
async function folderOf({ environment, root }: HooksContext): Promise<HookFolder | string> {
  const repository = discover(root);
  if (repository?.top == null) return "There is no git repository with a working folder here.";
  const named = lastOf(await configOf({ folder: root, environment }), "core.hookspath");
  const [common, top] = [repository.common, repository.top].map(realPathOf) as [string, string];
  if (named === null)
    return requireUnlinked({ folder: join(common, "hooks"), inside: common, isShared: false });
  const home = environment.HOME || homedir();
  const given = resolve(top, named.startsWith("~/") ? join(home, named.slice(2)) : named);
  const folder = isAbsolute(named) ? realPathOf(given) : given;
  if (isIn(folder, common)) return requireUnlinked({ folder, inside: common, isShared: false });
  if (!isIn(folder, top))
    return `git's hooks are in ${folder} (core.hooksPath), outside of this repository. To guard commits too, call \`pawl guard git pre-commit\` and \`pawl guard git pre-push\` from there.`;
  // Husky rewrites this folder; each hook in it calls the one in the folder above.
  const isHusky = basename(folder) === "_" && basename(dirname(folder)) === ".husky";
  return requireUnlinked({ folder: isHusky ? dirname(folder) : folder, inside: top, isShared: true });
}

function requireUnlinked(hookFolder: HookFolder): HookFolder | string {
  if (realPathOf(hookFolder.folder) === hookFolder.folder) return hookFolder;
  return `${hookFolder.folder} is, or is behind, a symbolic link, and Pawl follows none.`;
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

const BEGIN = "# Pawl's guard: `pawl init --guard` writes these lines, `pawl init --no-guard` removes them.";
const END = "# The guard ends here.";

/** The text without the guard's lines, if it has any. */
function withoutLines(text: string): string {
  const start = text.indexOf(`${BEGIN}\n`);
  const end = start < 0 ? -1 : text.indexOf(`${END}\n`, start);
  return end < 0 ? text : text.slice(0, start) + text.slice(end + END.length + 1);
}

/** `whole` only if the lines are first: text before them could keep them from running. */
function guardIn(text: string | null, lines: string): HookState["guard"] {
  if (text?.replace(SHELL_LINE, "").startsWith(lines)) return "whole";
  return text?.includes(BEGIN) ? "differs" : "none";
}

/** Only these options: others, like `-n`, keep a shell from running the lines. */
const SHELL_LINE =
  /^#![ \t]*\/(?:\S*\/)?(?:env[ \t]+(?:-S[ \t]+)?)?(?:ba|da|k|z|a)?sh(?:[ \t]+-[eux]+)*[ \t]*(?:\n|$)/;

/**
 * The guard's lines. The guard reads no input, since a push's input belongs to the rest of the hook. They
 * skip agents of Pawl's own loop, which has its own limits. On a machine without Pawl, a person's commit
 * passes; an agent's is refused.
 */
function linesOf({ marks, own, shared }: HooksContext, { isShared }: HookFolder, name: string): string {
  const pawl = isShared ? shared : own;
  const agent = marks.map((mark) => `\${${mark}:-}`).join("");
  return `${BEGIN}
if [ -n "\${PAWL_RUN_MARK:-}" ]; then :
elif ${pawl} --version </dev/null >/dev/null 2>&1; then
  ${pawl} guard git ${name} </dev/null || exit 1
elif [ -n "${agent}" ]; then
  echo "Pawl cannot start here, and without its guard no agent passes ${name}: install Pawl first." >&2
  exit 1
else
  echo "Pawl cannot start here, so its guard does not check this ${name}." >&2
fi
${END}
`;
}

/** The suffix of a moved hook that no shell reads. */
const ASIDE = ".before-pawl";
const CALL_ASIDE = `exec "$0${ASIDE}" "$@"\n`;

/** The path that is in the way of a hook that has to move. */
function takenAside(paths: readonly string[]): string | undefined {
  const moving = paths.filter((path) => {
    const text = textIn(path);
    return text !== null && !isShell(withoutLines(text));
  });
  return moving.map((path) => path + ASIDE).find((aside) => existsSync(aside));
}

function put(setup: HooksContext, hookFolder: HookFolder, name: string): boolean {
  const path = join(hookFolder.folder, name);
  const lines = linesOf(setup, hookFolder, name);
  const text = textIn(path);
  if (guardIn(text, lines) === "whole") return false;
  const before = text && withoutLines(text);
  if (text === null || before === null) write(hookFolder, name, `#!/bin/sh\n${lines}`, 0o755);
  else if (isShell(before)) {
    const [first = ""] = SHELL_LINE.exec(before) ?? [];
    const head = first === "" || first.endsWith("\n") ? first : `${first}\n`;
    write(hookFolder, name, `${head}${lines}${before.slice(first.length)}`, modeOf(path));
  } else {
    // It may be a binary, so copy bytes.
    if (before === text) copyFileSync(path, path + ASIDE, constants.COPYFILE_EXCL);
    else write(hookFolder, name + ASIDE, before, modeOf(path));
    write(hookFolder, name, `#!/bin/sh\n${lines}${CALL_ASIDE}`, modeOf(path));
  }
  return true;
}

function removeLines(hookFolder: HookFolder, name: string): boolean {
  const path = join(hookFolder.folder, name);
  const text = textIn(path);
  if (text === null) return false;
  const rest = withoutLines(text);
  if (rest === text) return false;
  const isBare = rest === "#!/bin/sh\n";
  const isWrapper = rest === `#!/bin/sh\n${CALL_ASIDE}`;
  if (isWrapper && existsSync(path + ASIDE)) renameSync(path + ASIDE, path);
  else if (isBare || isWrapper) rmSync(path);
  else write(hookFolder, name, rest, modeOf(path));
  return true;
}

/** Git and husky run a hook without a `#!` line by a shell. */
function isShell(text: string): boolean {
  return !/[\0\uFFFD]/.test(text) && (!text.startsWith("#!") || SHELL_LINE.test(text));
}

/** Null: the file is missing. */
function textIn(path: string): string | null {
  return attempt(() => readLinkedText(path), null);
}

function modeOf(path: string): number {
  return lstatSync(path).mode & 0o777;
}

function write({ folder, inside }: HookFolder, name: string, text: string, mode: number): void {
  const way = join(relative(inside, folder), name).split(sep).join("/");
  writeOwnFile(inside, way, text, mode);
}

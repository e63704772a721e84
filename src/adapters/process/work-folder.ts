/**
 * Where the workspaces of a project's tasks are: `$XDG_STATE_HOME/pawl/work/<project>/`, by the real path of
 * the project's root. No folder of the project contains it, and it contains none of the project's.
 */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { hashOf } from "../../core/hash.ts";
import type { AgentFolder } from "../../core/ports/worktrees.ts";
import { baseFolder } from "./base-folder.ts";
import type { Environment } from "./environment.ts";

/** The file with the root of the folder's project. */
export const OWNER = "project.json";

/** The folder for the project at `root`. Does not create it. */
export function workFolder(root: string, environment: Environment): string {
  const real = realpathSync(root);
  const name =
    basename(real)
      .replace(/[^A-Za-z0-9.-]/g, "-")
      .replace(/^[.-]+/, "")
      .slice(0, 40) || "project";
  return join(workBase(environment), `${name}-${hashOf(real).slice(0, 10)}`);
}

function workBase(environment: Environment): string {
  return join(baseFolder(environment, "XDG_STATE_HOME"), "work");
}

/** The project of the workspace that a folder is in; null: the folder is in none. */
export function ownerOf(folder: string, environment: Environment): string | null {
  const base = attempt(() => realpathSync(workBase(environment)), null);
  if (base === null) return null;
  const [name = "..", ...rest] = relative(
    base,
    attempt(() => realpathSync(folder), folder),
  ).split(sep);
  if (name === "" || name === ".." || rest.length === 0) return null;
  return attempt(() => {
    const { root } = JSON.parse(readFileSync(join(base, name, OWNER), "utf8")) as { root: string };
    return realpathSync(workFolder(root, environment)) === join(base, name) ? root : null;
  }, null);
}

const TOP = /^(.*[\\/]pawl[\\/]work[\\/][^\\/]+[\\/][^\\/]+)[\\/]([^\\/]+)/;

/** The top of the workspace that the folder is in; returns any other folder unchanged. */
export function topOf(folder: AgentFolder): AgentFolder {
  const [top] = TOP.exec(folder.agentPath) ?? [];
  return top === undefined ? folder : { agentPath: top };
}

/** Whether the folder is in a workspace. */
export function isWorkspace({ agentPath }: AgentFolder): boolean {
  return TOP.test(agentPath);
}

/** The folder's path from the top of its workspace. */
export function prefixOf(folder: AgentFolder): readonly string[] {
  return relative(topOf(folder).agentPath, folder.agentPath).split(sep).filter(Boolean);
}

/** A file or folder of Pawl's own beside the workspace, invisible to programs that work in it. */
export function beside({ agentPath }: AgentFolder, kind: string): string {
  const [, base = dirname(agentPath), name = basename(agentPath)] = TOP.exec(agentPath) ?? [];
  return join(base, `@${kind}-${name}`);
}

/** The person's git configuration for the project, for every git in the workspace. */
export const GIT_CONFIG = "config";
/** Places outside to which this configuration, or the hub, points: readable behind the wall. */
export const GIT_READS = "reads";

export function gitReads(folder: AgentFolder): readonly string[] {
  if (!isWorkspace(folder)) return [];
  return attempt(() => JSON.parse(readFileSync(beside(folder, GIT_READS), "utf8")) as string[], []);
}

/**
 * The environment of every program in a workspace: the person's git configuration, and a variable that keeps
 * git from searching for a repository above.
 */
export function workspaceEnvironment(folder: AgentFolder): Readonly<Record<string, string>> {
  const [, base] = TOP.exec(folder.agentPath) ?? [];
  if (base === undefined) return {};
  const config = beside(folder, GIT_CONFIG);
  return {
    GIT_CEILING_DIRECTORIES: base,
    ...(existsSync(config) ? { GIT_CONFIG_GLOBAL: config } : {}),
  };
}

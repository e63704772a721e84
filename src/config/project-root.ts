import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { discover } from "../adapters/git/discover.ts";
import { keepProgramsFrom } from "../adapters/process/programs.ts";
import { ownerOf } from "../adapters/process/work-folder.ts";
import { PawlError } from "../core/error.ts";
import type { Environment } from "./config.ts";

const MARKERS = ["pawl.yaml", ".alfred", ".ai", "tasks.yaml"];

export interface RootWanted {
  readonly cwd: string;
  /** `$PAWL_PROJECT`, and the place of the workspaces. */
  readonly environment: Environment;
  /** `--project` */
  readonly option: string | undefined;
  /** `--file` or `$BLOOM_TASKS_FILE`: selects the project around this file. */
  readonly tasksFile?: string | undefined;
  /** If there is no project, the repository's root, or else the working directory, becomes one. */
  readonly create: boolean;
}

/**
 * The project's root, absolute: the option, the variable, or the nearest parent that has a marker. In a
 * task's workspace it is the project that owns it. From then on, no program in the project is started by its
 * name. Throws `config-invalid`, `project-missing` and `usage`.
 */
export function findRoot(wanted: RootWanted): string {
  const root = searchRoot(wanted);
  // Ignoring it would silently drop the project's policy.
  if (misnamed(root, "pawl"))
    throw new PawlError("config-invalid", `${join(root, "pawl.yml")} is not read.`, renaming("pawl"));
  keepProgramsFrom(root);
  return root;
}

function searchRoot(wanted: RootWanted): string {
  if (wanted.option !== undefined) return namedRoot(wanted.cwd, wanted.option, "--project");
  const { PAWL_PROJECT: variable } = wanted.environment;
  if (variable) return namedRoot(wanted.cwd, variable, "$PAWL_PROJECT");
  if (wanted.tasksFile) return rootOfTasksFile(resolve(wanted.cwd, wanted.tasksFile), wanted.environment);
  const start = outerProject(wanted.cwd, wanted.environment);
  const root = nearestParent(start, MARKERS) ?? (wanted.create ? (discover(start)?.top ?? start) : null);
  if (root !== null) return root;
  const other = ["pawl", "tasks"].find((name) => misnamed(start, name));
  throw new PawlError(
    "project-missing",
    `There is no Pawl project here: neither ${start} nor any folder above it has ${MARKERS.slice(0, -1).join(", ")} or ${MARKERS.at(-1)}.`,
    other
      ? renaming(other)
      : "Run `pawl init` in your project's folder, or name the project with --project DIR.",
  );
}

function misnamed(folder: string, name: string): boolean {
  return existsSync(join(folder, `${name}.yml`)) && !existsSync(join(folder, `${name}.yaml`));
}

const renaming = (name: string) => `Rename it: \`mv ${name}.yml ${name}.yaml\`.`;

/** The project around a tasks file. Without one, the file's folder becomes the project. */
function rootOfTasksFile(file: string, environment: Environment): string {
  if (!existsSync(file))
    throw new PawlError(
      "tasks-missing",
      `The tasks file ${file} does not exist; --file or $BLOOM_TASKS_FILE names it.`,
      "Name an existing file, or leave both out to use the project's tasks.yaml.",
    );
  const start = outerProject(dirname(file), environment);
  return nearestParent(start, MARKERS) ?? start;
}

function namedRoot(cwd: string, folder: string, source: string): string {
  const root = resolve(cwd, folder);
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory()) return root;
  throw new PawlError(
    "usage",
    `${source} names ${JSON.stringify(folder)}, which is not a folder: expected the root of a project.`,
    `Give ${source} the path of an existing folder.`,
  );
}

/** A workspace holds copies of the project's files, markers too. */
function outerProject(folder: string, environment: Environment): string {
  return ownerOf(folder, environment) ?? folder;
}

function nearestParent(start: string, names: readonly string[]): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    if (names.some((name) => existsSync(join(folder, name)))) return folder;
    if (dirname(folder) === folder) return null;
  }
}

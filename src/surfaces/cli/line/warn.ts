/** Conditions that stop no command: each is a warning on standard error. */
import { projectPath } from "../../../core/path.ts";
import { loadWorkflows, type Project } from "../../../runtime/project.ts";
import { clean } from "../terminal/terminal.ts";
import type { Host } from "./command.ts";

/** A tasks file in a checkout whose tasks are in a database: edits to it have no effect. */
export async function warnOfTasksFile(
  { name, terminal }: Pick<Host, "name" | "terminal">,
  { database, files, runtime }: Project,
): Promise<void> {
  if (!database) return;
  const view = files.view();
  const path = projectPath((await runtime.settings(view)).bloom.tasks_file);
  if ((await view.read(path)) === null) return;
  terminal.err(
    `${name}: warning: ${path} here does not count: the tasks are in the database. \`${name} import ${path}\` brings its edits there; then remove it.\n`,
  );
}

/** A place where people make no project on purpose, but by being in another folder than they think. */
export async function warnOfLocation({ machine, name, terminal }: Host, { root }: Project): Promise<void> {
  const { isHome, isInRepository } = await machine.situation(root);
  const words = isHome
    ? `is your home folder, and becomes the project of every folder in it; \`${name} uninstall\` takes it back`
    : "is in no git repository, so Pawl cannot tell what a task changed; `git init` makes one";
  if (isHome || !isInRepository) terminal.err(`${name}: warning: ${clean(root)} ${words}.\n`);
}

/**
 * Unusable custom workflows. Prints one line on standard error for each. `about`: the run that the command concerns; the command reports
 * its workflow's error itself.
 */
export async function warnOfFaults({ workflows, terminal, name }: Host, about = ""): Promise<void> {
  for (const { name: workflow, fault } of await loadWorkflows(workflows)) {
    if (!fault || about.startsWith(`${workflow}:`)) continue;
    terminal.err(
      `${name}: warning: the workflow ${workflow} cannot be used; \`${name} check ${workflow}\` says why.\n`,
    );
  }
}

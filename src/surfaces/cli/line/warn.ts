/** Warns of unusable custom workflows. They stop nothing else, so each command only warns, once. */
import { loadWorkflows } from "../../../runtime/project.ts";
import type { Host } from "./command.ts";

/**
 * Prints one line on standard error for each. `about`: the run that the command concerns; the command reports
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

/** A custom workflow that cannot be used stops nothing else; each command warns once. */
import { loadWorkflows } from "../../../runtime/project.ts";
import type { Host } from "./command.ts";

/** One line on standard error for each. `meant`: the run that the command is about, whose own error follows anyway. */
export async function warnOfFaults({ workflows, terminal, name }: Host, about = ""): Promise<void> {
  for (const { name: workflow, fault } of await loadWorkflows(workflows)) {
    if (!fault || about.startsWith(`${workflow}:`)) continue;
    terminal.err(
      `${name}: warning: the workflow ${workflow} cannot be used; \`${name} check ${workflow}\` says why.\n`,
    );
  }
}

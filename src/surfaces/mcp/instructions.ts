import type { WorkflowModule } from "../../runtime/module.ts";

type Described = Pick<WorkflowModule, "name" | "title" | "summary" | "guidance">;

/** The rules for every workflow, for a model. */
export const RULES = [
  "Pawl keeps work on a written workflow. Each tool call moves a run by one step, and its reply says what to do next:",
  "do exactly that, then report it with the tool that the reply names. A refused call changed nothing and says what",
  "was expected. Approvals belong to whom the reply names: where it is the human, ask and pass on their words; never",
  "decide for them. Everything is on disk: after a restart, call the same tool again and go on.",
].join("\n");

/** The server's instructions for a model: what Pawl is, and how to start each served workflow. */
export function renderInstructions(root: string, modules: readonly Described[]): string {
  const workflows = modules.map(
    ({ title, summary, guidance }) => `${title}: ${summary}${guidance ? ` ${guidance}` : ""}`,
  );
  return [RULES, "", `Project: ${root}`, "", ...workflows].join("\n");
}

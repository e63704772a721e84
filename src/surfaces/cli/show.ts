import { PawlError } from "../../base/error.ts";
import { advance } from "../../runtime/advance.ts";
import { findRun } from "../../runtime/overview.ts";
import { loadWorkflows, type Project } from "../../runtime/project.ts";
import type { Reply, WorkflowModule } from "../../workflows/module.ts";
import type { Host, Run } from "./command.ts";
import { answerOf } from "./verb.ts";

/** A run's whole story, as its workflow tells it; what has not begun is shown as what it is, a task. */
export const show: Run = async (host, call) => {
  const project = await host.project();
  const name = String(call.arguments.run);
  try {
    const { module, run, id } = await findRun(project, name);
    return answerOf(await tell(project, host, module, run, id));
  } catch (thrown) {
    if (!(thrown instanceof PawlError) || thrown.code !== "run-missing") throw thrown;
    const told = await tellTask(project, host, name);
    if (told === null) throw thrown;
    return answerOf(told);
  }
};

async function tell(
  project: Project,
  host: Host,
  module: WorkflowModule,
  run: string,
  id: string,
): Promise<Reply> {
  if (module.story) {
    return (await advance(project.runtime, await module.story(), { id }, host.caller)).reply;
  }
  throw new PawlError(
    "no-effect",
    `${module.title} tells no story of ${run}.`,
    "`pawl status` shows where each run stands.",
  );
}

/** By the first workflow that knows a task of that id; null: none does. */
async function tellTask(project: Project, host: Host, id: string): Promise<Reply | null> {
  for (const module of await loadWorkflows(project.workflows)) {
    if (!module.story) continue;
    try {
      return await tell(project, host, module, id, id);
    } catch (thrown) {
      if (!(thrown instanceof PawlError) || !/^(run|tasks?|project)-missing$/.test(thrown.code)) throw thrown;
    }
  }
  return null;
}

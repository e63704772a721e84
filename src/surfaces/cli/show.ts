import { PawlError } from "../../base/error.ts";
import { advance } from "../../runtime/advance.ts";
import { findRun } from "../../runtime/overview.ts";
import type { Run } from "./command.ts";
import { answerOf } from "./verb.ts";

/** A run's whole story, as its workflow tells it. */
export const show: Run = async (host, call) => {
  const project = await host.project();
  const { module, run, id } = await findRun(project, String(call.arguments.run));
  if (!module.story) {
    throw new PawlError(
      "no-effect",
      `${module.title} tells no story of ${run}.`,
      "`pawl status` shows where each run stands.",
    );
  }
  const { reply } = await advance(project.runtime, await module.story(), { id }, host.caller);
  return answerOf(reply);
};

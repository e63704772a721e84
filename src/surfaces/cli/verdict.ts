import { PawlError } from "../../core/error.ts";
import { findRun } from "../../runtime/overview.ts";
import type { Run } from "./command.ts";
import { lookAtGuard } from "./guard-proof.ts";
import { advanceAsking } from "./person.ts";
import { answerOf } from "./run-verb.ts";
import { clean } from "./terminal.ts";

export const approve: Run = verdict(true);
export const reject: Run = verdict(false);

/** A person's verdict on what the run has under review, given at the terminal. */
function verdict(isApproval: boolean): Run {
  return async (host, call) => {
    const project = await host.project();
    const { module, run, id } = await findRun(project, String(call.arguments.run));
    if (module.fault) throw module.fault;
    if (!module.gate) {
      throw new PawlError(
        "no-effect",
        `${run} has no gate: people approve or reject nothing in ${module.title}.`,
        "`pawl status` shows what each run waits for.",
      );
    }
    const notes = call.options.notes;
    const input = { id, approve: isApproval, ...(typeof notes === "string" ? { notes } : {}) };
    const beside = async () => (await lookAtGuard(host, project))?.words ?? null;
    const { reply } = await advanceAsking(host, project.runtime, await module.gate(), input, beside);
    const { message } = reply.data;
    if (reply.refused || typeof message !== "string") return answerOf(reply);
    return { text: `${clean(message).trimEnd()}\nTell your assistant to continue.\n`, data: reply.data };
  };
}

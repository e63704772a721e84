import { PawlError } from "../../../core/error.ts";
import { findRun } from "../../../runtime/reports/overview.ts";
import type { Run } from "../line/command.ts";
import { answerOf } from "../line/run-verb.ts";
import { runAsking } from "../terminal/person.ts";

/** A person adopts a run that others moved, or chooses which of its branches counts. */
export const adopt: Run = async (host, call) => {
  const project = await host.projects.open();
  const { id, module, run } = await findRun(project, String(call.arguments.run));
  if (module.fault) throw module.fault;
  if (!module.records)
    throw new PawlError(
      "no-effect",
      `${run} cannot be adopted: runs of ${module.title} have no records of their own.`,
      "`pawl status` shows what each run waits for.",
    );
  const { branch } = call.options;
  const input = { id, ...(typeof branch === "string" ? { branch } : {}) };
  const transaction = (await module.records()).adopt(project.lives);
  return answerOf((await runAsking(host, project.runtime, transaction, input)).reply);
};

import { findRun } from "../../../runtime/reports/overview.ts";
import { shareRun } from "../../../runtime/run-log/share-run.ts";
import type { Run } from "../line/command.ts";
import { answerOf } from "../line/run-verb.ts";
import { runAsking } from "../terminal/person.ts";

/** Writes the records that a run lacks now. */
export const share: Run = async (host, call) => {
  const project = await host.projects.open();
  const { id, module } = await findRun(project, String(call.arguments.run));
  if (module.fault) throw module.fault;
  return answerOf((await runAsking(host, project.runtime, shareRun(module), { id })).reply);
};

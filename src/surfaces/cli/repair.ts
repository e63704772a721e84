import { overview } from "../../runtime/overview.ts";
import type { Run } from "./command.ts";
import { clean } from "./terminal.ts";

/** Opening the project replays what was committed and not yet applied; what cannot be read is named with its fix. */
export const repair: Run = async (host) => {
  const project = await host.project();
  const workflows = await overview(project);
  const problems = workflows.flatMap((workflow) => [
    ...(workflow.problem ? [{ run: workflow.name, ...workflow.problem }] : []),
    ...workflow.runs.flatMap(({ run, problem }) => (problem ? [{ run, ...problem }] : [])),
  ]);
  const text =
    problems.length === 0
      ? "Nothing is damaged: the journal is replayed, and every run can be read.\n"
      : problems
          .map(({ run, message, fix }) => `${clean(run)}\n  ${clean(message)}\n  ${clean(fix)}\n`)
          .join("");
  return { text, data: { problems }, ...(problems.length > 0 ? { exit: 1 as const } : {}) };
};

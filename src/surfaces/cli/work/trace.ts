import { PawlError } from "../../../core/error.ts";
import { findInLog, loadTrace } from "../../../runtime/reports/load-trace.ts";
import type { Run } from "../line/command.ts";
import { renderTrace } from "../terminal/render-trace.ts";

/** Prints a run as a tree of spans with their durations. */
export const trace: Run = async (host, call) => {
  const project = await host.projects.open();
  const run = await findInLog(project, call.arguments.run as string);
  const spans = await loadTrace(project, run);
  if (spans.length === 0)
    throw new PawlError(
      "run-missing",
      `The event log has no work on ${run}: it has not started, or its events are gone.`,
      `\`pawl log ${run}\` shows what is known of it.`,
    );
  return { text: renderTrace(spans, Date.now(), host.terminal), data: { run, spans } };
};

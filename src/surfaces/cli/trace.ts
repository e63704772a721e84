import { PawlError } from "../../core/error.ts";
import { findInLog, loadTrace } from "../../runtime/load-trace.ts";
import type { Run } from "./command.ts";
import { renderTrace } from "./render-trace.ts";

/** A run as a tree of spans with their durations; with `--otlp`, also as a file for a tracing tool. */
export const trace: Run = async (host, call) => {
  const project = await host.project();
  const run = await findInLog(project, call.arguments.run as string);
  const spans = await loadTrace(project, run);
  if (spans.length === 0)
    throw new PawlError(
      "run-missing",
      `The event log has no work on ${run}: it has not started, or its events are gone.`,
      `\`pawl log ${run}\` shows what is known of it.`,
    );
  const file = call.options.otlp as string | undefined;
  if (file === undefined)
    return { text: renderTrace(spans, Date.now(), host.terminal), data: { run, spans } };
  const written = await host.writeTrace(spans, file);
  return { text: `Wrote ${written} spans of ${run} to ${file}, as OTLP/JSON.\n`, data: { run, file, spans } };
};

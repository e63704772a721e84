import type { PawlEvent } from "../../core/event.ts";
import { runOf } from "../../core/event-lines.ts";
import { type EventLog, originOf } from "../../core/ports/event-log.ts";
import { loadWorkflow, type Project, type Workflows } from "../project.ts";
import { type Digest, openDigest, wholeLog } from "./log-digest.ts";
import { ambiguousRunError, findRun } from "./overview.ts";
import { openTrace, type Trace, type TracedRun, type TraceSpan } from "./trace.ts";

/** A run's spans, from the log as it is; an unfinished span has no end. */
export async function loadTrace(
  project: Pick<Project, "eventLog" | "runtime" | "workflows">,
  run: string,
): Promise<readonly TraceSpan[]> {
  const log = await wholeLog(project);
  const ended: TraceSpan[] = [];
  const digest = await openTraceDigest({ log, runs: [run], workflows: project.workflows }, (spans) =>
    ended.push(...spans),
  );
  const open = (await digest?.of(log))?.get(run)?.open() ?? [];
  return [...ended, ...open];
}

/**
 * The run's whole name, even if it is over and only the log has it. Throws `run-missing` or `run-ambiguous`.
 */
export async function findInLog(
  project: Pick<Project, "eventLog" | "runtime" | "workflows">,
  name: string,
): Promise<string> {
  const digest = openDigest<Set<string>>({
    containing: [inJson(name)],
    make: () => new Set(),
    take(runs, event) {
      const run = runOf(event);
      if (run === name || run?.slice(run.indexOf(":") + 1) === name) runs.add(run);
    },
  });
  const runs = [...(await digest.of(await wholeLog(project)))];
  const [run] = runs;
  if (run === undefined) return (await findRun(project, name)).run;
  if (runs.length === 1) return run;
  throw ambiguousRunError(name, runs);
}

/** A run's id and the closing quote, as in a line of the log. */
function inJson(run: string): string {
  return `${JSON.stringify(run.slice(run.indexOf(":") + 1)).slice(1, -1)}"`;
}

interface TracedRuns {
  readonly log: EventLog;
  readonly runs: readonly string[];
  readonly workflows: Workflows;
}

/**
 * Traces several runs in one pass over the log. `onEnd`: the spans that an event ended, each time that the
 * log is read. Null: there is no log yet.
 */
export async function openTraceDigest(
  { log, runs, workflows }: TracedRuns,
  onEnd: (spans: readonly TraceSpan[], by: PawlEvent) => void,
): Promise<Digest<ReadonlyMap<string, Trace>> | null> {
  if ((await log.position()) === null) return null;
  const traced = await Promise.all(
    runs.map(async (run) => ({
      origin: (await originOf(log, run)) ?? "",
      run,
      finals: await finalsOf(workflows, run),
    })),
  );
  return openDigest<ReadonlyMap<string, Trace>>({
    containing: runs.map(inJson),
    make: () => new Map(traced.map((each) => [each.run, openTrace(each)])),
    take(traces, event) {
      const spans = traces.get(runOf(event) ?? "")?.take(event) ?? [];
      if (spans.length > 0) onEnd(spans, event);
    },
  });
}

/** An unknown or faulty workflow has no known final states. */
async function finalsOf(workflows: Workflows, run: string): Promise<TracedRun["finals"]> {
  try {
    const module = await loadWorkflow(workflows, run.slice(0, run.indexOf(":")));
    return new Map(
      (await module.tables()).map(({ workflow }) => [
        workflow.name,
        new Set(Object.entries(workflow.states).flatMap(([name, { final }]) => (final ? [name] : []))),
      ]),
    );
  } catch {
    return new Map();
  }
}

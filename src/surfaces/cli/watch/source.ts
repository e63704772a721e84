/** The data of the screen of `pawl watch`, refreshed soon after each event. */
import { attempt } from "../../../core/attempt.ts";
import { toPawlError } from "../../../core/error.ts";
import type { PawlEvent } from "../../../core/event.ts";
import { lineOf, runOf } from "../../../core/event-lines.ts";
import type { LogEntry } from "../../../core/ports/event-log.ts";
import { loadWorkflows, type Project } from "../../../runtime/project.ts";
import { overview } from "../../../runtime/reports/overview.ts";
import { aroundOf } from "../../../runtime/reports/overview-context.ts";
import { waiting } from "../../../runtime/review/load.ts";
import { type Row, rowsOf } from "./rows.ts";
import type { Source } from "./screen.ts";

const SETTLE_MILLISECONDS = 150;
/** Refresh at least this often, because files are also edited without an event, and ages grow. */
const AGAIN_MILLISECONDS = 10_000;
const MOST_EVENTS = 500;
const MOST_HAPPENED = 4;
const MOST_SAID = 4;

export interface OpenSource extends Source {
  load(): Promise<void>;
  close(): void;
}

/** `tail`: the latest output of an agent's run. */
export async function openSource(
  project: Project,
  tail: (agentRun: string) => readonly string[],
): Promise<OpenSource> {
  const log = await project.eventLog();
  const changed = new Set<() => void>();
  let rows: readonly Row[] = [];
  let lines: ReadonlyMap<string, readonly string[]> = new Map();
  let agents: ReadonlyMap<string, string> = new Map();
  let fault: string | null = null;
  let underway: Promise<void> | null = null;
  let again: NodeJS.Timeout | undefined;

  const look = async () => {
    try {
      const [waits, workflows, end] = await Promise.all([waiting(project), overview(project), log.look()]);
      const entries = end === null ? [] : await log.readBack({ before: end.end, limit: MOST_EVENTS });
      rows = rowsOf(waits, workflows);
      lines = linesIn(entries);
      agents = await agentsOf(project);
      fault = null;
    } catch (thrown) {
      fault = toPawlError(thrown).message;
    }
    for (const each of changed) each();
  };
  const load = async () => {
    underway ??= look().finally(() => {
      underway = null;
    });
    await underway;
  };
  const watching = log.watch(() => {
    again ??= setTimeout(() => {
      again = undefined;
      void load();
    }, SETTLE_MILLISECONDS);
  });
  const ticking = setInterval(() => void load(), AGAIN_MILLISECONDS);
  return {
    load,
    rows: () => rows,
    lines({ run }) {
      const agentRun = agents.get(run);
      const said = agentRun === undefined ? [] : tail(agentRun).slice(-MOST_SAID);
      return [...(lines.get(run) ?? []).slice(-MOST_HAPPENED), ...said.map((line) => `> ${line}`)];
    },
    fault: () => fault,
    subscribe(each) {
      changed.add(each);
      return () => changed.delete(each);
    },
    now: () => project.runtime.now().getTime(),
    close() {
      clearTimeout(again);
      clearInterval(ticking);
      watching.close();
    },
  };
}

/** For each run, its agent's run that is under way. */
async function agentsOf(project: Project): Promise<ReadonlyMap<string, string>> {
  const view = project.runtime.store.view();
  const around = aroundOf(project.runtime, view);
  const agents = new Map<string, string>();
  for (const { board, name } of await loadWorkflows(project.workflows)) {
    if (!board) continue;
    for (const { agentRun, id } of (await (await board()).load(view, around)).tasks)
      if (agentRun !== null) agents.set(`${name}:${id}`, agentRun);
  }
  return agents;
}

/** The lines of each run, the oldest first. */
function linesIn(newestFirst: readonly LogEntry[]): ReadonlyMap<string, readonly string[]> {
  const lines = new Map<string, string[]>();
  for (const { text } of newestFirst.toReversed()) {
    const event = attempt(() => JSON.parse(text) as PawlEvent, null);
    const run = event && runOf(event);
    if (!run) continue;
    lines.set(run, [...(lines.get(run) ?? []), `${event.time.slice(11, 19)} ${lineOf(event)[0]}`]);
  }
  return lines;
}

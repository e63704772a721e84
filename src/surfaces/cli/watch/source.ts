/** The data of the screen of `pawl watch`, refreshed soon after each event. */
import { attempt } from "../../../core/attempt.ts";
import { toPawlError } from "../../../core/error.ts";
import type { PawlEvent } from "../../../core/event.ts";
import { lineOf, runOf } from "../../../core/event-lines.ts";
import type { LogEntry } from "../../../core/ports/event-log.ts";
import type { TaskCard } from "../../../runtime/board.ts";
import { loadWorkflows, type Project } from "../../../runtime/project.ts";
import { overview } from "../../../runtime/reports/overview.ts";
import { overviewContext } from "../../../runtime/reports/overview-context.ts";
import { reviewOf, type Waiting } from "../../../runtime/review/load.ts";
import type { Review } from "../../../runtime/review/model.ts";
import { inTurn, waitingIn } from "../../../runtime/review/queue.ts";
import { accountsIn, accountsLine } from "../work/status.ts";
import { type Row, rowsOf } from "./rows.ts";
import type { Source } from "./screen.ts";

const SETTLE_MILLISECONDS = 150;
/** Refresh at least this often, because files are also edited without an event, and ages grow. */
const AGAIN_MILLISECONDS = 10_000;
const MAX_EVENTS = 500;
const MAX_EVENTS_SHOWN = 8;
const MAX_LINES = 12;
const READING = "What was found is being read…";

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
  const reviews = openReviews(project, () => {
    for (const each of changed) each();
  });
  let rows: readonly Row[] = [];
  let lines: ReadonlyMap<string, readonly string[]> = new Map();
  let accounts: string | null = null;
  let fault: string | null = null;
  let underway: Promise<void> | null = null;
  let again: NodeJS.Timeout | undefined;

  const refresh = async () => {
    try {
      const [workflows, end] = await Promise.all([overview(project), log.position()]);
      const entries = end === null ? [] : await log.readBack({ before: end.end, limit: MAX_EVENTS });
      const waits = workflows.flatMap(({ runs }) => runs.flatMap(waitingIn)).map(reviews.withMinutes);
      rows = rowsOf(inTurn(waits, project.runtime.now()), workflows, await tasksOf(project));
      accounts = accountsLine(accountsIn(workflows));
      lines = linesIn(entries);
      fault = workflows.find(({ problem }) => problem)?.problem?.message ?? null;
    } catch (thrown) {
      fault = toPawlError(thrown).message;
    }
    for (const each of changed) each();
  };
  const load = async () => {
    underway ??= refresh().finally(() => {
      underway = null;
    });
    await underway;
  };
  const watching = log.watch(() => {
    again ??= setTimeout(() => {
      again = undefined;
      reviews.forget();
      void load();
    }, SETTLE_MILLISECONDS);
  });
  const ticking = setInterval(() => void load(), AGAIN_MILLISECONDS);
  return {
    load: async () => {
      reviews.forget();
      await load();
    },
    rows: () => rows,
    findings(row) {
      const agentRun = row.task?.agentRun ?? null;
      return {
        ...(row.kind === "gate" ? reviews.of(row) : { review: null, missing: null }),
        said: agentRun === null ? [] : tail(agentRun).slice(-MAX_LINES),
        events: (lines.get(row.run) ?? []).slice(-MAX_EVENTS_SHOWN),
      };
    },
    accounts: () => accounts,
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

interface KnownReview {
  readonly review: Review | null;
  readonly missing: string | null;
  /** Something has happened since it was made. */
  isOld: boolean;
}

/** Reviews are made only for rows that the person opens, one at a time, since each starts processes. */
function openReviews(project: Project, changed: () => void) {
  const reviews = new Map<string, KnownReview>();
  let underway: string | null = null;
  const make = async (key: string, run: string) => {
    underway = key;
    const made = await reviewOf(project, run).then(
      (review) => ({ review, missing: review === null ? "It waits for no verdict now." : null }),
      (thrown: unknown) => ({ review: null, missing: toPawlError(thrown).message }),
    );
    reviews.set(key, { ...made, isOld: false });
    underway = null;
    changed();
  };
  return {
    of({ run, since }: Pick<Row, "run" | "since">): Pick<KnownReview, "missing" | "review"> {
      const key = keyOf(run, since);
      const stored = reviews.get(key);
      if ((stored === undefined || stored.isOld) && underway === null) void make(key, run);
      return stored ?? { review: null, missing: READING };
    },
    withMinutes(waiting: Waiting): Waiting {
      const minutes = reviews.get(keyOf(waiting.run, waiting.since))?.review?.size.minutes;
      return { ...waiting, minutes: waiting.minutes ?? minutes ?? null };
    },
    forget() {
      for (const each of reviews.values()) each.isOld = true;
    },
  };
}

/** Includes `since`: a new hand-in waits since a new time. */
function keyOf(run: string, since: string | null): string {
  return JSON.stringify([run, since]);
}

/** By run. */
async function tasksOf(project: Project): Promise<ReadonlyMap<string, TaskCard>> {
  const view = project.runtime.store.view();
  const context = overviewContext(project.runtime, view);
  const tasks = new Map<string, TaskCard>();
  for (const { board, name } of await loadWorkflows(project.workflows)) {
    if (!board) continue;
    for (const task of (await (await board()).load(view, context)).tasks)
      tasks.set(`${name}:${task.id}`, task);
  }
  return tasks;
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

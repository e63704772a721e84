/** Bloom's tasks for the board: columns, workers, questions and costs. */
import type { PawlEvent } from "../../core/event.ts";
import type { View } from "../../core/ports/store.ts";
import type { BoardTasks, Overlap, TaskBoard, TaskCard } from "../../runtime/board.ts";
import type { OverviewContext } from "../../runtime/module.ts";
import type { CostRow, Costs } from "../../runtime/reports/costs.ts";
import { withInput } from "../../runtime/transaction/transaction.ts";
import {
  type AgentRest,
  activeRests,
  agentOf,
  awaitedRest,
  firstToEnd,
  listAccounts,
  loadAccounts,
  type Rests,
  restReason,
  restsIn,
  shownRest,
} from "../../scheduler/agent-rest.ts";
import { getCurrentStepForTask } from "../../tasks-file/steps.ts";
import { eachTask, type PlacedTask, type Task } from "../../tasks-file/task.ts";
import { awaitsVerdict } from "./judged.ts";
import { heldTasks } from "./lease.ts";
import { filesNamed } from "./overlap.ts";
import { readTasks } from "./overview.ts";
import { heldByCancelled, isClosed, nowReady, takeable } from "./pick.ts";
import { loadQuestions, type Question } from "./question.ts";
import {
  type SchedulingStatus,
  type SchedulingStatuses,
  schedulingStatuses,
} from "./run/scheduling-status.ts";
import { withOthers } from "./run/shared.ts";
import { OVER } from "./run/table.ts";
import { listRuns, loadRuns, nameOfRun, type Runs, reasonOf, type TaskRun } from "./run/task-run.ts";
import { loadTail } from "./verbs/failed-output.ts";

export const BOARD: TaskBoard = {
  load: loadBoard,
  acts: {
    answer: async () =>
      withInput((await import("./verbs/question.ts")).answer, ({ id, words }) => ({
        question: id,
        text: words,
      })),
    interject: async () =>
      withInput((await import("./verbs/question.ts")).interject, ({ id, words }) => ({
        task: id,
        text: words,
      })),
    stop: async () =>
      withInput((await import("./verbs/status.ts")).block, ({ id, words }) => ({
        id,
        reason: words.trim() === "" ? "stopped by a person" : words,
      })),
    retry: async () => withInput((await import("./verbs/status.ts")).ready, ({ id }) => ({ id })),
    hint: async () =>
      withInput((await import("./verbs/status.ts")).hint, ({ id, words }) => ({ id, reason: words })),
    take: async () => withInput((await import("./verbs/status.ts")).start, ({ id }) => ({ id })),
    cancel: async () =>
      withInput((await import("./verbs/cancel.ts")).cancel, ({ id, words }) => ({ id, reason: words })),
  },
  edit: async () => (await import("./verbs/edit.ts")).editTask,
  costs: openCosts,
};

async function loadBoard(view: View, context: OverviewContext): Promise<BoardTasks> {
  const file = await readTasks(view, context);
  if (file === null) return { tasks: [], overlaps: [], accounts: [], queued: 0 };
  const placed = eachTask(file);
  const kept = new Set(await listRuns(view));
  const here = await loadRuns(
    view,
    placed.flatMap(({ task }) => (kept.has(task.id) ? [task.id] : [])),
  );
  const { runs, held } = await withOthers(view, file, here);
  const accounts = await loadAccounts(view);
  const rests = restsIn(accounts, context.time);
  const statuses = schedulingStatuses(file, runs, context.time, rests);
  const restOf = await openRests(file, { runs, statuses, rests }, context);
  const atWork = runs.size === 0 ? new Set<string>() : await heldTasks(context.leases, context.time);
  const open = (await loadQuestions(view)).filter(({ answer }) => answer === null);
  const stuck = heldByCancelled(file, statuses);
  const cards = placed.map((each) =>
    cardOf(each, {
      run: runs.get(each.task.id),
      status: statuses.get(each.task.id),
      rest: restOf(each.task),
      isAtWork: atWork.has(each.task.id),
      fault: held.get(each.task.id)?.message ?? stuck.get(each.task.id) ?? null,
      questions: open.filter(({ task }) => task === each.task.id),
    }),
  );
  const failed = new Map<string, TaskCard["failed"]>();
  for (const { column, id, state } of cards)
    if ((column === "blocked" || state === "target_red") && failed.size < MAX_FAILED)
      failed.set(id, await failedOf(view, runs.get(id)));
  const going = new Set(cards.flatMap(({ column, id }) => (column === "done" ? [] : [id])));
  return {
    tasks: cards.map((card) => ({ ...card, failed: failed.get(card.id) ?? null })),
    accounts: listAccounts(accounts, context.time),
    queued: [...nowReady(file, statuses), ...takeable(file, statuses)].filter(({ id }) => !atWork.has(id))
      .length,
    overlaps: overlapsOf(placed.flatMap(({ task }) => (going.has(task.id) ? [task] : []))),
  };
}

/** Outputs that are read for one answer. */
const MAX_FAILED = 100;

async function failedOf(view: View, run: TaskRun | undefined): Promise<TaskCard["failed"]> {
  const last = run?.evidence.at(-1);
  if (last === undefined || last.exit === 0) return null;
  return { command: last.command, exit: last.exit, tail: await loadTail(view, last) };
}

/** The rest for which a task waits, whether it has begun or not; null: it waits for none. */
async function openRests(
  file: readonly Task[],
  loaded: { readonly runs: Runs["runs"]; readonly statuses: SchedulingStatuses; readonly rests: Rests },
  { settings, time }: OverviewContext,
): Promise<(task: Task) => AgentRest | null> {
  const { rests, runs, statuses } = loaded;
  if (rests.size === 0) return () => null;
  const { bloom } = await settings();
  const next = new Set([...takeable(file, statuses), ...nowReady(file, statuses)]);
  const resting = activeRests(rests, time);
  return (task) => {
    const run = runs.get(task.id);
    if (run?.state === "agent_rests" && statuses.has(task.id)) return firstToEnd(run.rest, rests);
    return next.has(task) ? awaitedRest(task, agentOf(task, run, bloom), bloom, resting) : null;
  };
}

interface CardContext {
  readonly rest: AgentRest | null;
  readonly run: TaskRun | undefined;
  readonly status: SchedulingStatus | undefined;
  readonly isAtWork: boolean;
  /** Why the task is held until a person decides; null: it is not. */
  readonly fault: string | null;
  readonly questions: readonly Question[];
}

function cardOf({ task, parent }: PlacedTask, context: CardContext): TaskCard {
  const { fault, isAtWork, questions, rest, run, status } = context;
  const step = getCurrentStepForTask(task);
  return {
    id: task.id,
    title: task.title,
    column: columnOf(task, context),
    // A task that backs off is shown by its run's state, as in `pawl status`.
    state: rest !== null && run !== undefined ? run.state : (status ?? task.status),
    dependsOn: task.depends_on,
    parent: parent?.id ?? null,
    agent: run?.session?.agent ?? task.agent ?? null,
    agentRun: (isAtWork && run?.underway.at(-1)) || null,
    lastRun: run && run.runs > 0 ? nameOfRun(task.id, run.runs) : null,
    step: step && { title: step.instruction, index: task.steps.indexOf(step), of: task.steps.length },
    reason:
      fault ??
      (rest !== null ? restReason(rest) : null) ??
      (run && status !== undefined ? reasonOf(run) || null : (task.cancel_reason ?? null)),
    ...(rest === null ? {} : { rest: shownRest(rest) }),
    awaitsVerdict: run !== undefined && status !== undefined && awaitsVerdict(run),
    failed: null,
    since: run?.since ?? task.started_at ?? null,
    usd: run ? run.spent.usd : null,
    questions: questions.map(({ id, text, asked }) => ({ id, text, since: asked })),
  };
}

function columnOf(task: Task, { fault, isAtWork, questions, rest, status }: CardContext): TaskCard["column"] {
  if (fault !== null || status === "blocked" || status === "budget_exhausted") return "blocked";
  if (status !== undefined ? OVER.some((over) => over === status) : isClosed(task)) return "done";
  if (rest !== null || (status !== undefined && WAITS.has(status))) return "waiting";
  if (questions.length > 0) return "waiting";
  if (task.status === "blocked") return "blocked";
  return isAtWork || status !== undefined || task.status === "in_progress" ? "working" : "open";
}

const WAITS: ReadonlySet<SchedulingStatus> = new Set<SchedulingStatus>([
  "waiting_for_human",
  "awaiting_merge",
  "target_red",
]);

const MAX_OVERLAPS = 200;

/**
 * Pairs of tasks that name the same file, each pair once. Skips files that very many tasks name (a README),
 * because they predict no conflict.
 */
function overlapsOf(tasks: readonly Task[]): readonly Overlap[] {
  const byFile = new Map<string, string[]>();
  for (const task of tasks)
    for (const file of filesNamed(task)) byFile.set(file, [...(byFile.get(file) ?? []), task.id]);
  const pairs = new Map<string, { tasks: [string, string]; files: string[] }>();
  for (const [file, ids] of byFile) {
    if (ids.length > MAX_OF_ONE_FILE) continue;
    for (const [at, one] of ids.entries())
      for (const other of ids.slice(at + 1)) {
        const key = JSON.stringify([one, other]);
        const pair = pairs.get(key) ?? { tasks: [one, other], files: [] };
        pair.files.push(file);
        pairs.set(key, pair);
      }
  }
  return [...pairs.values()].sort((a, b) => b.files.length - a.files.length).slice(0, MAX_OVERLAPS);
}

const MAX_OF_ONE_FILE = 20;

const CAUSES: Readonly<Record<string, CostRow["cause"]>> = {
  repair: "rework",
  commit: "rework",
  mark: "rework",
  nothing: "rework",
  resolve: "conflict",
  "repair-merge": "conflict",
  "pull-request": "rework",
  rework: "rework",
};

/** A run for a step is a first try unless a run for the same task failed since its last completed step. */
function openCosts(): Costs {
  const rows: (CostRow & { accepted: boolean })[] = [];
  const started = new Map<string, { readonly agent: string; readonly purpose: string }>();
  const failed = new Set<string>();
  const last = new Map<string, (typeof rows)[number]>();
  return {
    containing: ['"agent:started"', '"agent:ended"', '"step:completed"', '"task:completed"'],
    take(event: PawlEvent) {
      if (event.type === "agent:started") started.set(event.run, event);
      else if (event.type === "agent:ended") {
        const { agent = "?", purpose = "step" } = started.get(event.run) ?? {};
        started.delete(event.run);
        const { inputTokens, outputTokens, taskId: task, usd } = event;
        const cause = CAUSES[purpose] ?? (failed.has(task) ? "retry" : "first try");
        const tokens =
          inputTokens === null && outputTokens === null ? null : (inputTokens ?? 0) + (outputTokens ?? 0);
        const row = {
          ...{ day: event.time.slice(0, 10), task, agent, cause, usd, tokens },
          runs: 1,
          withoutUsd: usd === null ? 1 : 0,
          withoutTokens: tokens === null ? 1 : 0,
          minutes: event.duration / 60_000,
          accepted: false,
        };
        rows.push(row);
        last.set(task, row);
        if (event.outcome === "failed") failed.add(task);
      } else if (event.type === "step:completed" || event.type === "task:completed") {
        const row = last.get(event.taskId);
        if (row) row.accepted = true;
        failed.delete(event.taskId);
      }
    },
    rows: () => rows,
  };
}

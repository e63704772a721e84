/** One run of an agent in a task's workspace, for the task or for an order of its life: from its record to its end. */
import type { BloomEvent } from "../../../core/bloom-event.ts";
import type { AgentEnd, AgentOrder, AgentUsage } from "../../../core/ports/agents.ts";
import type { Meanwhile, Worktree } from "../../../core/ports/worktrees.ts";
import { agentEnded, endOrStop, showAgent } from "../../../scheduler/agent-run.ts";
import {
  added,
  type Budget,
  exceeded,
  limitsLeft,
  minutesLeft,
  type Spent,
} from "../../../scheduler/budget.ts";
import {
  type ExecutionContext,
  repoOf,
  type StepResult,
  type StopReason,
  stopped,
  type TaskFolder,
  type TaskSnapshot,
} from "../execution-context.ts";
import { nameOfRun } from "../run/task-run.ts";
import { save } from "./save.ts";

const MINUTE = 60_000;

export interface WorkspaceRun {
  readonly agent: string;
  readonly started: Pick<
    Extract<BloomEvent, { readonly type: "agent:started" }>,
    "permission" | "purpose" | "resumed"
  >;
  /** What is recorded before it starts, besides the run itself. */
  readonly begins?: Pick<StepResult, "edits" | "events" | "patch">;
  /** What limits it, each with what is spent of it. The last one is passed on to the agent. */
  readonly budgets: readonly [...(readonly [Budget, Spent])[], readonly [Budget, Spent]];
  /** `over`: aborted when the run ends. */
  readonly order: (
    known: TaskSnapshot,
    over: AbortSignal,
  ) => Omit<AgentOrder, "agent" | "folder" | "limits" | "run">;
  /** Called with the usage so far, as long as no budget is exceeded. */
  readonly onUsage?: (usage: AgentUsage) => void;
}

export interface WorkspaceRunEnd {
  readonly id: string;
  readonly agent: string;
  readonly end: AgentEnd;
  /** Why Pawl stopped it; null: it ended by itself. */
  readonly stop: StopReason | "budget" | null;
  /** Whether its time limit came from a budget. */
  readonly byMinutes: boolean;
  /** As it began. */
  readonly before: TaskSnapshot;
  /** Why its work could not be saved; null: it is. */
  readonly unsaved: StepResult | null;
  /** Its end, and what it changed outside its workspace. */
  readonly events: readonly BloomEvent[];
}

/** Counts the run before its agent starts. A result, if it was interrupted before there was an end to judge. */
export async function runInWorkspace(
  context: ExecutionContext,
  { folder, worktree }: Pick<TaskFolder, "folder" | "worktree">,
  { agent, begins = {}, budgets, onUsage, order, started }: WorkspaceRun,
): Promise<WorkspaceRunEnd | { readonly result: StepResult }> {
  const { run, task } = context.known;
  const outside = await watchOutside(context, worktree);
  if (context.stop.aborted) return { result: { event: "interrupted" } };
  const id = nameOfRun(task.id, run.runs + 1);
  const agentRun = { run: id, since: context.now().toISOString() };
  const known = await context.note({
    ...begins,
    patch: { ...begins.patch, underway: [id], agentRun, runs: run.runs + 1 },
    events: [
      ...(begins.events ?? []),
      { type: "agent:started", taskId: task.id, agent, run: id, ...started },
    ],
  });
  if (context.stop.aborted) return { result: neverStarted(task.id, id) };
  context.delivered(known.messages.map(({ path }) => path));
  const over = new AbortController();
  const overspent = Promise.withResolvers<"budget">();
  const { limits } = known.settings;
  const minutes = Math.min(...budgets.map((each) => minutesLeft(...each)));
  const going = context.ports.agents.start(
    {
      ...order(known, over.signal),
      ...{ run: id, agent, folder },
      limits: {
        inactivity: limits.silence * MINUTE,
        total: Math.min(limits.run, minutes) * MINUTE,
        ...limitsLeft(...(budgets.at(-1) as WorkspaceRun["budgets"][0])),
      },
    },
    (event) => {
      showAgent(context.show, task.id, id, event);
      if (event.type !== "usage") return;
      const { usage } = event;
      if (budgets.some(([budget, spent]) => exceeded(budget, added(spent, usage, 0)) !== null))
        overspent.resolve("budget");
      else onUsage?.(usage);
    },
  );
  const { reason, forget } = stopped(context.stop);
  const { end, stop } = await endOrStop<StopReason | "budget">(going, reason, overspent.promise);
  forget();
  over.abort();
  context.delivered(null);
  const events = [agentEnded(task.id, id, end), ...seenOf(task.id, id, end, await outside())];
  const unsaved = await save(context, worktree);
  // Interrupted before the push. The next worker saves the work and makes the calls.
  if (unsaved?.event === "git_failed") return { result: { event: "interrupted" } };
  return { id, agent, end, stop, byMinutes: minutes < limits.run, before: known, unsaved, events };
}

/** It was stopped before its agent's process began. */
function neverStarted(taskId: string, run: string): StepResult {
  const ended: BloomEvent = {
    ...{ type: "agent:ended", taskId, run, outcome: "failed", reason: "stopped" },
    ...{ detail: "it was stopped before it began", duration: 0 },
    ...{ usd: 0, inputTokens: 0, outputTokens: 0, turns: 0 },
  };
  return { event: "interrupted", patch: { underway: [], agentRun: null }, events: [ended] };
}

function seenOf(
  taskId: string,
  run: string,
  { refused }: AgentEnd,
  outside: Meanwhile,
): readonly BloomEvent[] {
  const files = outside.files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const paths = files.map(({ path }) => path);
  return [
    ...(files.length > 0 ? [{ type: "agent:strayed", taskId, run, paths, files } as const] : []),
    ...outside.branches.map((moved) => ({ type: "git:branch_moved", taskId, run, ...moved }) as const),
    ...(refused === undefined ? [] : [{ type: "agent:refused", taskId, run, what: refused } as const]),
  ];
}

/** Records what changes in the repository's own checkout while the agent runs in its workspace. */
async function watchOutside(
  context: ExecutionContext,
  worktree: Worktree | null,
): Promise<() => Promise<Meanwhile>> {
  const repo = repoOf(context.known.task);
  if (worktree === null || repo === null) return async () => NOTHING;
  const stopWatching = await context.ports.worktrees.watchCheckout(repo).catch(() => null);
  return async () => {
    const { files, branches } = (await stopWatching?.().catch(() => null)) ?? NOTHING;
    return { files: files.filter(({ path }) => !isPawlPath(path, context)), branches };
  };
}

const NOTHING: Meanwhile = { files: [], branches: [] };

function isPawlPath(path: string, context: ExecutionContext): boolean {
  return path === context.known.settings.tasks_file || path.startsWith(".pawl/") || path === ".pawl";
}

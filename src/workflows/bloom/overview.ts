/** The runs of tasks, and the tasks of tasks.yaml that no run has begun yet. */
import { PawlError } from "../../base/error.ts";
import type { View } from "../../base/ports.ts";
import type { Around, RunOverview } from "../module.ts";
import { isDone, openPhase, type Waits, waitsIn } from "./pick.ts";
import { statesOf } from "./reconcile.ts";
import { eachTask, type PlacedTask, type Task } from "./task.ts";
import { listRuns, loadRun, type TaskRun } from "./task-run.ts";
import { loadTasks } from "./tasks-file.ts";

/** A task is named once: by its run, where it has one. Those that are done are not listed. */
export async function overview(view: View, around: Around): Promise<readonly RunOverview[]> {
  const begun: RunOverview[] = [];
  const runs = new Map<string, TaskRun>();
  const ids = await listRuns(view);
  for (const id of ids) {
    try {
      const run = await loadRun(view, id);
      if (run) runs.set(id, run);
      if (run && run.state !== "done") begun.push(ofRun(run));
    } catch (error) {
      if (!(error instanceof PawlError)) throw error;
      begun.push(unreadable(id, error));
    }
  }
  const tasks = await readTasks(view, around);
  const states = statesOf(tasks, runs, around.time);
  const known = new Set(ids);
  const open = eachTask(tasks).filter(({ task }) => !known.has(task.id) && isOpen(task));
  const phase = openPhase(tasks);
  const waits = waitsIn(tasks, states);
  return [...begun, ...open.map((placed) => ofTask(placed, waits, phase))];
}

async function readTasks(view: View, around: Around): Promise<readonly Task[]> {
  const { cache } = around;
  try {
    const { file, worked } = await loadTasks(view, {
      settings: await around.settings(),
      ...(cache ? { cache } : {}),
    });
    for (const { kind, source, worked: work } of worked) cache?.put(kind, source, work);
    return file.tasks;
  } catch (error) {
    if (error instanceof PawlError && error.code === "tasks-missing") return [];
    throw error;
  }
}

/** Its own work is not done, and not left to its subtasks alone. */
function isOpen(task: Task): boolean {
  return task.status !== "done" && !isDone(task);
}

function ofTask({ task, parent }: PlacedTask, waits: Waits, phase: number | null): RunOverview {
  const base = { run: `bloom:${task.id}`, title: task.title, state: task.status, since: null };
  switch (task.status) {
    case "in_progress":
      return byHand(base, "a person works on it", `pawl done ${task.id}`);
    case "blocked":
      return byHand(base, "see its notes, then let it go on", `pawl ready ${task.id}`);
    case "done_pending_merge":
      return { ...base, awaits: "nobody", next: "`pawl run` merges it" };
    default: {
      const reason = waits(task, parent);
      if (reason !== null) return { ...base, awaits: "nobody", next: reason };
      if (task.status === "todo" && phase !== null && (task.phase ?? phase) > phase)
        return { ...base, awaits: "nobody", next: `phase ${phase} comes first` };
      const worker = task.status === "assigned" && task.agent_name ? ` --agent ${task.agent_name}` : "";
      return { ...base, awaits: "agent", next: `\`pawl run${worker}\` gives it to one` };
    }
  }
}

function byHand(
  base: Omit<RunOverview, "awaits" | "next" | "command">,
  next: string,
  command: string,
): RunOverview {
  return { ...base, awaits: "human", next, command };
}

function ofRun(run: TaskRun): RunOverview {
  const { task, title, state, since, reason } = run;
  const base = { run: `bloom:${task}`, title, state, since };
  switch (state) {
    case "waiting_for_human":
      return run.kept.awaits === "approval"
        ? { ...base, awaits: "human", next: "approve it, or send it back" }
        : byHand(base, `answer its question: ${reason ?? ""}`, `pawl questions ${task}`);
    case "blocked":
    case "budget_exhausted":
      return byHand(base, reason ?? state, `pawl ready ${task}`);
    case "opening_pr":
      return run.pullRequest
        ? { ...base, awaits: "human", next: `merge ${run.pullRequest.url}` }
        : { ...base, awaits: "nobody", next: "open its pull request" };
    case "working":
      return { ...base, awaits: "agent", next: reason ?? "work on the current step" };
    default:
      return { ...base, awaits: "nobody", next: reason ?? `the loop goes on (${state})` };
  }
}

function unreadable(id: string, { message, fix }: PawlError): RunOverview {
  return {
    run: `bloom:${id}`,
    title: id,
    state: "unreadable",
    awaits: "human",
    next: fix,
    since: null,
    problem: { message, fix },
  };
}

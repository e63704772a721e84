/** Why a task that could begin does not, when several machines work on the project. */
import type { Wanted } from "../../core/ports/leases.ts";
import type { AtWork, Workers } from "../../core/ports/workers.ts";
import type { BloomSettings } from "../../core/settings.ts";
import type { Task } from "../../tasks-file/task.ts";
import { hasCaps, wantedFor, wordsOfCap } from "./caps.ts";
import { whyUnserved } from "./labels.ts";
import type { TaskRun } from "./run/task-run.ts";

/** Returns the reason for a task, in words. */
export type Untaken = (task: Task, run?: TaskRun) => string;

/** A snapshot of the present workers. Null: no other machine works on the project. */
export async function openUntaken(
  workers: Pick<Workers, "list" | "atWork" | "spentToday"> | undefined,
  settings: BloomSettings,
): Promise<Untaken | null> {
  if (workers === undefined) return null;
  const labels = (await workers.list()).flatMap((each) => (each.state === "working" ? [each.labels] : []));
  const isCapped = hasCaps(settings.caps);
  const atWork = isCapped ? await workers.atWork() : [];
  const spent = isCapped ? await workers.spentToday() : 0;
  return (task, run) => {
    const why = whyUnserved(labels, task, settings);
    if (why !== null) return why;
    const wanted = wantedFor(task, run, settings);
    const cap = reachedCap(wanted, atWork, spent);
    return (cap && wordsOfCap(cap, wanted)) ?? "the next free worker takes it";
  };
}

/** The same calculation as the database makes when a worker requests the task. */
function reachedCap(
  { agent, caps, repository, usd }: Wanted,
  atWork: readonly AtWork[],
  spent: number,
): "repository" | "agent" | "usd" | null {
  const alive = atWork.filter((each) => each.alive);
  const isFull = (most: number | null, count: number) => most !== null && count >= most;
  if (isFull(caps.repository, alive.filter((each) => each.repository === repository).length))
    return "repository";
  if (isFull(caps.agent, alive.filter((each) => each.agent === agent).length)) return "agent";
  const held = atWork.reduce((sum, each) => sum + (each.usd ?? 0), 0);
  return caps.usd !== null && usd !== null && spent + held + usd > caps.usd ? "usd" : null;
}

/** The block below the loop's event lines: active tasks, waiting tasks, and the totals. */

import type { BloomEvent } from "../../../core/bloom-event.ts";
import type { PawlEvent } from "../../../core/event.ts";
import { cleanLine } from "../../../core/text/clean.ts";
import { fewOf } from "../../../core/text/few.ts";
import { restLine } from "../../../scheduler/agent-rest.ts";
import { AT_REST } from "../../../workflows/bloom/run/table.ts";
import type { Paint } from "../terminal/terminal.ts";
import { cut } from "../terminal/text-width.ts";

export interface Board {
  readonly atWork: Map<string, AtWork>;
  /** What each task waits for. */
  readonly waiting: Map<string, string>;
  readonly merges: Map<string, string>;
  readonly retries: Map<string, { readonly at: number; readonly reason: string }>;
  progress: Extract<BloomEvent, { readonly type: "loop:progress" }> | null;
  /** The caps because of which ready tasks wait. */
  caps: readonly string[];
  /** The caps among these that were not printed before. */
  newCaps: readonly string[];
  readonly shownCaps: Set<string>;
}

interface AtWork {
  readonly task: string;
  step: { readonly id: string; readonly index: number; readonly total: number } | null;
  /** The number of steps done. */
  done: number;
  doing: string;
  since: number;
}

export function emptyBoard(): Board {
  return {
    ...{ atWork: new Map(), waiting: new Map(), merges: new Map(), retries: new Map(), progress: null },
    ...{ caps: [], newCaps: [], shownCaps: new Set() },
  };
}

export function track(board: Board, event: BloomEvent | PawlEvent, now: number): void {
  if (event.type === "edit:kept" || event.type === "journal:foreign") return;
  if (event.type === "loop:progress") board.progress = event;
  else if (event.type === "loop:capped") {
    board.caps = event.caps;
    board.newCaps = event.caps.filter((each) => !board.shownCaps.has(each));
    for (const each of board.newCaps) board.shownCaps.add(each);
  } else if (event.type === "run:advanced") {
    const task = event.run.slice(event.run.indexOf(":") + 1);
    if (event.to !== "waiting_for_human") board.waiting.delete(task);
    if (event.to !== "opening_pr") board.merges.delete(task);
    if (AT_REST.some((state) => state === event.to)) {
      board.atWork.delete(task);
      board.retries.delete(task);
    }
    const each = board.atWork.get(task);
    if (each === undefined) return;
    if (each.step && (event.event === "step_done" || event.row === "step.assumed_done"))
      each.done = each.step.index + 1;
    Object.assign(each, { doing: event.to, since: now });
  } else if ("taskId" in event) trackTask(board, event, now);
}

type OfTask = Extract<BloomEvent | PawlEvent, { readonly taskId: string }>;

function trackTask({ atWork, waiting, merges, retries }: Board, event: OfTask, now: number): void {
  const { taskId: task } = event;
  const each = atWork.get(task);
  switch (event.type) {
    case "task:claimed":
      atWork.set(task, { task, step: null, done: 0, doing: "", since: now });
      retries.delete(task);
      break;
    case "task:released":
      atWork.delete(task);
      break;
    case "task:waiting":
      waiting.set(task, event.reason);
      break;
    case "task:retried":
      if (event.after > 0) retries.set(task, { at: now + event.after, reason: event.reason });
      break;
    case "git:pr_watched":
      merges.set(task, event.url);
      break;
    case "step:started":
      if (each) {
        each.step = { id: event.stepId, index: event.stepIndex, total: event.totalSteps };
        each.done = event.stepIndex;
      }
      break;
    case "agent:said":
      if (each) each.doing = event.text;
      break;
    case "agent:used_tool":
      if (each) each.doing = `${event.name}: ${event.detail}`;
      break;
  }
}

export interface FrameSize {
  readonly columns: number;
  readonly rows: number;
}

/** The lines that stay at the bottom: they never fill the screen's whole width or height. */
export function frameOf(board: Board, { columns, rows }: FrameSize, paint: Paint, now: number): string[] {
  const width = columns - 1;
  const isBlocked = (task: string) => board.progress?.blocked.includes(task) === true;
  const retries = [...board.retries].filter(
    ([task, { at }]) => at > now && !board.atWork.has(task) && !isBlocked(task),
  );
  // Another process may have recorded the person's verdict.
  const stillWaits = ([task]: readonly [string, string]) => board.progress?.waiting.includes(task) !== false;
  const lines = [
    ...[...board.atWork.values()].map((each) => paint.cyan(cut(workLine(each, now), width))),
    ...sameCauses([...board.waiting].filter(stillWaits)).map(({ tasks, why }) =>
      paint.yellow(cut(`? ${waitWords(tasks)} for you: ${why}`, width)),
    ),
    ...[...board.merges]
      .filter(stillWaits)
      .map(([task, url]) => paint.yellow(cut(`~ ${task} waits for its merge: ${url}`, width))),
    ...(board.progress?.red ?? []).map(({ reason, tasks }) =>
      paint.yellow(cut(`~ ${waitWords(tasks)}: ${cleanLine(reason)}`, width)),
    ),
    ...(board.progress?.resting ?? []).map((each) => paint.yellow(cut(`~ ${restLine(each)}`, width))),
    ...board.caps.map((words) => paint.dim(cut(`. Tasks wait: ${words}`, width))),
    ...retries.map(([task, { at, reason }]) =>
      paint.dim(cut(`. ${task} tries again in ${formatDuration(at - now)}: ${reason}`, width)),
    ),
  ];
  const { progress } = board;
  const colour = progress !== null && progress.blocked.length > 0 ? paint.red : paint.dim;
  const last = progress === null ? [] : [colour(cut(progressLine(progress), width))];
  const room = Math.max(1, rows - 2 - last.length);
  const hidden = lines.length - room;
  const shown =
    hidden <= 0 ? lines : [...lines.slice(0, room - 1), paint.dim(cut(`and ${hidden + 1} more`, width))];
  return [...shown, ...last];
}

/** `A, B, C and 2 more wait` */
export function waitWords(tasks: readonly string[], most?: number): string {
  return `${fewOf(tasks, most)} ${tasks.length === 1 ? "waits" : "wait"}`;
}

/** Tasks that wait for the same thing are one line. */
function sameCauses(waiting: readonly (readonly [task: string, why: string])[]) {
  const groups = new Map<string, { readonly tasks: string[]; readonly why: string }>();
  for (const [task, why] of waiting) {
    const cause = causeOf(task, why);
    const same = groups.get(cause);
    if (same) same.tasks.push(task);
    else groups.set(cause, { tasks: [task], why });
  }
  return [...groups.values()];
}

/** The same for all tasks of which the same is said. */
export function causeOf(task: string, words: string): string {
  return words.replaceAll(task, "…");
}

/** A line of names ends here. */
export const MAX_NAMED = 20;

const BAR = 12;

function workLine({ task, step, done, doing, since }: AtWork, now: number): string {
  const bar = step === null ? "" : ` ${barOf(done, step.total)} ${done}/${step.total}`;
  return `> ${task}${bar} (${formatDuration(now - since)}) ${cleanLine(doing)}`;
}

function barOf(done: number, total: number): string {
  const full = Math.round((done / total) * BAR);
  return `[${"#".repeat(full)}${"-".repeat(BAR - full)}]`;
}

/** `3 done, 2 open, blocked: B, 1 waiting.` */
export function progressLine({
  done,
  open,
  blocked,
  waiting,
  red,
  resting,
  idle,
}: NonNullable<Board["progress"]>): string {
  const held = red.flatMap(({ tasks }) => tasks).length;
  const parts = [
    `${done} done`,
    `${open} open`,
    ...(blocked.length > 0 ? [`blocked: ${fewOf(blocked, MAX_NAMED)}`] : []),
    ...(held > 0 ? [`${held} waiting for a target`] : []),
    ...resting.map(restLine),
    ...(waiting.length > 0 ? [`${waiting.length} waiting`] : []),
  ];
  return `${idle ? "Nothing to do; waiting for changes. " : ""}${parts.join(", ")}.`;
}

/** `40 s`, `12 min`, `3 h 5 min`. */
function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

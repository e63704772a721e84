/**
 * The loop for a person: what happened scrolls by; below it stays a line per agent at work with a bar over its steps,
 * and what waits for a person.
 */
import type { BloomHappening } from "../../base/bloom-event.ts";
import type { PawlEvent } from "../../base/event.ts";
import type { Project } from "../../runtime/project.ts";
import { clean, cut, type Terminal } from "./terminal.ts";

export interface Screen {
  show(happening: BloomHappening | PawlEvent): void;
  say(text: string): void;
  /** Draws the last time; may be called twice. */
  close(): void;
}

interface AtWork {
  readonly task: string;
  doing: string;
  done: number;
  total: number;
  since: number;
}

const BAR = 12;
const TICK_MILLISECONDS = 1000;

export function openScreen(terminal: Terminal, _project: Project): Screen {
  const atWork = new Map<string, AtWork>();
  const waiting = new Map<string, string>();
  let drawn = 0;
  let open = true;

  const erase = () => {
    if (drawn > 0) terminal.out(`\u001b[${drawn}F\u001b[0J`);
    drawn = 0;
  };
  const draw = () => {
    const lines = [
      ...[...atWork.values()].map((each) => atWorkLine(each, terminal, Date.now())),
      ...[...waiting].map(([task, why]) =>
        terminal.paint.yellow(cut(`  ? ${task} waits for you: ${why}`, terminal.columns - 1)),
      ),
    ];
    if (lines.length > 0) terminal.out(`${lines.join("\n")}\n`);
    drawn = lines.length;
  };
  const redraw = (line: string | null) => {
    erase();
    if (line !== null) terminal.out(`${cut(clean(line).replaceAll("\n", " "), terminal.columns - 1)}\n`);
    draw();
  };
  const ticking = setInterval(() => {
    if (atWork.size > 0) redraw(null);
  }, TICK_MILLISECONDS).unref();

  return {
    show(happening) {
      track(happening, atWork, waiting);
      const line = lineOf(happening, terminal);
      if (line !== null || drawn > 0 || atWork.size > 0) redraw(line);
    },
    say: redraw,
    close() {
      if (!open) return;
      open = false;
      clearInterval(ticking);
      erase();
    },
  };
}

function atWorkLine(each: AtWork, { paint, columns }: Terminal, now: number): string {
  const full = each.total === 0 ? 0 : Math.round((each.done / each.total) * BAR);
  const bar =
    each.total === 0 ? "" : `[${"#".repeat(full)}${"-".repeat(BAR - full)}] ${each.done}/${each.total}  `;
  const seconds = Math.round((now - each.since) / 1000);
  const time = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
  return paint.cyan(
    cut(`  > ${each.task}  ${bar}${clean(each.doing).replaceAll("\n", " ")}  (${time})`, columns - 1),
  );
}

function track(
  happening: BloomHappening | PawlEvent,
  atWork: Map<string, AtWork>,
  waiting: Map<string, string>,
): void {
  if (happening.type === "edit:kept") return;
  if (happening.type === "run:advanced") {
    const task = happening.run.slice(happening.run.indexOf(":") + 1);
    if (happening.to !== "waiting_for_human") waiting.delete(task);
    const each = atWork.get(task);
    if (each) Object.assign(each, { doing: happening.to, since: Date.now() });
    if (["done", "blocked", "budget_exhausted", "waiting_for_human"].includes(happening.to))
      atWork.delete(task);
    return;
  }
  if (!("taskId" in happening)) return;
  const { taskId: task } = happening;
  const each = atWork.get(task) ?? { task, doing: "", done: 0, total: 0, since: Date.now() };
  switch (happening.type) {
    case "task:claimed":
      atWork.set(task, each);
      break;
    case "step:started":
      Object.assign(each, {
        done: happening.stepIndex,
        total: happening.totalSteps,
        doing: `step ${happening.stepId}`,
      });
      break;
    case "agent:said":
      each.doing = happening.text;
      break;
    case "agent:used_tool":
      each.doing = `${happening.name}: ${happening.detail}`;
      break;
    case "task:waiting":
      waiting.set(task, happening.reason);
      break;
    case "task:released":
      atWork.delete(task);
      break;
  }
}

/** What scrolls by; null: only the lines below change. */
function lineOf(happening: BloomHappening | PawlEvent, { paint }: Terminal): string | null {
  switch (happening.type) {
    case "run:advanced":
      return happening.to === happening.from ? null : `${happening.summary}`;
    case "agent:started":
      return `${happening.taskId} ${happening.agent} begins (${happening.purpose}${happening.resumed ? ", resumed" : ""}, permission ${happening.permission})`;
    case "agent:ended":
      return happening.outcome === "succeeded"
        ? null
        : paint.red(`${happening.taskId} agent failed: ${happening.reason}: ${happening.detail}`);
    case "agent:strayed":
      return paint.red(`${happening.taskId} changed outside its worktree: ${happening.paths.join(", ")}`);
    case "agent:leftovers_ended":
      return `${happening.taskId} ended ${happening.count} processes of a dead worker`;
    case "step:started":
      return `${happening.taskId} step ${happening.stepId} (${happening.stepIndex + 1}/${happening.totalSteps})`;
    case "step:assumed_done":
      return paint.yellow(`${happening.taskId} step ${happening.stepId} taken as done: ${happening.reason}`);
    case "check:passed":
      return paint.green(`${happening.taskId} passed: ${happening.command}`);
    case "check:failed":
      return paint.red(`${happening.taskId} failed (${happening.exit}): ${happening.command}`);
    case "question:asked":
      return paint.yellow(`${happening.taskId} asks ${happening.questionId}: ${happening.text}`);
    case "merge:completed":
      return paint.green(`${happening.taskId} merged ${happening.branch} into ${happening.into}`);
    case "git:pr_opened":
      return paint.green(`${happening.taskId} pull request ${happening.url}`);
    case "worktree:kept":
      return `${happening.taskId} keeps its worktree: ${happening.reason}`;
    case "task:completed":
      return paint.green(`${happening.taskId} is done`);
    default:
      return null;
  }
}

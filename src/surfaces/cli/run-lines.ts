/** What scrolls by at the loop's screen: one line per thing that a person would want to know in the morning. */
import type { BloomHappening } from "../../base/bloom-event.ts";
import type { PawlEvent } from "../../base/event.ts";
import { type Board, oneLine } from "./run-board.ts";
import type { Paint } from "./terminal.ts";

const LONGEST = 1000;

type Colour = "red" | "green" | "yellow" | null;

/** The line, with its time; null: only the lines that stay change. The board knows of it already. */
export function lineOf(
  happening: BloomHappening | PawlEvent,
  board: Board,
  paint: Paint,
  now: Date,
): string | null {
  const told = tell(happening, board);
  if (told === null) return null;
  const [text, colour] = told;
  const line = oneLine(text);
  const letters = [...line];
  const short = letters.length <= LONGEST ? line : `${letters.slice(0, LONGEST - 1).join("")}…`;
  return `${paint.dim(clock(now))} ${colour === null ? short : paint[colour](short)}`;
}

function clock(now: Date): string {
  return [now.getHours(), now.getMinutes()].map((each) => String(each).padStart(2, "0")).join(":");
}

function tell(happening: BloomHappening | PawlEvent, board: Board): readonly [string, Colour] | null {
  if (!("taskId" in happening)) return tellRun(happening);
  const { taskId } = happening;
  switch (happening.type) {
    case "agent:started": {
      const step = board.atWork.get(taskId)?.step;
      const what = happening.purpose !== "step" || !step ? forWhat(happening.purpose) : stepName(step);
      const how = [
        happening.agent,
        ...(happening.resumed ? ["resumed"] : []),
        `permission ${happening.permission}`,
      ];
      return [`${taskId}${what}: ${how.join(", ")}`, null];
    }
    case "agent:ended":
      return happening.outcome === "succeeded" || happening.reason === "stopped"
        ? null
        : [`${taskId} agent failed: ${happening.reason}: ${happening.detail}`, "red"];
    case "agent:strayed":
      return [`${taskId} changed outside its worktree: ${happening.paths.join(", ")}`, "red"];
    case "agent:warned":
      return [`${taskId} agent warns: ${happening.text}`, null];
    case "agent:leftovers_ended":
      return [`${taskId} ended ${happening.count} processes of a dead worker`, null];
    case "session:lost":
      return [`${taskId} begins a fresh session: ${happening.reason}`, null];
    case "step:assumed_done":
      return [`${taskId} step ${happening.stepId} taken as done: ${happening.reason}`, "yellow"];
    case "check:passed":
      return [`${taskId} passed: ${happening.command}`, "green"];
    case "check:failed":
      return [`${taskId} failed (${happening.exit ?? "ended"}): ${happening.command}`, "red"];
    case "merge:completed":
      return [`${taskId} merged ${happening.branch} into ${happening.into}`, "green"];
    case "merge:conflicted":
      return [`${taskId} conflicts with ${happening.into} in ${happening.files.join(", ")}`, "yellow"];
    case "git:pushed":
      return [`${taskId} pushed ${happening.branch}`, null];
    case "git:pr_opened":
      return [`${taskId} pull request ${happening.found ? "found" : "opened"}: ${happening.url}`, "green"];
    case "git:pr_watched":
      return [
        `${taskId} waits for the merge of ${happening.url}, looked at ${happening.every === 0 ? "when a run begins" : `every ${happening.every} s`}`,
        "yellow",
      ];
    case "git:pr_unseen":
      return [`${taskId} cannot see whether its pull request is merged: ${happening.reason}`, "yellow"];
    case "git:pr_merged":
      return [`${taskId} pull request merged: ${happening.url}`, "green"];
    case "worktree:kept":
      return [`${taskId} keeps its worktree: ${happening.reason}`, "yellow"];
    case "task:waiting":
      return [`${taskId} waits for you: ${happening.reason}`, "yellow"];
    case "task:retried":
      return [
        `${taskId} tries again${happening.after < 1000 ? "" : ` in ${Math.round(happening.after / 1000)} s`} (${happening.attempt}): ${happening.reason}`,
        "yellow",
      ];
    case "task:failed":
      return [`${taskId} is left as it is by this run: ${happening.reason} ${happening.fix}`, "red"];
    case "task:blocked":
      return [`${taskId} is blocked: ${happening.reason}`, "red"];
    case "task:reset":
      return [`${taskId} begins anew`, null];
    case "task:completed":
      return [`${taskId} is done`, "green"];
    case "budget:exhausted":
      return [`${taskId} has spent its budget of ${happening.limit}`, "red"];
    default:
      return null;
  }
}

function tellRun(happening: BloomHappening | PawlEvent): readonly [string, Colour] | null {
  if (happening.type === "loop:paused") return [`Cannot go on: ${happening.reason} ${happening.fix}`, "red"];
  if (happening.type === "loop:resumed") return ["Goes on.", "green"];
  return null;
}

function stepName(step: { readonly id: string; readonly index: number; readonly total: number }): string {
  return ` step ${step.id} (${step.index + 1}/${step.total})`;
}

const ERRANDS: Readonly<Record<string, string>> = {
  step: " begins",
  mark: " is asked to mark its step",
  repair: " repairs what failed",
  commit: " is asked to commit",
  resolve: " resolves conflicts",
  "repair-merge": " repairs what failed on the merge",
};

function forWhat(purpose: string): string {
  return ERRANDS[purpose] ?? ` ${purpose}`;
}

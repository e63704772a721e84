/** The loop's event lines: one for each event that matters to a person who reads them the next morning. */

import type { BloomEvent } from "../../../core/bloom-event.ts";
import type { PawlEvent } from "../../../core/event.ts";
import { agentOf, type Line, type OfTask, sentenceOf } from "../../../core/event-lines.ts";
import { renderChange, whileOpen } from "../../../core/policy.ts";
import { cleanLine } from "../../../core/text/clean.ts";
import { clockOf } from "../../../core/text/local-time.ts";
import type { Paint } from "../terminal/terminal.ts";
import type { Board } from "./run-board.ts";

const MAX_CHARACTERS = 1000;

/**
 * The line with its time; null if the event only changes the block below. Call it after the board has tracked
 * the event.
 */
export function lineOf(event: BloomEvent | PawlEvent, board: Board, paint: Paint, now: Date): string | null {
  const sentence = sentenceFor(event, board);
  if (sentence === null) return null;
  const [text, colour] = sentence;
  const line = cleanLine(text);
  const letters = [...line];
  const short = letters.length <= MAX_CHARACTERS ? line : `${letters.slice(0, MAX_CHARACTERS - 1).join("")}…`;
  return `${paint.dim(clockOf(now))} ${colour === null ? short : paint[colour](short)}`;
}

/** Events that the block shows, too, or that are of no interest later. */
const HIDDEN: ReadonlySet<OfTask["type"]> = new Set([
  "agent:said",
  "agent:used_tool",
  "environment:up",
  "git:committed",
  "git:pr_closed",
  "git:pr_failed",
  "git:push_failed",
  "git:uncommitted",
  "merge:failed",
  "merge:waiting",
  "question:answered",
  "session:opened",
  "step:completed",
  "step:started",
  "task:approved",
  "task:assigned",
  "task:claimed",
  "task:interjected",
  "task:noted",
  "task:released",
  "task:status_changed",
  "worktree:ensured",
  "worktree:removed",
]);

function sentenceFor(event: BloomEvent | PawlEvent, board: Board): Line | null {
  if (!("taskId" in event)) return lineOfRun(event, board);
  if (HIDDEN.has(event.type)) return null;
  // The block shows the task that waits for the answer.
  if (event.type === "question:asked" && event.blocking) return null;
  if (event.type === "environment:down" && event.reason === null && !event.abandoned) return null;
  if (event.type === "agent:rests" && !event.first) return null;
  if (event.type === "target:red" && !event.first) return null;
  if (event.type === "agent:ended" && (event.outcome === "succeeded" || event.reason === "stopped"))
    return null;
  if (event.type === "agent:started" && event.purpose === "step") {
    const step = board.atWork.get(event.taskId)?.step;
    if (step) return [`${event.taskId}${stepName(step)}: ${agentOf(event)}`, null];
  }
  return sentenceOf(event);
}

function lineOfRun(event: BloomEvent | PawlEvent, { newCaps }: Board): Line | null {
  // Of a task, the block shows it.
  if (event.type === "run:advanced" && !event.run.startsWith("bloom:"))
    return [`${event.run} ${event.summary}`, null];
  // A cap that is reached repeatedly is printed once; the block shows it as long as it holds.
  if (event.type === "loop:capped")
    return newCaps.length === 0 ? null : [`Tasks wait: ${newCaps.join("; ")}`, "yellow"];
  if (event.type === "policy:changed")
    return [
      `${event.run}: an edit that loosens its policy is ignored${whileOpen(event.open)}: ${event.ignored.map(renderChange).join("; ")}. \`pawl config policy ${event.run} --accept\` lets it count`,
      "yellow",
    ];
  if (event.type === "loop:outgrown")
    return [
      `A newer Pawl works on ${event.tasks.join(", ")}, so this one takes no new tasks and ends when its own are done. Update it`,
      "yellow",
    ];
  if (event.type === "loop:paused") return [`Paused: ${event.reason} ${event.fix}`, "red"];
  if (event.type === "loop:resumed") return ["Resumed.", "green"];
  return null;
}

function stepName(step: { readonly id: string; readonly index: number; readonly total: number }): string {
  return ` step ${step.id} (${step.index + 1}/${step.total})`;
}

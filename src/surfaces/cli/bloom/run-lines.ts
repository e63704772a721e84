/** The loop's event lines: one for each event that a person wants to know in the morning. */

import type { BloomHappening } from "../../../core/bloom-event.ts";
import { cleanLine } from "../../../core/clean.ts";
import type { PawlEvent } from "../../../core/event.ts";
import { agentOf, type Line, type OfTask, sentenceOf } from "../../../core/event-lines.ts";
import { clockOf } from "../../../core/local-time.ts";
import { renderChange } from "../../../core/policy.ts";
import type { Paint } from "../terminal.ts";
import type { Board } from "./run-board.ts";

const LONGEST = 1000;

/** The line with its time; null if the event only changes the block below. The board has tracked it already. */
export function lineOf(
  happening: BloomHappening | PawlEvent,
  board: Board,
  paint: Paint,
  now: Date,
): string | null {
  const said = sentenceFor(happening, board);
  if (said === null) return null;
  const [text, colour] = said;
  const line = cleanLine(text);
  const letters = [...line];
  const short = letters.length <= LONGEST ? line : `${letters.slice(0, LONGEST - 1).join("")}…`;
  return `${paint.dim(clockOf(now))} ${colour === null ? short : paint[colour](short)}`;
}

/** Events that the block shows as well, or that nobody needs in the morning. */
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

function sentenceFor(happening: BloomHappening | PawlEvent, board: Board): Line | null {
  if (!("taskId" in happening)) return lineOfRun(happening, board);
  if (HIDDEN.has(happening.type)) return null;
  // The task that waits for its answer is shown in the block.
  if (happening.type === "question:asked" && happening.blocking) return null;
  if (happening.type === "environment:down" && happening.reason === null && !happening.abandoned) return null;
  if (happening.type === "agent:rests" && !happening.first) return null;
  if (happening.type === "target:red" && !happening.first) return null;
  if (
    happening.type === "agent:ended" &&
    (happening.outcome === "succeeded" || happening.reason === "stopped")
  )
    return null;
  if (happening.type === "agent:started" && happening.purpose === "step") {
    const step = board.atWork.get(happening.taskId)?.step;
    if (step) return [`${happening.taskId}${stepName(step)}: ${agentOf(happening)}`, null];
  }
  return sentenceOf(happening);
}

function lineOfRun(happening: BloomHappening | PawlEvent, { newCaps }: Board): Line | null {
  // The same cap, reached again and again, is printed once; the block shows it while it holds.
  if (happening.type === "loop:capped")
    return newCaps.length === 0 ? null : [`Tasks wait: ${newCaps.join("; ")}`, "yellow"];
  if (happening.type === "policy:changed")
    return [
      `${happening.run}: an edit that loosens its policy does not count: ${happening.ignored.map(renderChange).join("; ")}. \`pawl policy ${happening.run} --accept\` lets it count`,
      "yellow",
    ];
  if (happening.type === "loop:outgrown")
    return [
      `A newer Pawl works on ${happening.tasks.join(", ")}. This one takes nothing more, and ends when its tasks are done: update it`,
      "yellow",
    ];
  if (happening.type === "loop:paused") return [`Paused: ${happening.reason} ${happening.fix}`, "red"];
  if (happening.type === "loop:resumed") return ["Resumed.", "green"];
  return null;
}

function stepName(step: { readonly id: string; readonly index: number; readonly total: number }): string {
  return ` step ${step.id} (${step.index + 1}/${step.total})`;
}

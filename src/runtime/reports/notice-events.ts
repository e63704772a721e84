import type { PawlEvent } from "../../core/event.ts";

/** Events of a task after which a person may need a notice. */
const CAUSING: ReadonlySet<PawlEvent["type"]> = new Set([
  "agent:ended",
  "budget:exhausted",
  "budget:nearing",
  "git:pr_opened",
  "question:asked",
  "agent:rests",
  "target:red",
  "task:blocked",
  "task:waiting",
]);

/**
 * Whether to search for causes after this event. A task moves often, so its own events decide instead of its
 * moves.
 */
export function mayCauseNotice(event: PawlEvent): boolean {
  if (event.type !== "run:advanced") return CAUSING.has(event.type);
  return !event.run.startsWith("bloom:");
}

import type { PawlEvent } from "../../core/event.ts";

/** After these of a task's events a person may have to be told something. */
const TELLING: ReadonlySet<PawlEvent["type"]> = new Set([
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

/** Whether it is worth a look for causes. A task moves often: its own events tell more than its moves. */
export function mayTell(event: PawlEvent): boolean {
  if (event.type !== "run:advanced") return TELLING.has(event.type);
  return !event.run.startsWith("bloom:");
}

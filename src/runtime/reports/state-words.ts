/**
 * How every surface calls what a run is doing. The literal names of states and of tasks' statuses stay in
 * files, in tools and in `--json`.
 */
import type { Waiting } from "../review/queue.ts";
import type { RunOverview } from "../transaction/transaction.ts";

/** `open`: it has not begun. */
export type Phase = "yours" | "working" | "waiting" | "open" | "done";

export const PHASES: Readonly<Record<Phase, string>> = {
  yours: "waits for you",
  working: "working",
  waiting: "waiting",
  open: "not begun",
  done: "done",
};

/** What waits, in a word, for every surface. */
export const KINDS: Readonly<Record<Waiting["kind"], string>> = {
  gate: "review",
  question: "question",
  blocked: "blocked",
  failed: "failed",
  held: "held",
  other: "your turn",
};

/** Who acts next. */
export const AWAITS: Readonly<Record<Exclude<RunOverview["awaits"], "nobody">, string>> = {
  human: PHASES.yours,
  assistant: "waits for the assistant",
  agent: "waits for an agent",
};

export function phaseOf(run: RunOverview): Phase {
  if (run.awaits === "human" || run.problem || (run.questions ?? []).length > 0) return "yours";
  if (run.since === null) return "open";
  if (run.awaits !== "nobody") return "working";
  return run.next === "" || run.next === "nothing" ? "done" : "waiting";
}

const WORDS: Readonly<Record<string, string>> = {
  agent_rests: "waits for its agent",
  awaiting_merge: "waits for its merge",
  backing_off: "waits to try again",
  done_pending_merge: "waits for its merge",
  opening_pr: "opening its pull request",
  ready_for_agent: "ready",
  target_red: "waits for its target",
  waiting_for_human: PHASES.yours,
};

/** A state's name in words. What is in words already, or a name in capitals, stays as it is. */
export function stateWords(state: string): string {
  if (Object.hasOwn(WORDS, state)) return WORDS[state] ?? state;
  return /^[a-z0-9]+(?:_[a-z0-9]+)+$/.test(state) ? state.replaceAll("_", " ") : state;
}

/** What the loop does with a run of any agent: it shows what the agent does, and stops it. */
import type { BloomEvent } from "../core/bloom-event.ts";
import type { AgentEnd, AgentEvent, AgentRun, AgentUsage } from "../core/ports/agents.ts";
import { rounded } from "./budget.ts";

/** `run`: the agent's. */
export function showAgent(
  show: (event: BloomEvent) => void,
  taskId: string,
  run: string,
  event: AgentEvent,
): void {
  if (event.type === "text") show({ type: "agent:said", taskId, run, text: event.text });
  else if (event.type === "tool")
    show({ type: "agent:used_tool", taskId, run, name: event.name, detail: event.detail });
  else if (event.type === "warning") show({ type: "agent:warned", taskId, run, text: event.text });
}

/** UTF-16 units of what an agent said last. */
const SAID = 500;

/** `run`: the agent's. */
export function agentEnded(
  taskId: string,
  run: string,
  end: AgentEnd,
): Extract<BloomEvent, { type: "agent:ended" }> {
  const { duration, model, outcome } = end;
  return {
    ...{ type: "agent:ended", taskId, run, outcome, duration },
    ...(end.outcome === "failed"
      ? { reason: end.reason, detail: end.detail }
      : { reason: null, detail: end.text.slice(0, SAID) }),
    ...used(end.usage),
    ...(model ? { model } : {}),
  };
}

/** The end of a run that no loop saw: its loop ended before. */
export function agentLost(
  taskId: string,
  run: string,
  usage: AgentUsage | null,
  { at, duration }: { readonly at: string; readonly duration: number },
): Extract<BloomEvent, { type: "agent:ended" }> {
  return {
    ...{ type: "agent:ended", taskId, run, outcome: "failed", reason: "lost" },
    ...{ detail: "its loop ended before it did", duration, at },
    ...used(usage),
  };
}

function used(usage: AgentUsage | null) {
  return {
    usd: usage?.usd == null ? null : rounded(usage.usd),
    inputTokens: usage?.inputTokens ?? null,
    outputTokens: usage?.outputTokens ?? null,
    turns: usage?.turns ?? null,
  };
}

const MAX_WORDS = 2_000;

/** The last paragraph of the agent's output. */
export function lastWords({ text }: Pick<AgentEnd, "text">): string {
  const paragraphs = text
    .trimEnd()
    .slice(-MAX_WORDS)
    .split(/\n[ \t\r]*\n/);
  return paragraphs.at(-1)?.trim() ?? "";
}

/** Its last words, if they end in a question; else null. */
export function lastQuestion(end: Pick<AgentEnd, "text">): string | null {
  const last = lastWords(end);
  return /[?？؟]["'”’»)\]*_`]*$/u.test(last) ? last : null;
}

/**
 * Waits for its end, and stops it at the first of `reasons`. `stop`: why Pawl stopped it; null: it ended on its
 * own.
 */
export async function endOrStop<Reason extends string>(
  run: AgentRun,
  ...reasons: readonly Promise<Reason>[]
): Promise<{ readonly end: AgentEnd; readonly stop: Reason | null }> {
  const first = await Promise.race([run.ended, ...reasons]);
  if (typeof first !== "string") return { end: first, stop: null };
  const end = await run.stop(first);
  // The run may have ended on its own just before the stop. A signal comes from the supervisor, which ends the
  // agents if the loop is too slow.
  const isStopped = end.outcome === "failed" && (end.reason === "stopped" || end.reason === "signalled");
  return { end, stop: isStopped ? first : null };
}

/** Folds the lines of a run's stream into the run's state, and judges the run at its end. Pure. */
import type { AgentEvent, AgentModel, AgentUsage, QuotaWindow } from "../../core/ports/agents.ts";
import { type AgentLine, type Fault, shortLine } from "./dialects/dialect.ts";
import type { ProcessEnd } from "./run-process.ts";

export interface RunOutput {
  readonly session: string | null;
  /** The last message. */
  readonly text: string;
  /** The last message arrives in pieces, and more may follow. */
  readonly inPieces: boolean;
  /** How many tools it has used in this run. */
  readonly tools: number;
  /** Model calls that the agent reported one by one. */
  readonly turns: number;
  /** The ids of the latest ones: calls may overlap. */
  readonly calls: readonly string[];
  /** For this run, as the agent reports it. */
  readonly usage: AgentUsage | null;
  /** For the session over all its runs, if the agent reports it that way. */
  readonly usageInAll: AgentUsage | null;
  readonly model: AgentModel | null;
  /** Calls that were refused. */
  readonly refused: readonly string[];
  /** When its account's limit ends, if it reported that; else null. */
  readonly resets: number | null;
  /** What its account has used, as it reported last; null: it did not. */
  readonly quota: readonly QuotaWindow[] | null;
  /** The end, if it was the last event. */
  readonly end: { readonly fault: Fault | null } | null;
}

export const NO_OUTPUT: RunOutput = {
  session: null,
  text: "",
  inPieces: false,
  tools: 0,
  turns: 0,
  calls: [],
  usage: null,
  usageInAll: null,
  model: null,
  refused: [],
  resets: null,
  quota: null,
  end: null,
};

const NO_USAGE: AgentUsage = { usd: null, inputTokens: null, outputTokens: null, turns: null };
const COUNTERS = ["usd", "inputTokens", "outputTokens"] as const;

/**
 * Applies a line's events to the state. Returns the events for the listener. `before`: spent by earlier runs.
 */
export function applyLine(
  output: RunOutput,
  lines: readonly AgentLine[],
  before: AgentUsage | null,
): { readonly output: RunOutput; readonly events: readonly AgentEvent[] } {
  const events: AgentEvent[] = [];
  let now = output;
  for (const one of lines) {
    const next = takeOne(now, one, before);
    const usage = spentIn(next);
    if (usage && !isSame(usage, spentIn(now))) events.push({ type: "usage", usage });
    if (one.type === "text-part") events.push({ type: "text", text: one.text });
    else if (one.type === "session" ? next.session !== now.session : isEvent(one))
      events.push(one as AgentEvent);
    now = next;
  }
  return { output: now, events };
}

/**
 * The run's usage so far, even without an end. If the agent reports no model calls, each tool counts as one,
 * and the end as one.
 */
export function spentIn({
  usage,
  tools,
  turns,
}: Pick<RunOutput, "usage" | "tools" | "turns">): AgentUsage | null {
  // A failed call has used no tokens.
  const last = usage === null || usage.inputTokens === 0 ? 0 : 1;
  const counted = turns > 0 ? turns : tools + last;
  if (usage === null && counted === 0) return null;
  const runUsage = usage ?? NO_USAGE;
  return { ...runUsage, turns: Math.max(runUsage.turns ?? 0, counted) };
}

function isSame(one: AgentUsage, other: AgentUsage | null): boolean {
  return other !== null && (Object.keys(one) as (keyof AgentUsage)[]).every((key) => one[key] === other[key]);
}

const CALLS_REMEMBERED = 16;
const MAX_REFUSALS = 100;
/** Characters. The last words count. */
const MAX_TEXT = 1024 * 1024;
/** It becomes a word of a command line, and stands in tasks.yaml: no option, and no text without an end. */
const SESSION = /^[^\s\p{C}-][^\s\p{C}]{0,199}$/u;

function refusals(what: readonly string[]): readonly string[] {
  return what.slice(0, MAX_REFUSALS).map(shortLine);
}

function ended(text: string): string {
  return text.length > 2 * MAX_TEXT ? text.slice(-MAX_TEXT) : text;
}

function takeOne(output: RunOutput, line: AgentLine, before: AgentUsage | null): RunOutput {
  switch (line.type) {
    case "session":
      return SESSION.test(line.id) ? { ...output, session: line.id } : output;
    case "text":
      return { ...output, text: ended(line.text), inPieces: false };
    case "text-part":
      return {
        ...output,
        text: ended(output.inPieces ? output.text + line.text : line.text),
        inPieces: true,
      };
    case "tool":
      return { ...output, inPieces: false, tools: output.tools + 1 };
    case "turn":
      if (line.id !== null && output.calls.includes(line.id)) return output;
      return {
        ...output,
        turns: output.turns + 1,
        calls: line.id === null ? output.calls : [...output.calls, line.id].slice(-CALLS_REMEMBERED),
      };
    case "model": {
      const { asked, answered } = { ...(output.model ?? { asked: null, answered: null }), ...line };
      return { ...output, model: { asked, answered } };
    }
    case "working":
      return { ...output, end: null };
    case "usage":
      return { ...output, usage: line.usage };
    case "spent":
      return { ...output, usage: output.usage ? combine(output.usage, line.usage, 1) : line.usage };
    case "spent-in-all":
      return { ...output, usage: since(line.usage, before), usageInAll: line.usage };
    case "cost-in-all": {
      const { usd } = since({ ...NO_USAGE, usd: line.usd }, before);
      const usage = output.usage ?? NO_USAGE;
      return {
        ...output,
        usage: { ...usage, usd: Math.max(usage.usd ?? 0, usd ?? 0) },
        usageInAll: { ...NO_USAGE, usd: line.usd },
      };
    }
    case "permission":
      return line.answer === "refuse" && line.byPerson !== true
        ? { ...output, refused: refusals([...output.refused, line.title]) }
        : output;
    case "refusals":
      return line.what.length > 0 ? { ...output, refused: refusals(line.what) } : output;
    case "limit":
      return { ...output, resets: line.resets };
    case "quota":
      return { ...output, quota: line.windows };
    case "end":
      return { ...output, end: { fault: line.fault } };
    default:
      return output;
  }
}

function isEvent(line: AgentLine): boolean {
  return (
    line.type === "text" || line.type === "tool" || line.type === "permission" || line.type === "warning"
  );
}

/** What a session's counter has grown by since then. One that has gone back began anew. */
function since(total: AgentUsage, before: AgentUsage | null): AgentUsage {
  if (before === null) return total;
  const isBack = COUNTERS.some((name) => (total[name] ?? Number.POSITIVE_INFINITY) < (before[name] ?? 0));
  return isBack ? total : combine(total, before, -1);
}

function combine(one: AgentUsage, other: AgentUsage, sign: 1 | -1): AgentUsage {
  const of = (a: number | null, b: number | null) =>
    a === null ? b && sign * b : Math.max(0, a + sign * (b ?? 0));
  return {
    usd: of(one.usd, other.usd),
    inputTokens: of(one.inputTokens, other.inputTokens),
    outputTokens: of(one.outputTokens, other.outputTokens),
    turns: of(one.turns, other.turns),
  };
}

/**
 * Null: the run succeeded. Pawl's own ending of the process counts first, then the agent's report, then the
 * exit.
 */
export function judge(
  output: Pick<RunOutput, "end"> & Partial<Pick<RunOutput, "resets">>,
  end: Pick<ProcessEnd, "ending" | "why" | "code" | "signal" | "errors">,
  failureOf: (end: { code: number | null; errors: string }) => Fault | null,
): Fault | null {
  if (end.ending === "not-started") return { reason: "not-installed", detail: end.why };
  if (end.ending !== "itself") return { reason: end.ending, detail: end.why };
  if (output.end?.fault) return withReset(output.end.fault, output.resets ?? null);
  if (end.signal !== null || isSignalCode(end.code))
    return { reason: "signalled", detail: end.signal ?? `exit code ${end.code}` };
  if (end.code === 0 && output.end) return null;
  const fault = failureOf(end);
  if (fault) return fault;
  const message = `exit code ${end.code}${end.errors.trim() ? `: ${lastLines(end.errors)}` : ""}`;
  if (output.end) return { reason: "exit", detail: `its last event says success, but ${message}` };
  return { reason: end.code === 0 ? "cut-stream" : "exit", detail: `no last event, ${message}` };
}

/** An earlier report of a limit counts only if the run ended because of the limit. */
export function withReset(fault: Fault, resets: number | null): Fault {
  return fault.reason === "rate-limit" && resets !== null ? { resets, ...fault } : fault;
}

/** The exit codes with which a shell or a wrapper reports a signal: SIGINT, SIGKILL, SIGTERM. */
function isSignalCode(code: number | null): boolean {
  return code === 130 || code === 137 || code === 143;
}

function lastLines(text: string): string {
  return text.trim().split("\n").slice(-3).join(" / ").slice(-500);
}

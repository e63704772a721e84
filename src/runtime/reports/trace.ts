/**
 * A run as a trace: one function makes its spans from the event log, for `pawl log trace` and for the live
 * export.
 *
 * S1  Ids follow from the log's beginning, the run and the event that began the span. So every process that
 *     commits the end of a span computes the same ids of the span, its parent and its trace.
 * S2  `attributes` hold names, figures and outcomes. Only `words` hold texts of agents, people or the
 *     project.
 * S3  A line of the log may have any author: an invalid one is skipped.
 */
import type { PawlEvent } from "../../core/event.ts";
import { runOf } from "../../core/event-lines.ts";
import { hashOf } from "../../core/hash.ts";
import { type GateWait, openGateWaits } from "./gate-waits.ts";

export interface TraceSpan extends SpanLink {
  readonly parent: string | null;
  readonly kind: "run" | "step" | "agent" | "check" | "merge" | "wait";
  readonly name: string;
  /** Milliseconds since 1970; `end` is null before the end. */
  readonly start: number;
  readonly end: number | null;
  /** The failure, in a word: `timed-out`. Null: it did not fail. */
  readonly failed: string | null;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** A text of an agent, a person or the project, such as a check's command. */
  readonly words: string | null;
  /** Spans of others that caused it. */
  readonly links: readonly SpanLink[];
}

export interface SpanLink {
  /** 32 and 16 hexadecimal digits. */
  readonly trace: string;
  readonly id: string;
}

export interface Trace {
  /** The spans that the event ended; the run's own is last. */
  take(event: PawlEvent): readonly TraceSpan[];
  /** The unfinished spans, outermost first. */
  open(): readonly TraceSpan[];
}

export interface TracedRun {
  /** The generation of the log. */
  readonly origin: string;
  /** `workflow:id` */
  readonly run: string;
  /**
   * The final states of each machine of its workflow, in the order in which a run passes through the
   * machines.
   */
  readonly finals: ReadonlyMap<string, ReadonlySet<string>>;
}

export function traceIdOf({ origin, run }: Pick<TracedRun, "origin" | "run">): string {
  return hashOf(`trace ${origin} ${run}`).slice(0, 32);
}

/** The header of https://www.w3.org/TR/trace-context/ for a run of an agent, or a check, by its id. */
export function traceparentOf(
  traced: Pick<TracedRun, "origin" | "run">,
  kind: "agent" | "check",
  id: string,
): string {
  const trace = traceIdOf(traced);
  return `00-${trace}-${spanId(trace, `${kind} ${id}`)}-01`;
}

/** Null: the text is invalid. */
export function parseTraceparent(text: unknown): SpanLink | null {
  if (typeof text !== "string") return null;
  const [, trace = "", id = ""] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(text) ?? [];
  return /[1-9a-f]/.test(trace) && /[1-9a-f]/.test(id) ? { trace, id } : null;
}

function spanId(trace: string, key: string): string {
  return hashOf(`${trace} ${key}`).slice(0, 16);
}

type Span = { -readonly [K in keyof Omit<TraceSpan, "links">]: TraceSpan[K] } & {
  readonly links: SpanLink[];
};

interface Step {
  readonly span: Span;
  readonly id: string;
  readonly key: string;
  completed: number | null;
  /** When the last span below it ended. */
  last: number;
}

interface Building {
  readonly trace: string;
  readonly traced: TracedRun;
  root: Span | null;
  /** The step under way, or the machine if the workflow has several. */
  step: Step | null;
  readonly agents: Map<string, Span>;
  /** Agents that must have ended, without an event that reports their end. */
  readonly lost: Map<string, Span>;
  session: string | null;
  /** When the run came to its state. */
  entered: number | null;
  readonly ended: Span[];
}

export function openTrace(traced: TracedRun): Trace {
  const gates = openGateWaits();
  const building: Building = {
    ...{ trace: traceIdOf(traced), traced, root: null, step: null, agents: new Map(), lost: new Map() },
    ...{ session: null, entered: null, ended: [] },
  };
  return {
    take(event) {
      const at = Date.parse(event.time);
      if (Number.isNaN(at) || runOf(event) !== traced.run) return [];
      if (BEGINS.has(event.type)) building.root ??= rootOf(building, event.id, at);
      if (building.root === null) return [];
      const wait = gates.take(event);
      if (wait) endWait(building, wait, event.id);
      (TAKES[event.type] as Take<PawlEvent["type"]> | undefined)?.(building, event, at);
      return building.ended.splice(0);
    },
    open: () =>
      [building.root, building.step?.span ?? null, ...building.agents.values()].filter(
        (span) => span !== null,
      ),
  };
}

/** Events that begin a trace. Assigning a task or making it ready does not: no work has begun. */
const BEGINS: ReadonlySet<string> = new Set([
  "run:advanced",
  "task:claimed",
  "step:started",
  "agent:started",
]);

function rootOf({ trace, traced: { run } }: Building, id: string, start: number): Span {
  const [workflow = ""] = run.split(":");
  const attributes = { "pawl.run": run, "pawl.workflow": workflow };
  const root = { trace, id: spanId(trace, `run ${id}`), parent: null, kind: "run", name: run } as const;
  return { ...EMPTY, ...root, start, attributes, links: [] };
}

const EMPTY = { end: null, failed: null, words: null } as const;

/** Below the step under way, if there is one. */
function begin(
  { root, step, trace }: Building,
  key: string,
  given: Pick<Span, "kind" | "name" | "start"> & Partial<Pick<Span, "attributes" | "words">>,
): Span {
  const parent = (given.kind === "step" ? root : (step ?? root))?.id ?? null;
  return { ...EMPTY, attributes: {}, ...given, trace, id: spanId(trace, key), parent, links: [] };
}

function end(building: Building, span: Span, at: number, failed: string | null = null): void {
  span.end = Math.max(span.start, at);
  span.failed = failed;
  building.ended.push(span);
  const { step } = building;
  if (step !== null && span.parent === step.id) step.last = Math.max(step.last, span.end);
}

/** A completed step lasts until its last check or repair. */
function endStep(building: Building, at: number, failed: string | null = null): void {
  const { step } = building;
  if (step === null) return;
  building.step = null;
  end(building, step.span, step.completed === null ? at : Math.max(step.completed, step.last), failed);
}

function endRun(building: Building, at: number, state: string): void {
  const { root } = building;
  loseAgents(building, at);
  endStep(building, at);
  building.root = null;
  building.entered = null;
  if (root === null) return;
  root.attributes = { ...root.attributes, "pawl.state": state };
  end(building, root, at);
}

/** Their owner died, so no event reported their end. */
function loseAgents(building: Building, at: number): void {
  for (const [run, span] of building.agents) {
    end(building, span, at, "lost");
    building.lost.set(run, span);
  }
  building.agents.clear();
}

type Take<T extends PawlEvent["type"]> = (
  building: Building,
  event: Extract<PawlEvent, { readonly type: T }>,
  at: number,
) => void;

const TAKES: { readonly [T in PawlEvent["type"]]?: Take<T> } = {
  "run:advanced"(building, event, at) {
    const { from, machine, to } = event;
    const { finals } = building.traced;
    const isOver = finals.get(machine)?.has(to) === true;
    if (finals.size > 1 && building.step?.key !== machine) beginStep(building, machine, machine, at);
    link(building, event.trace);
    if (from !== to) building.entered = at;
    if (isOver && finals.size > 1) endStep(building, at);
    if (isOver && [...finals.keys()].at(-1) === machine) endRun(building, at, to);
  },
  "task:claimed"(building, { takenOver }, at) {
    if (takenOver) loseAgents(building, at);
  },
  "task:retried"({ root }) {
    if (root === null) return;
    const retries = root.attributes["pawl.retries"];
    root.attributes = { ...root.attributes, "pawl.retries": (typeof retries === "number" ? retries : 0) + 1 };
  },
  "session:opened"(building, { session }) {
    building.session = session;
  },
  "step:started"(building, { stepId }, at) {
    if (building.step?.key !== stepId) beginStep(building, stepId, `step ${stepId}`, at);
  },
  "step:completed"({ step }, { stepId }, at) {
    if (step?.key === stepId) step.completed = at;
  },
  "step:cancelled"(building, { stepId }, at) {
    if (building.step?.key === stepId) endStep(building, at, "cancelled");
  },
  "agent:started"(building, event, start) {
    const { agent, purpose, resumed, run } = event;
    loseAgents(building, start);
    const attributes = {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": PROVIDERS[agent] ?? agent,
      "gen_ai.agent.name": agent,
      "pawl.agent.run": run,
      "pawl.agent.purpose": purpose,
      "pawl.agent.resumed": resumed === true,
    };
    const name = `invoke_agent ${agent}`;
    building.agents.set(run, begin(building, `agent ${run}`, { kind: "agent", name, start, attributes }));
  },
  "agent:ended"(building, event, at) {
    const lost = building.lost.get(event.run);
    if (lost !== undefined && event.at !== undefined)
      lost.end = Math.max(lost.start, Date.parse(event.at) || lost.start);
    const span = building.agents.get(event.run);
    if (span === undefined) return;
    building.agents.delete(event.run);
    span.attributes = { ...span.attributes, ...usageOf(event, building.session) };
    const over = event.at === undefined ? at : Date.parse(event.at) || at;
    end(building, span, over, event.outcome === "failed" ? (event.reason ?? "failed") : null);
  },
  "agent:leftovers_ended": (building, _, at) => loseAgents(building, at),
  "check:passed": (building, event, at) => endCheck(building, event, at),
  "check:flaky": (building, event, at) => endCheck(building, event, at),
  "check:failed": (building, event, at) => endCheck(building, event, at),
  "merge:completed": (building, event, at) => endMerge(building, event, at, null),
  "merge:conflicted": (building, event, at) => endMerge(building, event, at, "conflict"),
  "merge:failed": (building, event, at) => endMerge(building, event, at, "failed"),
  "git:committed": settleStep,
  "task:waiting": settleStep,
};

/** Names of the semantic conventions; any other agent keeps its own name. */
const PROVIDERS: Readonly<Record<string, string>> = {
  claude: "anthropic",
  codex: "openai",
  gemini: "gcp.gemini",
};

function beginStep(building: Building, key: string, name: string, start: number): void {
  endStep(building, start);
  const attributes = { "pawl.step": key };
  const span = begin(building, `step ${key} ${start}`, { kind: "step", name, start, attributes });
  building.step = { span, id: span.id, key, completed: null, last: start };
}

/** Once the task's work is committed, or waits for a person, its last step is over. */
function settleStep(building: Building, _: PawlEvent, at: number): void {
  if (building.step !== null && building.step.completed !== null) endStep(building, at);
}

function endWait(building: Building, { from, gate, to, verdict }: GateWait, id: string): void {
  const attributes = { "pawl.gate": gate, "pawl.verdict": verdict };
  const start = Date.parse(from);
  const given = { kind: "wait", name: `wait ${gate}`, start, attributes } as const;
  end(building, begin(building, `wait ${id}`, given), Date.parse(to));
}

type Checked = Extract<PawlEvent, { readonly type: "check:passed" | "check:flaky" | "check:failed" }>;

/** The path of its output, which ends with the id of the command's run. */
const COMMAND = /^\.pawl\/commands\/([^/]+)$/;

function endCheck(building: Building, event: Checked, at: number): void {
  const { command, duration, log, type } = event;
  const id = COMMAND.exec(String(log))?.[1] ?? event.id;
  const failed = type === "check:failed";
  const attributes = failed && typeof event.exit === "number" ? { "pawl.check.exit": event.exit } : {};
  const given = { kind: "check", name: "check", start: at - duration, attributes, words: command } as const;
  end(building, begin(building, `check ${id}`, given), at, failed ? "check-failed" : null);
}

function endMerge(
  building: Building,
  { id, into }: { readonly id: string; readonly into: string },
  at: number,
  failed: string | null,
): void {
  const given = {
    kind: "merge",
    name: "merge",
    start: building.entered ?? at,
    words: `into ${into}`,
  } as const;
  end(building, begin(building, `merge ${id}`, given), at, failed);
}

function usageOf(
  { inputTokens, model, outputTokens, turns, usd }: Extract<PawlEvent, { readonly type: "agent:ended" }>,
  session: string | null,
): TraceSpan["attributes"] {
  const figures = {
    "gen_ai.usage.input_tokens": inputTokens,
    "gen_ai.usage.output_tokens": outputTokens,
    "pawl.agent.turns": turns,
    "pawl.cost.usd": usd,
  };
  return {
    ...(typeof session === "string" ? { "gen_ai.conversation.id": session } : {}),
    ...attributesOfType("number", figures),
    ...attributesOfType("string", {
      "gen_ai.request.model": model?.asked,
      "gen_ai.response.model": model?.answered,
    }),
  };
}

function attributesOfType(
  type: "number" | "string",
  given: Readonly<Record<string, unknown>>,
): TraceSpan["attributes"] {
  const valid = Object.entries(given).filter(([, value]) => typeof value === type);
  return Object.fromEntries(valid) as TraceSpan["attributes"];
}

const MAX_LINKS = 100;

function link({ root, step }: Building, traceparent: unknown): void {
  const parentSpan = parseTraceparent(traceparent);
  const links = (step?.span ?? root)?.links;
  if (parentSpan === null || links === undefined || links.length >= MAX_LINKS) return;
  if (!links.some(({ id }) => id === parentSpan.id)) links.push(parentSpan);
}

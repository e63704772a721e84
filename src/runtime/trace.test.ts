import { describe, expect, it } from "vitest";
import type { PawlEvent } from "../core/event.ts";
import { openTrace, parseTraceparent, type TraceSpan, traceIdOf, traceparentOf } from "./trace.ts";

const RUN = "bloom:T1";
const BLOOM = { origin: "0123456789abcdef", run: RUN, finals: new Map([["bloom", new Set(["done"])]]) };
let count = 0;
const event = (second: number, type: string, more: object = {}) =>
  ({
    ...{ id: `e${count++}`, time: new Date(1_000_000 + second * 1000).toISOString(), type },
    ...(type === "run:advanced"
      ? { run: RUN, machine: "bloom", event: "e", row: "r", summary: "" }
      : { taskId: "T1" }),
    ...more,
  }) as unknown as PawlEvent;
const agent = (second: number, run: string, more: object = {}) =>
  event(second, "agent:started", { run, agent: "claude", purpose: "step", resumed: false, ...more });
const ended = (second: number, run: string, more: object = {}) =>
  event(second, "agent:ended", {
    run,
    outcome: "succeeded",
    reason: null,
    usd: 0.5,
    inputTokens: 7,
    outputTokens: 3,
    turns: 2,
    ...more,
  });

function traced(events: readonly PawlEvent[], of = BLOOM) {
  const trace = openTrace(of);
  const spans = events.flatMap((each) => trace.take(each));
  return {
    spans,
    open: trace.open(),
    named: (name: string) => spans.find((span) => span.name === name) as TraceSpan,
  };
}

const LIFE = [
  event(0, "task:status_changed", { from: "todo", to: "ready" }),
  event(10, "task:claimed", { takenOver: false }),
  event(10, "run:advanced", { from: "ready", to: "working" }),
  event(11, "step:started", { stepId: "s1", stepIndex: 0 }),
  agent(11, "T1.1"),
  ended(20, "T1.1", { model: { asked: "a-model", answered: "a-model-of-today" } }),
  event(20, "step:completed", { stepId: "s1" }),
  event(25, "check:failed", { command: "npm test", duration: 4000, exit: 1 }),
  event(25, "task:retried", {}),
  agent(26, "T1.2", { purpose: "repair" }),
  ended(30, "T1.2", { usd: null }),
  event(31, "git:committed", {}),
  event(31, "run:advanced", { from: "committing", to: "waiting" }),
  event(31, "task:waiting", { reason: "secret words" }),
  event(91, "run:advanced", { from: "waiting", to: "merging", event: "approved", strength: "terminal" }),
  event(95, "merge:completed", { into: "main", branch: "b" }),
  event(95, "run:advanced", { from: "merging", to: "done" }),
];

describe("a run as a trace", () => {
  it("is its task with its step, agents, checks, waits and merge, each where it belongs", () => {
    const { named, open, spans } = traced(LIFE);
    const [root, step] = [named(RUN), named("step s1")];
    expect(open).toEqual([]);
    expect(spans.map(({ kind }) => kind)).toEqual([
      "agent",
      "check",
      "agent",
      "step",
      "wait",
      "merge",
      "run",
    ]);
    const below = (span: TraceSpan) =>
      spans.filter(({ parent }) => parent === span.id).map(({ name }) => name);
    expect(below(root)).toEqual(["step s1", "wait waiting", "merge"]);
    expect(below(step)).toEqual(["invoke_agent claude", "check", "invoke_agent claude"]);
    const lasts = ({ end, start }: TraceSpan) => ((end ?? Number.NaN) - start) / 1000;
    expect([root, step, named("check"), named("wait waiting"), named("merge")].map(lasts)).toEqual([
      85, 19, 4, 60, 4,
    ]);
    expect(named("invoke_agent claude").attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.usage.input_tokens": 7,
      "gen_ai.usage.output_tokens": 3,
      "gen_ai.request.model": "a-model",
      "gen_ai.response.model": "a-model-of-today",
      "pawl.cost.usd": 0.5,
    });
    expect(root.attributes).toMatchObject({ "pawl.retries": 1, "pawl.state": "done" });
    expect(named("check")).toMatchObject({ failed: "check-failed", words: "npm test" });
  });

  it("has the same ids whoever makes them, and names an agent's span before its end", () => {
    expect(traced(LIFE).spans).toEqual(traced(LIFE).spans);
    const { spans } = traced(LIFE);
    expect(new Set(spans.map(({ id }) => id)).size).toBe(spans.length);
    expect(traceparentOf(BLOOM, "agent", "T1.1")).toBe(`00-${traceIdOf(BLOOM)}-${spans[0]?.id}-01`);
    expect(traceIdOf({ ...BLOOM, run: "bloom:T2" })).not.toBe(traceIdOf(BLOOM));
  });

  it("keeps what others wrote out of names and attributes", () => {
    const own = traced(LIFE).spans.map(({ attributes, name }) => JSON.stringify([name, attributes]));
    expect(own.join()).not.toMatch(/npm test|secret words/);
  });

  it("shows what lasts, and what was lost with its owner", () => {
    const { open, spans } = traced([
      ...LIFE.slice(0, 5),
      event(60, "task:claimed", { takenOver: true }),
      agent(61, "T1.9"),
    ]);
    expect(spans).toEqual([expect.objectContaining({ kind: "agent", failed: "lost" })]);
    expect(open.map(({ end, kind }) => [kind, end])).toEqual([
      ["run", null],
      ["step", null],
      ["agent", null],
    ]);
  });

  it("has a span for each machine of a workflow with several, and links the callers of its moves", () => {
    const caller = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    const move = (second: number, machine: string, to: string, more: object = {}) =>
      event(second, "run:advanced", { machine, from: "x", to, ...more });
    const finals = new Map([
      ["plan", new Set(["over"])],
      ["build", new Set(["over"])],
    ]);
    const { named, spans } = traced(
      [
        move(0, "plan", "y", { trace: caller }),
        move(5, "plan", "over", { trace: "nonsense" }),
        move(7, "build", "y"),
        move(9, "build", "over"),
      ],
      { ...BLOOM, finals },
    );
    expect(spans.map(({ name }) => name)).toEqual(["plan", "build", RUN]);
    expect(named("plan").links).toEqual([{ trace: "a".repeat(32), id: "b".repeat(16) }]);
    expect(parseTraceparent(`00-${"0".repeat(32)}-${"b".repeat(16)}-01`)).toBeNull();
  });

  it("survives lines that are not as they should be", () => {
    const odd = [
      event(0, "agent:ended", { run: {}, outcome: 7 }),
      { ...agent(1, "T1.1"), time: "never" },
      agent(1, "T1.1", { agent: "x", purpose: "step" }),
      ended(2, "T1.1", { usd: "much", inputTokens: {}, turns: null }),
    ];
    expect(traced(odd).spans[0]?.attributes).not.toHaveProperty(["pawl.cost.usd"]);
  });
});

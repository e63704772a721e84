import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import type { PawlEvent } from "../../core/event.ts";
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
    promise("trace.spans");
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
    promise("trace.spans");
    expect(traced(LIFE).spans).toEqual(traced(LIFE).spans);
    const { spans } = traced(LIFE);
    expect(new Set(spans.map(({ id }) => id)).size).toBe(spans.length);
    expect(traceparentOf(BLOOM, "agent", "T1.1")).toBe(`00-${traceIdOf(BLOOM)}-${spans[0]?.id}-01`);
    expect(traceIdOf({ ...BLOOM, run: "bloom:T2" })).not.toBe(traceIdOf(BLOOM));
  });

  it("keeps what others wrote out of names and attributes", () => {
    promise("telemetry.private");
    const own = traced(LIFE).spans.map(({ attributes, name }) => JSON.stringify([name, attributes]));
    expect(own.join()).not.toMatch(/npm test|secret words/);
  });

  it("shows what lasts, and what was lost with its owner", () => {
    promise("trace.spans");
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
    promise("trace.spans");
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
    promise("trace.spans");
    const odd = [
      event(0, "agent:ended", { run: {}, outcome: 7 }),
      { ...agent(1, "T1.1"), time: "never" },
      agent(1, "T1.1", { agent: "x", purpose: "step" }),
      ended(2, "T1.1", { usd: "much", inputTokens: {}, turns: null }),
    ];
    expect(traced(odd).spans[0]?.attributes).not.toHaveProperty(["pawl.cost.usd"]);
  });
});

describe("The ids of a trace", () => {
  it("have the digits that the header wants", () => {
    expect(traceIdOf(BLOOM)).toMatch(/^[0-9a-f]{32}$/);
    expect(traceparentOf(BLOOM, "check", "c1")).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(traceparentOf(BLOOM, "check", "c1")).not.toBe(traceparentOf(BLOOM, "agent", "c1"));
    expect(
      traced(LIFE).spans.every(({ id, trace }) => /^[0-9a-f]{16}$/.test(id) && trace === traceIdOf(BLOOM)),
    ).toBe(true);
  });

  it.each<[unknown, boolean]>([
    [`00-${"a".repeat(32)}-${"b".repeat(16)}-01`, true],
    [`00-${"a".repeat(32)}-${"b".repeat(16)}-00`, true],
    [`00-${"a".repeat(32)}-${"b".repeat(16)}-01x`, false],
    [`x00-${"a".repeat(32)}-${"b".repeat(16)}-01`, false],
    [`01-${"a".repeat(32)}-${"b".repeat(16)}-01`, false],
    [`00-${"A".repeat(32)}-${"b".repeat(16)}-01`, false],
    [`00-${"a".repeat(32)}-${"0".repeat(16)}-01`, false],
    [`00-${"0".repeat(32)}-${"b".repeat(16)}-01`, false],
    ["", false],
    [7, false],
    [undefined, false],
  ])("are read from %j: %s", (text, isOne) => {
    expect(parseTraceparent(text)).toEqual(isOne ? { trace: "a".repeat(32), id: "b".repeat(16) } : null);
  });
});

describe("A trace, event by event", () => {
  const lasts = (span: TraceSpan | undefined) => ((span?.end ?? Number.NaN) - (span?.start ?? 0)) / 1000;

  it.each(["run:advanced", "task:claimed", "step:started", "agent:started"])("begins with %s", (type) => {
    const { open } = traced([event(5, type, { run: RUN, from: "a", to: "b", stepId: "s1", agent: "x" })]);
    expect(open[0]).toEqual({
      ...{ kind: "run", name: RUN, parent: null, start: 1_005_000, end: null, failed: null, words: null },
      ...{ attributes: { "pawl.run": RUN, "pawl.workflow": "bloom" }, links: [] },
      ...{ trace: traceIdOf(BLOOM), id: expect.stringMatching(/^[0-9a-f]{16}$/) },
    });
  });

  it("begins with nothing else, and takes no event of another run, or without a time", () => {
    for (const each of [
      event(0, "task:status_changed", {}),
      event(0, "check:passed", { command: "x", duration: 1 }),
      event(0, "task:claimed", { taskId: "T2" }),
      { ...event(0, "task:claimed"), time: "never" },
      event(0, "task:retried"),
    ])
      expect(traced([each])).toMatchObject({ spans: [], open: [] });
    expect(
      traced([
        event(0, "task:claimed"),
        event(1, "check:passed", { taskId: "T2", command: "x", duration: 1 }),
      ]).spans,
    ).toEqual([]);
    expect(traced([event(0, "task:claimed"), event(1, "unheard:of", {})]).spans).toEqual([]);
  });

  it("has a step from its start to the next one's, or to its end", () => {
    const begin = event(0, "step:started", { stepId: "s1" });
    const { named, open, spans } = traced([
      begin,
      event(1, "step:started", { stepId: "s1" }),
      event(4, "step:started", { stepId: "s2" }),
    ]);
    expect(spans).toHaveLength(1);
    expect(named("step s1")).toMatchObject({ kind: "step", failed: null, attributes: { "pawl.step": "s1" } });
    expect([lasts(named("step s1")), open[1]?.name, open[1]?.start]).toEqual([4, "step s2", 1_004_000]);
    const cancelled = traced([begin, event(3, "step:cancelled", { stepId: "s1" })]);
    expect(cancelled.named("step s1")).toMatchObject({ failed: "cancelled", end: 1_003_000 });
    expect(traced([begin, event(3, "step:cancelled", { stepId: "s2" })]).spans).toEqual([]);
    expect(
      traced([
        event(0, "task:claimed"),
        event(1, "step:cancelled", { stepId: "s1" }),
        event(1, "step:completed", { stepId: "s1" }),
      ]).spans,
    ).toEqual([]);
  });

  it("ends a completed step if its work is committed or waits, at the end of its last check", () => {
    const begun = [event(0, "step:started", { stepId: "s1" }), event(5, "step:completed", { stepId: "s1" })];
    const check = event(9, "check:passed", { command: "x", duration: 2000 });
    for (const type of ["git:committed", "task:waiting"]) {
      expect(lasts(traced([...begun, event(20, type)]).named("step s1"))).toBe(5);
      expect(lasts(traced([...begun, check, event(20, type)]).named("step s1"))).toBe(9);
    }
    const early = traced([
      begun[0] as PawlEvent,
      event(2, "check:passed", { command: "x", duration: 1 }),
      begun[1] as PawlEvent,
      event(20, "git:committed"),
    ]);
    expect(lasts(early.named("step s1"))).toBe(5);
    expect(traced([begun[0] as PawlEvent, event(20, "git:committed")]).spans).toEqual([]);
    const other = traced([
      begun[0] as PawlEvent,
      event(5, "step:completed", { stepId: "s2" }),
      event(20, "git:committed"),
    ]);
    expect(other.spans).toEqual([]);
  });

  it("has an agent by what it is, whose it is and what it is for, until its end", () => {
    const more = { agent: "codex", purpose: "repair", resumed: true };
    const { named } = traced([
      event(0, "session:opened", { session: "abc", agent: "codex" }),
      agent(1, "T1.1", more),
      event(2, "session:opened", { session: "abc", agent: "codex" }),
      ended(4, "T1.1", { outcome: "failed", reason: "timed-out" }),
    ]);
    expect(named("invoke_agent codex")).toMatchObject({
      ...{ kind: "agent", failed: "timed-out", start: 1_001_000, end: 1_004_000, words: null },
      attributes: {
        ...{
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.provider.name": "openai",
          "gen_ai.agent.name": "codex",
        },
        ...{ "pawl.agent.run": "T1.1", "pawl.agent.purpose": "repair", "pawl.agent.resumed": true },
        ...{ "gen_ai.conversation.id": "abc", "pawl.agent.turns": 2, "pawl.cost.usd": 0.5 },
      },
    });
    const plain = traced([agent(1, "T1.1", { agent: "mine" }), ended(2, "T1.1", { outcome: "failed" })]);
    expect(plain.spans[0]).toMatchObject({
      failed: "failed",
      attributes: { "gen_ai.provider.name": "mine", "pawl.agent.resumed": false },
    });
    expect(plain.spans[0]?.attributes).not.toHaveProperty(["gen_ai.conversation.id"]);
    expect(traced([agent(1, "T1.1"), ended(2, "T1.1", { outcome: "stopped" })]).spans[0]?.failed).toBeNull();
    expect(
      traced([agent(1, "T1.1", { agent: "gemini" }), ended(2, "T1.1")]).spans[0]?.attributes,
    ).toMatchObject({ "gen_ai.provider.name": "gcp.gemini" });
    expect(traced([agent(1, "T1.1"), ended(2, "T1.2")]).spans).toEqual([]);
  });

  it("loses an agent if another begins, its task is taken over, its leftovers end, or the run does", () => {
    const lost = (...after: readonly PawlEvent[]) =>
      traced([event(0, "step:started", { stepId: "s1" }), agent(1, "T1.1"), ...after])
        .spans.filter(({ kind }) => kind === "agent")
        .map(({ end, failed }) => [failed, end]);
    expect(lost(agent(7, "T1.2"))).toEqual([["lost", 1_007_000]]);
    expect(lost(event(7, "task:claimed", { takenOver: true }))).toEqual([["lost", 1_007_000]]);
    expect(lost(event(7, "task:claimed", { takenOver: false }))).toEqual([]);
    expect(lost(event(7, "agent:leftovers_ended", { count: 1 }))).toEqual([["lost", 1_007_000]]);
    expect(lost(event(7, "run:advanced", { from: "x", to: "done" }))).toEqual([["lost", 1_007_000]]);
    // Its last sign of life tells more than the time at which somebody noticed.
    const noticed = ended(9, "T1.1", {
      outcome: "failed",
      reason: "lost",
      at: new Date(1_004_000).toISOString(),
    });
    expect(lost(event(7, "task:claimed", { takenOver: true }), noticed)).toEqual([["lost", 1_004_000]]);
    expect(lost(noticed)).toEqual([["lost", 1_004_000]]);
    // Nothing ends before it began.
    expect(lost(event(0, "agent:leftovers_ended", { count: 1 }))).toEqual([["lost", 1_001_000]]);
  });

  it("has a check by its command's run, with its exit and its time", () => {
    const check = (type: string, more: object = {}) =>
      traced([
        event(0, "task:claimed"),
        { ...event(9, type, { command: "npm test", duration: 4000, ...more }), id: "own" } as PawlEvent,
      ]);
    const passed = check("check:passed", { log: ".pawl/commands/c7" }).spans[0];
    expect(passed).toMatchObject({
      ...{
        kind: "check",
        name: "check",
        start: 1_005_000,
        end: 1_009_000,
        words: "npm test",
        failed: null,
        attributes: {},
      },
    });
    expect(`00-${passed?.trace}-${passed?.id}-01`).toBe(traceparentOf(BLOOM, "check", "c7"));
    for (const log of [undefined, "x/.pawl/commands/c7", ".pawl/commands/c7/x", ".pawl/commands/", 7]) {
      const [other] = check("check:passed", { log }).spans;
      expect(`00-${other?.trace}-${other?.id}-01`).toBe(traceparentOf(BLOOM, "check", "own"));
    }
    expect(check("check:failed", { exit: 3 }).spans[0]).toMatchObject({
      failed: "check-failed",
      attributes: { "pawl.check.exit": 3 },
    });
    expect(check("check:failed", { exit: null }).spans[0]).toMatchObject({
      failed: "check-failed",
      attributes: {},
    });
    expect(check("check:passed", { exit: 0 }).spans[0]?.attributes).toEqual({});
  });

  it.each([
    ["merge:completed", null],
    ["merge:conflicted", "conflict"],
    ["merge:failed", "failed"],
  ] as const)("has a merge since the run came to its state: %s", (type, failed) => {
    const { spans } = traced([
      event(0, "task:claimed"),
      event(2, "run:advanced", { from: "a", to: "merging" }),
      event(3, "run:advanced", { from: "merging", to: "merging" }),
      event(9, type, { into: "main", branch: "b" }),
    ]);
    expect(spans).toEqual([
      expect.objectContaining({
        kind: "merge",
        name: "merge",
        words: "into main",
        failed,
        start: 1_002_000,
        end: 1_009_000,
      }),
    ]);
    const bare = traced([event(0, "task:claimed"), event(9, type, { into: "main" })]);
    expect(bare.spans[0]).toMatchObject({ start: 1_009_000, end: 1_009_000 });
  });

  it("counts retries, and ends with the state that the run ended in", () => {
    const { spans } = traced([
      event(0, "task:claimed"),
      event(1, "task:retried"),
      event(2, "task:retried"),
      event(3, "run:advanced", { from: "x", to: "done" }),
      event(4, "task:claimed"),
      event(6, "run:advanced", { from: "x", to: "done" }),
    ]);
    expect(
      spans.map(({ attributes, end, start }) => [
        attributes["pawl.retries"],
        attributes["pawl.state"],
        start,
        end,
      ]),
    ).toEqual([
      [2, "done", 1_000_000, 1_003_000],
      [undefined, "done", 1_004_000, 1_006_000],
    ]);
    expect(new Set(spans.map(({ id }) => id)).size).toBe(2);
    // Another machine's end is not the run's.
    expect(
      traced([
        event(0, "task:claimed"),
        event(1, "run:advanced", { machine: "other", from: "x", to: "done" }),
      ]).spans,
    ).toEqual([]);
    expect(
      traced([event(0, "task:claimed"), event(1, "run:advanced", { from: "x", to: "working" })]).spans,
    ).toEqual([]);
  });

  it("has each machine of several below the run, one after the other, and the run's end with the last one's", () => {
    const finals = new Map([
      ["plan", new Set(["over"])],
      ["build", new Set(["over"])],
    ]);
    const move = (second: number, machine: string, from: string, to: string) =>
      event(second, "run:advanced", { machine, from, to });
    const { open, spans } = traced(
      [move(0, "plan", "a", "b"), move(2, "plan", "b", "c"), move(3, "build", "a", "b")],
      { ...BLOOM, finals },
    );
    expect(spans.map(({ end, name, start }) => [name, start, end])).toEqual([["plan", 1_000_000, 1_003_000]]);
    expect(open.map(({ name }) => name)).toEqual([RUN, "build"]);
    expect(open[1]?.parent).toBe(open[0]?.id);
    const over = traced([move(0, "plan", "a", "over"), move(4, "build", "a", "over")], { ...BLOOM, finals });
    expect(over.spans.map(({ end, name }) => [name, end])).toEqual([
      ["plan", 1_000_000],
      ["build", 1_004_000],
      [RUN, 1_004_000],
    ]);
  });

  it("links each caller once to the step that it moved, a hundred at most", () => {
    const caller = (at: number) => `00-${"a".repeat(32)}-${at.toString(16).padStart(16, "b")}-01`;
    const move = (at: number, more: object = {}) =>
      event(at, "run:advanced", { from: "a", to: "a", trace: caller(at), ...more });
    const begun = [event(0, "task:claimed"), event(0, "step:started", { stepId: "s1" })];
    const { open } = traced([...begun, move(1), move(1), move(2), move(3, { trace: "no" })]);
    expect(open.map(({ links }) => links.map(({ id }) => id))).toEqual([
      [],
      ["bbbbbbbbbbbbbbb1", "bbbbbbbbbbbbbbb2"],
    ]);
    const root = traced([event(0, "task:claimed"), move(1)]);
    expect(root.open[0]?.links).toHaveLength(1);
    const many = traced([...begun, ...Array.from({ length: 120 }, (_, at) => move(at + 1))]);
    expect(many.open[1]?.links).toHaveLength(100);
  });

  it("has a wait for a person below the run's step, by its gate and verdict", () => {
    const { named } = traced(LIFE);
    expect(named("wait waiting")).toMatchObject({
      ...{ kind: "wait", start: 1_031_000, end: 1_091_000, failed: null, words: null },
      attributes: { "pawl.gate": "waiting", "pawl.verdict": "approved" },
    });
  });
});

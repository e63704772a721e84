import { describe, expect, it } from "vitest";
import { PawlError } from "../../core/error.ts";
import type { PawlEvent } from "../../core/event.ts";
import type { EventLog, LogEntry } from "../../core/ports/event-log.ts";
import type { WorkflowModule } from "../module.ts";
import { findInLog, loadTrace, openTraceDigest } from "./load-trace.ts";
import { openDigest, parseEvent, wholeLog } from "./log-digest.ts";
import { traceIdOf } from "./trace.ts";

/** A log of lines in memory, in parts of so many lines, whose reads are counted. */
function logOf(lines: string[], { part = 100, generation = "g1" } = {}) {
  const orders: Parameters<EventLog["read"]>[0][] = [];
  const state = { generation, isThere: true, isGone: false };
  const entries = (): LogEntry[] => lines.map((text, at) => ({ text, start: at * 10, end: (at + 1) * 10 }));
  const log: EventLog = {
    position: async () => (state.isThere ? { generation: state.generation, end: lines.length * 10 } : null),
    async read(order) {
      orders.push(order);
      if (state.isGone || order.generation !== state.generation) return null;
      const from = entries().filter(({ start }) => start >= order.from);
      const next = from.slice(0, part);
      const found = next.filter(({ text }) => order.containing?.some((each) => text.includes(each)) ?? true);
      return { entries: found, next: next.at(-1)?.end ?? order.from, isAll: next.length === from.length };
    },
    readBack: async () => [],
    watch: () => ({ close() {} }),
  };
  return { log, orders, lines, state };
}

let count = 0;
const line = (type: string, more: object) =>
  JSON.stringify({
    id: `e${count++}`,
    time: `2026-01-01T00:00:${String(count % 60).padStart(2, "0")}.000Z`,
    type,
    ...more,
  });
const moved = (run: string, to: string, second = 0) =>
  JSON.stringify({
    ...{
      id: `m${count++}`,
      time: `2026-01-01T00:00:${String(second).padStart(2, "0")}.000Z`,
      type: "run:advanced",
    },
    ...{ run, machine: "release", event: "e", row: "r", from: "a", to, summary: "" },
  });

describe("a line of the log", () => {
  it("is an event, or nothing", () => {
    expect(parseEvent({ text: '{"type":"x","time":"t","more":1}' })).toEqual({
      type: "x",
      time: "t",
      more: 1,
    });
    for (const text of [
      "",
      "{",
      "null",
      "7",
      '{"type":"x"}',
      '{"time":"t"}',
      '{"type":1,"time":"t"}',
      '{"type":"x","time":1}',
    ])
      expect(parseEvent({ text })).toBeNull();
  });
});

describe("what is made of a log", () => {
  const texts = (containing: readonly string[] = [""]) =>
    openDigest<string[]>({
      containing,
      make: () => [],
      take(made, event, { start }) {
        if (event.type === ("bad" as never)) throw new Error("no");
        made.push(`${(event as unknown as { text: string }).text}@${start}`);
      },
    });
  const told = (text: string) => line("task:noted", { taskId: "T1", text });

  it("is made of all its events once, and of what was appended later", async () => {
    const { log, lines, orders } = logOf([told("one"), "no event", line("bad", {}), told("two")]);
    const digest = texts();
    expect(await digest.of(log)).toEqual(["one@0", "two@30"]);
    lines.push(told("three"));
    expect(await digest.of(log)).toEqual(["one@0", "two@30", "three@40"]);
    expect(orders.map(({ from, most, generation }) => [from, most, generation])).toEqual([
      [0, 40, "g1"],
      [40, 10, "g1"],
    ]);
    await digest.of(log);
    expect(orders).toHaveLength(2);
  });

  it("is read in parts, by lines that have what is looked for", async () => {
    const { log, orders } = logOf([told("one"), told("two"), told("three")], { part: 1 });
    expect(await texts(["one", "three"]).of(log)).toEqual(["one@0", "three@20"]);
    expect(orders.map(({ containing, from }) => [containing?.join(), from])).toEqual([
      ["one,three", 0],
      ["one,three", 10],
      ["one,three", 20],
    ]);
    const long = logOf([]);
    const huge = { ...long.log, position: async () => ({ generation: "g1", end: 9_000_000 }) };
    await texts().of(huge);
    expect(long.orders.map(({ most }) => most)).toEqual([4 * 1024 * 1024]);
  });

  it("begins anew with another log, or one that was cut", async () => {
    const { log, lines, state } = logOf([told("one"), told("two")]);
    const digest = texts();
    await digest.of(log);
    state.generation = "g2";
    expect(await digest.of(log)).toEqual(["one@0", "two@10"]);
    lines.pop();
    expect(await digest.of(log)).toEqual(["one@0"]);
  });

  it("is nothing if there is no log, and stays as it was if it cannot be read on", async () => {
    const { log, lines, state } = logOf([told("one")]);
    const digest = texts();
    await digest.of(log);
    lines.push(told("two"));
    state.isGone = true;
    expect(await digest.of(log)).toEqual(["one@0"]);
    state.isGone = false;
    expect(await digest.of(log)).toEqual(["one@0", "two@10"]);
    state.isThere = false;
    expect(await digest.of(log)).toEqual([]);
  });

  it("is made once for those who ask at once, also behind one whose look failed", async () => {
    const { log, orders } = logOf([told("one")]);
    const digest = texts();
    const failing = { ...log, position: () => Promise.reject(new Error("no")) };
    const found = await Promise.allSettled([digest.of(failing), digest.of(log), digest.of(log)]);
    expect(found.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    expect(orders).toHaveLength(1);
  });

  it("has what is committed: that comes first", async () => {
    const order: string[] = [];
    const { log } = logOf([]);
    const found = await wholeLog({
      runtime: { store: { catchUp: async () => void order.push("catch up") } } as never,
      async eventLog() {
        order.push("log");
        return log;
      },
    });
    expect([found, order]).toEqual([log, ["catch up", "log"]]);
  });
});

const TABLE = { name: "release", states: { a: {}, b: {}, done: { final: true } } };
const module = {
  name: "release",
  title: "R",
  overview: async () => [],
  tables: async () => [{ workflow: TABLE }],
};
function projectOf(log: EventLog, more: object = {}) {
  const runs = [{ run: "release:known", since: null, awaits: "nobody" }];
  const workflows = {
    release: async () => ({ ...module, overview: async () => runs, ...more }) as unknown as WorkflowModule,
    faulty: async () => Promise.reject(new PawlError("internal", "no", "no")),
  };
  const { faulty, ...sound } = workflows;
  const store = { catchUp: async () => null, view: () => ({}) };
  const runtime = { store, outside: {}, now: () => new Date(0) };
  return {
    all: { runtime, eventLog: async () => log, workflows } as never,
    sound: { runtime, eventLog: async () => log, workflows: sound } as never,
    faulty,
  };
}

describe("the trace of a run", () => {
  const LIFE = [moved("release:1", "a", 1), moved("release:2", "b", 2), moved("release:1", "b", 3)];

  it("has what ended and what still lasts, of that run alone", async () => {
    const { log, orders } = logOf([...LIFE]);
    const spans = await loadTrace(projectOf(log).sound, "release:1");
    expect(spans.length).toBeGreaterThan(0);
    expect(new Set(spans.map(({ trace }) => trace))).toEqual(
      new Set([traceIdOf({ origin: "g1", run: "release:1" })]),
    );
    expect(spans.some(({ end }) => end === null)).toBe(true);
    expect(orders[0]?.containing).toEqual(['1"']);
    const over = await loadTrace(
      projectOf(logOf([...LIFE, moved("release:1", "done", 4)]).log).sound,
      "release:1",
    );
    expect(over.every(({ end }) => end !== null)).toBe(true);
  });

  it("lasts on where its workflow is unknown or faulty: no state is known to end it", async () => {
    const lines = ["faulty:1", "unknown:1"].map((run) => moved(run, "done", 1));
    for (const run of ["faulty:1", "unknown:1"]) {
      const spans = await loadTrace(projectOf(logOf(lines).log).all, run);
      expect(spans.some(({ end }) => end === null)).toBe(true);
    }
  });

  it("is empty without a log", async () => {
    const { log, state } = logOf([...LIFE]);
    state.isThere = false;
    expect(await loadTrace(projectOf(log).sound, "release:1")).toEqual([]);
    const { sound } = projectOf(log);
    const { workflows } = sound as { readonly workflows: never };
    expect(await openTraceDigest({ log, runs: ["release:1"], workflows }, () => {})).toBeNull();
  });

  it("is reported as it ends, with the event that ended it, for several runs by one read", async () => {
    const { log, lines, orders } = logOf([...LIFE]);
    const { workflows } = projectOf(log).sound as { readonly workflows: never };
    const ended: (readonly [number, string])[] = [];
    const digest = await openTraceDigest({ log, runs: ["release:1", "release:2"], workflows }, (spans, by) =>
      ended.push([spans.length, (by as PawlEvent & { readonly run: string }).run]),
    );
    const traces = await digest?.of(log);
    expect([...(traces?.keys() ?? [])]).toEqual(["release:1", "release:2"]);
    expect(orders.map(({ containing }) => containing)).toEqual([['1"', '2"']]);
    const before = ended.length;
    lines.push(moved("release:2", "done", 5), line("task:noted", { taskId: "T9", text: "" }));
    await digest?.of(log);
    expect(ended.slice(before).map(([, run]) => run)).toEqual(["release:2"]);
    expect(ended.every(([spans]) => spans > 0)).toBe(true);
  });

  it("has its ids from where the log says that the run began", async () => {
    const { log } = logOf([...LIFE]);
    const origin = async (run: string) => (run === "release:1" ? "elsewhere" : null);
    const [span] = await loadTrace(projectOf({ ...log, origin }).sound, "release:1");
    expect(span?.trace).toBe(traceIdOf({ origin: "elsewhere", run: "release:1" }));
    const [other] = await loadTrace(projectOf({ ...log, origin }).sound, "release:2");
    expect(other?.trace).toBe(traceIdOf({ origin: "", run: "release:2" }));
  });
});

describe("a run that is named", () => {
  const find = (name: string, lines: readonly string[]) =>
    findInLog(projectOf(logOf([...lines]).log).sound, name);
  const LINES = [
    moved("release:1", "b"),
    moved("other:2", "b"),
    moved("release:2", "b"),
    moved("release:a:b", "b"),
  ];

  it("is found in the log, by its whole name or its id", async () => {
    expect(await find("release:1", LINES)).toBe("release:1");
    expect(await find("1", LINES)).toBe("release:1");
    expect(await find("other:2", LINES)).toBe("other:2");
    expect(await find("a:b", LINES)).toBe("release:a:b");
  });

  it("is ambiguous if two have its id", async () => {
    await expect(find("2", LINES)).rejects.toMatchObject({
      code: "run-ambiguous",
      message: 'More than one run is called "2": other:2, release:2.',
    });
  });

  it("is looked for among those that the project knows, if the log has none", async () => {
    expect(await find("known", LINES)).toBe("release:known");
    await expect(find("7", LINES)).rejects.toMatchObject({ code: "run-missing" });
  });
});

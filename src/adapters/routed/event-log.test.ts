/** Two event logs as one, by time. */
import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import type { EventLog } from "../../core/ports/event-log.ts";
import { readEvents } from "../events/read-events.ts";
import { openMergedLog } from "./event-log.ts";

const line = (id: string, second: number) =>
  JSON.stringify({ id, time: `2026-01-01T00:00:${String(second).padStart(2, "0")}.000Z`, type: "x" });

/** `step`: how much a line moves the position. */
function memoryLog(step: number, ...first: readonly string[]) {
  const lines = [...first];
  const listeners = new Set<() => void>();
  const entry = (at: number) => ({ text: lines[at] ?? "", start: at * step, end: (at + 1) * step });
  const log: EventLog = {
    position: async () => (lines.length === 0 ? null : { generation: `g${step}`, end: lines.length * step }),
    async read({ from, generation }) {
      if (generation !== `g${step}`) return null;
      // A part is two lines, however much is asked for.
      const first = from / step;
      const until = Math.min(first + 2, lines.length);
      const places = Array.from({ length: until - first }, (_, index) => first + index);
      return { entries: places.map(entry), next: until * step, isAll: until === lines.length };
    },
    readBack: async ({ before, limit }) =>
      lines
        .map((_, at) => entry(at))
        .filter(({ end }) => end <= before)
        .toReversed()
        .slice(0, limit),
    watch(heard) {
      listeners.add(heard);
      return { close: () => listeners.delete(heard) };
    },
  };
  return {
    log,
    add(...more: readonly string[]) {
      lines.push(...more);
      for (const heard of listeners) heard();
    },
  };
}

async function all(log: EventLog, from = 0): Promise<{ texts: readonly string[]; end: number }> {
  const look = await log.position();
  const texts: string[] = [];
  let place = from;
  for (;;) {
    const part = look && (await log.read({ generation: look.generation, from: place, most: 1 }));
    if (!part) return { texts, end: place };
    texts.push(...part.entries.map(({ text }) => text));
    place = part.next;
    if (part.isAll) return { texts, end: place };
  }
}

const [a, b, c, d, e] = [line("a", 1), line("b", 2), line("c", 3), line("d", 4), line("e", 5)];

describe("two event logs as one", () => {
  it("have the traces of a run begin from the log that has its events, whatever is in the other one", async () => {
    promise("telemetry.live");
    const [files, rows] = [memoryLog(90), memoryLog(1, b)];
    const log = openMergedLog(files.log, rows.log, (run) => run.startsWith("bloom:"));
    expect([await log.origin?.("bloom:T1"), await log.origin?.("alfred:TS-1")]).toEqual(["g1", null]);
    files.add(a);
    expect([await log.origin?.("bloom:T1"), await log.origin?.("alfred:TS-1")]).toEqual(["g1", "g90"]);
  });

  it("have the lines of both by their time, and what both begin with once, forwards and back", async () => {
    promise("machines.log");
    const [files, rows] = [memoryLog(90, a, b, d), memoryLog(1, a, b, c, e)];
    const log = openMergedLog(files.log, rows.log);
    const { end, texts } = await all(log);
    expect(texts).toEqual([a, b, c, d, e]);
    expect((await log.position())?.end).toBe(end);
    const back = await log.readBack({ before: end, limit: 9 });
    expect(back.map(({ text }) => text)).toEqual([e, d, c, b, a]);
    expect(back.map(({ end: at }) => at).slice(1)).toEqual(back.map(({ start }) => start).slice(0, -1));
    expect((await log.readBack({ before: end, limit: 2 })).map(({ text }) => text)).toEqual([e, d]);
  });

  it("go on if a reader stopped, whichever of them grew, also by what is earlier than what was read", async () => {
    promise("machines.log");
    const [files, rows] = [memoryLog(90, a), memoryLog(1, e)];
    const log = openMergedLog(files.log, rows.log);
    const { end } = await all(log);
    files.add(b);
    const { end: then, texts } = await all(log, end);
    expect(texts).toEqual([b]);
    rows.add(c);
    expect((await all(log, then)).texts).toEqual([c]);
    expect(then).toBeGreaterThan(end);
  });

  it("go on if a reader stopped once the one that was missing is there, and its lines are read", async () => {
    const [files, rows] = [memoryLog(90), memoryLog(1, b)];
    const log = openMergedLog(files.log, rows.log);
    const before = await log.position();
    const { end, texts } = await all(log);
    expect(texts).toEqual([b]);
    files.add(a, c);
    expect((await log.position())?.generation).toBe(before?.generation);
    const { end: then, texts: more } = await all(log, end);
    expect(more).toEqual([a, c]);
    files.add(d);
    expect((await all(log, then)).texts).toEqual([d]);
  });

  it("are another log for who saw the one that was missing in another process", async () => {
    const [files, rows] = [memoryLog(90), memoryLog(1, b)];
    const before = await openMergedLog(files.log, rows.log).position();
    files.add(a);
    const log = openMergedLog(files.log, rows.log);
    expect(await log.read({ generation: before?.generation ?? "", from: 0, most: 1 })).toBeNull();
    expect((await all(log)).texts).toEqual([a, b]);
  });

  it("are followed without a repetition when the one that was missing is there", async () => {
    const [files, rows] = [memoryLog(90), memoryLog(1, b)];
    const stop = new AbortController();
    const seen: string[] = [];
    const log = openMergedLog(files.log, rows.log);
    for await (const { id } of readEvents(log, { follow: true, signal: stop.signal })) {
      seen.push(id);
      if (id === "b") files.add(a);
      if (id === "a") rows.add(c);
      if (id === "c") stop.abort();
    }
    expect(seen).toEqual(["b", "a", "c"]);
  });

  it("are read as events, and followed", async () => {
    promise("machines.log");
    const [files, rows] = [memoryLog(90, a), memoryLog(1, "no event", c)];
    const log = openMergedLog(files.log, rows.log);
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const { id } of readEvents(log, { follow: true, signal: stop.signal })) {
      seen.push(id);
      if (id === "c") files.add(b);
      if (id === "b") rows.add(d);
      if (id === "d") stop.abort();
    }
    expect(seen).toEqual(["a", "c", "b", "d"]);
    const ids: string[] = [];
    for await (const { id } of readEvents(log)) ids.push(id);
    expect(ids).toEqual(["a", "b", "c", "d"]);
  });
});

import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import type { EventLog } from "../../../core/ports/event-log.ts";
import { positionsNow, streamEvents } from "./stream.ts";

const KEY = "0123456789ab";
/** As of a log that is two. */
const GENERATION = '["4a5b6c7d8e9f0011","4f6d2f9e-0000-4000-8000-000000000000"]';
const FAR = 9_007_199_254_740_000;

const line = (id: string) =>
  JSON.stringify({ id, time: "2026-01-01T00:00:00.000Z", type: "task:noted", taskId: "T1", text: id });

/** Its positions are large, as of two that are counted as one. */
function logOf(lines: readonly string[]): EventLog {
  const entries = lines.map((text, at) => ({ text, start: FAR + at, end: FAR + at + 1 }));
  return {
    position: async () => ({ generation: GENERATION, end: FAR + lines.length }),
    read: async ({ from }) => ({
      entries: entries.filter(({ start }) => start >= from),
      next: FAR + lines.length,
      isAll: true,
    }),
    readBack: async () => [],
    watch: () => ({ close() {} }),
  };
}

/** What a reader is sent until it has had `most`; `last`: where it was before. */
async function sent(lines: readonly string[], most: number, last = "") {
  const stop = new AbortController();
  const events: { readonly event: string; readonly id: string }[] = [];
  const log = logOf(lines);
  const entry = { key: KEY, log: async () => log } as never;
  await streamEvents([entry], {
    last,
    signal: stop.signal,
    sink: {
      async send(event) {
        events.push(event);
        if (events.length === most) stop.abort();
      },
      ping: async () => stop.abort(),
    },
  });
  return events;
}

describe("a reader that comes back", () => {
  it("gets what it missed, also of a log that is two", async () => {
    promise("board.live");
    const [hello] = await sent([line("e1")], 1);
    const missed = await sent([line("e1"), line("e2"), line("e3")], 3, hello?.id);
    expect(missed.map(({ event }) => event)).toEqual(["hello", "logged", "logged"]);
    const [, , last] = await sent([line("e1"), line("e2"), line("e3"), line("e4")], 3, missed[1]?.id);
    expect(last?.id).toContain(String(FAR + 4));
  });
});

describe("the places of a page", () => {
  const project = (log: () => Promise<EventLog>) => ({ key: KEY, log }) as never;

  it("are the logs' ends, from which a reader gets what happens after them", async () => {
    const since = await positionsNow([project(async () => logOf([line("e1")]))]);
    const events = await sent([line("e1"), line("e2")], 2, since);
    expect(events.map(({ event }) => event)).toEqual(["hello", "logged"]);
  });

  it("leave out a project that cannot be opened", async () => {
    const broken = project(() => Promise.reject(new Error("no")));
    expect(await positionsNow([broken])).toBe("");
    const whole = await positionsNow([project(async () => logOf([]))]);
    expect(await positionsNow([broken, project(async () => logOf([]))])).toBe(whole);
  });

  it("are none if a log does not answer in time, or fails", async () => {
    const silent = () => new Promise<never>(() => {});
    expect(await positionsNow([project(async () => ({ ...logOf([]), position: silent }))])).toBe("");
    const fails = () => Promise.reject(new Error("no"));
    expect(await positionsNow([project(async () => ({ ...logOf([]), position: fails }))])).toBe("");
  });
});

import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { openEventLog } from "./event-log.ts";
import { type ReadEventsOptions, readEvents as readLog } from "./read-events.ts";

let folder: string;
let path: string;
const readEvents = (options?: ReadEventsOptions) => readLog(openEventLog(path), options);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pawl-events-"));
  path = join(folder, ".pawl", "events.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const line = (id: string) =>
  `${JSON.stringify({ id, type: "edit:kept", time: "2026-01-01T00:00:00.000Z" })}\n`;

async function all(): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of readEvents()) ids.push(id);
  return ids;
}

function write(text: string): void {
  mkdirSync(join(folder, ".pawl"), { recursive: true });
  appendFileSync(path, text);
}

describe("the events of a project", () => {
  it("are none if there is no file", async () => expect(await all()).toEqual([]));

  it("are read in order, over the borders of chunks and of characters", async () => {
    const ids = Array.from({ length: 20_000 }, (_, at) => `ä${at}-${"ö".repeat(at % 50)}`);
    write(ids.map(line).join(""));
    expect(await all()).toEqual(ids);
  });

  it("can be those that name a run, over the borders of chunks", async () => {
    const of = (id: string, event: object) =>
      `${JSON.stringify({ id, time: "2026", type: "x:y", ...event })}\n`;
    const others = of("other", { taskId: "T70", title: "é".repeat(2_000) }).repeat(300);
    const mine = [
      of("a", { taskId: "T7" }),
      of("b", { run: "bloom:T7", summary: "ö" }),
      of("c", { taskId: "T7" }),
    ];
    write(mine.map((each) => each + others).join("") + mine.join(""));
    for (const run of ["T7", "bloom:T7"]) {
      const ids: string[] = [];
      for await (const { id } of readEvents({ run })) ids.push(id);
      expect(ids).toEqual(["a", "b", "c", "a", "b", "c"]);
    }
    // A name that JSON may write in another way spares nothing.
    const all: string[] = [];
    for await (const { id } of readEvents({ run: 'T"7' })) all.push(id);
    expect(all).toHaveLength(906);
  });

  it("leave out what is no event, and a last line without its end", async () => {
    write(`${line("a")}not json\n7\n\n${line("b")}${line("c").slice(0, -5)}`);
    expect(await all()).toEqual(["a", "b"]);
  });

  it("are told before they are in the file, if they are committed, and once", async () => {
    promise("commit.disk-refuses");
    const stop = new AbortController();
    write(line("a") + line("b").slice(0, 7));
    let whole: string | null = ["a", "b", "c"].map(line).join("");
    const pending = async () => whole;
    const ids: string[] = [];
    for await (const { id } of readEvents({ pending })) ids.push(id);
    expect(ids).toEqual(["a", "b", "c"]);
    const events = readEvents({ pending, follow: true, signal: stop.signal });
    const next = async () => (await events.next()).value?.id;
    expect([await next(), await next(), await next()]).toEqual(["a", "b", "c"]);
    const applied = next();
    whole = null;
    write(line("b").slice(7) + line("c") + line("d"));
    expect(await applied).toBe("d");
    stop.abort();
    expect((await events.next()).done).toBe(true);
  });

  it("are followed: from before there is a file, by halves of lines, and over a rotation", async () => {
    const stop = new AbortController();
    const events = readEvents({ follow: true, signal: stop.signal });
    const next = async () => (await events.next()).value?.id;
    const first = next();
    write(line("a"));
    expect(await first).toBe("a");
    const whole = next();
    write(line("before") + line("b").slice(0, 20));
    expect(await whole).toBe("before");
    const second = next();
    write(line("b").slice(20) + line("c"));
    expect(await second).toBe("b");
    expect(await next()).toBe("c");
    const late = next();
    write(line("d"));
    renameSync(path, `${path}.1`);
    expect(await late).toBe("d");
    const fresh = next();
    writeFileSync(path, line("longer"));
    expect(await fresh).toBe("longer");
    const cut = next();
    writeFileSync(path, line("f"));
    expect(await cut).toBe("f");
    const end = events.next();
    stop.abort();
    expect((await end).done).toBe(true);
  });
});

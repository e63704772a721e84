/** A long event log that was put aside in parts is one log to everybody who reads it. */
import {
  appendFileSync,
  copyFileSync,
  linkSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { asideName, wholeLog } from "../../core/log-parts.ts";
import { openEventLog } from "./event-log.ts";
import { generationNow } from "./log-parts.ts";
import { readEvents } from "./read-events.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pawl-parts-"));
  path = join(folder, "events.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const line = (id: string, taskId = "T1") =>
  `${JSON.stringify({ id, type: "edit:kept", time: "2026-01-01T00:00:00.000Z", taskId })}\n`;
const write = (...ids: readonly string[]) => appendFileSync(path, ids.map((id) => line(id)).join(""));
const aside = (number: number) => join(folder, asideName(number));
const putAside = (number: number) => renameSync(path, aside(number));

/** Every line by parts of so many bytes. */
async function readAll(most: number, containing?: readonly string[]) {
  const log = openEventLog(path);
  const { end = 0, generation = "" } = (await log.position()) ?? {};
  const entries = [];
  for (let from = 0; from < end; ) {
    const part = await log.read({ generation, from, most, ...(containing ? { containing } : {}) });
    if (part === null || part.next === from) break;
    entries.push(...part.entries);
    from = part.next;
    if (part.isAll) expect(from).toBe(end);
  }
  return { end, entries, generation };
}

async function streamed(run?: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of readEvents(openEventLog(path), run === undefined ? {} : { run })) ids.push(id);
  return ids;
}

describe("an event log of which parts were put aside", () => {
  it("has the positions, the generation and the lines that it had", async () => {
    promise("log.parts");
    write("a", "b", "c", "d", "e");
    const before = await readAll(1_000_000);
    const generation = generationNow(path);
    rmSync(path);
    write("a", "b");
    putAside(1);
    write("c");
    putAside(2);
    expect((await readAll(1_000_000)).entries).toEqual(before.entries.slice(0, 3));
    write("d", "e");
    for (const most of [1, 60, 200, 1_000_000]) expect(await readAll(most)).toEqual(before);
    expect(generationNow(path)).toBe(generation);
    expect((await readAll(60, ['"d"', '"a"'])).entries).toEqual([before.entries[0], before.entries[3]]);
    const log = openEventLog(path);
    const backwards = before.entries.toReversed();
    expect(await log.readBack({ before: before.end, limit: 10 })).toEqual(backwards);
    expect(await log.readBack({ before: before.end, limit: 3 })).toEqual(backwards.slice(0, 3));
    expect(await log.readBack({ before: before.entries[2]?.end ?? 0, limit: 2 })).toEqual(
      backwards.slice(2, 4),
    );
    expect(await streamed()).toEqual(["a", "b", "c", "d", "e"]);
  });

  it("is whole if nothing follows yet", async () => {
    promise("log.parts");
    write("a", "b");
    const before = await readAll(60);
    putAside(1);
    expect(await readAll(60)).toEqual(before);
    expect(await streamed()).toEqual(["a", "b"]);
  });

  it.each([
    ["by one name more", () => linkSync(path, aside(2))],
    ["and was copied meanwhile", () => copyFileSync(path, aside(2))],
  ])("is read once if putting aside ended half done, %s", async (_, halfDone) => {
    promise("log.parts");
    write("a", "b");
    putAside(1);
    write("c", "d");
    const before = await readAll(60);
    halfDone();
    expect(await readAll(60)).toEqual(before);
    write("e");
    expect(await streamed()).toEqual(["a", "b", "c", "d", "e"]);
    expect(wholeLog([line("a"), line("c")], line("c") + line("d"))).toBe(line("a") + line("c") + line("d"));
  });

  it("takes no link for a part, and reads to the end a part that somebody cut", async () => {
    promise("log.parts");
    write("a", "b");
    putAside(1);
    symlinkSync(aside(1), aside(2));
    appendFileSync(aside(1), '{"torn":');
    write("c");
    const { end, entries } = await readAll(60);
    expect(entries.map(({ text }) => text)).toEqual(
      [line("a"), line("b"), '{"torn":', line("c")].map(trimmed),
    );
    expect(entries.at(-1)?.end).toBe(end);
    expect(entries.map((each, at) => each.start === (entries[at - 1]?.end ?? 0))).not.toContain(false);
  });

  it("is followed while its parts are put aside, one after the other", async () => {
    promise("log.parts");
    const stop = new AbortController();
    write("a");
    putAside(1);
    write("b");
    const events = readEvents(openEventLog(path), { follow: true, signal: stop.signal });
    const next = async () => (await events.next()).value?.id;
    expect([await next(), await next()]).toEqual(["a", "b"]);
    write("c");
    // Two in the time in which the reader looked elsewhere.
    putAside(2);
    write("d");
    putAside(3);
    write("e");
    expect([await next(), await next(), await next()]).toEqual(["c", "d", "e"]);
    const late = next();
    putAside(4);
    write("f");
    expect(await late).toBe("f");
    stop.abort();
    expect((await events.next()).done).toBe(true);
  });

  it("finds a run's lines in all parts", async () => {
    promise("log.parts");
    write("a");
    appendFileSync(path, line("b", "T2"));
    putAside(1);
    appendFileSync(path, line("c", "T2"));
    expect(await streamed("T2")).toEqual(["b", "c"]);
  });
});

function trimmed(text: string): string {
  return text.trimEnd();
}

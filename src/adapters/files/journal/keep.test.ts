/** What is kept aside: a person's text, and journals that are none of this project's; on a simulated disk. */
import { describe, expect, test } from "vitest";
import { diskWith } from "../../../../test/crash/disk-with.ts";
import { EVENTS } from "../../../core/event.ts";
import { hashOf } from "../../../core/hash.ts";
import { fileOnDisk } from "../read-at.ts";
import { copyJournal, foreignEvent, listForeign } from "./foreign.ts";
import { keepAside, newKeptFolder } from "./keep.ts";
import { FIRST, renderRecord } from "./record.ts";
import type { Step } from "./steps.ts";

const TODAY = ".pawl/kept/2026-01-01";
const MINE = fileOnDisk(Buffer.from("mine\n"), 0o600);

describe("a folder for what is kept", () => {
  test("has the day and a number that is free", () => {
    const { disk } = diskWith({ a: "" });
    expect([newKeptFolder(disk), newKeptFolder(disk)]).toEqual([`${TODAY}-1`, `${TODAY}-2`]);
    disk.mkdir(`${TODAY}-4`);
    expect(newKeptFolder(disk)).toBe(`${TODAY}-5`);
    disk.mkdir(".pawl/kept/2025-12-31-9");
    expect(newKeptFolder(disk)).toBe(`${TODAY}-6`);
  });

  test("is sought on if another one made it a moment ago, and nowhere else", () => {
    const { disk } = diskWith({ [`${TODAY}-1/x`]: "" });
    const blind = { ...disk, list: () => [] };
    expect(newKeptFolder(blind)).toBe(`${TODAY}-2`);
    const full = diskWith({ [`${TODAY}-1/x`]: "" }, ({ name }) => (name === "mkdir" ? "ENOSPC" : undefined));
    expect(() => newKeptFolder(full.disk)).toThrow("ENOSPC");
  });
});

describe("a person's text", () => {
  const keep = (
    { disk }: Pick<ReturnType<typeof diskWith>, "disk">,
    pending: readonly Step[] = [],
    path = "docs/a.md",
  ) => {
    const kept: unknown[] = [];
    return { steps: keepAside({ disk, onKept: (one) => kept.push(one) }, path, MINE, pending), kept };
  };
  const line = (path: string, offset: number, text: string): Step => ({
    ...{ type: "append", path, id: "1", offset, text },
  });

  test("is copied, and told", () => {
    const at = diskWith({ "docs/a.md": "mine\n" });
    const { kept, steps } = keep(at);
    expect(at.tree()).toEqual({ "docs/a.md": "mine\n", [`${TODAY}-1/docs/a.md`]: "mine\n" });
    expect(kept).toEqual([{ path: "docs/a.md", kept: `${TODAY}-1/docs/a.md` }]);
    const [known, event] = steps;
    expect(steps).toHaveLength(2);
    expect(known).toEqual({ type: "known", path: "docs/a.md", hash: hashOf("mine\n") });
    expect(event).toEqual({
      ...{ type: "append", path: EVENTS, id: "0000-0001", offset: 0, text: expect.stringMatching(/\n$/) },
    });
    expect(JSON.parse(event?.type === "append" ? event.text : "")).toEqual({
      ...{ type: "edit:kept", id: "0000-0001", time: expect.stringMatching(/^2026-01-01T/) },
      ...{ path: "docs/a.md", kept: `${TODAY}-1/docs/a.md` },
    });
  });

  test("is on the disk, with all folders on its way, before anything else is done", () => {
    const at = diskWith({ "docs/a.md": "mine\n" });
    keep(at);
    const synced = at.calls.filter(({ name }) => name === "fsync" || name === "fsyncFolder");
    expect(synced.map(({ path }) => path)).toEqual([
      `${TODAY}-1/docs/a.md`,
      `${TODAY}-1/docs`,
      `${TODAY}-1`,
      ".pawl/kept",
      ".pawl",
      "",
    ]);
    const last = at.calls.findLastIndex(({ name }) => name === "write" || name === "mkdir");
    expect(at.calls.findIndex(({ name }) => name === "fsync")).toBeGreaterThan(last);
  });

  test("is reported after what the log has, and after what waits to be appended to it", () => {
    const offsetOf = (pending: readonly Step[]) => {
      const [, event] = keep(diskWith({ [EVENTS]: "0123456789" }), pending).steps;
      return event?.type === "append" ? event.offset : null;
    };
    expect(offsetOf([])).toBe(10);
    expect(offsetOf([line(EVENTS, 10, "é\n"), line(EVENTS, 13, "two\n")])).toBe(17);
    expect(offsetOf([line(EVENTS, 13, "two\n"), line(EVENTS, 10, "é\n")])).toBe(17);
    expect(offsetOf([line(EVENTS, 0, "old\n"), line("other", 50, "x\n")])).toBe(10);
    expect(offsetOf([{ type: "drop", path: EVENTS, before: null }])).toBe(10);
  });

  test("is not reported if it could not be kept", () => {
    for (const name of ["write", "fsync", "fsyncFolder", "mkdir"]) {
      const kept: unknown[] = [];
      const { disk } = diskWith({ a: "mine\n" }, (call) => (call.name === name ? "EIO" : undefined));
      expect(() => keepAside({ disk, onKept: (one) => kept.push(one) }, "a", MINE, [])).toThrow("EIO");
      expect(kept).toEqual([]);
    }
  });
});

describe("a journal of others", () => {
  const KEY = Buffer.alloc(32, 1);
  const AFTER = { epoch: 1, sequence: 0, mac: FIRST };
  const record = (...steps: readonly Step[]) => renderRecord(KEY, AFTER, steps).bytes.toString();
  const drop = (path: string): Step => ({ type: "drop", path, before: null });

  test("is copied from where it begins, synced", () => {
    const at = diskWith({ ".pawl/journal": "own others" });
    expect(copyJournal(at.disk, "foreign-journal", 4)).toBe(`${TODAY}-1/foreign-journal`);
    expect(copyJournal(at.disk, "journal")).toBe(`${TODAY}-2/journal`);
    expect(at.tree()).toEqual({
      ".pawl/journal": "own others",
      [`${TODAY}-1/foreign-journal`]: "others",
      [`${TODAY}-2/journal`]: "own others",
    });
    const synced = at.calls.filter(({ name }) => name === "fsync" || name === "fsyncFolder");
    expect(synced.slice(0, 4).map(({ path }) => path)).toEqual([
      `${TODAY}-1/foreign-journal`,
      `${TODAY}-1`,
      ".pawl/kept",
      ".pawl",
    ]);
  });

  test("is listed with what it would have written, the oldest first", () => {
    expect(listForeign(diskWith({}).disk)).toEqual([]);
    const one = record(drop("a"), drop("b"));
    const two = `${record(drop("b"))}${record(drop("../out"))}${record(drop("c"))}`;
    const { disk } = diskWith({
      [`${TODAY}-2/foreign-journal`]: two,
      [`${TODAY}-1/foreign-journal`]: one,
      [`${TODAY}-3/journal`]: one,
      ".pawl/kept/note": "",
    });
    expect(listForeign(disk)).toEqual([
      { kept: `${TODAY}-1/foreign-journal`, commits: 1, unusable: 0, paths: ["a", "b"] },
      { kept: `${TODAY}-2/foreign-journal`, commits: 3, unusable: 1, paths: ["b", "c"] },
    ]);
  });

  test("is reported by an event after the log's end", () => {
    const tell = (files: Readonly<Record<string, string>>) => {
      const { disk } = diskWith(files);
      return foreignEvent(disk, { records: 3, reason: "another-key" }, "kept/here");
    };
    const event = tell({ [EVENTS]: "0123456789" });
    expect(event).toMatchObject({ type: "append", path: EVENTS, id: "0000-0001", offset: 10 });
    expect(event.text).toMatch(/^\{.*\}\n$/);
    expect(JSON.parse(event.text)).toEqual({
      ...{ type: "journal:foreign", id: "0000-0001", time: expect.stringMatching(/^2026-01-01T/) },
      ...{ kept: "kept/here", commits: 3, reason: "another-key" },
    });
    expect(tell({}).offset).toBe(0);
  });
});

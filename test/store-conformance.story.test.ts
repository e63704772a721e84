/** What every store promises behind its port, on whatever it keeps things. */
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { EVENTS } from "../src/core/event.ts";
import { PROJECT_FOLDER, projectPath } from "../src/core/path.ts";
import type { Change, Store } from "../src/core/ports/store.ts";
import { holding } from "./rig/holding.ts";
import { STARTING } from "./rig/postgres.ts";
import { promise } from "./rig/promise.ts";
import { migratedDatabase, STORES, type StoreLocation } from "./rig/stores.ts";
import { until } from "./rig/until.ts";

const at = projectPath;
const write = (path: string, text: string): Change => ({ type: "write", path: at(path), text });
const remove = (path: string): Change => ({ type: "remove", path: at(path) });
const move = (from: string, to: string): Change => ({ type: "move", from: at(from), to: at(to) });
const append = (path: string, id: string, text = `${id}\n`): Change => ({
  type: "append",
  path: at(path),
  id,
  text,
});
const event = (id: string): Change => append(EVENTS, id, `{"id":"${id}"}\n`);

const put = (store: Store, ...changes: readonly Change[]) => store.commit(store.view(), changes);
const text = (store: Store, path: string) => store.view().read(at(path));

beforeAll(migratedDatabase, STARTING);

describe.each(STORES)("a store on %s", (_, make) => {
  let place: StoreLocation;
  beforeEach(async () => {
    place = await make();
  });
  afterEach(() => place.close());

  it("reads a text as it was written, with BOM and CRLF, and null if there is none", async () => {
    const { store } = await place.open();
    await put(
      store,
      write("a.md", "\uFEFFone\r\ntwo\r\n"),
      write("empty", ""),
      write("umlaut ä/😀", "ä😀\u2028"),
    );
    expect(await text(store, "a.md")).toBe("\uFEFFone\r\ntwo\r\n");
    expect(await text(store, "empty")).toBe("");
    expect(await text(store, "umlaut ä/😀")).toBe("ä😀\u2028");
    expect(await text(store, "no/such.md")).toBeNull();
    expect(await store.view().packaged("p.md")).toBe("packaged");
  });

  it("reads the last line of a file that grows, and a commit finds out that another was added", async () => {
    const { store } = await place.open();
    const lastLine = (path: string) => store.view().lastLine(at(path));
    const long = "x".repeat(100_000);
    await put(store, write("none", ""), write("blank", "\n"), write("open", "one\ntwo"));
    await put(store, append("log", "a", `a ${long}\n`), append("log", "b", `b ${long}\n`));
    expect(await Promise.all(["absent", "none", "blank", "open"].map(lastLine))).toEqual([
      null,
      null,
      "",
      "two",
    ]);
    const view = store.view();
    expect(await view.lastLine(at("log"))).toBe(`b ${long}`);
    expect(await view.isCurrent([at("log")])).toBe(true);
    await put(store, append("log", "c", "c\n"));
    expect(await view.isCurrent([at("log")])).toBe(false);
    expect(await store.holds(view)).toBe(false);
    expect(await store.commit(view, [append("log", "d", "d\n")])).toBe("changed");
    expect(await lastLine("log")).toBe("c");
    const absent = store.view();
    expect(await absent.lastLine(at("new"))).toBeNull();
    await put(store, append("new", "e", "e\n"));
    expect(await store.commit(absent, [append("new", "f", "f\n")])).toBe("changed");
  });

  it("lists a folder sorted, with what is in it, and nothing if there is no folder", async () => {
    const { store } = await place.open();
    await put(
      store,
      write("d/b", ""),
      write("d/a", ""),
      write("d/c/deep", ""),
      write("e", ""),
      write("d.x", ""),
    );
    const list = (folder: string) => store.view().list(at(folder));
    expect(await list("d")).toEqual([
      { name: "a", kind: "file" },
      { name: "b", kind: "file" },
      { name: "c", kind: "folder" },
    ]);
    expect(await list("none")).toEqual([]);
    const names = (await store.view().list(PROJECT_FOLDER)).map(({ name }) => name);
    expect(names.filter((name) => name !== ".pawl")).toEqual(["d", "d.x", "e"]);
  });

  it("writes, appends, moves and removes in one commit, each on the result of those before", async () => {
    promise("database.same-ports");
    const { store } = await place.open();
    await put(store, write("state", "one"), write("gone", "x"), write("log", "half"));
    const done = await put(
      store,
      move("state", "archive/state"),
      write("state", "two"),
      append("state", "i", "three\n"),
      append("log", "a"),
      append("log", "b"),
      write("brief", "x"),
      remove("brief"),
      remove("gone"),
      remove("never"),
    );
    expect(done).toBe("committed");
    const other = (await place.open()).store;
    expect(await text(other, "archive/state")).toBe("one");
    expect(await text(other, "state")).toBe("two\nthree\n");
    // A line never continues an unfinished one.
    expect(await text(other, "log")).toBe("half\na\nb\n");
    for (const path of ["brief", "gone", "never"]) expect(await text(other, path)).toBeNull();
  });

  it("writes nothing once something that was read has changed, appeared or gone", async () => {
    promise("database.same-ports");
    const [{ store }, { store: other }] = [await place.open(), await place.open()];
    await put(store, write("a", "one"), write("d/x", ""));
    const views = [store.view(), store.view(), store.view()] as const;
    await views[0].read(at("a"));
    await views[1].read(at("new"));
    await views[2].list(at("d"));
    expect(await Promise.all(views.map((view) => store.holds(view)))).toEqual([true, true, true]);
    await put(other, write("a", "two"), write("new", ""), write("d/y", ""));
    for (const view of views) {
      expect(await store.holds(view)).toBe(false);
      expect(await store.commit(view, [write("b", "x"), event("lost")])).toBe("changed");
    }
    expect(await views[0].isCurrent([at("a")])).toBe(false);
    expect(await text(other, "b")).toBeNull();
    expect(await text(other, EVENTS)).toBeNull();
  });

  it("commits although others changed something else, or wrote the same again", async () => {
    promise("database.same-ports");
    const [{ store }, { store: other }] = [await place.open(), await place.open()];
    await put(store, write("a", "one"), write("d/x", ""));
    const view = store.view();
    await view.read(at("a"));
    await view.list(at("d"));
    await put(other, write("b", "theirs"), write("a", "two"), write("d/y", ""), event("1"));
    await put(other, write("a", "one"), write("d/x", "more"), remove("d/y"));
    expect(await view.isCurrent([at("a")])).toBe(true);
    expect(await store.commit(view, [write("c", "mine")])).toBe("committed");
    expect([await text(store, "b"), await text(store, "c")]).toEqual(["theirs", "mine"]);
  });

  it("shows a view what it read first", async () => {
    const [{ store }, { store: other }] = [await place.open(), await place.open()];
    await put(store, write("a", "one"));
    const view = store.view();
    expect(await view.read(at("a"))).toBe("one");
    await put(other, write("a", "two"));
    expect(await view.read(at("a"))).toBe("one");
    expect(await text(store, "a")).toBe("two");
  });

  it("moves onto nothing that is there", async () => {
    const { store } = await place.open();
    await put(store, write("a", "one"), write("b", "two"));
    expect(await put(store, write("c", "x"), move("a", "b"))).toBe("changed");
    expect([await text(store, "b"), await text(store, "c")]).toEqual(["two", null]);
    await expect(put(store, move("none", "other"))).rejects.toMatchObject({ code: "state-unreadable" });
  });

  it("refuses a folder in the place of a file, a file in the place of a folder, and its own files", async () => {
    const { store } = await place.open();
    await put(store, write("file", "x"), write("folder/deep/x", ""));
    for (const path of ["folder", "folder/deep", "file/below"])
      await expect(put(store, write("first", "x"), write(path, "x")), path).rejects.toMatchObject({
        code: "state-unreadable",
      });
    for (const path of [".pawl/journal", ".PAWL/Journal", ".pawl/locks/x", "d/.a.pawl-tmp"])
      await expect(put(store, write("first", "x"), write(path, "x")), path).rejects.toMatchObject({
        code: "internal",
      });
    expect(await text(store, "first")).toBeNull();
  });

  it("has each commit happen once, also one that nobody could be told of", async () => {
    promise("database.once");
    const [{ loseReply, store }, { store: other }] = [await place.open(), await place.open()];
    await put(store, write("count", "0"), append("log", "0"), event("0"));
    for (let count = 1; count <= 3; count++) {
      const view = store.view();
      expect(await view.read(at("count"))).toBe(String(count - 1));
      loseReply();
      const changes = [write("count", String(count)), append("log", `${count}`), event(`${count}`)];
      expect(await store.commit(view, changes)).toBe("committed");
    }
    expect(await other.catchUp()).toBeNull();
    expect(await text(other, "count")).toBe("3");
    expect(await text(other, "log")).toBe("0\n1\n2\n3\n");
    expect((await text(other, EVENTS))?.split("\n")).toHaveLength(5);
  });

  it("counts right when several count at once", async () => {
    promise("database.same-ports");
    const counters = await Promise.all([place.open(), place.open(), place.open()]);
    await put((await place.open()).store, write("count", "0"));
    const raise = async (store: Store, id: string): Promise<void> => {
      const view = store.view();
      const count = Number(await view.read(at("count")));
      const done = await store.commit(view, [write("count", String(count + 1)), event(id)]);
      if (done === "changed") await raise(store, id);
    };
    await Promise.all(
      counters.map(async ({ store }, who) => {
        for (let n = 0; n < 5; n++) await raise(store, `${who}-${n}`);
      }),
    );
    const { store } = await place.open();
    expect(await text(store, "count")).toBe("15");
    expect(new Set((await text(store, EVENTS))?.trim().split("\n")).size).toBe(15);
  });

  it("lets one at a time hold a run, and says who holds it", async () => {
    promise("database.same-ports");
    const [{ store }, { store: other }] = [await place.open(), await place.open(300)];
    await put(store, write("a", "x"));
    const lock = await store.hold("bloom:T-1");
    await expect(other.hold("bloom:T-1")).rejects.toMatchObject({
      code: "lock-timeout",
      message: expect.stringContaining(String(process.pid)),
    });
    expect(await holding(other, "bloom:T-2", () => "another")).toBe("another");
    await lock[Symbol.asyncDispose]();
    expect(await until(() => holding(other, "bloom:T-1", () => "mine").catch(() => null))).toBe("mine");
  });
});

describe.each(STORES)("an event log on %s", (_, make) => {
  let place: StoreLocation;
  beforeEach(async () => {
    place = await make();
  });
  afterEach(() => place.close());

  it("has the events of each commit, and reads on from where a reader stopped", async () => {
    promise("database.same-ports");
    const [{ store }, { eventLog }] = [await place.open(), await place.open()];
    expect(await eventLog.position()).toBeNull();
    await put(store, write("a", "1"), event("1"), event("2"));
    const first = await eventLog.position();
    const { end = 0, generation = "" } = first ?? {};
    const part = await eventLog.read({ generation, from: 0, most: 1000 });
    expect(part?.entries.map((entry) => entry.text)).toEqual(['{"id":"1"}', '{"id":"2"}']);
    expect(part).toMatchObject({ next: end, isAll: true });
    await put(store, write("a", "2"), event("3"), event("4"));
    const newer = await eventLog.read({ generation, from: end, most: 1000 });
    expect(newer?.entries.map((entry) => entry.text)).toEqual(['{"id":"3"}', '{"id":"4"}']);
    expect((await eventLog.position())?.generation).toBe(generation);
    expect(newer?.entries[0]?.start).toBe(end);
    expect(await eventLog.read({ generation: "another", from: 0, most: 1000 })).toBeNull();
  });

  it("is read in parts, for what a line contains, and backwards", async () => {
    const { eventLog, store } = await place.open();
    await put(store, write("a", "1"), ...Array.from({ length: 30 }, (_, n) => event(`e${n}`)));
    const { end = 0, generation = "" } = (await eventLog.position()) ?? {};
    const found: string[] = [];
    for (let from = 0, parts = 0; from < end; parts++) {
      const part = await eventLog.read({ generation, from, most: 100, containing: ["e1"] });
      expect(parts).toBeLessThan(10);
      found.push(...(part?.entries.map((entry) => entry.text) ?? []));
      from = part?.next ?? end;
    }
    expect(found).toHaveLength(11);
    const back = await eventLog.readBack({ before: end, limit: 2 });
    expect(back.map((entry) => entry.text)).toEqual(['{"id":"e29"}', '{"id":"e28"}']);
    const before = back.at(-1)?.start ?? 0;
    expect((await eventLog.readBack({ before, limit: 1 }))[0]?.text).toBe('{"id":"e27"}');
  });

  it("is noticed to have grown", async () => {
    promise("database.newer");
    const [{ store }, { eventLog }] = [await place.open(), await place.open()];
    let [heard, count] = [0, 0];
    const grow = async () => {
      count += 1;
      await put(store, write("a", `${count}`), event(`${count}`));
      return heard;
    };
    await grow();
    const watching = eventLog.watch(() => {
      heard += 1;
    });
    // By now it watches, on whatever store.
    const before = await until(grow);
    await grow();
    await until(() => heard > before);
    watching.close();
  });
});

describe.each(STORES)("a lease on %s", (_, make) => {
  it("has one holder until it is released", async () => {
    promise("database.same-ports");
    const place = await make();
    const [{ claims }, { claims: others }] = [await place.open(), await place.open()];
    const mine = await claims.take("T-1", "one");
    expect(mine).toMatchObject({ what: "T-1", abandoned: false });
    expect(await claims.take("T-1", "one")).toBeNull();
    expect(await others.take("T-1", "two")).toBeNull();
    const another = await others.take("T-2", "two");
    expect(another).not.toBeNull();
    await mine?.release();
    const theirs = await others.take("T-1", "two");
    expect(theirs).toMatchObject({ abandoned: false });
    await theirs?.release();
    await another?.release();
    await place.close();
  });
});

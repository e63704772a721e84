/** Two stores as one: what belongs where, and that a commit depends on both. */
import { describe, expect, it } from "vitest";
import { holding } from "../../../test/rig/holding.ts";
import { promise } from "../../../test/rig/promise.ts";
import { PawlError } from "../../core/error.ts";
import { EVENTS } from "../../core/event.ts";
import { projectPath } from "../../core/path.ts";
import type { Change, Store } from "../../core/ports/store.ts";
import { openMemoryStore } from "../memory/memory-store.ts";
import { openRoutedStore } from "./store.ts";

const at = projectPath;
const write = (path: string, text: string): Change => ({ type: "write", path: at(path), text });
const event: Change = { type: "append", path: EVENTS, id: "e", text: '{"id":"e"}\n' };

const routes = {
  isShared: (path: string) => path.startsWith("ours/"),
  isSharedRun: (run: string) => run.startsWith("bloom:"),
  leadsToShared: (folder: string) => folder === "ours" || folder === "both" || folder.startsWith("ours/"),
  mayFollow: (change: Change) => change.type === "remove",
  isCopied: (path: string) => path.startsWith("ours/signed/"),
};

function opened() {
  const [files, shared] = [openMemoryStore(), openMemoryStore()];
  let away: PawlError | null = null;
  let asked = 0;
  const share = async (): Promise<Store> => {
    asked += 1;
    if (away) throw away;
    return shared;
  };
  return {
    ...{ files, shared, store: openRoutedStore(files, share, routes) },
    asked: () => asked,
    goAway() {
      away = new PawlError("database-failed", "It is away.", "Wait.");
    },
  };
}

describe("two stores as one", () => {
  it("read each path where it belongs, and ask for what is shared only when it is needed", async () => {
    promise("machines.places");
    const { asked, files, shared, store } = opened();
    files.files.set("mine", "m").set("ours/a", "stale");
    shared.files.set("ours/a", "now").set("mine", "foreign");
    const view = store.view();
    expect(await view.read(at("mine"))).toBe("m");
    expect(await view.list(at("mine"))).toEqual([]);
    expect(asked()).toBe(0);
    expect(await view.read(at("ours/a"))).toBe("now");
  });

  it("list a folder of both with what belongs to each", async () => {
    const { files, shared, store } = opened();
    files.files.set("ours/stale", "").set("both/mine", "").set("both/x/mine", "");
    shared.files.set("ours/b", "").set("ours/a/deep", "").set("both/foreign", "");
    expect(await store.view().list(at("ours"))).toEqual([
      { name: "a", kind: "folder" },
      { name: "b", kind: "file" },
    ]);
    expect(await store.view().list(at("both"))).toEqual([
      { name: "mine", kind: "file" },
      { name: "x", kind: "folder" },
    ]);
  });

  it("commit to one, with the events, and only while what was read of the other holds", async () => {
    promise("machines.places");
    const { files, shared, store } = opened();
    files.files.set("mine", "one");
    shared.files.set("ours/a", "one");
    const view = store.view();
    await view.read(at("mine"));
    await view.read(at("ours/a"));
    expect(await store.commit(view, [write("ours/b", "x"), event])).toBe("committed");
    expect([shared.files.get("ours/b"), shared.files.get(EVENTS)]).toEqual(["x", '{"id":"e"}\n']);
    expect([...files.files.keys()]).toEqual(["mine"]);
    expect(await store.commit(view, [write("other", "x"), event])).toBe("committed");
    expect(files.files.get(EVENTS)).toBe('{"id":"e"}\n');

    files.files.set("mine", "two");
    expect(await store.holds(view)).toBe(false);
    expect(await view.isCurrent([at("ours/a")])).toBe(true);
    expect(await view.isCurrent([at("ours/a"), at("mine")])).toBe(false);
    expect(await store.commit(view, [write("ours/c", "x")])).toBe("changed");
    const other = store.view();
    await other.read(at("ours/a"));
    shared.files.set("ours/a", "two");
    expect(await store.holds(other)).toBe(false);
    expect(await store.commit(other, [write("third", "x")])).toBe("changed");
    expect(files.files.has("third") || shared.files.has("ours/c")).toBe(false);
  });

  it("commit to both never at once: what can be done without follows, anything else is refused", async () => {
    promise("machines.places");
    const { files, shared, store } = opened();
    files.files.set("draft", "d");
    await expect(
      store.commit(store.view(), [write("ours/a", "x"), write("mine", "y")]),
    ).rejects.toMatchObject({ code: "internal" });
    const across: Change = { type: "move", from: at("draft"), to: at("ours/draft") };
    await expect(store.commit(store.view(), [across])).rejects.toMatchObject({ code: "internal" });
    expect([files.commits, shared.commits]).toEqual([0, 0]);

    const taken: readonly Change[] = [write("ours/a", "x"), { type: "remove", path: at("draft") }];
    expect(await store.commit(store.view(), taken)).toBe("committed");
    expect([shared.files.get("ours/a"), files.files.has("draft")]).toEqual(["x", false]);
    await store.commit(store.view(), [write("ours/signed/1", "s"), write("ours/b", "x")]);
    expect([files.files.get("ours/signed/1"), files.files.has("ours/b")]).toEqual(["s", false]);
    expect(shared.files.get("ours/signed/1")).toBe("s");
  });

  it("hold a run where it belongs", async () => {
    const { asked, store } = opened();
    expect(await holding(store, "alfred:T-1", asked)).toBe(0);
    expect(await holding(store, "bloom:tasks", asked)).toBe(1);
  });

  it("let the files be worked with while what is shared cannot be reached", async () => {
    promise("machines.places");
    const { files, goAway, shared, store } = opened();
    shared.files.set("ours/a", "one");
    goAway();
    const view = store.view();
    const read = view.read(at("ours/a"));
    await expect(read).rejects.toMatchObject({ code: "database-failed" });
    expect(await store.holds(view)).toBe(true);
    expect(await store.commit(view, [write("mine", "x")])).toBe("committed");
    expect(files.files.get("mine")).toBe("x");
    await expect(store.commit(view, [write("ours/a", "x")])).rejects.toMatchObject({
      code: "database-failed",
    });
    expect(await store.catchUp()).toBeNull();
  });
});

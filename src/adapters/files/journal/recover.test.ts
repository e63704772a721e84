/** What is replayed of a journal, on a simulated disk. */
import { describe, expect, test } from "vitest";
import { open } from "../../../../test/crash/scenario.ts";
import { edit, write } from "../../../../test/crash/shapes.ts";
import type { Call } from "../../../../test/crash/sim-disk.ts";
import { Machine } from "../../../../test/crash/sim-machine.ts";
import { EVENTS } from "../../../core/event.ts";
import { projectPath } from "../../../core/path.ts";
import type { Marker } from "./marker.ts";
import { FIRST, type JournalRecord, renderRecord } from "./record.ts";
import { pendingOf } from "./recover.ts";
import { temporaryOf } from "./temporary.ts";

const JOURNAL = ".pawl/journal";

describe("records that may be unapplied", () => {
  const record = (end: number, sequence: number): JournalRecord => ({
    ...{ epoch: 5, end, sequence, mac: `mac-${sequence}`, steps: [] },
  });
  const records = [record(10, 1), record(20, 2)];
  const marker: Marker = { isCurrent: true, epoch: 5, length: 10, sequence: 1, mac: "mac-1" };
  const none: readonly number[] = [];

  test.each<readonly [string, Marker | null, readonly number[]]>([
    ["all without a marker", null, [1, 2]],
    ["those behind it", marker, [2]],
    ["none if it is at the end", { ...marker, length: 20, sequence: 2, mac: "mac-2" }, none],
    ["all if it is at the beginning", { ...marker, length: 0, sequence: 7, mac: FIRST }, [1, 2]],
    ["all if the machine has started since", { ...marker, isCurrent: false }, [1, 2]],
    ["all if it is another journal's", { ...marker, epoch: 4 }, [1, 2]],
    ["all if it is inside of one", { ...marker, length: 15 }, [1, 2]],
    ["all if it tells of another number of records", { ...marker, sequence: 2 }, [1, 2]],
    ["all if it tells of another record", { ...marker, mac: "mac-2" }, [1, 2]],
  ])("are %s", (_, found, expected) => {
    expect(pendingOf(found, records).map(({ sequence }) => sequence)).toEqual(expected);
  });

  test("are none in a journal without any", () => {
    expect(pendingOf(marker, [])).toEqual([]);
  });
});

/** A machine with two commits, of whose calls each can be met. */
async function started() {
  const machine = new Machine();
  const told: unknown[] = [];
  const store = (met?: (call: Call) => void) =>
    open(
      machine,
      (call) => {
        met?.(call);
        return undefined;
      },
      { onForeign: (found) => told.push(found) },
    );
  const commit = (path: string, text: string, met?: (call: Call) => void) => {
    const opened = store(met);
    return opened.commit(opened.view(), [write(path, text)]);
  };
  await commit("a.md", "one\n");
  await commit("a.md", "two\n");
  return {
    ...{ commit, machine, store, told },
    journal: () => machine.tree().get(JOURNAL) ?? "",
    read: (path: string, met?: (call: Call) => void) => store(met).view().read(projectPath(path)),
    kept: () => [...machine.tree()].filter(([path]) => path.startsWith(".pawl/kept/")),
    events: () =>
      (machine.tree().get(EVENTS) ?? "")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  };
}

const OTHER_KEY = new Uint8Array(32).fill(9);
const theirs = (count: number) => {
  const steps = [
    { type: "put", path: "evil.md", before: null, after: "e".repeat(64), text: "evil" } as const,
  ];
  const one = renderRecord(OTHER_KEY, { epoch: 1, sequence: 0, mac: FIRST }, steps).bytes.toString("utf8");
  return one.repeat(count);
};

describe("commits of somebody else behind one's own", () => {
  test("are set aside and told once; the journal goes on behind its own", async () => {
    const { commit, events, journal, kept, machine, read, told } = await started();
    const own = journal();
    machine.save(JOURNAL, own + theirs(2), "in-place");
    expect(await read("a.md")).toBe("two\n");
    expect(kept().map(([, text]) => text)).toEqual([theirs(2)]);
    const [path] = kept()[0] ?? [];
    expect(told).toEqual([{ records: 2, reason: expect.any(String), kept: path }]);
    expect(events()).toEqual([
      expect.objectContaining({ type: "journal:foreign", commits: 2, kept: path, id: expect.any(String) }),
    ]);
    expect(journal().startsWith(own)).toBe(true);
    expect(journal()).not.toContain("evil");
    await commit("a.md", "three\n");
    expect(await read("a.md")).toBe("three\n");
    expect([told.length, events().length, kept().length]).toEqual([1, 1, 1]);
    expect(machine.tree().has("evil.md")).toBe(false);
  });

  test("are told in the log also if all of it is read anew after a power cut", async () => {
    const { events, journal, machine, read, store } = await started();
    machine.save(JOURNAL, journal() + theirs(1), "in-place");
    await read("a.md");
    machine.cutPower(() => false);
    expect(await read("a.md")).toBe("two\n");
    expect(events()).toHaveLength(1);
    await store().settle();
    machine.cutPower(() => false);
    expect([events().length, journal()]).toEqual([1, ""]);
  });
});

describe("an edit on a text that a person saved", () => {
  const TASKS = ".tasks.yaml.pawl-tmp";

  test("is redone within the commit, though its editor is not loaded yet", async () => {
    const { kept, machine, store } = await started();
    machine.save("tasks.yaml", "one\n", "in-place");
    const opened = store(({ name, path }) => {
      if (name === "close" && path === TASKS && !machine.tree().get("tasks.yaml")?.startsWith("mine"))
        machine.save("tasks.yaml", "mine\n", "by-rename");
    });
    expect(await opened.commit(opened.view(), [edit("tasks.yaml", "one\ntwo\n", "two")])).toBe("committed");
    expect([machine.tree().get("tasks.yaml"), kept()]).toEqual(["mine\ntwo\n", []]);
  });

  test("is redone after a power cut, and foreign commits after it are reported once", async () => {
    const { events, journal, machine, read, store, told } = await started();
    const opened = store();
    await opened.commit(opened.view(), [edit("tasks.yaml", "two\n", "two")]);
    machine.save(JOURNAL, journal() + theirs(1), "in-place");
    machine.cutPower(() => false);
    machine.save("tasks.yaml", "mine\n", "in-place");
    expect(await read("tasks.yaml")).toBe("mine\ntwo\n");
    expect([told.length, events().length]).toEqual([1, 1]);
  });
});

describe("a journal that was applied", () => {
  test("is not applied again: a person's later text stays", async () => {
    const { commit, kept, machine, read } = await started();
    machine.save("a.md", "mine\n", "in-place");
    await commit("b.md", "three\n");
    expect([await read("a.md"), await read("b.md")]).toEqual(["mine\n", "three\n"]);
    expect(kept()).toEqual([]);
  });

  test("is emptied once, when there is time; then there is nothing to do", async () => {
    const { journal, store } = await started();
    await store().settle();
    expect(journal()).toBe("");
    const calls: string[] = [];
    await store(({ name }) => calls.push(name)).settle();
    expect(calls).not.toContain("tryLock");
  });
});

describe("a file that a program saves all the time", () => {
  test("is written in the end if that program ends; each of its texts is kept", async () => {
    const { commit, kept, machine, read } = await started();
    const saves = savingBefore(machine, 49);
    expect(await commit("a.md", "three\n", saves)).toBe("committed");
    expect(await read("a.md")).toBe("three\n");
    expect(kept().map(([, text]) => text)).toHaveLength(49);
  });

  test("is given up after fifty tries, and written as soon as that program ends", async () => {
    const { commit, machine, read } = await started();
    const saves = savingBefore(machine, 200);
    expect(await commit("a.md", "three\n", saves)).toBe("committed");
    await expect(read("a.md", saves)).rejects.toMatchObject({
      code: "commit-restarted-too-often",
      message: "a.md cannot be written: Pawl tried 50 times, and another program had changed it each time.",
      fix: expect.stringContaining("a.md"),
    });
    expect(await read("a.md")).toBe("three\n");
  });
});

/** Another program saves the file so many times, whenever Pawl has written what is to replace it. */
function savingBefore(machine: Machine, times: number): (call: Call) => void {
  let count = 0;
  return ({ name, path }) => {
    if (name !== "write" || path !== temporaryOf("a.md") || count === times) return;
    count += 1;
    machine.save("a.md", `mine ${count}\n`, "in-place");
  };
}

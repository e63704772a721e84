/** The journal on a simulated disk: what it costs, and what is said where it fails. */
import { describe, expect, test } from "vitest";
import { open } from "../../../../test/crash/scenario.ts";
import { write } from "../../../../test/crash/shapes.ts";
import { type Call, type Fate, STATE_HOME } from "../../../../test/crash/sim-disk.ts";
import { Machine } from "../../../../test/crash/sim-machine.ts";
import { projectPath } from "../../../core/path.ts";
import { FIRST, renderRecord } from "./record.ts";

const JOURNAL = ".pawl/journal";
const OTHER_KEY = new Uint8Array(32).fill(9);

/** A machine; each call on its disk is noted, and has the fate that is given. */
function started() {
  const machine = new Machine();
  let calls: Call[] = [];
  const noting = (fateOf?: (call: Call) => Fate) => {
    calls = [];
    return open(machine, (call) => {
      calls.push(call);
      return fateOf?.(call);
    });
  };
  const commit = (text: string, fateOf?: (call: Call) => Fate) => {
    const store = noting(fateOf);
    return store.commit(store.view(), [write("a.md", text)]);
  };
  const read = () => noting().view().read(projectPath("a.md"));
  const journal = () => machine.tree().get(JOURNAL) ?? "";
  /** As if the machine had started since: nothing is known to be applied. */
  const restarted = () => machine.cutPower(() => true);
  const settle = () => noting().settle();
  return {
    ...{ machine, commit, journal, read, restarted, settle },
    called: (...names: readonly string[]) => calls.filter(({ name }) => names.includes(name)),
  };
}

describe("the journal", () => {
  test("costs a reader no lock if there is none, or if all of it is applied", async () => {
    const { called, commit, read } = started();
    expect(await read()).toBeNull();
    expect(called("tryLock")).toEqual([]);
    await commit("one\n");
    expect(await read()).toBe("one\n");
    expect(called("tryLock")).toEqual([]);
  });

  test("costs a commit one sync and one write of its marker, besides those for the first", async () => {
    const { called, commit } = started();
    await commit("one\n");
    await commit("two\n");
    expect(called("fsync", "fsyncFolder").map(({ name, path }) => [name, path])).toEqual([
      ["fsync", JOURNAL],
    ]);
    expect(called("write").filter(({ path }) => path.startsWith(STATE_HOME))).toHaveLength(1);
  });

  test("is closed after each commit, also after one that the disk refuses", async () => {
    const { called, commit } = started();
    const ofJournal = (name: string) => called(name).filter(({ path }) => path === JOURNAL);
    for (const refused of [false, true]) {
      const done = commit("one\n", ({ name, path }) =>
        refused && name === "write" && path === JOURNAL ? "ENOSPC" : undefined,
      );
      if (refused) await expect(done).rejects.toThrow();
      else await done;
      expect(ofJournal("open").length).toBeGreaterThan(0);
      expect(ofJournal("close")).toHaveLength(ofJournal("open").length);
    }
  });

  test("that the disk can neither write nor take back leaves it open whether the change was committed, and says so", async () => {
    const { commit } = started();
    const refuses = new Set(["write", "truncate"]);
    await expect(
      commit("one\n", ({ name, path }) => (path === JOURNAL && refuses.has(name) ? "EIO" : undefined)),
    ).rejects.toMatchObject({
      code: "disk-failed",
      message: expect.stringContaining("Whether the change was committed is unknown"),
      fix: expect.stringContaining("`pawl status`"),
    });
  });

  test("has nothing behind its good records once somebody commits after a writer that died: nobody looks under the lock for it", async () => {
    const { called, commit, journal, machine, read, restarted } = started();
    await commit("one\n");
    const whole = journal();
    machine.save(JOURNAL, `${whole}${whole.slice(0, -5)}${"x".repeat(5_000)}`, "in-place");
    restarted();
    await commit("two\n");
    expect(journal().endsWith("x")).toBe(false);
    expect(await read()).toBe("two\n");
    expect(called("tryLock")).toEqual([]);
  });

  test("that is damaged is reported with the place, and with what is good before and after it", async () => {
    const { commit, journal, machine, read, restarted } = started();
    for (const text of ["one\n", "two\n", "three\n"]) await commit(text);
    const [first = "", second = "", third = ""] = journal().split(/(?=^pawl-commit )/m);
    machine.save(JOURNAL, `${first}${second.replace("two", "tow")}${third}`, "in-place");
    restarted();
    await expect(read()).rejects.toMatchObject({
      code: "journal-damaged",
      message: `The journal ${JOURNAL} is damaged: after 1 good records, at byte ${first.length}, expected another record, found other bytes, and 1 good records after them.`,
    });
  });

  test("that was cut short is told with how much is missing, and how to go on", async () => {
    const { commit, journal, machine, read } = started();
    for (const text of ["one\n", "two\n"]) await commit(text);
    const whole = journal();
    const [first = ""] = whole.split(/(?=^pawl-commit )/m);
    machine.save(JOURNAL, whole.slice(0, -5), "in-place");
    await expect(read()).rejects.toMatchObject({
      code: "journal-damaged",
      message: `The journal is damaged: expected at least ${whole.length} bytes of good records, found ${first.length}.`,
      fix: expect.stringContaining("`pawl repair`"),
    });
  });

  test("that was cut within its first record is told, not taken for an empty one", async () => {
    const { commit, journal, machine, read } = started();
    await commit("one\n");
    const whole = journal();
    machine.save(JOURNAL, whole.slice(0, 20), "in-place");
    await expect(read()).rejects.toMatchObject({
      code: "journal-damaged",
      message: `The journal is damaged: expected at least ${whole.length} bytes of good records, found 0.`,
    });
  });

  test("that was cut short is told, also if somebody else's record follows what is left", async () => {
    const { commit, journal, machine, read } = started();
    for (const text of ["one\n", "two\n"]) await commit(text);
    const whole = journal();
    const [first = ""] = whole.split(/(?=^pawl-commit )/m);
    machine.save(JOURNAL, `${first}${foreign()}`, "in-place");
    await expect(read()).rejects.toMatchObject({
      code: "journal-damaged",
      message: expect.stringContaining(`expected at least ${whole.length} bytes of good records`),
    });
    expect(machine.tree().get("evil.md")).toBeUndefined();
  });

  test("of somebody else in place of its own is set aside, and what it replaced is in the files", async () => {
    const { commit, journal, machine, read } = started();
    await commit("one\n");
    const theirs = foreign();
    expect(theirs.length).toBeLessThan(journal().length);
    machine.save(JOURNAL, theirs, "in-place");
    expect(await read()).toBe("one\n");
    const kept = [...machine.tree()].filter(([path]) => path.startsWith(".pawl/kept/"));
    expect(kept.map(([, text]) => text)).toEqual([theirs]);
  });

  test("that is shorter than an earlier one is whole, if a power cut left that one's marker", async () => {
    const { commit, journal, machine, read, settle } = started();
    await commit(`${"one ".repeat(500)}\n`);
    machine.cutPower(() => true);
    await read();
    machine.cutPower(() => true);
    const long = journal().length;
    await settle();
    await commit("two\n");
    machine.cutPower(() => false);
    expect(journal().length).toBeGreaterThan(0);
    expect(journal().length).toBeLessThan(long);
    expect(await read()).toBe("two\n");
  });

  test("that was emptied stays so, if a power cut left its new marker alone: nothing counts as somebody else's", async () => {
    const { commit, machine, read, restarted, settle } = started();
    await commit("one\n");
    restarted();
    await settle();
    const marker = machine.find(`${STATE_HOME}/applied`)?.id;
    const { unsynced } = machine;
    machine.cutPower((index) => unsynced[index]?.id === marker);
    expect(await read()).toBe("one\n");
    expect([...machine.tree().keys()].filter((path) => path.startsWith(".pawl/kept/"))).toEqual([]);
  });

  test.each([
    ["the first commit", []],
    ["a later commit", ["commit"]],
    ["the first commit since Pawl's folder was removed", ["commit", "removal"]],
  ])(
    "keeps what somebody has read of %s through a power cut, though its writer died before it was synced",
    async (_, earlier) => {
      const { commit, machine, read } = started();
      if (earlier.includes("commit")) await commit("one\n");
      if (earlier.includes("removal")) removeFolder(machine);
      await expect(
        commit("two\n", ({ name, path }) => (name === "fsync" && path === JOURNAL ? "die" : undefined)),
      ).rejects.toThrow();
      expect(await read()).toBe("two\n");
      machine.cutPower(() => false);
      expect(await read()).toBe("two\n");
    },
  );
});

function removeFolder(machine: Machine): void {
  const root = machine.folder("");
  machine.setEntry(root, ".pawl", null);
  machine.sync(root.id);
}

/** A record that another project's key has signed. */
function foreign(): string {
  const steps = [
    { type: "put", path: "evil.md", before: null, after: "e".repeat(64), text: "evil" } as const,
  ];
  return renderRecord(OTHER_KEY, { epoch: 1, sequence: 0, mac: FIRST }, steps).bytes.toString("utf8");
}

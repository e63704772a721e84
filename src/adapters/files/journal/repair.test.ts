/** What is made of a damaged journal, on a simulated disk. */
import { describe, expect, test } from "vitest";
import { open } from "../../../../test/crash/scenario.ts";
import { EDITORS, edit, write } from "../../../../test/crash/shapes.ts";
import { type Call, type Fate, simDisk, simState } from "../../../../test/crash/sim-disk.ts";
import { Machine } from "../../../../test/crash/sim-machine.ts";
import { repairJournal } from "./repair.ts";

const JOURNAL = ".pawl/journal";
const NOTHING = { aside: null, goodRecords: 0, lostBytes: 0, lostCommits: 0, foreign: [] };

/** A machine with these commits, one file each, and where each record ends. */
async function committed(count: number) {
  const machine = new Machine();
  const ends: number[] = [];
  for (let number = 1; number <= count; number++) {
    const store = open(machine);
    await store.commit(store.view(), [write(`f${number}`, `text ${number}\n`)]);
    ends.push((machine.tree().get(JOURNAL) ?? "").length);
  }
  return { machine, ends };
}

const journal = (machine: Machine) => machine.tree().get(JOURNAL) ?? "";
/** Damages the record of this number, counted from 1. */
function damage(machine: Machine, ends: readonly number[], ...numbers: readonly number[]) {
  const letters = [...journal(machine)];
  for (const number of numbers) letters[(ends[number - 1] ?? 0) - 20] = "?";
  machine.save(JOURNAL, letters.join(""), "in-place");
}

function repair(
  machine: Machine,
  met: (call: Call) => Fate = () => undefined,
  commitWaitMilliseconds?: number,
) {
  const calls: Call[] = [];
  const disk = simDisk(machine, (call) => {
    calls.push(call);
    return met(call);
  });
  const options = { root: "/", disk, state: simState(disk), editors: async () => EDITORS };
  const wait = commitWaitMilliseconds === undefined ? {} : { commitWaitMilliseconds };
  return { calls, report: repairJournal({ ...options, ...wait }) };
}

describe("a journal that is whole", () => {
  test("stays as it is, or is none", async () => {
    expect(await repair(new Machine()).report).toEqual(NOTHING);
    const { machine } = await committed(3);
    const before = journal(machine);
    expect(await repair(machine).report).toEqual({ ...NOTHING, goodRecords: 3 });
    expect(journal(machine)).toBe(before);
  });
});

describe("a journal that is damaged", () => {
  test("is set aside; what is good of it is kept, counted and applied", async () => {
    const { machine, ends } = await committed(5);
    damage(machine, ends, 2, 3);
    const damaged = journal(machine);
    const { calls, report } = repair(machine);
    const found = await report;
    const kept = journal(machine);
    expect(found).toEqual({
      ...{ aside: ".pawl/kept/2026-01-01-1/journal", goodRecords: 3, lostCommits: 2, foreign: [] },
      lostBytes: damaged.length - kept.length,
    });
    expect(found.lostBytes).toBeGreaterThan(0);
    expect(machine.tree().get(found.aside ?? "")).toBe(damaged);
    expect([...machine.tree().keys()].filter((path) => path.startsWith(`${JOURNAL}.`))).toEqual([]);
    // The new journal is whole on the disk before it takes the old one's place, and so is its name.
    const order = calls.map(({ name, path }) => `${name} ${path}`);
    const synced = order.indexOf(`fsync ${JOURNAL}.repaired`);
    const named = order.indexOf(`rename ${JOURNAL}`);
    expect([synced >= 0, named > synced, order.indexOf("fsyncFolder .pawl", named) > named]).toEqual([
      true,
      true,
      true,
    ]);
    const store = open(machine);
    expect(await store.view().read("f5" as never)).toBe("text 5\n");
    expect(await store.commit(store.view(), [write("f6", "text 6\n")])).toBe("committed");
  });

  test("has lost one commit at least, if its beginning or its end is gone", async () => {
    const first = await committed(3);
    damage(first.machine, first.ends, 1);
    expect(await repair(first.machine).report).toMatchObject({ goodRecords: 2, lostCommits: 1 });
    const { machine, ends } = await committed(2);
    machine.save(JOURNAL, journal(machine).slice(0, (ends[1] ?? 0) - 10), "in-place");
    expect(await repair(machine).report).toMatchObject({ goodRecords: 1, lostCommits: 1 });
  });

  test("does not bring back what a person changed since it was applied", async () => {
    const { machine, ends } = await committed(4);
    damage(machine, ends, 2);
    for (const file of ["f1", "f3", "f4"]) machine.save(file, "mine\n", "in-place");
    await repair(machine).report;
    expect(["f1", "f2", "f3", "f4"].map((file) => machine.tree().get(file))).toEqual([
      ...["mine\n", "text 2\n", "mine\n", "mine\n"],
    ]);
  });

  test("is replayed whole after a restart of the machine, as the files may be torn", async () => {
    const { machine, ends } = await committed(3);
    damage(machine, ends, 2);
    machine.boot++;
    machine.save("f3", "te", "in-place");
    await repair(machine).report;
    expect(machine.tree().get("f3")).toBe("text 3\n");
  });

  test("is reported if an edit in it must be redone on a person's text", async () => {
    const { machine, ends } = await committed(3);
    const store = open(machine);
    await store.commit(store.view(), [edit("tasks.yaml", "two\n", "two")]);
    damage(machine, ends, 2);
    machine.boot++;
    machine.save("tasks.yaml", "mine\n", "in-place");
    expect(await repair(machine).report).toMatchObject({ goodRecords: 3, lostCommits: 1 });
    expect(machine.tree().get("tasks.yaml")).toBe("mine\ntwo\n");
  });

  test("takes the place of one that a dead repair left half made", async () => {
    const { machine, ends } = await committed(3);
    damage(machine, ends, 2);
    machine.save(`${JOURNAL}.repaired`, "half of it", "in-place");
    expect(await repair(machine).report).toMatchObject({ goodRecords: 2 });
    expect(machine.tree().has(`${JOURNAL}.repaired`)).toBe(false);
  });

  test("is mended even if the disk refuses to write the files: they wait", async () => {
    const { machine, ends } = await committed(3);
    damage(machine, ends, 2);
    machine.boot++;
    machine.save("f3", "te", "in-place");
    const refuses = ({ name, path }: Call): Fate =>
      name === "open" && path === ".f3.pawl-tmp" ? "ENOSPC" : undefined;
    expect(await repair(machine, refuses).report).toMatchObject({ goodRecords: 2 });
    expect(machine.tree().get("f3")).toBe("te");
    expect(
      await open(machine)
        .view()
        .read("f3" as never),
    ).toBe("text 3\n");
  });
});

describe("repairing", () => {
  test("waits for who commits, for a time, and then names it", async () => {
    const { machine } = await committed(1);
    const holder = simDisk(machine);
    const fd = holder.open(".pawl/locks/project.lock", "update");
    holder.tryLock(fd);
    await expect(repair(machine, undefined, 50).report).rejects.toMatchObject({
      code: "lock-timeout",
      message: expect.stringMatching(/^Repairing the journal waited 0\.05 s for /),
    });
  });

  test("fails in words if the disk does, and gives the lock back", async () => {
    const { machine, ends } = await committed(3);
    damage(machine, ends, 2);
    const refuses = ({ name, path }: Call): Fate =>
      name === "rename" && path === JOURNAL ? "EIO" : undefined;
    await expect(repair(machine, refuses).report).rejects.toMatchObject({
      code: "disk-failed",
      message: expect.stringMatching(/^Repairing the journal failed/),
    });
    expect(await repair(machine, undefined, 50).report).toMatchObject({ goodRecords: 2 });
  });
});

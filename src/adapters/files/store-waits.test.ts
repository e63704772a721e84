/** What a store says while it waits, where it cannot go on, and of what others left; on a simulated disk. */
import { describe, expect, test } from "vitest";
import { open } from "../../../test/crash/scenario.ts";
import { write } from "../../../test/crash/shapes.ts";
import { type Call, type Fate, STATE_HOME, simDisk, simState } from "../../../test/crash/sim-disk.ts";
import { Machine } from "../../../test/crash/sim-machine.ts";
import { projectPath } from "../../core/path.ts";
import type { Store } from "../../core/ports/store.ts";
import { openStore } from "./store.ts";

const JOURNAL = ".pawl/journal";
const A = projectPath("a");
const commit = (store: Store, text = "new\n", at = "a") => store.commit(store.view(), [write(at, text)]);
const failing =
  (name: string, path: string, fate: Fate) =>
  (call: Call): Fate =>
    call.name === name && call.path === path ? fate : undefined;

/** The project's lock is somebody else's. */
function held(machine: Machine, name = "project.lock") {
  const disk = simDisk(machine);
  disk.tryLock(disk.open(`.pawl/locks/${name}`, "update"));
}

async function refused(work: Promise<unknown>) {
  const { code, message } = await work.then(
    () => ({ code: "", message: "" }),
    (thrown) => thrown,
  );
  return { code, message };
}

describe("who waits in vain is told for what", () => {
  const waits = async (machine: Machine, work: (store: Store) => Promise<unknown>) =>
    (await refused(work(open(machine, undefined, { holdWaitMilliseconds: 50 })))).message;

  test("a commit, a reader of what is pending, a run", async () => {
    const machine = new Machine();
    await commit(open(machine));
    held(machine);
    held(machine, "run-a%3A.1.lock");
    expect(await waits(machine, (store) => commit(store))).toMatch(
      /^A commit waited 0\.1 s for process 1001 \(this process\), .* for: A commit\.$/,
    );
    expect(await waits(machine, (store) => store.hold("a:1"))).toMatch(/^a:1 waited 0\.05 s for /);
    // Without its marker, nobody knows what of the journal is applied.
    machine.save(`${STATE_HOME}/applied`, "", "in-place");
    expect(await waits(machine, (store) => store.view().read(A))).toMatch(
      /^Reading the project waited 0\.1 s for /,
    );
  });

  test("who settles does not wait, and leaves it to the one at work", async () => {
    const machine = new Machine();
    await commit(open(machine));
    const before = machine.tree().get(JOURNAL);
    held(machine);
    await open(machine).settle();
    expect([before === "", machine.tree().get(JOURNAL)]).toEqual([false, before]);
  });
});

describe("if the disk fails", () => {
  test.each<readonly [string, (store: Store) => Promise<unknown>, string, string, string]>([
    ["a lock", (store) => store.hold("a:1"), "open", ".pawl/locks/run-a%3A.1.lock", "Locking the run failed"],
    ["a commit", (store) => commit(store), "write", JOURNAL, "Committing failed"],
    ["a look", (store) => store.view().read(A), "lstat", "a", "Reading the project failed"],
    ["a listing", (store) => store.view().list(projectPath("b")), "lstat", "b", "Reading the project failed"],
    ["catching up", (store) => store.catchUp(), "lstat", JOURNAL, "Reading the project failed"],
    ["settling", (store) => store.settle(), "truncate", JOURNAL, "Settling the journal failed"],
  ])("%s is told in words", async (_, work, name, path, words) => {
    const machine = new Machine();
    await commit(open(machine));
    const found = await refused(work(open(machine, failing(name, path, "EIO"))));
    expect(found.code).toBe("disk-failed");
    expect(found.message).toContain(words);
  });

  test("a look whether what was read still holds is, too", async () => {
    const machine = new Machine();
    await commit(open(machine));
    let fails = false;
    const store = open(machine, (call) =>
      fails && call.name === "lstat" && call.path === "a" ? "EIO" : undefined,
    );
    const view = store.view();
    await view.read(A);
    expect(await store.holds(view)).toBe(true);
    fails = true;
    expect((await refused(store.holds(view))).message).toContain("Reading the project failed");
  });

  test("settling waits for another time if it may not write", async () => {
    const machine = new Machine();
    await commit(open(machine));
    const before = machine.tree().get(JOURNAL);
    await open(machine, failing("truncate", JOURNAL, "ENOSPC")).settle();
    expect(machine.tree().get(JOURNAL)).toBe(before);
  });

  test("what is committed stays committed, whatever fails then, and waits", async () => {
    const machine = new Machine();
    await commit(open(machine));
    const told: string[] = [];
    const store = open(machine, failing("open", ".a.pawl-tmp", "EIO"), {
      onPending: ({ reason }) => told.push(reason),
    });
    expect(await commit(store, "newer\n")).toBe("committed");
    expect([store.pending()?.changes, told.length]).toEqual([1, 1]);
    expect(await store.view().read(A)).toBe("newer\n");
    expect((await store.catchUp())?.changes).toBe(1);
    expect(await refused(commit(store, "newest\n"))).toEqual({
      code: "disk-failed",
      message: expect.stringMatching(
        /^Nothing new was committed: 1 earlier one is committed but not in the files yet/,
      ),
    });
    const sound = open(machine);
    expect([await sound.catchUp(), sound.pending(), machine.tree().get("a")]).toEqual([
      null,
      null,
      "newer\n",
    ]);
  });

  test("a commit that cannot read what is pending fails as that does", async () => {
    const machine = new Machine();
    await commit(open(machine));
    machine.save(`${STATE_HOME}/applied`, "", "in-place");
    const found = await refused(commit(open(machine, failing("read", JOURNAL, "EIO"))));
    expect(found.message).toContain("(EIO)");
    const journal = machine.tree().get(JOURNAL) ?? "";
    machine.save(JOURNAL, `${journal.slice(0, 150)}?${journal.slice(151)}${journal}`, "in-place");
    expect((await refused(commit(open(machine)))).code).not.toBe("");
  });

  test("a commit whose pending ones are all in their files by now fails as its own disk does", async () => {
    const machine = new Machine();
    await commit(open(machine));
    machine.save(`${STATE_HOME}/applied`, "", "in-place");
    const found = await refused(commit(open(machine, failing("fsync", JOURNAL, "EIO"))));
    expect(found).toEqual({
      code: "disk-failed",
      message: expect.stringMatching(/^Committing failed.*\(EIO\)\.$/),
    });
  });
});

describe("a journal of others", () => {
  test("is reported once to a process that only reads, and left if it is", async () => {
    const other = new Machine();
    await commit(open(other));
    const foreign = other.tree().get(JOURNAL) ?? "";
    const machine = new Machine();
    machine.save(JOURNAL, foreign, "in-place");
    machine.save("a", "mine\n", "in-place");
    const told: unknown[] = [];
    const store = open(machine, undefined, { onForeign: (found) => told.push(found) });
    expect(await store.view().read(A)).toBe("mine\n");
    await store.view().read(A);
    expect(told).toEqual([{ records: 1, reason: "another-key", kept: null }]);
    expect(machine.tree().get(JOURNAL)).toBe(foreign);
  });

  test("is not reported if it is only noise", async () => {
    const machine = new Machine();
    machine.save(JOURNAL, "half a line", "in-place");
    const told: unknown[] = [];
    await open(machine, undefined, { onForeign: (found) => told.push(found) })
      .view()
      .read(A);
    expect(told).toEqual([]);
  });
});

describe("a journal is settled by the commit", () => {
  const length = async (journalBytes: number) => {
    const machine = new Machine();
    await commit(open(machine, undefined, { journalBytes }));
    return (machine.tree().get(JOURNAL) ?? "").length;
  };

  test("if it is longer than it may be", async () => {
    const whole = await length(1_000_000);
    expect(whole).toBeGreaterThan(0);
    expect([await length(whole), await length(whole - 1)]).toEqual([whole, 0]);
  });

  test("each time, if nobody knows when the machine started", async () => {
    const machine = new Machine();
    const disk = { ...simDisk(machine), bootId: () => null };
    await commit(openStore({ root: "/", disk, state: simState(disk) }));
    expect(machine.tree().get(JOURNAL)).toBe("");
  });
});

describe("a commit", () => {
  test("takes no view of another store", async () => {
    const machine = new Machine();
    const [one, other] = [open(machine), open(machine)];
    expect(await refused(one.commit(other.view(), [write("a", "x")]))).toEqual({
      code: "internal",
      message: "This store got a view of another store.",
    });
  });

  test("of nothing is committed, and writes nothing", async () => {
    const machine = new Machine();
    const store = open(machine);
    expect(await store.commit(store.view(), [])).toBe("committed");
    expect(machine.tree().has(JOURNAL)).toBe(false);
  });
});

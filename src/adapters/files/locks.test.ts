import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { simDisk } from "../../../test/crash/sim-disk.ts";
import { Machine } from "../../../test/crash/sim-machine.ts";
import { holding } from "../../../test/rig/holding.ts";
import { stateOf } from "../../../test/rig/state-home.ts";
import { PawlError } from "../../core/error.ts";
import type { Disk } from "./disk.ts";
import { type Lock, openLocks, runLockName, tryLock } from "./locks.ts";
import { nodeDisk } from "./node-disk.ts";
import { openStore } from "./store.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-locks-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const open = (holdWaitMilliseconds: number) =>
  openStore({ root, state: stateOf(root), holdWaitMilliseconds });

describe("a run's lock", () => {
  test("is given up when the work throws", async () => {
    const store = open(100);
    const work = holding(store, "r", () => {
      throw new Error("work failed");
    });
    await expect(work).rejects.toThrow("work failed");
    expect(await holding(open(100), "r", () => "free")).toBe("free");
  });

  test("goes to those who wait in one process in their order", async () => {
    const store = open(60_000);
    const order: number[] = [];
    const work = (number: number) =>
      holding(store, "r", async () => {
        order.push(number);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(number);
      });
    await Promise.all([1, 2, 3, 4].map(work));
    expect(order).toEqual([1, 1, 2, 2, 3, 3, 4, 4]);
  });

  test("excludes two stores of one process, and reports also to one that waits behind a waiter in vain", async () => {
    await holding(open(100), "r", async () => {
      const other = open(50);
      const results = await Promise.allSettled([1, 2].map(() => holding(other, "r", () => {})));
      expect(results).toMatchObject([
        { status: "rejected", reason: { code: "lock-timeout" } },
        { status: "rejected", reason: { code: "lock-timeout" } },
      ]);
    });
  });
});

describe("a lock's file", () => {
  test("that was replaced before it was locked is not taken for the lock", async () => {
    const real = nodeDisk(root);
    let replacements = 0;
    const disk: Disk = {
      ...real,
      tryLock(fd) {
        if (replacements++ < 3) {
          real.unlink(".pawl/locks/x.lock");
          real.close(real.open(".pawl/locks/x.lock", "update"));
        }
        return real.tryLock(fd);
      },
    };
    const lock = await openLocks(disk).acquire("x.lock", "test", 60_000);
    const other = openLocks(real).acquire("x.lock", "other", 30);
    await expect(other).rejects.toMatchObject({ code: "lock-timeout" });
    expect(replacements).toBe(4);
    lock.release();
  });

  test("is made again when a person removes the folder", async () => {
    const store = open(1000);
    await holding(store, "r", () => rmSync(join(root, ".pawl"), { recursive: true }));
    expect(await holding(store, "r", () => existsSync(join(root, ".pawl/locks")))).toBe(true);
  });

  test("has a name of its own for each run, of harmless characters, short enough", () => {
    const run = fc.string({ unit: fc.constantFrom(..."aZ0-_~%.:/ é€😀"), maxLength: 170 });
    fc.assert(
      fc.property(run, run, (a, b) => {
        expect(runLockName(a)).toMatch(/^run-[A-Za-z0-9_%.~-]*\.lock$/);
        expect(runLockName(a).length).toBeLessThan(256);
        expect(runLockName(a) === runLockName(b)).toBe(a === b);
      }),
      { numRuns: 40 },
    );
    expect(runLockName("alfred:TS-1")).toBe("run-alfred%3A.TS-1.lock");
    expect(runLockName("a".repeat(150))).toBe(`run-${"a".repeat(150)}.lock`);
    expect(runLockName("a".repeat(151))).toMatch(/^run-a{80}~[0-9a-f]{64}\.lock$/);
    for (const name of ["", "..", "../x", "a/b", "a:b", "a%3A.b", "é", "%C3A9."])
      expect(runLockName(name)).toMatch(/^run-[A-Za-z0-9_%.~-]*\.lock$/);
    expect(runLockName("a:b")).not.toBe(runLockName("a%3A.b"));
  });
});

/** Processes of one machine, whose time passes as the test says. */
function clockwork() {
  const machine = new Machine();
  let sleepers: { readonly at: number; wake(): void }[] = [];
  const settled = () => new Promise((done) => setImmediate(done));
  const start = machine.clock;
  const taken: { readonly who: string; readonly lock: Lock }[] = [];
  return {
    machine,
    /** `other`: what its disk does otherwise. */
    process(pid: number, other: (disk: Disk) => Partial<Disk> = () => ({})) {
      const disk = simDisk(machine);
      return openLocks({
        ...disk,
        pid,
        sleep: (milliseconds) =>
          new Promise((wake) => sleepers.push({ at: machine.clock + milliseconds, wake })),
        ...other(disk),
      });
    },
    now: () => machine.clock - start,
    /** Who has taken it, in this order. */
    who: () => taken.map(({ who }) => who),
    taken,
    take: (who: string, asked: Promise<Lock>) => void asked.then((lock) => taken.push({ who, lock })),
    async pass(milliseconds: number) {
      const end = machine.clock + milliseconds;
      for (;;) {
        await settled();
        const next = sleepers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        sleepers = sleepers.filter((each) => each !== next);
        machine.clock = Math.max(machine.clock, next.at);
        next.wake();
      }
      // What was done took its time, too: the clock never goes back.
      machine.clock = Math.max(machine.clock, end);
    },
    line: () => machine.tree().has(".pawl/locks/x.lock.next"),
  };
}

const LONG = 60_000;

describe("who waits for a lock", () => {
  test("gets who holds it, since when and for what", async () => {
    const { now, pass, process } = clockwork();
    const owner = process(1);
    await owner.acquire("x.lock", "A long commit", LONG);
    const told = expect(process(2).acquire("x.lock", "A commit", 700)).rejects.toMatchObject({
      code: "lock-timeout",
      message: expect.stringMatching(
        /^A commit waited 0\.7 s for process 1, which has held the lock since 2026-01-01T00:00:00\.\d{3}Z for: A long commit\.$/,
      ),
      fix: expect.stringContaining("Wait for process 1 to finish"),
    });
    await pass(800);
    await told;
    expect(now()).toBeLessThan(900);
    const itself = expect(process(1).acquire("x.lock", "A commit", 0)).rejects.toMatchObject({
      message: expect.stringContaining("waited 0 s for process 1 (this process), which"),
    });
    await pass(1);
    await itself;
  });

  test("reports that nobody knows who holds it, if a full disk took no name", async () => {
    const { process } = clockwork();
    const full = process(1, () => ({
      write: () => {
        throw Object.assign(new Error("full"), { code: "ENOSPC" });
      },
    }));
    // Its .gitignore cannot be written either.
    await process(3).acquire("other.lock", "test", LONG);
    await full.acquire("x.lock", "A long commit", LONG);
    await expect(process(2).acquire("x.lock", "A commit", 0)).rejects.toMatchObject({
      code: "lock-timeout",
      message: expect.stringContaining("that process has not written its id there"),
      fix: expect.stringContaining("the other Pawl process"),
    });
  });

  test("has it a moment after it is released, and gets in line only after half a second", async () => {
    const { line, pass, process, take, taken } = clockwork();
    const first = await process(1).acquire("x.lock", "test", LONG);
    take("second", process(2).acquire("x.lock", "test", LONG));
    await pass(450);
    expect([line(), taken]).toEqual([false, []]);
    first.release();
    await pass(40);
    expect(taken).toMatchObject([{ who: "second" }]);
    take("third", process(3).acquire("x.lock", "test", LONG));
    await pass(600);
    expect([line(), taken.length]).toEqual([true, 1]);
    taken[0]?.lock.release();
    await pass(20);
    expect([line(), taken.length]).toEqual([false, 2]);
  });

  test("comes before who came later", async () => {
    const { pass, process, take, taken, who } = clockwork();
    const first = await process(1).acquire("x.lock", "test", LONG);
    take("second", process(2).acquire("x.lock", "test", LONG));
    await pass(600);
    take("third", process(3).acquire("x.lock", "test", LONG));
    await pass(1000);
    first.release();
    await pass(20);
    expect(who()).toEqual(["second"]);
    taken[0]?.lock.release();
    await pass(60);
    expect(who()).toEqual(["second", "third"]);
  });

  test("for no time does not wait, and another error is not one of waiting", async () => {
    const { process } = clockwork();
    const lock = await tryLock(process(1), "x.lock", "test");
    expect(await tryLock(process(2), "x.lock", "test")).toBeNull();
    lock?.release();
    expect(await tryLock(process(2), "x.lock", "test")).not.toBeNull();
    const broken = process(3, () => ({
      tryLock: () => {
        throw Object.assign(new Error("no locks"), { code: "ENOLCK" });
      },
    }));
    await expect(tryLock(broken, "y.lock", "test")).rejects.toThrow("no locks");
  });

  test("leaves no file open behind it, whether it had the lock, failed or waited in vain", async () => {
    const { pass, process } = clockwork();
    let opened = 0;
    let fails = false;
    const counting = process(2, (disk) => ({
      open(...args) {
        opened += 1;
        return disk.open(...args);
      },
      close(fd) {
        opened -= 1;
        disk.close(fd);
      },
      tryLock(fd) {
        if (fails) throw new Error("no locks");
        return disk.tryLock(fd);
      },
    }));
    const held = await process(1).acquire("x.lock", "test", LONG);
    const vain = expect(counting.acquire("x.lock", "test", 700)).rejects.toThrow();
    await pass(800);
    await vain;
    expect(opened).toBe(0);
    held.release();
    fails = true;
    await expect(counting.acquire("x.lock", "test", LONG)).rejects.toThrow("no locks");
    expect(opened).toBe(0);
    fails = false;
    (await counting.acquire("x.lock", "test", LONG)).release();
    expect(opened).toBe(0);
  });
});

describe("a lock that cannot be taken", () => {
  const failing = (thrown: Error) => () => {
    throw thrown;
  };

  test("fails as its file does, which is not waiting", async () => {
    const { process } = clockwork();
    const refused = Object.assign(new Error("no permission"), { code: "EACCES" });
    const locks = process(1, () => ({ open: failing(refused) }));
    await expect(locks.acquire("x.lock", "test", LONG)).rejects.toBe(refused);
    const own = new PawlError("disk-failed", "It failed.", "Try again.");
    const broken = process(2, () => ({ prepareLocks: async () => failing(own)() }));
    await expect(tryLock(broken, "x.lock", "test")).rejects.toBe(own);
    const odd = Object.assign(new Error("no"), { code: "lock-timeout" });
    const other = process(3, () => ({ prepareLocks: async () => failing(odd)() }));
    await expect(tryLock(other, "x.lock", "test")).rejects.toBe(odd);
  });

  test("is taken once its folder is there again, or its file is", async () => {
    const { pass, process, take, who } = clockwork();
    let missing = 2;
    const gone = process(1, (disk) => ({
      open(path, ...how) {
        if (path.endsWith("x.lock") && missing-- > 0)
          throw Object.assign(new Error("gone"), { code: "ENOENT" });
        return disk.open(path, ...how);
      },
    }));
    take("first", gone.acquire("x.lock", "test", LONG));
    await pass(50);
    expect(who()).toEqual(["first"]);
    let lost = 2;
    const removed = process(2, (disk) => ({
      lstat: (path) => (path === ".pawl/locks/y.lock" && lost-- > 0 ? null : disk.lstat(path)),
    }));
    take("second", removed.acquire("y.lock", "test", LONG));
    await pass(50);
    expect(who()).toEqual(["first", "second"]);
  });

  test("is taken although nobody's name can be written into it, and told without a name", async () => {
    const { machine, pass, process } = clockwork();
    (await process(3).acquire("x.lock", "test", LONG)).release();
    machine.truncate(machine.find(".pawl/locks/x.lock") as never, 0);
    const silent = process(1, () => ({
      write: failing(Object.assign(new Error("full"), { code: "ENOSPC" })),
    }));
    const lock = await silent.acquire("x.lock", "test", LONG);
    const told = expect(process(2).acquire("x.lock", "A commit", 30)).rejects.toMatchObject({
      code: "lock-timeout",
      message:
        "A commit waited 0.03 s for another process that holds .pawl/locks/x.lock; that process has not written its id there.",
      fix: "Wait for the other Pawl process to finish, or end it; the lock is released when that process ends.",
    });
    await pass(100);
    await told;
    lock.release();
  });

  test("by who waits behind another one of its process is told as that one is, and lets the next one go on", async () => {
    const { process } = clockwork();
    const busy = process(1);
    const first = await busy.acquire("x.lock", "test", LONG);
    await expect(busy.acquire("x.lock", "second", 20)).rejects.toMatchObject({
      code: "lock-timeout",
      message: expect.stringMatching(
        /^second waited 0\.02 s for process 1 \(this process\), which has held the lock since/,
      ),
    });
    const third = busy.acquire("x.lock", "third", LONG);
    first.release();
    (await third).release();
    expect(await tryLock(busy, "x.lock", "test")).not.toBeNull();
  });
});

describe("a process that takes a lock again and again", () => {
  /** Another one is in line, and nobody has it at the moment. */
  async function contended() {
    const clock = clockwork();
    const busy = clock.process(1);
    const first = await clock.process(3).acquire("x.lock", "test", LONG);
    clock.take("other", clock.process(2).acquire("x.lock", "test", LONG));
    await clock.pass(600);
    expect(clock.line()).toBe(true);
    first.release();
    return {
      ...clock,
      busy,
      async fourTurns(milliseconds: number) {
        for (let turn = 0; turn < 4; turn++) {
          const lock = await busy.acquire("x.lock", "test", LONG);
          clock.machine.clock += milliseconds;
          lock.release();
        }
      },
    };
  }

  test("has it again at once for a while, although others are in line", async () => {
    const { fourTurns, who } = await contended();
    await fourTurns(40);
    expect(who()).toEqual([]);
  });

  test("then lets them go first", async () => {
    const { busy, fourTurns, pass, take, taken, who } = await contended();
    await fourTurns(60);
    take("busy", busy.acquire("x.lock", "test", LONG));
    await pass(30);
    expect(who()).toEqual(["other"]);
    taken[0]?.lock.release();
    await pass(60);
    expect(who()).toEqual(["other", "busy"]);
  });

  test("is one like any other after a pause, or if it would not wait", async () => {
    const { busy, fourTurns, machine } = await contended();
    await fourTurns(60);
    const without = await tryLock(busy, "x.lock", "test");
    expect(without).not.toBeNull();
    without?.release();
    machine.clock += 100;
    expect(await busy.acquire("x.lock", "test", LONG)).toBeDefined();
  });
});

describe("a lock of one task", () => {
  test("leaves no file, and excludes as others do", async () => {
    let holders = 0;
    const use = async (name: string) => {
      const locks = openLocks(nodeDisk(root));
      for (let time = 0; time < 20; time++) {
        const lock = await locks.acquire(name, "x", 60_000);
        holders += 1;
        expect(holders).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        holders -= 1;
        lock.release();
      }
    };
    for (const name of ["claim-T1.lock", "worktree+_02e+bloom_-_t1.lock"])
      await Promise.all([use(name), use(name), use(name)]);
    expect(readdirSync(join(root, ".pawl/locks"))).toEqual([]);
  });
});

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { stateOf } from "../../../test/rig/state-home.ts";
import { until } from "../../../test/rig/until.ts";
import type { Disk } from "./disk.ts";
import { openLocks, runLockName } from "./locks.ts";
import { nodeDisk } from "./node-disk.ts";
import { openStore } from "./store.ts";

const HOLDER = fileURLToPath(new URL("../../../test/crash/holder.ts", import.meta.url));
const BUSY_HOLDER = fileURLToPath(new URL("../../../test/rig/busy-holder.ts", import.meta.url));

let root: string;
let children: ChildProcess[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-locks-"));
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(root, { recursive: true, force: true });
});

async function holder(run: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [HOLDER, root, run], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  await once(child.stdout as NodeJS.ReadableStream, "data");
  return child;
}

const open = (holdWaitMilliseconds: number) =>
  openStore({ root, state: stateOf(root), holdWaitMilliseconds });

describe("a run's lock", () => {
  test("is free at once when its owner is killed", async () => {
    const owner = await holder("alfred:TS-1");
    const waiting = open(60_000).hold("alfred:TS-1", async () => "mine");
    owner.kill("SIGKILL");
    expect(await waiting).toBe("mine");
  });

  test("is not taken from a suspended owner; the error names it and since when", async () => {
    const owner = await holder("alfred:TS-1");
    owner.kill("SIGSTOP");
    const error = await open(100)
      .hold("alfred:TS-1", async () => "stolen")
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "lock-timeout",
      message: expect.stringMatching(
        new RegExp(`process ${owner.pid}, which has held the lock since \\d{4}-`),
      ),
      fix: expect.stringContaining(`process ${owner.pid}`),
    });
  });

  test("goes to those who wait before it goes back to a process that takes it again and again", async () => {
    const counts = join(root, "counts");
    const args = [BUSY_HOLDER, root, "r", counts];
    const busy = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    children.push(busy);
    await once(busy.stdout as NodeJS.ReadableStream, "data");
    const turns = () => (existsSync(counts) ? statSync(counts).size : 0);
    await until(() => turns() > 3);
    for (let time = 0; time < 3; time++) {
      const before = turns();
      const meanwhile = await open(60_000).hold("r", async () => turns() - before);
      expect(meanwhile).toBeLessThan(100);
    }
  });

  test("leaves other runs and commits alone", async () => {
    await holder("alfred:TS-1");
    const store = open(100);
    expect(await store.hold("alfred:TS-2", async () => "other")).toBe("other");
    expect(await store.commit(store.view(), [])).toBe("committed");
  });

  test("is given up when the work throws", async () => {
    const store = open(100);
    const work = store.hold("r", async () => {
      throw new Error("work failed");
    });
    await expect(work).rejects.toThrow("work failed");
    expect(await open(100).hold("r", async () => "free")).toBe("free");
  });

  test("goes to those who wait in one process in their order", async () => {
    const store = open(60_000);
    const order: number[] = [];
    const work = (number: number) =>
      store.hold("r", async () => {
        order.push(number);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(number);
      });
    await Promise.all([1, 2, 3, 4].map(work));
    expect(order).toEqual([1, 1, 2, 2, 3, 3, 4, 4]);
  });

  test("excludes two stores of one process, and who waits behind a waiter in vain is told as well", async () => {
    await open(100).hold("r", async () => {
      const other = open(50);
      const results = await Promise.allSettled([1, 2].map(() => other.hold("r", async () => {})));
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
    await store.hold("r", async () => rmSync(join(root, ".pawl"), { recursive: true }));
    expect(await store.hold("r", async () => existsSync(join(root, ".pawl/locks")))).toBe(true);
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
    for (const name of ["", "..", "../x", "a/b", "a:b", "a%3A.b", "é", "%C3A9."])
      expect(runLockName(name)).toMatch(/^run-[A-Za-z0-9_%.~-]*\.lock$/);
    expect(runLockName("a:b")).not.toBe(runLockName("a%3A.b"));
  });
});

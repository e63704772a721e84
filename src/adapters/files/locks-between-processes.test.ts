/** A run's lock between processes, which are killed, suspended, and take it again and again. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { holding } from "../../../test/rig/holding.ts";
import { promise } from "../../../test/rig/promise.ts";
import { stateOf } from "../../../test/rig/state-home.ts";
import { until } from "../../../test/rig/until.ts";
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
    promise("commit.lock");
    const owner = await holder("alfred:TS-1");
    const waiting = holding(open(60_000), "alfred:TS-1", () => "mine");
    owner.kill("SIGKILL");
    expect(await waiting).toBe("mine");
  });

  test("is not taken from a suspended owner; the error names it and since when", async () => {
    promise("commit.lock");
    const owner = await holder("alfred:TS-1");
    owner.kill("SIGSTOP");
    const error = await holding(open(100), "alfred:TS-1", () => "stolen").catch((thrown: unknown) => thrown);
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
      const meanwhile = await holding(open(60_000), "r", () => turns() - before);
      expect(meanwhile).toBeLessThan(100);
    }
  });

  test("leaves other runs and commits alone", async () => {
    await holder("alfred:TS-1");
    const store = open(100);
    expect(await holding(store, "alfred:TS-2", () => "other")).toBe("other");
    expect(await store.commit(store.view(), [])).toBe("committed");
  });
});

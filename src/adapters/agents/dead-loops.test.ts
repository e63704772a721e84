import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { hangs } from "../../../test/rig/until.ts";
import { LASTING } from "../postgres/lease-manager.ts";
import { endRunsOfDead } from "./dead-loops.ts";
import { MARK, markOf, markValue } from "./mark.ts";
import { LOST_TIMES } from "./process-tree.ts";
import { SPARE } from "./supervisor.ts";

let root = "";
const children: ChildProcess[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-dead-"));
});
afterEach(() => {
  // With what it waits for.
  for (const { pid } of children.splice(0)) spawnSync("kill", ["-KILL", "--", `-${pid}`]);
  rmSync(root, { recursive: true });
});

/** What a loop of this process id has started, and ignores SIGTERM. */
async function startedBy(loop: number, project = root): Promise<ChildProcess> {
  const mark = markValue(markOf(project, "run-1"), markOf(project, `@loop-${loop}-abcd`));
  const child = spawn("bash", ["-c", `trap '' TERM; echo ready; while :; do ${hangs()}; done`], {
    env: { ...process.env, [MARK]: mark },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  children.push(child);
  await once(child.stdout, "data");
  return child;
}

/** A process that is over. */
const deadPid = () => spawnSync("true").pid;

describe("What a dead loop left", () => {
  it("is ended, and nothing of a loop that is alive or of another checkout", async () => {
    promise("machines.ends-first");
    const left = await startedBy(deadPid());
    const gone = once(left, "exit");
    const others = [await startedBy(process.pid), await startedBy(deadPid(), tmpdir())];
    expect(await endRunsOfDead(root)).toBe(true);
    await gone;
    expect(left.signalCode).toBe("SIGKILL");
    for (const other of others) expect(other.signalCode).toBeNull();
  });
});

describe("A process of a loop that lost its lease", () => {
  it("is ended in time, also if it ignores SIGTERM: three seconds are left for a machine that is busy", () => {
    promise("machines.loses-touch");
    expect((2 * LASTING) / 3 + SPARE + LOST_TIMES.grace).toBeLessThanOrEqual(LASTING - 3000);
  });
});

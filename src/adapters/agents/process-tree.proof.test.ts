import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { HAS_CGROUPS } from "../../../test/rig/cgroups.ts";
import { promise } from "../../../test/rig/promise.ts";
import { hangs, until } from "../../../test/rig/until.ts";
import { attempt } from "../../core/attempt.ts";
import { type Cgroup, cgroupMembers, enterCgroup, findCgroup, makeCgroup } from "./cgroup.ts";
import { bearsMark, MARK, markOf, markValue } from "./mark.ts";
import { startOf } from "./proc.ts";
import { endTree, findTree } from "./process-tree.ts";

const place = mkdtempSync(join(tmpdir(), "pawl-tree-"));
const marks: string[] = [];
let count = 0;

afterAll(() => rmSync(place, { recursive: true }));

function freshMark(): string {
  count += 1;
  const mark = markOf(`/test/${process.pid}`, `run-${count}`);
  marks.push(mark);
  return mark;
}

/** Starts bash with the mark and waits until its script has said `ready`; in the cgroup, if one is given. */
async function start(mark: string, script: string, cgroup: Cgroup | null = null): Promise<number> {
  const child = spawn("bash", ["-c", script], {
    env: { ...process.env, [MARK]: mark },
    stdio: ["pipe", "pipe", "ignore"],
    detached: true,
  });
  if (cgroup) enterCgroup(cgroup, child.pid ?? -1);
  // A script that reads nothing may be over already.
  child.stdin.on("error", () => {});
  child.stdin.end("go\n");
  await once(child.stdout, "data");
  child.stdout.destroy();
  return child.pid ?? -1;
}

afterEach(async () => {
  for (const mark of marks.splice(0)) await endTree({ mark }, { grace: 0, within: 3000 });
});

describe("the mark", () => {
  it("is found among other marks and never in part of a word", () => {
    expect(bearsMark(`A=1\0${MARK}=out.1,in.2\0B=2`, "in.2")).toBe(true);
    expect(bearsMark(`${MARK}=in.21`, "in.2")).toBe(false);
    expect(bearsMark(`X${MARK}=in.2`, "in.2")).toBe(false);
    expect(bearsMark(`A=${MARK}=in.2`, "in.2")).toBe(false);
    expect(markValue("in.2", "out.1")).toBe("out.1,in.2");
  });

  it("differs between projects for the same run", () => {
    expect(markOf("/a", "run")).not.toBe(markOf("/b", "run"));
  });
});

describe("ending a run's processes", () => {
  it("ends children in sessions of their own and double-forked ones", async () => {
    promise("agents.no-orphan");
    const mark = freshMark();
    await start(
      mark,
      `setsid ${hangs()} & (setsid bash -c '${hangs()} & ${hangs()} & disown -a' &) ; (${hangs()} &) ; echo ready; exit 0`,
    );
    await until(() => findTree({ mark }).length >= 4);
    expect(await endTree({ mark })).toMatchObject({ alive: 0 });
    expect(findTree({ mark })).toEqual([]);
  });

  it("kills what ignores SIGTERM, after the grace", async () => {
    const mark = freshMark();
    await start(mark, `trap '' TERM; echo ready; while :; do ${hangs()}; done`);
    expect(await endTree({ mark }, { grace: 100, within: 5000 })).toMatchObject({ alive: 0 });
    expect(findTree({ mark })).toEqual([]);
  });

  it("lets what heeds SIGTERM end by itself", async () => {
    const mark = freshMark();
    const child = spawn("bash", ["-c", `trap 'echo bye; exit 7' TERM; echo ready; ${hangs()} & wait`], {
      env: { ...process.env, [MARK]: mark },
      stdio: ["ignore", "pipe", "ignore"],
    });
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
    });
    await once(child.stdout, "data");
    const [[code]] = await Promise.all([once(child, "exit"), endTree({ mark })]);
    expect({ code, text }).toEqual({ code: 7, text: "ready\nbye\n" });
  });

  const HOPS = "hop() { trap '' TERM; sleep 0.01; (hop &) ; }; for i in 1 2 3; do (hop &); done; exit 0";

  it("catches up with processes that keep forking during the search", async () => {
    promise("agents.no-orphan");
    const mark = freshMark();
    // Without a pause: one that is not stopped has forked again before it is ended.
    const forks = "trap '' TERM; hop() { (hop &) ; }; for i in 1 2 3; do (hop &); done; exit 0";
    await start(mark, `echo ready; ${forks}`);
    expect(await endTree({ mark, cgroup: null }, { grace: 50, within: 8000 })).toMatchObject({ alive: 0 });
    expect(findTree({ mark })).toEqual([]);
  });

  it("stops each process when it finds it, and kills none that is not stopped", async () => {
    promise("agents.no-orphan");
    const mark = freshMark();
    await start(
      mark,
      `trap '' TERM; hang() { while :; do ${hangs()}; done; }; hang & hang & echo ready; hang`,
    );
    const kill = vi.spyOn(process, "kill");
    try {
      expect(await endTree({ mark, cgroup: null }, { grace: 0, within: 8000 })).toMatchObject({ alive: 0 });
      const stopped = new Set<number>();
      const killed = new Set<number>();
      for (const [pid, signal] of kill.mock.calls.filter(([each]) => each > 0)) {
        if (signal === "SIGSTOP") stopped.add(pid);
        if (signal !== "SIGKILL") continue;
        expect(stopped).toContain(pid);
        killed.add(pid);
      }
      expect(killed.size).toBeGreaterThanOrEqual(3);
    } finally {
      kill.mockRestore();
    }
  });

  it.runIf(HAS_CGROUPS)(
    "ends by its cgroup what has cleared its environment and lost its parents",
    async () => {
      const mark = freshMark();
      const cgroup = makeCgroup(mark);
      expect(cgroup).not.toBeNull();
      const hidden = `env -i setsid bash -c '(setsid bash -c "${HOPS.replaceAll('"', '\\"')}" &)' &`;
      const leader = await start(mark, `read go; ${hidden} echo ready; exit 0`, cgroup);
      const inside = await until(() => {
        const members = cgroupMembers(cgroup as Cgroup).filter((pid) => pid !== leader);
        return members.length > 0 && members;
      });
      expect(await endTree({ mark, leader, cgroup }, { grace: 50, within: 8000 })).toMatchObject({
        alive: 0,
      });
      for (const pid of inside) expect(isRunning(pid)).toBe(false);
      expect(findCgroup(mark)).toBeNull();
    },
  );

  it.runIf(HAS_CGROUPS)("finds the run's cgroup by its mark, and takes an empty one away", async () => {
    const mark = freshMark();
    makeCgroup(mark);
    expect(findCgroup(mark)).not.toBeNull();
    expect(await endTree({ mark })).toEqual({ ended: 0, alive: 0 });
    expect(findCgroup(mark)).toBeNull();
  });

  it("finds a child that cleared its environment, by its parent or by the group of the first process", async () => {
    const mark = freshMark();
    // It says who it is once it has neither the run's environment nor its session.
    const leader = await start(
      mark,
      `env -i setsid bash -c 'trap "" TERM; echo $$ > ${place}/pid; while :; do ${hangs()}; done' & env -i ${hangs()} & echo ready; wait`,
    );
    const alone = await until(() => Number(attempt(() => readFileSync(join(place, "pid"), "utf8"), "")));
    const found = findTree({ mark, leader });
    expect(found).toContain(alone);
    expect(found.length).toBeGreaterThanOrEqual(3);
    expect(await endTree({ mark, leader }, { grace: 200, within: 5000 })).toMatchObject({ alive: 0 });
    for (const pid of found) expect(isRunning(pid)).toBe(false);
  });

  it("never finds this process or one that it descends from, even if they bear the mark", async () => {
    const mark = freshMark();
    const script = `import { findTree } from ${JSON.stringify(join(import.meta.dirname, "process-tree.ts"))};
      console.log(JSON.stringify(findTree({ mark: ${JSON.stringify(mark)} }).includes(process.pid)));`;
    const child = spawn("bash", ["-c", 'node --input-type=module -e "$0"; true', script], {
      env: { ...process.env, [MARK]: mark },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [chunk] = await once(child.stdout, "data");
    expect(String(chunk)).toBe("false\n");
  });

  it("asks none that is older than the run for its mark", async () => {
    const mark = freshMark();
    const older = await start(mark, `${hangs()} & echo ready; wait`);
    // The kernel counts in hundredths of a second.
    const younger = await until(async () => {
      const pid = await start(mark, `echo ready; ${hangs()}`);
      return Number(startOf(pid)) > Number(startOf(older)) && pid;
    });
    const found = await until(() => {
      // Bash becomes its last command: for a moment then it has no environment.
      const tree = findTree({ mark, since: startOf(younger) });
      return tree.includes(younger) && tree;
    });
    expect(found).not.toContain(older);
    expect(findTree({ mark })).toEqual(expect.arrayContaining([older, younger]));
  });

  it("leaves the processes of other runs alone", async () => {
    const [mine, other] = [freshMark(), freshMark()];
    await start(mine, `${hangs()} & echo ready; wait`);
    await start(other, `${hangs()} & echo ready; wait`);
    await endTree({ mark: mine });
    expect(findTree({ mark: other })).toHaveLength(2);
  });
});

function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

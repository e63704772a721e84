/** A loop that is killed at each commit of a task whose life has an agent of its own, before and after it. */
import { expect, it } from "vitest";
import { lifeProject, TASK, taskRun } from "../rig/life.ts";
import { promise } from "../rig/promise.ts";

/** What it answers follows from how it is asked, also where it is asked again. */
const ANSWERS = {
  "bloom done T1": "RUN: echo x >> a.txt; git add -A; git commit -qm x; bloom done T1",
  '"verdict": "reviewed_well | must_change"': 'SAY: {"verdict": "reviewed_well", "points": "Fine."}',
};

it.each(["before", "after"] as const)(
  "a task with a life goes on after a kill %s one of its commits: nothing is lost, reviewed by nobody or left uncounted",
  { timeout: 300_000 },
  async (side) => {
    promise("own.life");
    let kills = 0;
    // Every second commit, the others on the other side: each by itself takes as long as a night's task.
    for (let n = side === "before" ? 1 : 2; ; n += 2) {
      using project = lifeProject({ answers: ANSWERS, tasks: TASK });
      const killed = await project.runKilledAt(n, side, "commit");
      if (killed.signal !== "SIGKILL") {
        expect({ n, code: killed.code }).toEqual({ n, code: 0 });
        break;
      }
      kills += 1;
      const { code, err } = await project.run();
      expect({ n, code, err }).toEqual({ n, code: 0, err: "" });
      expect(taskRun(project), `kill ${n}`).toMatchObject({
        ...{ state: "done", kept: { rounds: 0 }, said: { reviewer: { points: "Fine." } } },
      });
      const events = project.stored();
      const moves = events.filter(({ type }) => type === "run:advanced").map(({ event }) => event);
      expect(
        moves.filter((event) => event === "reviewed_well"),
        `kill ${n}`,
      ).toHaveLength(1);
      expect(moves.indexOf("merged"), `kill ${n}`).toBeGreaterThan(moves.indexOf("reviewed_well"));
      const of = (type: string) => events.filter((event) => event.type === type).map(({ run }) => run);
      expect(of("agent:ended").toSorted(), `kill ${n}`).toEqual(of("agent:started").toSorted());
      expect(project.git("show", "main:a.txt")).toMatch(/^x(\nx)?$/);
      expect((await project.bloom("repair")).code, `kill ${n}`).toBe(0);
    }
    expect(kills).toBeGreaterThan(4);
  },
);

/** A loop that is killed at each commit of an agent's order, before and after it. */
import { expect, it } from "vitest";
import { reviewProject, runOf } from "../rig/own-agents.ts";
import { promise } from "../rig/promise.ts";

/** What it answers follows from how it is asked, also where it is asked again. */
const ANSWERS = {
  '"next": "written"': 'RUN: echo x >> text.md\nSAY: {"next": "written"}',
  '"verdict": "good | bad"': 'SAY: {"verdict": "good", "points": "Fine."}',
};

it.each(["before", "after"] as const)(
  "an order goes on after a kill %s any of its commits: nothing is lost, answered twice or left uncounted",
  { timeout: 240_000 },
  async (side) => {
    promise("own.agents-crash");
    let kills = 0;
    for (let n = 1; ; n++) {
      using project = reviewProject({ answers: ANSWERS, tasks: "tasks: []\n", settings: { tries: 1 } });
      await project.bloom("cast", "review:T", "start");
      const killed = await project.runKilledAt(n, side, "commit");
      if (killed.signal !== "SIGKILL") {
        expect({ n, code: killed.code }).toEqual({ n, code: 3 });
        break;
      }
      kills += 1;
      const { code, err } = await project.run();
      expect({ n, code, err }).toEqual({ n, code: 3, err: "" });
      expect(runOf(project), `kill ${n}`).toMatchObject({
        ...{ state: "deciding", kept: { rounds: 0 }, said: { reviewer: { points: "Fine." } } },
      });
      const events = project.stored();
      const moves = events.filter(({ type }) => type === "run:advanced").map(({ event }) => event);
      expect(moves, `kill ${n}`).toEqual(["start", "written", "good"]);
      const of = (type: string) => events.filter((event) => event.type === type).map(({ run }) => run);
      expect(of("agent:ended").toSorted(), `kill ${n}`).toEqual(of("agent:started").toSorted());
      const { total } = JSON.parse((await project.bloom("stats", "--json")).out);
      expect(total.runs, `kill ${n}`).toBe(of("agent:started").length);
      // Done once more where its end was not recorded.
      expect(["x\n", "x\nx\n"]).toContain(project.read("text.md"));
      expect((await project.bloom("repair")).code, `kill ${n}`).toBe(0);
    }
    expect(kills).toBeGreaterThan(3);
  },
);

/** A loop that is killed at each commit of an order to begin runs, before and after it. */
import { expect, it } from "vitest";
import { runOfTemplate } from "../rig/own-agents.ts";
import { beginProject, does, saysTasks, WISH } from "../rig/own-begins.ts";
import { promise } from "../rig/promise.ts";

/** What the planner answers follows from how it is asked, also where it is asked again. */
const ANSWERS = {
  '"next": "planned"': saysTasks(
    { id: "one", title: "One", instructions: "Make the first." },
    { id: "two", title: "Two", instructions: "Make the second.", depends_on: ["one"] },
  ),
  "Make the first": does("one"),
  "Make the second": does("two"),
};

it.each(["before", "after"] as const)(
  "runs begin once each after a kill %s any commit, and the run hears of their end once",
  { timeout: 600_000 },
  async (side) => {
    promise("own.begin-crash");
    let kills = 0;
    for (let n = 1; ; n++) {
      using project = beginProject({ answers: ANSWERS, settings: { tries: 1 }, tasks: "tasks: []\n" });
      await project.bloom("cast", "wish:T", "start");
      const killed = await project.runKilledAt(n, side, "commit");
      if (killed.signal !== "SIGKILL") {
        expect({ n, code: killed.code }).toEqual({ n, code: 0 });
        break;
      }
      kills += 1;
      const { code, err } = await project.run();
      expect({ n, code, err }).toEqual({ n, code: 0, err: "" });
      expect(runOfTemplate(project, "wish:T"), `kill ${n}`).toMatchObject({ state: "built" });
      expect(
        project.tasks().map(({ status, title }) => [title, status]),
        `kill ${n}`,
      ).toEqual([
        ["One", "done"],
        ["Two", "done"],
      ]);
      const moves = project.stored().filter(({ run, type }) => type === "run:advanced" && run === "wish:T");
      expect(
        moves.map(({ event }) => event),
        `kill ${n}`,
      ).toEqual(["start", "planned", "gathered"]);
      const added = project.stored().filter(({ type }) => type === "task:added");
      expect(added, `kill ${n}`).toHaveLength(2);
      expect((await project.bloom("repair")).code, `kill ${n}`).toBe(0);
    }
    expect(kills).toBeGreaterThan(8);
  },
);

it.each(["before", "after"] as const)(
  "runs of an own workflow begin once each, and take their first event once, after a kill %s any commit",
  { timeout: 600_000 },
  async (side) => {
    promise("own.begin-crash");
    const begin = "workflow: part, from: planner.tasks, most: 3, event: begin";
    const table = WISH.replace("workflow: bloom, from: planner.tasks, most: 3, with: { repo: . }", begin);
    const tasks = [1, 2, 3].map((at) => ({ id: `t${at}`, title: `T${at}`, instructions: `Do ${at}.` }));
    const answers = { '"next": "planned"': saysTasks(...tasks) };
    let kills = 0;
    for (let n = 1; ; n++) {
      using project = beginProject({
        ...{ answers, settings: { tries: 1 }, tasks: "tasks: []\n" },
        files: { "wish.yaml": table },
      });
      await project.bloom("cast", "wish:T", "start");
      const killed = await project.runKilledAt(n, side, "commit");
      if (killed.signal !== "SIGKILL") break;
      kills += 1;
      expect((await project.run()).code, `kill ${n}`).toBe(0);
      const parent = runOfTemplate(project, "wish:T");
      const runs = parent.children.map(({ id }: { id: string }) => `part:${id}`);
      expect(runs, `kill ${n}`).toHaveLength(3);
      const moves = project.stored().filter(({ run, type }) => type === "run:advanced" && run !== "wish:T");
      expect(moves.map(({ run }) => run).toSorted(), `kill ${n}`).toEqual(runs.toSorted());
      for (const [at, run] of runs.entries())
        expect(runOfTemplate(project, run), `kill ${n}`).toMatchObject({
          ...{ state: "open", task: `T${at + 1}\n\nDo ${at + 1}.` },
        });
      for (const run of runs) await project.bloom("cast", run, "finish");
      await project.run();
      expect(runOfTemplate(project, "wish:T"), `kill ${n}`).toMatchObject({ state: "built" });
      expect((await project.bloom("repair")).code, `kill ${n}`).toBe(0);
    }
    // The planner's start, end and account, three runs with an event each, and the order's end.
    expect(kills).toBeGreaterThan(8);
  },
);

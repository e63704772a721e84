/** Steps as the source has them: which come, in which session, and what becomes of those that nobody marks. */
import { describe, expect, test } from "vitest";
import { openStage, type StageOptions, type StageRun } from "../../../../test/rig/schedule/stage.ts";

/** Plays the loop to its end. */
async function played(options: StageOptions) {
  const stage = openStage({ once: true, ...options });
  await stage.until(() => stage.ended() !== null);
  const of = (type: string) => stage.told.filter((event) => event.type === type);
  return { ...stage, of };
}

const marks =
  (...ids: readonly string[]) =>
  async ({ prompt, stepDone }: StageRun) => {
    for (const id of ids) if (prompt.includes(`: ${id}\n`)) await stepDone(id);
    return undefined;
  };

const UNMARKED = "tasks:\n- {id: T1, title: t, steps: [{id: s1, instruction: x}]}\n";
const TWO = `tasks:
- id: T1
  title: Build
  instructions: All of it
  steps:
  - {id: s1, instruction: first}
  - {id: s2, instruction: second}
`;

describe("Step Edge Cases", () => {
  test("agent exit without step done marks step complete", async () => {
    const { of, tasks, ended } = await played({ tasks: UNMARKED });
    expect(ended()).toMatchObject({ done: ["T1"] });
    expect(of("step:assumed_done")).toEqual([
      expect.objectContaining({
        taskId: "T1",
        stepId: "s1",
        reason: expect.stringContaining("left s1 unmarked"),
      }),
    ]);
    expect(of("step:completed")).toEqual([expect.objectContaining({ stepId: "s1" })]);
    expect(tasks()[0]?.steps[0]).toMatchObject({ status: "done", completed_at: expect.any(String) });
  });

  test("an unmarked step is asked about, or blocks, if the configuration says so", async () => {
    const asking = await played({
      tasks: UNMARKED,
      settings: { on_unmarked_step: "ask" },
      async agent({ prompt, stepDone }) {
        if (prompt.includes("is not marked done")) await stepDone("s1");
        return undefined;
      },
    });
    expect(asking.of("step:assumed_done")).toEqual([]);
    expect(asking.runs.map(({ resumed }) => resumed)).toEqual([false, true]);
    expect(asking.tasks()[0]?.status).toBe("done");
    const blocking = await played({ tasks: UNMARKED, settings: { on_unmarked_step: "block" } });
    expect(blocking.ended()).toMatchObject({ blocked: ["T1"] });
    expect(blocking.tasks()[0]).toMatchObject({ status: "blocked", steps: [{ status: "in_progress" }] });
  });

  test("step without acceptance_criteria uses task criteria", async () => {
    const { runs } = await played({
      tasks:
        "tasks:\n- id: T1\n  title: t\n  acceptance_criteria: [The whole works]\n  steps:\n  - {id: s1, instruction: a, acceptance_criteria: [The part works]}\n  - {id: s2, instruction: b}\n",
    });
    const criteria = runs.map(({ prompt }) => /## Acceptance criteria\n\n(.*)/.exec(prompt)?.[1]);
    expect(criteria).toEqual(["- The part works", "- The whole works"]);
  });

  test("mixed tasks (with/without steps) handled correctly", async () => {
    const { runs, tasks } = await played({
      tasks: `tasks:
- {id: A, title: a, steps: [{id: a1, instruction: x}]}
- {id: B, title: b, instructions: x, depends_on: [A]}
- {id: C, title: c, depends_on: [B]}
- {id: D, title: d, depends_on: [C], subtasks: [{id: D1, title: d1, instructions: x}]}
`,
    });
    expect(runs.map(({ run }) => run)).toEqual(["A.1", "B.1", "C.1", "D1.1"]);
    expect(tasks().map(({ status }) => status)).toEqual(["done", "done", "done", "done"]);
  });

  test("several steps done in one go complete with one event each", async () => {
    const { runs, stored } = await played({
      tasks:
        "tasks:\n- id: T1\n  title: t\n  steps:\n  - {id: s1, instruction: x}\n  - {id: s2, instruction: x}\n  - {id: s3, instruction: x}\n",
      async agent({ run, stepDone }) {
        for (const id of run === "T1.1" ? ["s1", "s2"] : ["s3"]) await stepDone(id);
        return undefined;
      },
    });
    expect(runs).toHaveLength(2);
    const completed = stored.filter(({ type }) => type === "step:completed");
    expect(completed.map(({ stepId }) => stepId)).toEqual(["s1", "s2", "s3"]);
  });
});

describe("Step Execution Flow", () => {
  test("step timing is recorded (started_at, completed_at)", async () => {
    const { tasks } = await played({ tasks: TWO, agent: marks("s1") });
    const [built] = tasks();
    for (const each of [built, ...(built?.steps ?? [])]) {
      const [started, completed] = [Date.parse(each?.started_at ?? ""), Date.parse(each?.completed_at ?? "")];
      expect(started).toBeGreaterThan(0);
      expect(completed).toBeGreaterThanOrEqual(started);
    }
  });

  test("resume from middle step works correctly", async () => {
    const { runs, tasks } = await played({ tasks: TWO.replace("{id: s1,", "{id: s1, status: done,") });
    expect(runs).toHaveLength(1);
    expect(runs[0]?.prompt).toContain("All of it");
    expect(runs[0]?.prompt).toContain("- s1: first");
    expect(tasks()[0]?.status).toBe("done");
  });

  test("step failure stops execution", async () => {
    const { runs, of, tasks, ended } = await played({
      tasks: TWO,
      agent: async () => ({ reason: "model-error", detail: "no luck" }),
    });
    expect(ended()).toMatchObject({ blocked: ["T1"] });
    expect(runs.map(({ resumed }) => resumed)).toEqual([false, true, true]);
    expect(of("task:retried")).toHaveLength(2);
    const [built] = tasks();
    expect(built).toMatchObject({ status: "blocked", ai_notes: [expect.stringContaining("no luck")] });
    expect(built?.steps.map(({ status }) => status)).toEqual(["in_progress", undefined]);
  });
});

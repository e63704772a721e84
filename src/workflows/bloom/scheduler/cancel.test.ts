/** What a person cancels: with a run or without, idle or while its agent works; and who else would like to. */
import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { openStage, type StageOptions, type StageRun } from "../../../../test/rig/schedule/stage.ts";
import { getTaskForAgent } from "../prompt.ts";
import { cancel } from "../verbs/cancel.ts";
import { list, show } from "../verbs/show.ts";
import { done, todo } from "../verbs/status.ts";
import { stepCancel, stepDone, stepStart } from "../verbs/step.ts";

async function firstHangs({ run, stopped }: StageRun) {
  if (run === "T1.1") await stopped;
  return undefined;
}

function staged(options: Partial<StageOptions> & { readonly tasks: string }) {
  return openStage({ once: true, ...options, tasks: `tasks:\n${options.tasks}` });
}

describe("A person", () => {
  it("cancels a task with its open subtasks: the loop counts it as closed, and what depends on it waits", async () => {
    promise("bloom.cancelled");
    const { person, end, runs, tasks, of } = staged({
      tasks: `- {id: T1, title: t, subtasks: [{id: T1a, title: a}, {id: T1b, title: b, status: done}]}
- {id: T2, title: u, depends_on: [T1]}
- {id: T3, title: v}
`,
    });
    expect(await person(cancel, { id: "T1", reason: "nobody wants it" })).toMatchObject({
      data: { status: "cancelled", subtasks: ["T1a"] },
    });
    expect(await end()).toMatchObject({
      done: expect.arrayContaining(["T3"]),
      cancelled: ["T1", "T1a"],
      open: ["T2"],
      blocked: ["T2"],
    });
    expect(runs.map(({ task }) => task)).toEqual(["T3"]);
    expect(tasks()[0]).toMatchObject({
      status: "cancelled",
      cancel_reason: "nobody wants it",
      subtasks: [{ status: "cancelled", cancel_reason: "with T1: nobody wants it" }, { status: "done" }],
    });
    expect(of("task:cancelled").map(({ taskId }) => taskId)).toEqual([]);
    expect((await person(list, {})).text).toContain("cancelled           T1  t  (nobody wants it)");
    expect((await person(show, { id: "T2" })).text).toContain("Waits: it depends on T1, which is cancelled.");
  });

  it("cancels a task while its agent works: that one is stopped, and nothing of it is merged", async () => {
    promise("bloom.cancelled");
    const { until, runs, person, end, of, tasks, read } = staged({
      tasks: "- {id: T1, title: t, instructions: i, repo: ., merge_into: main}\n",
      agent: firstHangs,
    });
    await until(() => runs.length === 1);
    await person(cancel, { id: "T1", reason: "superseded" });
    expect(await end()).toMatchObject({ cancelled: ["T1"], open: [], blocked: [] });
    expect(tasks()[0]).toMatchObject({ status: "cancelled", cancel_reason: "superseded" });
    expect(of("task:cancelled")).toEqual([expect.objectContaining({ taskId: "T1", reason: "superseded" })]);
    expect(of("merge:completed")).toEqual([]);
    expect(read(".pawl/runs/T1.json")).toBeNull();
    expect(JSON.parse(read(".pawl/done/T1.json") ?? "{}")).toMatchObject({ state: "cancelled" });
  });

  it("cancels a task whose run rests, and brings it back with what was known of it", async () => {
    promise("bloom.cancelled");
    const { person, end, again, tasks, runs } = staged({
      tasks: "- {id: T1, title: t, checkpoint: true, instructions: i}\n",
    });
    expect(await end()).toMatchObject({ waiting: ["T1"] });
    await person(cancel, { id: "T1", reason: "later" });
    expect(await again()).toMatchObject({ cancelled: ["T1"], waiting: [] });
    expect(await person(done, { id: "T1" })).toMatchObject({ data: { status: expect.anything() } });
    await person(todo, { id: "T1" });
    expect(tasks()[0]).toMatchObject({ status: "todo" });
    expect(tasks()[0]?.cancel_reason ?? null).toBeNull();
    expect(await again()).toMatchObject({ waiting: ["T1"] });
    expect(runs.map(({ run }) => run)).toEqual(["T1.1", "T1.2"]);
  });

  it("alone cancels: what is written as cancelled while an agent works stops it, and waits for a person", async () => {
    promise("bloom.cancelled-by-persons");
    const { until, runs, end, save, read, tasks, person, again } = staged({
      tasks: "- {id: T1, title: t, instructions: i}\n",
      agent: firstHangs,
    });
    await until(() => runs.length === 1);
    save("tasks.yaml", (read("tasks.yaml") ?? "").replace("status: in_progress", "status: cancelled"));
    expect(await end()).toMatchObject({ blocked: ["T1"], cancelled: [] });
    expect(tasks()[0]?.ai_notes.join()).toContain("`bloom cancel T1` cancels it");
    await person(cancel, { id: "T1", reason: "yes" });
    expect(await again()).toMatchObject({ cancelled: ["T1"] });
  });

  it("must give a reason, and cancels nothing twice or that is done", async () => {
    const { person, end } = staged({ tasks: "- {id: T1, title: t}\n" });
    await expect(person(cancel, { id: "T1", reason: " " })).rejects.toThrow("Expected a reason");
    await expect(person(cancel, { id: "T1" })).rejects.toThrow("Expected a reason");
    await end();
    expect(await person(cancel, { id: "T1", reason: "x" })).toMatchObject({
      text: "T1 is done already.",
      data: { changed: false },
    });
  });
});

const STEPS = `- id: T1
  title: t
  verify: [whole]
  steps:
    - {id: s1, instruction: one, verify: [one]}
    - {id: s2, instruction: two, verify: [two]}
    - {id: s3, instruction: three, verify: [three]}
`;

describe("A cancelled step", () => {
  it("is left out by the loop and by the prompts, and its checks are not run", async () => {
    promise("bloom.cancelled");
    const { person, end, runs, of, tasks } = staged({
      tasks: STEPS,
      async agent({ prompt, stepDone }) {
        await stepDone(prompt.includes("bloom step done s1") ? "s1" : "s2");
        return undefined;
      },
    });
    await person(stepCancel, { id: "s3", reason: "too much" });
    expect(await end()).toMatchObject({ done: ["T1"] });
    expect(runs).toHaveLength(2);
    expect(runs[1]?.prompt).toContain("the task completes with it");
    expect(of("check:passed").map(({ command }) => command)).toEqual(["one", "two"]);
    expect(tasks()[0]?.steps[2]).toMatchObject({ status: "cancelled", cancel_reason: "too much" });
  });

  it("that is only written as cancelled while the task runs is checked all the same", async () => {
    promise("bloom.cancelled-by-persons");
    const { end, of, save, read } = staged({
      tasks: STEPS,
      async agent({ prompt, stepDone }) {
        if (!prompt.includes("bloom step done s1")) await stepDone("s2");
        else {
          await stepDone("s1");
          const text = read("tasks.yaml") ?? "";
          save("tasks.yaml", text.replace("id: s3,", "id: s3, status: cancelled,"));
        }
        return undefined;
      },
    });
    await end();
    expect(of("check:passed").map(({ command }) => command)).toContain("three");
  });

  it("whose agent is at work on it ends with that run, and no other step is taken as done", async () => {
    const { until, runs, person, end, tasks } = staged({
      tasks: STEPS,
      async agent({ run, prompt, stepDone }) {
        if (run === "T1.1") await person(stepCancel, { id: "s1", reason: "no" });
        else await stepDone(prompt.includes("bloom step done s2") ? "s2" : "s3");
        return undefined;
      },
    });
    await until(() => runs.length > 0);
    expect(await end()).toMatchObject({ done: ["T1"] });
    expect(tasks()[0]?.steps.map(({ status }) => status)).toEqual(["cancelled", "done", "done"]);
    expect(runs).toHaveLength(3);
  });

  it("is neither begun nor done again, and cancelled once", async () => {
    const { person } = staged({ tasks: STEPS.replace("id: s1,", "id: s1, status: cancelled,") });
    expect(await person(stepDone, { id: "s1" })).toMatchObject({ refused: true });
    expect(await person(stepStart, { id: "s1" })).toMatchObject({ refused: true });
    expect(await person(stepCancel, { id: "s1", reason: "x" })).toMatchObject({ data: { changed: false } });
  });

  it("is not among the steps that a later prompt calls done", () => {
    const step = (id: string, status: "cancelled" | "pending") =>
      ({ id, instruction: `do ${id}`, status, acceptance_criteria: [] }) as const;
    const rest = { depends_on: [], acceptance_criteria: [], subtasks: [], ai_notes: [] };
    const task = { id: "T", title: "t", status: "todo", ...rest } as const;
    const steps = [step("s1", "cancelled"), step("s2", "pending")];
    const found = getTaskForAgent([{ ...task, steps }], "T");
    expect(found?.stepInfo?.stepId).toBe("s2");
    expect(found?.stepInfo?.previousSteps).toEqual([]);
  });
});

/** What an assistant may write at each point of a task's life. */
import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openScopes, runOfCall } from "../../src/runtime/reports/open-scopes.ts";
import { newRecords } from "../../src/runtime/run-log/team-records.ts";
import type { Scope } from "../../src/runtime/scope.ts";
import alfred from "../../src/workflows/alfred/module.ts";
import type { TaskStatus } from "../../src/workflows/alfred/state/status.ts";
import { type AlfredProject, CLEAN, projectWithTask, taskMarkdown } from "../rig/alfred-project.ts";
import { promise } from "../rig/promise.ts";
import { stepOn } from "../rig/steps.ts";

const ID = "TS-01";
const STATE = `.alfred/workspace/${ID}/task_state.json`;
const WORKFLOWS = { alfred: async () => alfred };
const LONG = { timeout: 30_000 };

async function scopeOf(project: AlfredProject, id = ID): Promise<Scope | null> {
  const scope = await alfred.scopes?.scopeOf(project.runtime().store.view(), id);
  if (scope === undefined) throw new Error("Alfred has scopes.");
  return scope;
}

const open = (project: AlfredProject) => openScopes({ runtime: project.runtime(), workflows: WORKFLOWS });

/** A record of a finished plan, as git brings it. */
function recordPlan(project: AlfredProject, id: string, task_status: TaskStatus): void {
  const times = { started_at: "2026-01-01T00:00:00.000Z", finished_at: "2026-01-02T00:00:00.000Z" };
  const plan_task = { ...times, task_status, accepted: [], notes: [], verdicts: [] };
  const steps = [
    stepOn(undefined, `alfred:${id}`, "submit_work", { machine: "plan_task", status: task_status }),
  ];
  for (const change of newRecords(`alfred:${id}`, steps, 0, { task_status, finished: { plan_task } }))
    if (change.type === "write") project.write(change.path, change.text);
}

describe("the scope of a task", () => {
  it("is none before it begins, and none for a task that does not exist", async () => {
    promise("scope.follows-the-run");
    using project = await projectWithTask(ID);
    expect(await scopeOf(project)).toBeNull();
    expect(await scopeOf(project, "TS-99")).toBeNull();
    expect(await open(project)).toEqual([]);
  });

  it("follows the task from state to state, with the next lawful step in words", LONG, async () => {
    promise("scope.follows-the-run");
    using project = await projectWithTask(ID);
    const nothing = { run: `alfred:${ID}`, writes: "none", planFiles: [] };
    await project.call("start_task", { task_id: ID });
    expect(await scopeOf(project)).toEqual({
      ...nothing,
      state: "start_task: the git status report is to be handed in",
      forbids: ["push"],
      next: `Hand in the git status report with submit_work (task_id "${ID}").`,
      awaits: "assistant",
    });
    await project.submit(ID, CLEAN);
    expect(await scopeOf(project)).toMatchObject({
      state: "start_task: the git status report is under AI review",
      next: `Review the git status report, and give your verdict with provide_review (task_id "${ID}").`,
      awaits: "assistant",
    });
    await project.review(ID, true);
    expect(await scopeOf(project)).toMatchObject({
      next: `A person decides on the git status report; wait, or tell them to run \`pawl approve alfred:${ID}\`.`,
      awaits: "human",
    });
    await project.review(ID, true);
    await project.submit(ID, { branch_name: `feature/${ID}`, success: true, details: "made" });
    for (const _ of "ah") await project.review(ID, true);
    expect(await scopeOf(project)).toEqual({
      ...nothing,
      state: "planning",
      forbids: ["commit", "push"],
      next: `Call plan_task with task_id "${ID}".`,
      awaits: "assistant",
    });
    await project.call("plan_task", { task_id: ID });
    expect(await open(project)).toEqual([
      {
        ...nothing,
        state: "plan_task: the context analysis is to be handed in",
        forbids: ["commit", "push"],
        next: `Hand in the context analysis with submit_work (task_id "${ID}").`,
        awaits: "assistant",
      },
    ]);
  });

  it.each<[string, (project: AlfredProject) => void, RegExp]>([
    [
      "was edited",
      (project) => project.write(STATE, project.read(STATE).replace('"planning"', '"in_development"')),
      /`pawl repair`/,
    ],
    ["cannot be read", (project) => project.write(STATE, "{"), /remove its folder/],
  ])("allows nothing while its state %s, and says how to mend it", LONG, async (_, harm, fix) => {
    promise("scope.unreadable");
    using project = await projectWithTask(ID);
    await project.call("create_task", { task_content: taskMarkdown("TS-02") });
    await project.call("start_task", { task_id: ID });
    await project.submit(ID, CLEAN);
    for (const _ of "ah") await project.review(ID, true);
    await project.submit(ID, { branch_name: `feature/${ID}`, success: true, details: "made" });
    for (const _ of "ah") await project.review(ID, true);
    harm(project);
    const [scope, ...others] = await open(project);
    expect(others).toEqual([]);
    expect(scope).toEqual(await scopeOf(project));
    expect(scope).toMatchObject({
      run: `alfred:${ID}`,
      state: "unreadable",
      writes: "none",
      forbids: ["commit", "push"],
      awaits: "human",
    });
    expect(scope?.next).toMatch(fix);
  });

  it(
    "is open for the tasks that status shows as begun and not done, wherever their state is",
    LONG,
    async () => {
      promise("scope.follows-the-run");
      using project = await projectWithTask(ID);
      for (const id of ["TS-02", "TS-03", "TS-04"])
        await project.call("create_task", { task_content: taskMarkdown(id) });
      // Begun; known from its records alone, as in a clone; records of a task that is gone; a folder that is no task's.
      await project.call("start_task", { task_id: "TS-02" });
      for (const [id, status] of [
        ["TS-03", "ready_for_development"],
        ["TS-04", "done"],
        ["TS-05", "ready_for_development"],
      ] as const)
        recordPlan(project, id, status);
      project.write(".alfred/workspace/not an id/notes.md", "");
      const runs = await alfred.overview(project.runtime().store.view(), undefined as never);
      const begun = runs.filter(({ awaits, since }) => since !== null && awaits !== "nobody");
      expect(begun.map(({ run }) => run)).toEqual(["alfred:TS-02", "alfred:TS-03"]);
      const found = (await open(project)).map(({ run, state }) => [run, state]);
      expect(found).toEqual(begun.map(({ run, state }) => [run, state]));
    },
  );

  it("stays while the file of its task is on another branch", LONG, async () => {
    using project = await projectWithTask(ID);
    await project.call("start_task", { task_id: ID });
    const before = await open(project);
    rmSync(project.path(`.alfred/tasks/${ID}.md`));
    expect(before).toHaveLength(1);
    expect(await open(project)).toEqual(before);
  });
});

describe("the run of a call", () => {
  it("is named with its workflow", async () => {
    expect(await runOfCall({ workflows: WORKFLOWS }, "submit_work", { task_id: ID })).toBe(`alfred:${ID}`);
    expect(await runOfCall({ workflows: WORKFLOWS }, "get_next_task", {})).toBeNull();
  });
});

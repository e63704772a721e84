import { expect, test } from "vitest";
import { implement, MANIFEST, PLAN, plan, REVIEW, start, TESTED, through } from "../rig/alfred-artifacts.ts";
import { type AlfredProject, projectWithTask, taskMarkdown } from "../rig/alfred-project.ts";
import { promise } from "../rig/promise.ts";

const ID = "TS-01";

async function begun(): Promise<AlfredProject> {
  const project = await projectWithTask(ID);
  project.write("src/server.txt", "server\n");
  project.commit("Add the server");
  return project;
}

test("a task goes from created to done, through every tool and every gate", async () => {
  promise("alfred.life");
  using project = await begun();
  const statuses: string[] = [];
  const note = () => statuses.push(project.state(ID).task_status);

  expect((await start(project, ID)).next_prompt).toMatch(/Call 'plan_task' to begin planning\.$/);
  note();
  await project.call("plan_task", { task_id: ID });
  note();
  expect((await plan(project, ID)).next_prompt).toBe(
    `Planning for task ${ID} is complete. The task is now 'ready_for_development'. To begin implementation, use the 'implement_task' tool.`,
  );
  note();
  await project.call("implement_task", { task_id: ID });
  note();
  await implement(project, ID);
  note();
  await project.call("review_task", { task_id: ID });
  note();
  await through(project, ID, REVIEW);
  note();
  await project.call("test_task", { task_id: ID });
  note();
  await through(project, ID, TESTED);
  note();
  await project.call("finalize_task", { task_id: ID });
  note();
  project.commit("Limit the rate");
  const commit_hash = project.git("rev-parse", "HEAD").trim();
  const finalized = await project.submit(ID, { commit_hash, pr_url: "" });
  expect(finalized.next_prompt).toContain("It agrees with the report.");
  await project.review(ID, true);
  expect((await project.review(ID, true)).next_prompt).toBe(
    `Finalization of task ${ID} is complete. The task is now 'done'. Nothing is left to be done.`,
  );
  note();
  expect(statuses).toEqual([
    "planning",
    "planning",
    "ready_for_development",
    "in_development",
    "ready_for_review",
    "in_review",
    "ready_for_testing",
    "in_testing",
    "ready_for_finalization",
    "in_finalization",
    "done",
  ]);
  const { readdirSync } = await import("node:fs");
  expect(readdirSync(project.path(`.alfred/workspace/${ID}/archive`))).toEqual(
    ["start_task", "plan_task", "implement_task", "review_task", "test_task", "finalize_task"].flatMap(
      (tool, index) => [`0${index + 1}-${tool}.json`, `0${index + 1}-${tool}.md`],
    ),
  );
  const scratchpad = project.read(`.alfred/workspace/${ID}/scratchpad.md`);
  expect(scratchpad.match(/^## /gm)).toHaveLength(2 + 4 + 4);
  for (const tool of ["start_task", "plan_task", "implement_task"])
    expect((await project.call(tool, { task_id: ID })).data.code).toBe("status-not-allowed");
});

test("a review that does not approve, and a failing test, send the task back to be revised", async () => {
  using project = await begun();
  await start(project, ID);
  await plan(project, ID);
  await implement(project, ID);
  await project.call("review_task", { task_id: ID });
  await through(project, ID, { summary: "Not yet.", approved: false, feedback: ["src/bucket.txt leaks"] });
  expect(project.state(ID).task_status).toBe("revisions_requested");
  const again = await project.call("implement_task", { task_id: ID });
  expect(project.state(ID).task_status).toBe("in_development");
  expect(again.next_prompt).toContain("- src/bucket.txt leaks");
  await through(project, ID, MANIFEST);
  await project.call("review_task", { task_id: ID });
  await through(project, ID, REVIEW);
  await project.call("test_task", { task_id: ID });
  await through(project, ID, { ...TESTED, exit_code: 1, output: "1 failed" });
  expect(project.state(ID).task_status).toBe("revisions_requested");
  const third = await project.call("implement_task", { task_id: ID });
  expect(third.next_prompt).toContain("1 failed");
  expect(third.next_prompt).not.toContain("leaks");
});

test("subtasks are marked one by one; the work is not taken before all are", async () => {
  using project = await begun();
  await start(project, ID);
  await plan(project, ID);
  const shown = await project.call("implement_task", { task_id: ID });
  expect(shown.next_prompt).toContain("- [ ] S-1: CREATE `src/bucket.txt`");
  expect(shown.next_prompt).toContain("### **Next slot: S-1**");
  const mark = (subtask_id: string) => project.call("mark_subtask_complete", { task_id: ID, subtask_id });
  expect((await mark("S-9")).message).toBe(`Task '${ID}' has no subtask "S-9". Its subtasks: S-1, S-2.`);
  expect((await mark("S-1")).data).toEqual({ done: 1, total: 2, remaining: ["S-2"] });
  const before = project.read(`.alfred/workspace/${ID}/task_state.json`);
  expect((await mark("S-1")).message).toContain("Nothing was changed.");
  const refused = await project.submit(ID, MANIFEST);
  expect(refused.data.code).toBe("subtasks-open");
  expect(refused.message).toContain("- S-2: Call");
  expect(project.read(`.alfred/workspace/${ID}/task_state.json`)).toBe(before);
  expect((await project.call("implement_task", { task_id: ID })).next_prompt).toContain("Next slot: S-2");
});

test("subtasks that are marked at the same moment are all kept", async () => {
  using project = await begun();
  await start(project, ID);
  await plan(project, ID);
  await project.call("implement_task", { task_id: ID });
  await Promise.all(
    ["S-1", "S-2", "S-1", "S-2"].map((subtask_id) =>
      project.call("mark_subtask_complete", { task_id: ID, subtask_id }),
    ),
  );
  expect(project.state(ID).active_tool_state.context_store.completed_subtasks.toSorted()).toEqual([
    "S-1",
    "S-2",
  ]);
});

test("every state of plan_task can be rejected with feedback, and the notes of approvals reach later prompts", async () => {
  using project = await begun();
  await start(project, ID);
  const first = await project.call("plan_task", { task_id: ID });
  expect(first.next_prompt).toContain("# STATE: contextualize");
  const { CONTEXT, DESIGN, STRATEGY } = await import("../rig/alfred-artifacts.ts");
  const steps = [
    ["contextualize", "review_context", CONTEXT],
    ["strategize", "review_strategy", STRATEGY],
    ["design", "review_design", DESIGN],
    ["generate_slots", "review_plan", PLAN],
  ] as const;
  for (const [work, review, artifact] of steps) {
    const reviewed = await project.submit(ID, artifact);
    expect(reviewed.next_prompt).toContain(`# STATE: ${review}`);
    expect(project.state(ID).active_tool_state).toMatchObject({ current_state: review, review_stage: "ai" });
    await project.review(ID, true);
    expect(project.state(ID).active_tool_state).toMatchObject({
      current_state: review,
      review_stage: "human",
    });
    const rejected = await project.review(ID, false, `Wrong ${work}.`);
    expect(rejected.next_prompt).toContain(`# STATE: ${work}`);
    expect(rejected.next_prompt).toContain(`> Wrong ${work}.`);
    await project.submit(ID, artifact);
    await project.review(ID, true);
    const next = await project.review(ID, true, work === "contextualize" ? "Per client." : undefined);
    if (work !== "generate_slots") expect(next.next_prompt).toContain("> Per client.");
    expect(next.next_prompt).not.toContain(`Wrong ${work}.`);
  }
  expect(project.state(ID).active_tool_state).toBeNull();
  const implementing = await project.call("implement_task", { task_id: ID });
  expect(implementing.next_prompt).toContain("> Per client.");
});

test("a product document becomes a specification, then tasks with dependencies", async () => {
  using project = await projectWithTask(ID);
  expect((await project.call("create_spec", { task_id: ID, prd_content: " " })).message).toContain(
    "needs prd_content to begin",
  );
  const spec = await project.call("create_spec", { task_id: ID, prd_content: "# Rates\n\nLimit them." });
  expect(spec.next_prompt).toContain("> Limit them.");
  expect(project.state(ID).task_status).toBe("creating_spec");
  await through(project, ID, {
    title: "Rates",
    overview: "Limits.",
    requirements: ["429"],
    design_decisions: ["bucket"],
    out_of_scope: ["billing"],
  });
  expect(project.state(ID).task_status).toBe("spec_completed");
  const cut = await project.call("create_tasks_from_spec", { task_id: ID });
  expect(cut.next_prompt).toContain('"out_of_scope"');
  const task = { title: "T", context: "C", implementation_details: "I", acceptance_criteria: ["a"] };
  const taken = await project.submit(ID, { tasks: [{ task_id: ID, ...task, dependencies: ["TS-77"] }] });
  expect(taken.message).toContain(`Artifact validation failed for state 'dispatched'.`);
  expect(taken.message).toContain(
    `tasks.0.task_id: expected an id that no task of the project has, found "${ID}"`,
  );
  expect(taken.message).toContain(`found "TS-77"`);
  const list = {
    tasks: [
      { task_id: "TS-02", ...task, priority: "high" },
      { task_id: "TS-03", ...task, dependencies: ["TS-02"] },
    ],
  };
  await project.submit(ID, list);
  await project.review(ID, true);
  expect(project.has(".alfred/tasks/TS-02.md")).toBe(false);
  await project.review(ID, true);
  expect(project.read(".alfred/tasks/TS-03.md")).toContain("## Dependencies\n\n- TS-02");
  expect(project.state(ID).task_status).toBe("tasks_created");
  const next = await project.call("get_next_task");
  expect(next.data.task_id).toBe(ID);
  expect(next.data.alternatives).toMatchObject([{ task_id: "TS-02" }]);
  expect((await project.call("plan_task", { task_id: ID })).status).toBe("success");
});

test("a task that came to be meanwhile is never overwritten by an accepted list", async () => {
  using project = await projectWithTask(ID, { settings: { reviews: { default: ["ai"] } } });
  await project.call("create_spec", { task_id: ID, prd_content: "x" });
  await through(project, ID, {
    title: "",
    overview: "",
    requirements: [],
    design_decisions: [],
    out_of_scope: [],
  });
  await project.call("create_tasks_from_spec", { task_id: ID });
  const task = { title: "T", context: "C", implementation_details: "I", acceptance_criteria: ["a"] };
  await project.submit(ID, { tasks: [{ task_id: "TS-02", ...task }] });
  await project.call("create_task", { task_content: taskMarkdown("TS-02") });
  expect((await project.review(ID, true)).data.code).toBe("artifact-invalid");
  expect(project.read(".alfred/tasks/TS-02.md")).toBe(taskMarkdown("TS-02"));
});

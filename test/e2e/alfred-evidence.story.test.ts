import { expect, test } from "vitest";
import { WITHOUT_SETUP } from "../../src/adapters/process/remarks.ts";
import type { Verb } from "../../src/runtime/module.ts";
import alfred from "../../src/workflows/alfred/module.ts";
import {
  CONTEXT,
  DESIGN,
  implement,
  MANIFEST,
  PLAN,
  plan,
  STRATEGY,
  start,
  through,
} from "../rig/alfred-artifacts.ts";
import { type AlfredProject, type ProjectOptions, projectWithTask } from "../rig/alfred-project.ts";
import { promise } from "../rig/promise.ts";
import { shellUntil, until } from "../rig/until.ts";

const ID = "TS-01";

async function begun(settings: ProjectOptions["settings"] = {}): Promise<AlfredProject> {
  const project = await projectWithTask(ID, { settings: { reviews: { default: ["ai"] }, ...settings } });
  project.write("src/server.txt", "server\n");
  project.commit("Add the server");
  await start(project, ID);
  return project;
}

test("files that a plan names but that do not exist, and the other way round, are told", async () => {
  using project = await begun();
  await project.call("plan_task", { task_id: ID });
  const context = await project.submit(ID, {
    ...CONTEXT,
    affected_files: ["src/server.txt", "src/gone.txt"],
  });
  expect(context.next_prompt).toContain("files: **differs**. These named files do not exist: src/gone.txt.");
  await project.review(ID, true);
  await through(project, ID, STRATEGY);
  const wrong = DESIGN.file_breakdown.map((change) => ({
    ...change,
    operation: change.operation === "create" ? "modify" : "create",
  }));
  const design = await project.submit(ID, { ...DESIGN, file_breakdown: wrong });
  expect(design.next_prompt).toContain("src/bucket.txt is to be modified but does not exist");
  expect(design.next_prompt).toContain("src/server.txt is to be created but exists");
});

test("slots that touch the same file without depending on one another are told, whatever lies between", async () => {
  using project = await begun();
  await project.call("plan_task", { task_id: ID });
  for (const artifact of [CONTEXT, STRATEGY, DESIGN]) await through(project, ID, artifact);
  const [first, second] = PLAN.slots;
  const slot = (slot_id: string, location: string, depends_on?: string[]) => ({
    ...second,
    slot_id,
    location,
    depends_on,
  });
  const free = { slots: [first, slot("S-2", "src/server.txt"), slot("S-3", "src/server.txt", ["S-1"])] };
  const told = await project.submit(ID, free);
  expect(told.next_prompt).toContain("without depending on one another: S-2 and S-3 (src/server.txt).");
  await project.review(ID, false, "Order them.");
  const ordered = {
    slots: [
      first,
      slot("S-2", "src/server.txt"),
      slot("S-4", "src/bucket.txt", ["S-2", "S-1"]),
      slot("S-3", "src/server.txt", ["S-4"]),
    ],
  };
  expect((await project.submit(ID, ordered)).next_prompt).not.toContain("without depending");
  await project.review(ID, false, "Again.");
  const partial = await project.submit(ID, { slots: [first] });
  expect(partial.next_prompt).toContain("These files of the design have no slot: src/server.txt.");
});

test("what the branch changed stands beside the manifest, and beside the plan", async () => {
  using project = await begun();
  await plan(project, ID);
  await project.call("implement_task", { task_id: ID });
  for (const subtask_id of ["S-1", "S-2"])
    await project.call("mark_subtask_complete", { task_id: ID, subtask_id });
  const idle = await project.submit(ID, { ...MANIFEST, completed_subtasks: ["S-1"] });
  expect(idle.next_prompt).toContain("diff: **differs**. Nothing differs from main: no file was changed.");
  expect(idle.next_prompt).toContain("subtasks: **differs**. the manifest does not name S-2.");
  await project.review(ID, false, "Do it.");
  project.write("src/bucket.txt", "bucket\n");
  project.write("other.txt", "other\n");
  project.commit("Half of it");
  const half = await project.submit(ID, MANIFEST);
  expect(half.next_prompt).toContain(
    "Against main: 2 files changed: other.txt (+1 -0), src/bucket.txt (+1 -0).",
  );
  expect(half.next_prompt).toContain("not changed: src/server.txt.");
  expect(half.next_prompt).toContain("without being in the plan: other.txt.");
});

test("work that went back to the base branch is told at the gate, until it is on its own", async () => {
  promise("alfred.evidence");
  using project = await begun();
  await plan(project, ID);
  project.git("checkout", "-q", "main");
  await project.call("implement_task", { task_id: ID });
  project.write("src/bucket.txt", "bucket\n");
  for (const subtask_id of ["S-1", "S-2"])
    await project.call("mark_subtask_complete", { task_id: ID, subtask_id });
  const words = `branch: **differs**. The work is on the branch 'main', not on 'feature/${ID}', which was made for it.`;
  expect((await project.submit(ID, MANIFEST)).next_prompt).toContain(words);
  project.git("checkout", "-q", `feature/${ID}`);
  await project.review(ID, false, "Do it there.");
  expect((await project.submit(ID, MANIFEST)).next_prompt).not.toContain("branch: **differs**");
});

test("configured checks are really run, and shown with exit code, duration and the end of their output", async () => {
  promise("alfred.evidence");
  using project = await begun({ checks: { test: "echo 3 failed; exit 2", lint: "true" } });
  await plan(project, ID);
  await project.call("implement_task", { task_id: ID });
  project.write("src/bucket.txt", "x");
  for (const subtask_id of ["S-1", "S-2"])
    await project.call("mark_subtask_complete", { task_id: ID, subtask_id });
  const { next_prompt } = await project.submit(ID, MANIFEST);
  expect(next_prompt).toMatch(
    /check test: \*\*differs\*\*\. `echo 3 failed; exit 2` failed with exit code 2 after \d+\.\d s\./,
  );
  expect(next_prompt).toContain(`\`\`\`\n3 failed\n${WITHOUT_SETUP}\n\`\`\``);
  expect(next_prompt).toContain("check lint: **agrees**");
  const [test] = project
    .state(ID)
    .active_tool_state.context_store.submitted.evidence.filter(
      ({ about }: { about: string }) => about === "check test",
    );
  expect(test.check).toMatchObject({ name: "test", exit_code: 2, tail: `3 failed\n${WITHOUT_SETUP}` });
  expect(test.check).not.toHaveProperty("command");
});

test("a long check is not waited for: it is told as running, and its outcome by a later call", async () => {
  using project = await begun({
    checks_in: "worktree",
    checks: { test: `${shellUntil("-e go")}; echo fine` },
  });
  await plan(project, ID);
  await project.call("implement_task", { task_id: ID });
  for (const subtask_id of ["S-1", "S-2"])
    await project.call("mark_subtask_complete", { task_id: ID, subtask_id });
  project.retries = 1;
  const handedIn = await project.submit(ID, MANIFEST);
  expect(handedIn.message).toContain("checks running: test.");
  expect(handedIn.next_prompt).toContain("check test: **running**");
  // A client that shows its model the text alone has no message.
  const before = `Checks running: test. First call \`implement_task\` with task_id "${ID}" again`;
  expect(handedIn.next_prompt.indexOf(before)).toBeGreaterThan(0);
  expect(handedIn.next_prompt.indexOf("provide_review")).toBeGreaterThan(
    handedIn.next_prompt.indexOf(before),
  );
  expect((await project.call("implement_task", { task_id: ID })).message).toContain("checks running: test.");
  project.write("go", "");
  const again = await until(async () => {
    const answer = await project.call("implement_task", { task_id: ID });
    return !answer.message.includes("running") && answer;
  });
  expect(again.next_prompt).toContain("check test: **agrees**");
  expect(again.next_prompt).not.toContain("Checks running");
  await project.review(ID, true);
  const { verdicts } = project.state(ID).completed_tool_outputs.implement_task;
  expect(
    verdicts[0].evidence.map(({ about, verdict }: Record<string, string>) => [about, verdict]),
  ).toContainEqual(["check test", "agrees"]);
});

test("if evidence is required, a disagreement stops the approval, and a rejection is still possible", async () => {
  promise("alfred.evidence");
  using project = await begun({ evidence: "require" });
  project.write("surprise.txt", "x");
  await project.call("plan_task", { task_id: ID });
  await project.submit(ID, { ...CONTEXT, affected_files: ["src/gone.txt"] });
  const before = project.read(`.alfred/workspace/${ID}/task_state.json`);
  const refused = await project.review(ID, true);
  expect(refused.data.code).toBe("evidence-differs");
  expect(refused.message).toContain("- files (differs): These named files do not exist: src/gone.txt.");
  expect(project.read(`.alfred/workspace/${ID}/task_state.json`)).toBe(before);
  // What it says works.
  expect(refused.data.fix ?? refused.message).toContain("a correction counts once it is handed in again");
  project.write("src/gone.txt", "x");
  expect((await project.review(ID, false, "Look again.")).status).toBe("success");
  await project.submit(ID, { ...CONTEXT, affected_files: ["src/gone.txt"] });
  expect((await project.review(ID, true)).status).toBe("success");
});

async function verb(project: AlfredProject, name: string, id: string) {
  const found = alfred.verbs.find((each: Verb) => each.name === name);
  if (!found) throw new Error(`There is no verb ${name}.`);
  return (await project.run(await found.transaction(), { id })).reply;
}

test("an accepted plan becomes the steps of a task in tasks.yaml, in the order of their dependencies", async () => {
  using project = await begun();
  await expect(verb(project, "plan export", ID)).rejects.toThrow(/has no accepted plan/);
  await plan(project, ID);
  project.write("tasks.yaml", "# ours\ntasks:\n  - id: A-1\n    title: a\n");
  const { data } = await verb(project, "plan export", ID);
  expect(data.steps).toEqual([`${ID}.S-1`, `${ID}.S-2`]);
  const text = project.read("tasks.yaml");
  expect(text.startsWith("# ours\ntasks:\n  - id: A-1\n    title: a\n")).toBe(true);
  expect((await verb(project, "plan export", ID)).text).toContain("Nothing was changed.");
  expect(project.read("tasks.yaml")).toBe(text);
});

test("a path that leaves a folder and comes back to it is taken in its normal form", async () => {
  using project = await projectWithTask(ID, { settings: { reviews: { default: [] } } });
  project.write("src/b.js", "b\n");
  await project.call("plan_task", { task_id: ID });
  const context = { context_summary: "b", questions_for_developer: [] };
  const given = await project.submit(ID, { ...context, affected_files: ["./src/../src/b.js"] });
  expect(given.message).toContain("is handed in");
  expect(project.state(ID).active_tool_state.context_store.accepted[0].artifact.affected_files).toEqual([
    "src/b.js",
  ]);
});

test("a task's story tells who decided what, when, and on which evidence", async () => {
  using project = await begun();
  await plan(project, ID);
  await implement(project, ID);
  await project.call("review_task", { task_id: ID });
  await project.submit(ID, { summary: "s", approved: true, feedback: [] });
  await project.gate(ID, false, "Look at `src`.");
  const story = await alfred.story?.();
  if (!story) throw new Error("Alfred tells no story.");
  const { data, text } = (await project.run(story, { id: ID })).reply;
  const runs = data.runs as { tool: string; verdicts: unknown[]; accepted: unknown[] }[];
  expect(runs.map(({ accepted, tool, verdicts }) => [tool, accepted.length, verdicts.length])).toEqual([
    ["start_task", 2, 2],
    ["plan_task", 4, 4],
    ["implement_task", 1, 1],
    ["review_task", 0, 1],
  ]);
  expect(text).toContain(`# ${ID}: Limit the rate`);
  expect(text).toMatch(
    /approved in the AI review \(by mcp, test-client 1\.0; sha256 [0-9a-f]{12}\)\n {2}- git: agrees/,
  );
  expect(text).toMatch(/rejected in the AI review \(by terminal, dev@host/);
  expect(text).toContain("  > Look at `src`.");
  expect(text).toContain("still active: the review is to be handed in");
});

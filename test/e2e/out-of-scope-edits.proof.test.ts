import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { committedProject } from "../rig/alfred-project.ts";
import { enterBoard, openBoardServer } from "../rig/board.ts";
import { type Connected, connect } from "../rig/client.ts";
import type { TemporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

const ANALYSIS = { context_summary: "One file.", affected_files: ["greet.js"], questions_for_developer: [] };
const STRATEGY = { high_level_strategy: "Take a name.", key_components: ["greet.js"] };

function guarded(review: string, guard = "true"): TemporaryProject {
  return committedProject(
    `guard: ${guard}\nalfred:\n  reviews: { plan_task: [${review}] }\n  human_review: confirm\n`,
  );
}

async function planned(project: TemporaryProject): Promise<Connected> {
  const client = await connect(project, { workflows: ["alfred"], environment: { DOOR_ONLY: "" } });
  const task_id = "TS-01";
  expect((await client.call("plan_task", { task_id })).isError).toBe(false);
  expect((await client.call("submit_work", { task_id, artifact: ANALYSIS })).isError).toBe(false);
  return client;
}

const approving = { task_id: "TS-01", is_approved: true, feedback_notes: "Good." };

it("keep an assistant from moving the run until they are undone", async () => {
  promise("guard.after-the-fact");
  using project = guarded("ai");
  await using client = await planned(project);
  project.write("src/early.js", "written too early\n");
  project.write("greet.js", "changed\n");
  const refused = await client.call("provide_review", approving);
  expect(refused.text).toContain(
    "where they may not be written, these files changed: greet.js, src/early.js.",
  );
  expect(refused).toMatchObject({ isError: true, data: { data: { code: "tree-strayed" } } });
  await client.call("provide_review", approving);
  expect((await project.pawl("log")).out.match(/out-of-scope edits at/g)).toHaveLength(1);
  expect(project.read("src/early.js")).toBe("written too early\n");
  rmSync(join(project.root, "src"), { recursive: true });
  project.write("greet.js", "console.log('hello');\n");
  expect((await client.call("provide_review", approving)).text).toContain("strategize");
});

it("are shown to the person before the gate's question, and a yes accepts them", async () => {
  promise("guard.after-the-fact");
  using project = guarded("human");
  await using client = await planned(project);
  project.write("greet.js", "changed\n");
  const { code, screen } = await project.person("approve", "TS-01");
  expect(code).toBe(0);
  expect(screen).toMatch(/these files changed: greet\.js\. Your yes accepts them\./);
  expect(screen.indexOf("greet.js")).toBeLessThan(screen.indexOf("Yes or no?"));
  const next = {
    approach_summary: "Add a name.",
    architectural_decisions: "None.",
    technical_rationale: "Simple.",
  };
  const { text } = await client.call("submit_work", { task_id: "TS-01", artifact: next });
  expect(text).not.toContain("changed:");
});

it("are shown on the board before a verdict counts there, and only a yes to exactly them accepts them", async () => {
  promise("board.out-of-scope-edits");
  using project = guarded("human");
  await using client = await planned(project);
  project.write("greet.js", "changed\n");
  await using board = await openBoardServer(project, { environment: { DOOR_ONLY: "" } });
  const { get, post, project: key } = await enterBoard(board);
  const { review, strayed } = (await get(`/api/${key}/review/alfred:TS-01`)).json();
  expect(strayed).toMatch(/these files changed: greet\.js\.$/);
  const order = { approve: true, notes: "", points: [], version: review.version };
  const send = async (more: object = {}) =>
    (await post(`/api/${key}/verdict/alfred:TS-01`, { ...order, ...more })).json();
  const { asked } = await send();
  expect(asked).toMatchObject({
    digits: 0,
    message: expect.stringMatching(/greet\.js\. Your yes accepts them\./),
  });
  project.write("other.js", "also\n");
  const again = (await send({ asked: asked.hash })).asked;
  expect(again.message).toContain("greet.js, other.js");
  expect((await send({ asked: again.hash })).receipt).toMatchObject({ strength: "board" });
  const next = {
    approach_summary: "Add a name.",
    architectural_decisions: "None.",
    technical_rationale: "Simple.",
  };
  expect((await client.call("submit_work", { task_id: "TS-01", artifact: next })).text).not.toContain(
    "changed:",
  );
});

it("stay if a person accepts exactly what they saw, with `pawl repair`", async () => {
  promise("guard.after-the-fact");
  using project = guarded("ai");
  await using client = await planned(project);
  project.write("greet.js", "changed\n");
  expect((await project.pawl("repair")).out).not.toContain("greet.js");
  const { out, screen } = await project.person("repair");
  expect(screen).toContain("these files changed: greet.js.");
  expect(out).toContain("These edits stay: greet.js.");
  expect((await client.call("provide_review", approving)).text).toContain("strategize");
  expect((await project.pawl("log")).out).toContain("a person accepted out-of-scope edits: greet.js");
  project.write("greet.js", "changed again\n");
  const { text } = await client.call("submit_work", { task_id: "TS-01", artifact: STRATEGY });
  expect(text).toContain("these files changed: greet.js.");
});

it("still count when the guard is switched off in pawl.yaml meanwhile", async () => {
  promise("guard.after-the-fact");
  using project = guarded("ai");
  await using client = await planned(project);
  project.write("pawl.yaml", (project.read("pawl.yaml") ?? "").replace("guard: true", "guard: false"));
  expect((await client.call("provide_review", approving)).text).toContain("these files changed: pawl.yaml.");
});

it("do not matter if the guard is off", async () => {
  using project = guarded("ai", "false");
  await using client = await planned(project);
  project.write("greet.js", "changed\n");
  expect((await client.call("provide_review", approving)).text).toContain("strategize");
});

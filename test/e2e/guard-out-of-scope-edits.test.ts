/** What came past the hook: seen after a command, and when the assistant wants to stop. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { stateFolder } from "../../src/config/state-home.ts";
import { taskMarkdown } from "../rig/alfred-project.ts";
import { connect } from "../rig/client.ts";
import { ask, recorded } from "../rig/guarded.ts";
import { type TemporaryProject, temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { stateHome } from "../rig/state-home.ts";
import { until } from "../rig/until.ts";

const ANALYSIS = { context_summary: "One file.", affected_files: ["greet.js"], questions_for_developer: [] };

function guarded(): TemporaryProject {
  const project = temporaryProject({ environment: { DOOR_ONLY: "" } });
  project.write(
    "pawl.yaml",
    "guard: true\nalfred: { reviews: { plan_task: [human] }, human_review: confirm }\n",
  );
  project.write(".alfred/tasks/TS-01.md", taskMarkdown("TS-01"));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: project.root, stdio: "pipe" });
  git("init", "-q", "-b", "main");
  git("add", "pawl.yaml");
  git("-c", "user.name=Dev", "-c", "user.email=dev@example.com", "commit", "-qm", "Begin");
  return project;
}

it("is reported in the log after a command, and keeps the assistant from stopping, at most twice", async () => {
  promise("guard.out-of-scope-edits");
  using project = guarded();
  await using client = await connect(project, { workflows: ["alfred"], environment: { DOOR_ONLY: "" } });
  const task_id = "TS-01";
  await client.call("plan_task", { task_id });
  await client.call("submit_work", { task_id, artifact: ANALYSIS });
  const said = async (name: string, more = {}) => {
    const call = { ...recorded("claude-code", name, project.root), ...more };
    const { stdout } = await ask("claude-code", call, project.root);
    return stdout === "" ? null : JSON.parse(stdout);
  };
  await said("call", { tool_name: "mcp__pawl__plan_task" });
  expect(await said("stop"), "a person decides").toBeNull();
  project.write("made-by-a-script.txt", "x");
  expect(await said("shell-harmless", { hook_event_name: "PostToolUse" })).toBeNull();
  expect((await project.pawl("log")).out).toMatch(/out-of-scope edits.*made-by-a-script\.txt/);
  const refused = {
    decision: "block",
    reason: expect.stringMatching(/made-by-a-script\.txt.*Undo these edits/),
  };
  expect([await said("stop"), await said("stop"), await said("stop")]).toEqual([refused, refused, null]);
  expect((await project.pawl("log")).out.match(/made-by-a-script/g)).toHaveLength(1);
  // It may be undone, and nothing else may be written.
  const tries = (command: string) => said("shell", { tool_input: { command } });
  expect(await tries("rm made-by-a-script.txt")).toBeNull();
  expect(JSON.stringify(await tries("rm pawl.txt"))).toContain("Pawl refuses");
});

it("finds the scopes that the server has kept after its move, and reads nothing itself", async () => {
  using project = guarded();
  await using client = await connect(project, { workflows: ["alfred"], environment: { DOOR_ONLY: "" } });
  const kept = join(stateFolder(project.root, stateHome()), "cache/guard.json");
  await client.call("plan_task", { task_id: "TS-01" });
  await client.call("submit_work", { task_id: "TS-01", artifact: ANALYSIS });
  await until(() => existsSync(kept) && readFileSync(kept, "utf8").includes("context analysis"));
});

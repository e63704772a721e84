/** What a state says is never run: commands come by name from the configuration or the table. */
import { expect, test } from "vitest";
import { MANIFEST, plan, start } from "../rig/alfred-artifacts.ts";
import { type AlfredProject, CLEAN, projectWithTask } from "../rig/alfred-project.ts";
import { promise } from "../rig/promise.ts";
import { releaseReady } from "../rig/release-project.ts";

const ID = "TS-01";
const STATE = `.alfred/workspace/${ID}/task_state.json`;

/** A submission under review, with a finding of a check that is said to be running. */
async function withRunning(check: Record<string, unknown>, checks = {}): Promise<AlfredProject> {
  const project = await projectWithTask(ID, { settings: { reviews: { default: ["ai"] }, checks } });
  await project.call("start_task", { task_id: ID });
  await project.submit(ID, CLEAN);
  const state = project.state(ID);
  const { submitted } = state.active_tool_state.context_store;
  submitted.evidence = [{ about: "check test", verdict: "running", words: "It is running.", check }];
  project.write(STATE, JSON.stringify(state));
  return project;
}

const CHECK = { exit_code: null, duration_ms: null, tail: "" };

test("a command in Alfred's state is not run, whether or not a check has its name", async () => {
  promise("state.runs-nothing");
  const hostile = { ...CHECK, name: "test", command: "touch pwned", key: "TS-01-x-0" };
  for (const checks of [{}, { test: "touch configured" }]) {
    using project = await withRunning(hostile, checks);
    const shown = await project.call("start_task", { task_id: ID });
    expect(shown.status).toBe("success");
    expect(project.has("pwned")).toBe(false);
    expect(project.has("configured")).toBe("test" in checks);
  }
});

test("a check in Alfred's state that no configuration names counts as a difference", async () => {
  using project = await withRunning({ ...CHECK, name: "toString", key: "TS-01-x-0" });
  const shown = await project.call("start_task", { task_id: ID });
  expect(shown.next_prompt).toContain("No check of this name is configured");
});

test("a key in Alfred's state cannot lead to another folder", async () => {
  promise("state.keys");
  for (const key of ["../../elsewhere", "..", "a/b", ""]) {
    using project = await withRunning({ ...CHECK, name: "test", key }, { test: "touch ran" });
    project.write(
      "elsewhere/start.json",
      JSON.stringify({ command: "touch ran", pid: 0, birth: null, time: 0 }),
    );
    project.write("elsewhere/ended", "0");
    const shown = await project.call("start_task", { task_id: ID });
    expect(shown.next_prompt).toContain("Pawl did not create the key of its run");
    expect(project.has("ran")).toBe(false);
  }
});

test("a check that passed earlier under a key does not answer for another command", async () => {
  promise("state.keys");
  using project = await projectWithTask(ID, {
    settings: { reviews: { default: ["ai"] }, checks: { test: "echo wrong; exit 1" } },
  });
  project.write("src/server.txt", "server\n");
  project.commit("Add the server");
  await start(project, ID);
  await plan(project, ID);
  await project.call("implement_task", { task_id: ID });
  for (const subtask_id of ["S-1", "S-2"])
    await project.call("mark_subtask_complete", { task_id: ID, subtask_id });
  await project.submit(ID, MANIFEST);
  const state = project.state(ID);
  const { evidence, tree } = state.active_tool_state.context_store.submitted;
  await project.runtime().outside.checks.run("another", "true", { tree });
  const finding = evidence.find(({ about }: { about: string }) => about === "check test");
  Object.assign(finding, { verdict: "running", check: { ...finding.check, key: "another" } });
  project.write(STATE, JSON.stringify(state));
  const shown = await project.call("implement_task", { task_id: ID });
  expect(shown.next_prompt).toContain("`echo wrong; exit 1` failed with exit code 1");
});

const RUN_FILE = ".pawl/runs/release/1.2.0.json";

/** A run whose file somebody wrote by hand. */
function releaseIn(more: Record<string, unknown>) {
  const project = releaseReady();
  const at = "2026-01-01T00:00:00.000Z";
  const kept = { rounds: 0 };
  const run = {
    ...{ workflow: "release", id: "1.2.0", table_hash: "x", state: "in_review", kept },
    ...{ awaits: "human", next: "", created_at: at, updated_at: at },
    ...more,
  };
  project.write(RUN_FILE, JSON.stringify(run));
  return project;
}

const SINCE = "2026-01-01T00:00:00.000Z";

test("a pending command in the state of an own workflow is not run", async () => {
  promise("state.runs-nothing");
  const pending = {
    row: "submitted",
    command: "touch pwned",
    key: "k",
    passed: "tagged",
    failed: "not_tagged",
  };
  using project = releaseIn({ pending: { ...pending, since: SINCE } });
  const { err } = await project.pawl("cast", "release:1.2.0");
  expect(err).toContain('"submitted", which has no command in the table');
  expect(project.read("pwned")).toBeNull();
});

test("a row's command is not run before the run took that row, whatever its state says", async () => {
  promise("state.runs-nothing");
  using project = releaseIn({ state: "tagging", pending: { row: "approved", key: "k", since: SINCE } });
  project.write("tag.sh", "touch tagged\n");
  const { err } = await project.pawl("cast", "release:1.2.0");
  expect(err).toContain("[state-tampered]");
  expect(project.read("tagged")).toBeNull();
});

test("a command that stands in the state of an own workflow is not run: the one of its table is", async () => {
  promise("state.runs-nothing");
  const pending = {
    row: "approved",
    command: "touch pwned",
    key: "k",
    passed: "tagged",
    failed: "not_tagged",
  };
  using project = releaseIn({ state: "tagging", pending: { ...pending, since: SINCE } });
  project.write("tag.sh", 'echo "$1" > tagged\n');
  expect((await project.person("repair")).code).toBe(0);
  const { out } = await project.pawl("cast", "release:1.2.0");
  expect(out).toContain("release:1.2.0 is published.");
  expect(project.read("tagged")).toBe("1.2.0\n");
  expect(project.read("pwned")).toBeNull();
});

test("a fact's command in the state of an own workflow is not run", async () => {
  promise("state.runs-nothing");
  const look = { command: "touch pwned", key: "1-0", since: SINCE };
  using project = releaseIn({ state: "drafting", checks: { tests: look } });
  project.write("test.sh", "touch tested\n");
  expect((await project.person("repair")).code).toBe(0);
  await project.pawl("cast", "release:1.2.0", "submit", "--fact", "risk=low");
  expect(project.read("pwned")).toBeNull();
  expect(project.read("tested")).toBe("");
});

test("a key in the state of an own workflow that is none is refused, with its place", async () => {
  using project = releaseIn({ checks: { tests: { key: "../../elsewhere", since: SINCE } } });
  const { err } = await project.pawl("cast", "release:1.2.0");
  expect(err).toContain("checks.tests.key: expected a key that Pawl gave");
});

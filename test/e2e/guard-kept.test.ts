/** What the guard keeps of a project between its calls, and what makes it read again. */
import { cpSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { stateFolder } from "../../src/config/state-home.ts";
import type { Scope } from "../../src/runtime/scope.ts";
import { plan, start } from "../rig/alfred-artifacts.ts";
import { type AlfredProject, CLEAN, projectWithTask, taskMarkdown } from "../rig/alfred-project.ts";
import { ask, type Recorded, recorded } from "../rig/guarded.ts";
import { promise } from "../rig/promise.ts";
import { stateHome } from "../rig/state-home.ts";
import { until } from "../rig/until.ts";

afterEach(() => void vi.restoreAllMocks());

const CLAUDE = "claude-code";
const ID = "TS-01";
const EVENTS = ".pawl/events.jsonl";

/** The refusal's words; null: allowed. What is kept is written soon after the answer. */
async function writing({ root }: AlfredProject, path = "src/a", more: Recorded = {}): Promise<string | null> {
  const call = recorded(CLAUDE, "write", root, { tool_input: { file_path: path, content: "" }, ...more });
  const { stdout } = await ask(CLAUDE, call, root);
  return stdout === "" ? null : JSON.parse(stdout).hookSpecificOutput.permissionDecisionReason;
}

const keptOf = ({ root }: AlfredProject) => join(stateFolder(root, stateHome()), "cache/guard.json");
const kept = (project: AlfredProject) => JSON.parse(readFileSync(keptOf(project), "utf8")).worked;
const runsKept = (project: AlfredProject) => kept(project).runs;
/** As if the last event were a minute old, and a call had come since. */
async function rest(project: AlfredProject): Promise<void> {
  const time = Date.now() / 1000 - 60;
  utimesSync(join(project.root, EVENTS), time, time);
  await writing(project);
  await until(() => kept(project).log !== null);
}
/** Pretends that more was read of the run. */
function claim(project: AlfredProject, run: string, more: Partial<Scope>) {
  const whole = JSON.parse(readFileSync(keptOf(project), "utf8"));
  Object.assign(whole.worked.runs[run].scope, more);
  writeFileSync(keptOf(project), JSON.stringify(whole));
}
const stampOf = (project: AlfredProject) => statSync(keptOf(project), { throwIfNoEntry: false })?.ino ?? null;

async function begun(): Promise<AlfredProject> {
  const project = await projectWithTask(ID, { settings: { reviews: { default: ["ai"] } } });
  await project.call("start_task", { task_id: ID });
  expect(await writing(project)).toContain("alfred:TS-01");
  await until(() => stampOf(project) !== null);
  await rest(project);
  return project;
}

test("what has not changed is not read again", async () => {
  promise("guard.kept");
  using project = await begun();
  const before = stampOf(project);
  for (let time = 0; time < 3; time++) expect(await writing(project)).toContain("alfred:TS-01");
  expect(stampOf(project)).toBe(before);
});

test("a run that moves, begins or ends is read again, and no other", async () => {
  promise("guard.kept");
  using project = await begun();
  await project.submit(ID, CLEAN);
  expect(await writing(project)).not.toContain("submit_work");
  await project.call("create_task", { task_content: taskMarkdown("TS-02") });
  await project.call("start_task", { task_id: "TS-02" });
  await writing(project);
  await until(() => "alfred:TS-02" in runsKept(project));
  // TS-01 is not looked at again: what is kept of it stays, whatever it is.
  claim(project, "alfred:TS-01", { writes: "worktree", next: "Kept." });
  expect(await writing(project), "the widest of both").toBeNull();
  await project.submit("TS-02", CLEAN);
  expect(await writing(project), "after an event of TS-02 alone").toBeNull();
  await project.review(ID, true);
  expect(await writing(project), "after an event of TS-01").not.toBeNull();
});

test("a run that came or went without an event is noticed, although another has moved since", async () => {
  using project = await begun();
  const [from, to] = [ID, "TS-02"].map((id) => join(project.root, ".alfred/workspace", id));
  cpSync(from ?? "", to ?? "", { recursive: true });
  const path = ".alfred/workspace/TS-02/task_state.json";
  project.write(path, project.read(path).replaceAll(ID, "TS-02"));
  await project.submit(ID, CLEAN);
  await writing(project);
  await until(() => "alfred:TS-02" in runsKept(project));
  rmSync(to ?? "", { recursive: true });
  await project.review(ID, true);
  await writing(project);
  await until(() => !("alfred:TS-02" in runsKept(project)));
});

test("the session's own run is read again if its file was edited", async () => {
  promise("guard.kept");
  using project = await begun();
  await ask(CLAUDE, recorded(CLAUDE, "call", project.root), project.root);
  const path = `.alfred/workspace/${ID}/task_state.json`;
  project.write(path, project.read(path).replace('"task_status"', '"task_status_"'));
  expect(await writing(project)).toContain('"unreadable"');
});

test("everything is read again if the settings or the log are others", async () => {
  promise("guard.kept");
  using project = await begun();
  expect(await writing(project, "plan/work.yaml")).toContain("no file may be written");
  project.write("pawl.yaml", "bloom: { tasks_file: plan/work.yaml }\n");
  expect(await writing(project, "plan/work.yaml")).toContain("change tasks by");
  const log = project.read(EVENTS);
  for (const text of ["", `${log}not JSON\n`, log]) {
    project.write(EVENTS, text);
    expect(await writing(project), JSON.stringify(text.slice(-20))).toContain("alfred:TS-01");
  }
});

test("what is kept and damaged is made anew", async () => {
  promise("guard.kept");
  using project = await begun();
  for (const text of ["", "{", "null", '{"source":"x"}']) {
    writeFileSync(keptOf(project), text);
    expect(await writing(project), text).toContain("alfred:TS-01");
  }
});

test("a state in which the assistant may write counts for the next call", async () => {
  promise("guard.kept");
  using project = await projectWithTask(ID, { settings: { reviews: { default: ["ai"] } } });
  project.write("src/server.txt", "server\n");
  project.commit("Add the server");
  await start(project, ID);
  await plan(project, ID);
  expect(await writing(project)).toContain("implement_task");
  await project.call("implement_task", { task_id: ID });
  expect(await writing(project)).toBeNull();
});

test("a session that works on a run needs that run alone", async () => {
  using project = await begun();
  await project.call("create_task", { task_content: taskMarkdown("TS-02") });
  await project.call("start_task", { task_id: "TS-02" });
  await writing(project);
  await until(() => "alfred:TS-02" in runsKept(project));
  await rest(project);
  await ask(CLAUDE, recorded(CLAUDE, "call", project.root), project.root);
  expect(await writing(project)).toContain("submit_work");
  claim(project, "alfred:TS-01", { writes: "all" });
  const before = stampOf(project);
  // It has moved, and is not looked at.
  const path = ".alfred/workspace/TS-02/task_state.json";
  project.write(path, project.read(path).replace('"task_status"', '"task_status_"'));
  expect(await writing(project), "as it is kept").toBeNull();
  expect(stampOf(project)).toBe(before);
  await project.submit(ID, CLEAN);
  expect(await writing(project), "the run has moved").toContain("provide_review");
});

test("without a run of its own, a session needs the widest scope, until anything changes", async () => {
  using project = await begun();
  claim(project, "alfred:TS-01", { writes: "all" });
  expect(await writing(project), "as it is kept").toBeNull();
  await project.submit(ID, CLEAN);
  expect(await writing(project), "the run has moved").toContain("provide_review");
});

test("another run whose file was edited is read again with the next event", async () => {
  promise("guard.kept");
  using project = await begun();
  const path = `.alfred/workspace/${ID}/task_state.json`;
  project.write(path, project.read(path).replace('"task_status"', '"task_status_"'));
  expect(await writing(project), "thousands of files are not looked at before each call").toContain(
    "submit_work",
  );
  writeFileSync(join(project.root, EVENTS), project.read(EVENTS));
  expect(await writing(project)).toContain('"unreadable"');
});

test("a run whose files follow an event a moment later is read again", async () => {
  promise("guard.kept");
  using project = await begun();
  writeFileSync(join(project.root, EVENTS), project.read(EVENTS));
  expect(await writing(project)).toContain("submit_work");
  // After a turn of the event loop, what is kept has been written.
  await stat(project.root);
  const path = `.alfred/workspace/${ID}/task_state.json`;
  project.write(path, project.read(path).replace('"task_status"', '"task_status_"'));
  vi.spyOn(Date, "now").mockReturnValue(Date.now() + 60_000);
  expect(await writing(project), "though the log is the same").toContain('"unreadable"');
});

test("a session whose run is over, or is not there, is not read for again and again", async () => {
  using project = await begun();
  const call = JSON.stringify(recorded(CLAUDE, "call", project.root)).replaceAll("TS-01", "GONE-1");
  await ask(CLAUDE, JSON.parse(call), project.root);
  expect(await writing(project), "the widest of the open runs").toContain("alfred:TS-01");
  await until(() => "alfred:GONE-1" in runsKept(project));
  const before = stampOf(project);
  expect(await writing(project)).toContain("alfred:TS-01");
  expect(stampOf(project)).toBe(before);
});

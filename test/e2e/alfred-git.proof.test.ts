/** What git may move of Alfred, and what it may not: real repositories, real commands. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DEFAULT_SETTINGS } from "../../src/core/settings.ts";
import { shareRun } from "../../src/runtime/run-log/share-run.ts";
import alfred from "../../src/workflows/alfred/module.ts";
import { overview } from "../../src/workflows/alfred/overview.ts";
import { implement, plan, REVIEW, start, TESTED, through } from "../rig/alfred-artifacts.ts";
import { AlfredProject, taskMarkdown } from "../rig/alfred-project.ts";
import { promise } from "../rig/promise.ts";

const ID = "TS-01";
const STATE = `.alfred/workspace/${ID}/task_state.json`;

/** A project as people have it: its tasks and configuration are git's. */
async function shared(...ids: readonly string[]): Promise<AlfredProject> {
  const project = new AlfredProject({ settings: { reviews: { default: [] } } });
  project.around = { share: true };
  project.write(".gitignore", "");
  project.write("src/server.txt", "server\n");
  await project.call("initialize_project", { provider: "local" });
  for (const id of ids) await project.call("create_task", { task_content: taskMarkdown(id) });
  project.commit("Add the server and its tasks");
  return project;
}

/** Records the task as it is now. */
async function share(project: AlfredProject, id: string): Promise<void> {
  await project.run(shareRun(alfred), { id });
}

const dirty = (project: AlfredProject) => project.git("status", "--porcelain");

async function toFinalize(project: AlfredProject, id: string): Promise<void> {
  await start(project, id);
  await plan(project, id);
  await implement(project, id);
  await project.call("review_task", { task_id: id });
  await through(project, id, REVIEW);
  await project.call("test_task", { task_id: id });
  await through(project, id, TESTED);
  await project.call("finalize_task", { task_id: id });
}

/** As finalize_task's prompt says it. */
async function finalize(project: AlfredProject, id: string): Promise<void> {
  await toFinalize(project, id);
  project.git("add", "-A");
  project.git("commit", "-q", "-m", `Do ${id}`);
  const commit_hash = project.git("rev-parse", "HEAD").trim();
  await through(project, id, { commit_hash, pr_url: "" });
}

async function statuses(project: AlfredProject): Promise<Record<string, string>> {
  const runs = await overview(project.runtime().store.view());
  return Object.fromEntries(runs.map(({ run, state }) => [run.slice("alfred:".length), state]));
}

function cloneOf(project: AlfredProject, branch: string): AlfredProject {
  const root = mkdtempSync(join(tmpdir(), "pawl-clone-"));
  execFileSync("git", ["clone", "-q", "-b", branch, project.root, root]);
  const clone = new AlfredProject({ root, settings: project.settings });
  clone.around = project.around;
  return clone;
}

/** The files of Pawl's that the task's branch brings, and their lines. */
function leftBehind(project: AlfredProject, id: string): { files: number; lines: number } {
  const found = project.git("diff", "--numstat", `main..feature/${id}`, "--", ".alfred", ".pawl").trim();
  const rows = found === "" ? [] : found.split("\n").map((row) => Number(row.split("\t")[0]));
  return { files: rows.length, lines: rows.reduce((sum, lines) => sum + lines, 0) };
}

test("after done the tree is clean, and nothing of the live state or the logs is in a commit", async () => {
  promise("alfred.git.live-state");
  using project = await shared(ID);
  await finalize(project, ID);
  expect(project.state(ID).task_status).toBe("done");
  expect(dirty(project)).toBe("");
  const tracked = project.git("ls-files", ".alfred", ".pawl").trim().split("\n");
  expect(tracked.filter((path) => /workspace|debug|^\.pawl/.test(path))).toEqual([]);
  expect(tracked).toContain(`.alfred/tasks/${ID}.md`);
  expect(tracked.filter((path) => path.startsWith(`.alfred/records/alfred/${ID}/`))).toHaveLength(1);
});

test.each([
  ["stash -u and pop", (project: AlfredProject) => project.git("stash", "-u"), "stash pop"],
  ["clean -fd", (project: AlfredProject) => project.git("clean", "-q", "-fd"), ""],
  [
    "checkout of another branch",
    (project: AlfredProject) => project.git("checkout", "-q", "main"),
    "checkout -q feature/TS-01",
  ],
  ["reset --hard", (project: AlfredProject) => project.git("reset", "-q", "--hard"), ""],
])("a run keeps its live state over %s", async (_, move, back) => {
  promise("alfred.git.live-state");
  using project = await shared(ID);
  await start(project, ID);
  await project.call("plan_task", { task_id: ID });
  project.write("src/new.txt", "new\n");
  const before = project.read(STATE);
  // Twice: what the first took along must not have been what kept git from the rest.
  move(project);
  expect(project.read(STATE)).toBe(before);
  expect((await project.call("work_on_task", { task_id: ID })).message).toContain("'plan_task' active");
  if (back) project.git(...back.split(" "));
  expect(project.read(STATE)).toBe(before);
  project.git("clean", "-q", "-fd");
  expect(project.read(STATE)).toBe(before);
});

test("if nothing of .alfred is committed, stash -u and clean take the task's file, and never its state", async () => {
  using project = new AlfredProject({ settings: { reviews: { default: [] } } });
  project.write(".gitignore", "");
  project.commit("Begin");
  await project.call("create_task", { task_content: taskMarkdown(ID) });
  await start(project, ID);
  const before = project.read(STATE);
  project.git("stash", "-u");
  project.git("clean", "-q", "-fd");
  expect(project.read(STATE)).toBe(before);
  const gone = await project.call("plan_task", { task_id: ID });
  expect(gone.message).toContain(`Task '${ID}' not found.`);
  expect(gone.data.fix).toContain("`git stash pop`");
  expect(await statuses(project)).toEqual({ [ID]: "planning" });
  project.git("stash", "pop");
  expect((await project.call("plan_task", { task_id: ID })).status).toBe("success");
});

test("a branch that brings no .gitignore of Alfred's does not lay the live state open", async () => {
  promise("alfred.git.live-state");
  using project = await shared();
  project.git("rm", "-q", "-r", ".alfred");
  project.git("commit", "-q", "-m", "Without Alfred");
  project.git("branch", "bare");
  project.git("reset", "-q", "--hard", "HEAD~1");
  await project.call("create_task", { task_content: taskMarkdown(ID) });
  await start(project, ID);
  project.git("add", "-A");
  project.git("commit", "-q", "-m", "In the middle");
  project.git("checkout", "-q", "bare");
  expect(project.has(".alfred/.gitignore")).toBe(false);
  expect(dirty(project)).toBe("");
  project.git("clean", "-q", "-fd");
  expect(project.state(ID).task_status).toBe("planning");
  expect(await statuses(project)).toEqual({ [ID]: "planning" });
});

test("two branches that each did a task are merged without a conflict, and both are done for whoever clones", async () => {
  promise("alfred.git.records");
  using project = await shared("TS-01", "TS-02", "TS-03");
  await finalize(project, "TS-01");
  project.git("checkout", "-q", "main");
  await finalize(project, "TS-02");
  project.git("checkout", "-q", "main");
  project.git("merge", "-q", "--no-edit", "feature/TS-01");
  project.git("checkout", "-q", "-b", "both", "main");
  project.git("merge", "-q", "--no-edit", "-X", "theirs", "feature/TS-02");
  expect(dirty(project)).toBe("");
  using clone = cloneOf(project, "both");
  expect(await statuses(clone)).toEqual({ "TS-01": "done", "TS-02": "done", "TS-03": "new" });
  expect((await clone.call("get_next_task")).data.task_id).toBe("TS-03");
  expect((await clone.call("start_task", { task_id: "TS-01" })).data.code).toBe("status-not-allowed");
  expect(dirty(clone)).toBe("");
});

test("a clone tells the same story as the checkout in which the work was done", async () => {
  using project = await shared(ID);
  await finalize(project, ID);
  using clone = cloneOf(project, `feature/${ID}`);
  const story = await alfred.story?.();
  if (!story) throw new Error("Alfred tells no story.");
  const { reply } = await clone.run(story, { id: ID });
  expect(reply.text).toContain("Status: done");
  for (const tool of [
    "start_task",
    "plan_task",
    "implement_task",
    "review_task",
    "test_task",
    "finalize_task",
  ])
    expect(reply.text).toContain(`## ${tool}`);
});

test("a clone goes on with a task whose finished steps were committed", async () => {
  promise("alfred.git.records");
  using project = await shared(ID);
  await start(project, ID);
  await plan(project, ID);
  await share(project, ID);
  project.git("add", "-A");
  project.git("commit", "-q", "-m", "Plan it");
  using clone = cloneOf(project, `feature/${ID}`);
  expect(await statuses(clone)).toEqual({ [ID]: "ready_for_development" });
  const { next_prompt } = await clone.call("implement_task", { task_id: ID });
  expect(next_prompt).toContain("### **Next slot: S-1**");
  expect(clone.state(ID).completed_tool_outputs.plan_task.accepted).toHaveLength(4);
});

test("a task that was advanced on two branches is held in a clone, with both sides named", async () => {
  promise("alfred.git.records");
  using project = await shared(ID);
  await start(project, ID);
  await share(project, ID);
  project.git("add", "-A");
  project.git("commit", "-q", "-m", "Start it");
  using other = cloneOf(project, `feature/${ID}`);
  other.git("config", "user.email", "b@example.com");
  other.git("config", "user.name", "B");
  for (const each of [project, other]) {
    await plan(each, ID);
    await share(each, ID);
    each.git("add", "-A");
    each.git("commit", "-q", "-m", "Plan it");
  }
  project.git("pull", "-q", "--no-rebase", "--no-edit", other.root, `feature/${ID}`);
  using clone = cloneOf(project, `feature/${ID}`);
  const held = await clone.call("implement_task", { task_id: ID });
  expect(held.data.code).toBe("records-forked");
  expect(
    held.message.match(/plan_task: \w+ \([^)]*the task is ready_for_development\) by test-client/g),
  ).toHaveLength(2);
});

test.each([
  ["at most 3 files with 60 lines if the project shares records", { share: true }, 1, 60],
  ["nothing if it does not", { share: false }, 0, 0],
  ["a record if a person signs one of its gates", { gates: { "alfred.plan_task": "signed" } }, 1, 60],
] as const)("a finished task with the default reviews leaves %s", async (_, around, files, lines) => {
  promise("team.shared-by-setting");
  using project = await shared(ID);
  project.settings = {
    ...project.settings,
    reviews: "gates" in around ? { default: [] } : DEFAULT_SETTINGS.alfred.reviews,
  };
  project.around = around;
  await finalize(project, ID);
  expect(dirty(project)).toBe("");
  const left = leftBehind(project, ID);
  expect(left.files).toBe(files);
  expect(left.lines).toBeLessThanOrEqual(lines);
  using clone = cloneOf(project, `feature/${ID}`);
  expect(await statuses(clone)).toEqual({ [ID]: files === 0 ? "new" : "done" });
});

test("records that were lost before the commit are written again by finalize_task", async () => {
  using project = await shared(ID);
  await toFinalize(project, ID);
  rmSync(project.path(".alfred/records"), { recursive: true });
  await project.call("finalize_task", { task_id: ID });
  const [record = "", ...others] = readdirSync(project.path(`.alfred/records/alfred/${ID}`));
  expect(record).toMatch(/^0001-00\d\d-[0-9a-f]{16}\.jsonl$/);
  expect(others).toEqual([]);
});

test("a record holds no output of a check", async () => {
  using project = await shared(ID);
  project.settings = { ...project.settings, checks: { test: "cat .git/printed" }, checks_in: "worktree" };
  project.write(".git/printed", "token-123\n");
  await finalize(project, ID);
  const records = readdirSync(project.path(`.alfred/records/alfred/${ID}`));
  expect(records).toHaveLength(1);
  const texts = records.map((name) => project.read(`.alfred/records/alfred/${ID}/${name}`)).join("\n");
  expect(texts).toContain("`cat .git/printed` ended with exit code 0");
  expect(texts).not.toContain("token-123");
});

test("whoever removes a task's folder begins it anew", async () => {
  using project = await shared(ID);
  await start(project, ID);
  await plan(project, ID);
  await share(project, ID);
  rmSync(project.path(`.alfred/workspace/${ID}`), { recursive: true });
  rmSync(project.path(`.alfred/records/alfred/${ID}`), { recursive: true });
  expect((await project.call("work_on_task", { task_id: ID })).data).toMatchObject({ task_status: "new" });
  expect((await project.call("start_task", { task_id: ID })).status).toBe("success");
});

test("Alfred's own files are no reason to call a tree unclean", async () => {
  promise("alfred.git.live-state");
  using project = await shared();
  project.settings = { ...project.settings, reviews: { default: ["human"] } };
  await project.call("create_task", { task_content: taskMarkdown(ID) });
  const asked = await project.call("start_task", { task_id: ID });
  expect(asked.next_prompt).toContain("leave out `.alfred/` and `.pawl/`");
  const reports = [
    { is_clean: true, current_branch: "main", uncommitted_files: [] },
    { is_clean: false, current_branch: "main", uncommitted_files: [`?? .alfred/tasks/${ID}.md`] },
  ];
  for (const report of reports) {
    const { next_prompt } = await project.submit(ID, report);
    expect(next_prompt).toContain("It agrees with the report.");
    expect(next_prompt).not.toContain("not clean");
    await project.review(ID, false, "Again.");
  }
});

test("another worktree of the repository leaves the run where it is", async () => {
  using project = await shared(ID);
  await start(project, ID);
  await project.call("plan_task", { task_id: ID });
  const before = project.read(STATE);
  const other = `${project.root}-tree`;
  project.git("worktree", "add", "-q", other, "main");
  try {
    using tree = new AlfredProject({ root: other, settings: project.settings });
    expect(await statuses(tree)).toEqual({ [ID]: "new" });
    expect(project.read(STATE)).toBe(before);
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
});

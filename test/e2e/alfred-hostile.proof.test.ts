import { existsSync, readdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MANIFEST, plan, start } from "../rig/alfred-artifacts.ts";
import { type AlfredProject, CLEAN, projectWithTask, type ToolAnswer } from "../rig/alfred-project.ts";
import { promise } from "../rig/promise.ts";

const ID = "TS-01";
let project: AlfredProject;

const findings = (): readonly { about: string; verdict: string; words: string; check?: { tail: string } }[] =>
  project.state(ID).active_tool_state.context_store.submitted.evidence;
const found = (about: string) => findings().find((one) => one.about === about);

/** A planned task whose work is done as the plan says, and handed in. */
async function handIn(settings: Partial<AlfredProject["settings"]> = {}): Promise<ToolAnswer> {
  await begin(settings);
  return submit();
}

async function begin(settings: Partial<AlfredProject["settings"]> = {}): Promise<void> {
  project.settings = { ...project.settings, ...settings };
  await start(project, ID);
  await plan(project, ID);
  await project.call("implement_task", { task_id: ID });
  for (const subtask_id of ["S-1", "S-2"])
    await project.call("mark_subtask_complete", { task_id: ID, subtask_id });
  project.write("src/bucket.txt", "bucket\n");
  project.write("src/server.txt", "server with a bucket\n");
}

const submit = () => project.submit(ID, MANIFEST);
const approve = () => project.review(ID, true);

beforeEach(async () => {
  project = await projectWithTask(ID, {
    settings: { reviews: { default: ["ai"] }, evidence: "require" },
  });
  project.write("src/server.txt", "server\n");
  project.commit("Add the server");
});

afterEach(() => {
  project[Symbol.dispose]();
});

describe("the work that is approved is the work that was handed in", () => {
  it("agrees and is approved if nothing changed, with the tree's id in the verdict", async () => {
    await handIn();
    expect(findings().map(({ about, verdict }) => [about, verdict])).toEqual([
      ["subtasks", "agrees"],
      ["diff", "agrees"],
    ]);
    const { tree } = project.state(ID).active_tool_state.context_store.submitted;
    expect((await approve()).status).toBe("success");
    const [verdict] = project.state(ID).completed_tool_outputs.implement_task.verdicts;
    expect(verdict.tree).toBe(tree);
    project.git("add", "-A");
    project.git("commit", "-qm", "Work");
    expect(project.git("rev-parse", "HEAD^{tree}").trim()).toBe(tree);
  });

  it("names code that changed after it was handed in, and does not approve it; put back, it is approved", async () => {
    promise("evidence.again");
    await handIn();
    project.write("src/bucket.txt", "evil\n");
    project.write("src/more.txt", "evil\n");
    const refused = await approve();
    expect(refused.data).toMatchObject({ code: "evidence-differs" });
    expect(refused.message).toContain(
      "The work changed after it was handed in: files src/bucket.txt, src/more.txt.",
    );
    project.write("src/bucket.txt", "bucket\n");
    project.git("clean", "-fdq", "src");
    project.write("src/bucket.txt", "bucket\n");
    expect((await approve()).status).toBe("success");
  });

  it("shows it first if evidence is only shown", async () => {
    await handIn({ evidence: "show" });
    project.write("src/bucket.test.txt", "evil\n");
    const shown = await project.call("implement_task", { task_id: ID });
    expect(shown.next_prompt).toMatch(
      /What the server found itself\*\*\n\n- work: \*\*differs\*\*\. The work changed/,
    );
  });
});

describe("evidence does not agree because an agent", () => {
  const hidden = "Changed without being in the plan: extra.txt.";

  it.each([
    ["moves the base branch", () => project.git("update-ref", "refs/heads/main", "HEAD")],
    [
      "makes the base branch a name of its own",
      () => project.git("symbolic-ref", "refs/heads/main", `refs/heads/feature/${ID}`),
    ],
  ])("%s", async (_, trick) => {
    await begin();
    project.write("extra.txt", "x\n");
    project.commit("All of it");
    trick();
    await submit();
    expect(found("diff")?.words).toContain(hidden);
    expect(found("base")?.words).toMatch(
      /^The branch main is at [0-9a-f]{12} now\. The work is compared with/,
    );
    expect((await approve()).data).toMatchObject({ code: "evidence-differs" });
  });

  it("hides a file from git, by a flag, a list or a filter", async () => {
    promise("evidence.tree");
    project.write("extra.txt", "was there\n");
    project.commit("Extra");
    await begin();
    project.git("update-index", "--skip-worktree", "extra.txt");
    project.write("extra.txt", "hidden\n");
    await submit();
    expect(found("diff")?.words).toContain(hidden);
  });

  it("writes a .npmrc that git does not see: it is named, and the check runs without it", async () => {
    project.write("package.json", JSON.stringify({ scripts: { test: "exit 7" } }));
    project.commit("Tests");
    await begin({ checks: { test: "npm test" } });
    project.write(".npmrc", "script-shell=/bin/true\n");
    project.write(".git/info/exclude", ".npmrc\n");
    await submit();
    expect(found("hidden files")).toMatchObject({
      verdict: "differs",
      words: expect.stringContaining(".npmrc"),
    });
    expect(found("check test")).toMatchObject({
      verdict: "differs",
      words: expect.stringContaining("exit code 7"),
    });
  });
});

it("process files that the work changes are named first, by their kind", async () => {
  promise("base.process-files");
  await begin();
  project.write("test/bucket.test.js", "x\n");
  project.write(".npmrc", "script-shell=/bin/true\n");
  project.write("package.json", "{}\n");
  const { next_prompt } = await submit();
  expect(findings()[0]).toEqual({
    about: "process files",
    verdict: "unknown",
    words:
      "The work changes what decides whether it passes. Read these changes first: tests: test/bucket.test.js; configuration: .npmrc, package.json.",
  });
  expect(next_prompt).toMatch(/What the server found itself\*\*\n\n- process files:/);
});

describe("checks", () => {
  const LOOKS = { test: "ls; cat src/bucket.txt; test ! -e ignored.txt && ! git rev-parse 2>/dev/null" };

  it("run in a fresh checkout of what was handed in, without ignored files, which is gone afterwards", async () => {
    promise("evidence.checks");
    project.write(".gitignore", ".alfred/\n.pawl/\nignored.txt\n");
    project.commit("Ignore");
    await begin({ checks: LOOKS });
    project.write("ignored.txt", "x");
    await submit();
    expect(found("check test")).toMatchObject({ verdict: "agrees", check: { tail: "src\nbucket" } });
    const [run = ""] = readdirSync(project.path(".pawl/checks"));
    expect(existsSync(project.path(`.pawl/checks/${run}/tree`))).toBe(false);
    expect((await approve()).status).toBe("success");
  });

  it("run in the working folder if the project says so, and the weaker strength is shown", async () => {
    promise("evidence.checks");
    await begin({ checks: { test: "cat ignored.txt" }, checks_in: "worktree" });
    project.write(".git/info/exclude", "ignored.txt\n");
    project.write("ignored.txt", "x");
    await submit();
    expect(found("check test")).toMatchObject({ verdict: "agrees", check: { tail: "x" } });
    expect(found("checks")).toMatchObject({
      verdict: "unknown",
      words: expect.stringContaining("checks_in: worktree"),
    });
  });

  it("say in a fresh checkout what may be missing if they fail", async () => {
    await handIn({ checks: { test: "node_modules/.bin/vitest" } });
    expect(found("check test")?.check?.tail).toContain("unless `setup` in pawl.yaml makes them");
  });
});

it("a finding is looked at again at the verdict: what was mended since no longer differs", async () => {
  promise("evidence.again");
  project.settings = { ...project.settings, reviews: { default: ["human"] } };
  project.write("left.txt", "left\n");
  await project.call("start_task", { task_id: ID });
  await project.submit(ID, CLEAN);
  expect(found("git")).toMatchObject({ verdict: "differs" });
  expect((await project.gate(ID, true)).data).toMatchObject({ code: "evidence-differs" });
  project.commit("Left");
  const again = await project.call("start_task", { task_id: ID });
  expect(again.next_prompt).toContain("git: **agrees**");
  expect((await project.gate(ID, true)).status).toBe("success");
});

it("a task whose base could not be pinned when it began goes on and says so", async () => {
  await begin();
  const { base, ...state } = project.state(ID);
  expect(base).toMatchObject({ branch: "main" });
  project.write(`.alfred/workspace/${ID}/task_state.json`, JSON.stringify(state));
  await submit();
  expect(found("base")).toMatchObject({
    verdict: "unknown",
    words: expect.stringContaining("No base was pinned"),
  });
  expect((await approve()).status).toBe("success");
});

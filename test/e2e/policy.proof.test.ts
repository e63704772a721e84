/** What governs a run is what it began with: an agent with a shell, in mid-run, does not loosen it. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BloomProject, bloomProject } from "../rig/bloom-project.ts";
import { connect } from "../rig/client.ts";
import { type TemporaryProject, temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { stateOf } from "../rig/state-home.ts";
import { until } from "../rig/until.ts";
import { NO_WALL } from "../rig/wall.ts";

const COMMIT = "git add -A && git commit -qm work";

/** Two tasks, the second after the first, whose agent edits the project's own files while it works. */
function edited(script: string, { verify = "false", settings = {}, second = "" } = {}) {
  return bloomProject({
    settings: { tries: 1, ...settings },
    tasks: `tasks:
  - id: A
    title: First
    repo: .
    merge_into: main
    verify: ["${verify}"]
    instructions: |
      RUN: echo a > a.txt && ${COMMIT}
      RUN: ${script}
      RUN: bloom done A
  - id: B
    title: Second
    repo: .
    merge_into: main
    verify: ["test -e b.txt"]${second}
    instructions: |
      RUN: ${COMMIT} --allow-empty
      RUN: bloom done B
`,
  });
}

const TASKS = '"$PAWL_PROJECT/tasks.yaml"';
const PAWL = '"$PAWL_PROJECT/pawl.yaml"';
const byStatus = (status: string) =>
  `sed -i '/id: B$/,/instructions/ s/status: ready_for_agent/${status}/' ${TASKS}`;
const taskOf = (project: BloomProject, id: string) => project.tasks().find((each) => each.id === id);

describe("an agent of the loop, with a shell", () => {
  it("does not take its own verify away", async () => {
    promise("policy.pinned", "policy.placed");
    using project = edited(`sed -i 's/verify: \\["false"\\]/verify: []/' ${TASKS}`);
    const ran = await project.run("--task", "A");
    expect(project.read("tasks.yaml")).toContain("verify: []");
    expect(ran.of("policy:changed")[0]).toMatchObject({
      run: "bloom:A",
      ignored: [
        {
          path: "task.verify",
          pinned: ["false"],
          present: [],
          place: expect.stringMatching(/^tasks\.yaml:\d+$/),
        },
      ],
    });
    expect(ran.of("check:failed")).toHaveLength(1);
    expect(ran.of("merge:completed")).toEqual([]);
    const told = await project.bloom("status");
    expect(told.out).toMatch(/bloom:A: an edit that loosens its policy is ignored/);
  });

  it("does not take another task's verify away", async () => {
    promise("policy.pinned");
    using project = edited(`sed -i 's/verify: \\["test -e b.txt"\\]/verify: []/' ${TASKS}`, {
      verify: "true",
    });
    const ran = await project.run("--agents", "1");
    expect(ran.of("check:failed")).toMatchObject([{ taskId: "B", command: "test -e b.txt" }]);
    expect(ran.of("merge:completed").map(({ taskId }) => taskId)).toEqual(["A"]);
  });

  it("does not make itself or another done by a status", async () => {
    promise("policy.claim");
    using project = edited(`sed -i '/RUN/!s/status: in_progress/status: done/' ${TASKS}`);
    const ran = await project.run("--task", "A");
    expect(ran.of("check:failed")).toHaveLength(1);
    expect(ran.of("merge:completed")).toEqual([]);
  });

  it.each([
    ["done", "status: done"],
    ["waiting to be merged", "status: done_pending_merge"],
    ["cancelled", "status: cancelled"],
  ])("makes no other task %s by a status, and nothing that depends on it begins", async (_, status) => {
    promise("policy.claim");
    using project = edited(byStatus(status), {
      verify: "true",
    });
    project.write("tasks.yaml", `${project.read("tasks.yaml")}  - {id: C, title: Third, depends_on: [B]}\n`);
    const ran = await project.run("--task", "A");
    expect(ran.of("merge:completed").map(({ taskId }) => taskId)).toEqual(["A"]);
    expect(ran.of("task:edit_undone")).toMatchObject([
      { taskId: "B", reason: expect.stringContaining("A person sets it with `bloom ") },
    ]);
    expect(taskOf(project, "B")?.status).toBe("ready_for_agent");
    expect(taskOf(project, "C")?.status).not.toBe("ready_for_agent");
    const next = await project.run("--task", "B");
    expect(next.of("agent:started")).toMatchObject([{ taskId: "B" }]);
    expect(next.of("check:failed")).toMatchObject([{ taskId: "B", command: "test -e b.txt" }]);
  });

  it("ends no step of another task, so that it is worked on and verified", async () => {
    promise("policy.claim");
    using project = edited(`sed -i 's/id: B-1/id: B-1, status: done/' ${TASKS}`, {
      verify: "true",
      second: '\n    steps: [{id: B-1, instruction: one, verify: ["test -e c.txt"]}]',
    });
    const ran = await project.run("--task", "A");
    expect(ran.of("task:edit_undone")).toMatchObject([{ taskId: "B" }]);
    expect(taskOf(project, "B")?.steps[0]?.status ?? "pending").toBe("pending");
  });

  it.skipIf(NO_WALL)("makes no other task done from the project's folder, behind the wall", async () => {
    promise("policy.claim");
    using project = bloomProject({
      project: { sandbox: "bwrap" },
      settings: { tries: 1, agents: 2 },
      // The kernel takes away the cover of tasks.yaml when Pawl replaces the file for B.
      tasks: `tasks:
  - id: A
    title: First
    instructions: |
      RUN: touch begun; for n in $(seq 200); do sed -i 's/title: Third/&, status: done/' tasks.yaml && break; sleep 0.05; done
      RUN: bloom done A
  - id: B
    title: Second
    repo: .
    merge_into: main
    instructions: |
      RUN: until [ -e "$PAWL_PROJECT/begun" ]; do sleep 0.05; done; echo b > b.txt && ${COMMIT}
      RUN: bloom done B
  - {id: C, title: Third, depends_on: [A, B], repo: ., merge_into: main, verify: ["false"]}
`,
    });
    const ran = await project.run();
    expect(ran.of("task:edit_undone")).toMatchObject([{ taskId: "C" }]);
    expect(ran.of("agent:started").map(({ taskId }) => taskId)).toContain("C");
    expect(taskOf(project, "C")?.status).not.toBe("done");
  });

  it("makes no other task done after its loop was killed in the middle of its run", async () => {
    promise("policy.claim");
    const seen = '"$PAWL_PROJECT/seen"';
    using project = edited(
      `${byStatus("status: done")}; touch ${seen}; while [ -e ${seen} ]; do sleep 0.05; done`,
      { verify: "true" },
    );
    const child = project.start("--task", "A");
    await until(() => project.read("seen") !== null);
    child.kill("SIGKILL");
    await new Promise((done) => child.once("exit", done));
    rmSync(join(project.root, "seen"));
    const ran = await project.run("--task", "B");
    expect(ran.of("task:edit_undone")).toMatchObject([{ taskId: "B" }]);
    expect(ran.of("agent:started")).toMatchObject([{ taskId: "B" }]);
  });

  it("gets no more permission for the next task", async () => {
    promise("policy.pinned");
    using project = edited(`sed -i 's/"agent"/"permission":"all","agent"/' ${PAWL}`, { verify: "true" });
    const ran = await project.run();
    expect(project.read("pawl.yaml")).toContain('"permission":"all"');
    expect(ran.of("agent:started").map(({ taskId, permission }) => [taskId, permission])).toContainEqual([
      "B",
      "edits",
    ]);
    expect(ran.of("agent:started").map(({ permission }) => permission)).not.toContain("all");
    expect(ran.of("policy:changed")).toMatchObject([
      {
        run: "bloom",
        ignored: [
          {
            path: "bloom.permission",
            pinned: "edits",
            present: "all",
            loosens: true,
            place: expect.stringMatching(/^pawl\.yaml:\d+$/),
          },
        ],
      },
    ]);
  });

  it("does not loosen the next loop either, until a person accepts it at a terminal", async () => {
    promise("policy.pinned");
    using project = edited(`sed -i 's/"turns":50/"turns":99/' ${PAWL}`, {
      settings: { budget: { turns: 50 } },
    });
    await project.run("--task", "A");
    const again = await project.run("--task", "B");
    expect(again.of("policy:changed")).toMatchObject([
      { run: "bloom", ignored: [{ path: "bloom.budget.turns", pinned: 50, present: 99 }] },
    ]);
    expect((await project.bloom("policy", "--accept")).err).toContain("[terminal-missing]");
    expect((await project.person("policy", "--accept")).code).toBe(0);
    expect((await project.bloom("policy")).out).not.toContain("ignored");
    expect(project.stored()).toContainEqual(
      expect.objectContaining({ type: "policy:accepted", run: "bloom", by: expect.anything() }),
    );
  });

  it("does not loosen the next loop by taking its task out of tasks.yaml", async () => {
    promise("policy.pinned");
    using project = edited('sh "$PAWL_PROJECT/../out.sh"', { settings: { budget: { turns: 50 } } });
    const out = `sed -i 's/"turns":50/"turns":99/' pawl.yaml && sed -i '/id: A$/,/bloom done A/d' tasks.yaml`;
    project.write("../out.sh", `cd "$PAWL_PROJECT" && ${out}\n`);
    await project.run("--task", "A");
    expect(taskOf(project, "A")).toBeUndefined();
    const again = await project.run("--task", "B");
    expect(again.of("policy:changed")).toMatchObject([{ run: "bloom", open: ["A"] }]);
  });

  it("does not change what runs by writing its run's file", async () => {
    using project = edited(
      `sed -i 's/verify: \\["false"\\]/verify: []/' ${TASKS}; sed -i 's/"tries": {}/"tries": {}, "policy": "other"/' "$PAWL_PROJECT/.pawl/runs/A.json"`,
    );
    const ran = await project.run("--task", "A");
    expect(ran.of("check:failed")).toHaveLength(1);
  });
});

describe("a person", () => {
  it("tightens a task that is at work by an edit, at once", async () => {
    promise("policy.rules");
    using project = edited(
      `echo '# touched' >> ${TASKS}; sed -i 's/verify: \\["true"\\]/verify: ["true", "test -e b.txt"]/' ${TASKS}`,
      {
        verify: "true",
      },
    );
    const ran = await project.run("--task", "A");
    expect(ran.of("check:failed")).toMatchObject([{ taskId: "A", command: "test -e b.txt" }]);
    expect(ran.of("policy:changed")).toEqual([]);
  });

  it("mends a task's verify and lets it go on by `ready`", async () => {
    promise("policy.accepted");
    using project = edited("true");
    await project.run("--task", "A");
    const text = project.read("tasks.yaml") ?? "";
    writeFileSync(join(project.root, "tasks.yaml"), text.replace('verify: ["false"]', "verify: []"));
    await project.bloom("ready", "A");
    const ran = await project.run("--task", "A");
    expect(ran.of("policy:changed")).toEqual([]);
    expect(ran.of("merge:completed")).toHaveLength(1);
  });

  it("ends another task by a command while an agent is at work", async () => {
    promise("policy.claim");
    const seen = '"$PAWL_PROJECT/seen"';
    using project = edited(`touch ${seen}; while [ -e ${seen} ]; do sleep 0.05; done`, { verify: "true" });
    const running = project.run("--task", "A");
    await until(() => project.read("seen") !== null);
    expect((await project.person("done", "B", "--force")).code).toBe(0);
    rmSync(join(project.root, "seen"));
    const ran = await running;
    expect(ran.of("task:edit_undone")).toEqual([]);
    expect(taskOf(project, "B")?.status).toBe("done");
  });

  it("takes a blocked task out of tasks.yaml, and its run pins nothing any more", async () => {
    promise("policy.pinned");
    using project = edited("true", { settings: { budget: { turns: 50 } } });
    project.write("tasks.yaml", (project.read("tasks.yaml") ?? "").replace("test -e b.txt", "true"));
    await project.run("--task", "A");
    const settings = project.read("pawl.yaml") ?? "";
    writeFileSync(join(project.root, "pawl.yaml"), settings.replace('"turns":50', '"turns":99'));
    const held = await project.run("--task", "B");
    expect(held.of("policy:changed")).toMatchObject([{ run: "bloom", open: ["A"] }]);
    const status = await project.bloom("status");
    expect(status.out.replaceAll(/\s+/g, " ")).toContain("is ignored while A is open: bloom.budget.turns");
    const tasks = project.read("tasks.yaml") ?? "";
    writeFileSync(
      join(project.root, "tasks.yaml"),
      tasks.replace(/ {2}- id: A\n[\s\S]*?(?= {2}- id: B)/, ""),
    );
    expect((await project.bloom("status")).out).not.toContain("bloom:A:");
    const free = await project.run();
    expect(free.of("policy:changed")).toEqual([]);
  });

  it("edits tasks while no agent is at work, and the loop follows", async () => {
    using project = edited("true", { verify: "true" });
    const child = project.start("--task", "B");
    child.kill("SIGTERM");
    await new Promise((done) => child.once("exit", done));
    const text = project.read("tasks.yaml") ?? "";
    writeFileSync(join(project.root, "tasks.yaml"), text.replace('["test -e b.txt"]', "[]"));
    const ran = await project.run("--task", "B");
    expect(ran.of("check:failed")).toEqual([]);
  });
});

const ID = "TS-01";
const CONFIG =
  "reviews: {default: [human]}\nhuman_review: confirm\nevidence: require\nchecks: {test: 'false'}\n";
const TASK = `# TASK: ${ID}\n\n## Title\nT\n\n## Context\nC\n\n## Implementation Details\nI\n\n## Acceptance Criteria\n- a\n`;
const STATE = `.alfred/workspace/${ID}/task_state.json`;

async function begun(): Promise<TemporaryProject> {
  const project = temporaryProject({ environment: { DOOR_ONLY: "" } });
  project.write(".alfred/config.yml", CONFIG);
  project.trust();
  await using server = await connect(project, { environment: { DOOR_ONLY: "" } });
  await server.call("create_task", { task_content: TASK });
  await server.call("start_task", { task_id: ID });
  await server.call("submit_work", {
    task_id: ID,
    artifact: { is_clean: true, current_branch: "main", uncommitted_files: [] },
  });
  return project;
}

async function review(project: TemporaryProject) {
  await using server = await connect(project, { environment: { DOOR_ONLY: "" } });
  return await server.call("provide_review", { task_id: ID, is_approved: true });
}

describe("an assistant with a shell", () => {
  it("does not take the person out of the gate, by the configuration", async () => {
    promise("policy.pinned");
    using project = await begun();
    project.write(".alfred/config.yml", "reviews: {default: []}\nhuman_review: relay\n");
    expect((await review(project)).isError).toBe(true);
    const { out } = await project.pawl("policy", `alfred:${ID}`);
    expect(out).toContain('ignored  alfred.human_review: "confirm" → "relay" (.alfred/config.yml:2)');
    expect(out).toContain('ignored  alfred.checks.test: "false" → none');
    expect((await project.pawl("status")).out.replace(/\s+/g, " ")).toContain(
      `alfred:${ID}: an edit that loosens its policy is ignored`,
    );
  });

  it("does not, by the hash in the state either, nor by leaving it out", async () => {
    promise("policy.pinned");
    for (const policy of ["0".repeat(64), undefined]) {
      using project = await begun();
      project.write(".alfred/config.yml", "human_review: relay\n");
      const state = JSON.parse(project.read(STATE) ?? "");
      state.active_tool_state.policy = policy;
      project.write(STATE, JSON.stringify(state));
      expect((await review(project)).isError).toBe(true);
    }
  });

  it("shows the person at the gate what does not count, and the person may accept it", async () => {
    promise("policy.accepted");
    using project = await begun();
    project.write(".alfred/config.yml", CONFIG.replace("confirm", "relay").replace("require", "show"));
    const asked = await project.person("approve", ID);
    expect(`${asked.screen}${asked.err}`.replace(/\s+/g, " ")).toContain("The configuration was loosened");
    expect((await project.pawl("policy", `alfred:${ID}`, "--accept")).err).toContain("[terminal-missing]");
    expect((await project.person("policy", `alfred:${ID}`, "--accept")).code).toBe(0);
    expect((await review(project)).isError).toBe(false);
    expect((await project.pawl("policy", `alfred:${ID}`)).out).not.toContain("ignored");
  });

  it("is held if the policy is not known on this machine, unless the files say the same or a person accepts them", async () => {
    promise("policy.accepted");
    using project = await begun();
    for (const path of policies(project)) rmSync(path);
    expect((await review(project)).text).not.toContain("this machine does not have");
    for (const path of policies(project)) rmSync(path);
    project.write(".alfred/config.yml", "human_review: relay\n");
    expect((await review(project)).text).toContain("a policy that this machine does not have");
    expect((await project.pawl("policy", `alfred:${ID}`, "--accept")).err).toContain("[terminal-missing]");
    expect((await project.person("policy", `alfred:${ID}`, "--accept")).code).toBe(0);
    expect((await review(project)).isError).toBe(false);
  });

  it.each(["is damaged", "cannot be read"])("is held if the policy that was kept %s", async (how) => {
    promise("state-home.unreadable");
    using project = await begun();
    const [path = ""] = policies(project);
    rmSync(path);
    if (how === "is damaged") writeFileSync(path, "swapped");
    else mkdirSync(path);
    project.write(".alfred/config.yml", "human_review: relay\n");
    const { data, isError, text } = await review(project);
    expect(isError).toBe(true);
    expect(data).toMatchObject({ data: { code: "state-home-failed" } });
    expect(text).toContain(`${path} ${how}`);
    const status = await project.pawl("status", "--json");
    expect(status.code).toBe(1);
    const { problems, runs } = JSON.parse(status.out);
    expect(problems).toContainEqual(expect.objectContaining({ message: expect.stringContaining(path) }));
    expect(runs).toContainEqual(expect.objectContaining({ run: `alfred:${ID}` }));
  });
});

/** The files of the policies that are kept of the project. */
function policies({ root }: TemporaryProject): readonly string[] {
  const folder = join(stateOf(root).folder, "policies");
  return readdirSync(folder).map((name) => join(folder, name));
}

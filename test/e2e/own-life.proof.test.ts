/** A task's life that extends Bloom's table: real loops, real git, a scripted agent. */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ANSWERS, CAREFUL, lifeProject, TASK, TEXTS, taskRun } from "../rig/life.ts";
import { limitedAgent } from "../rig/limited-agent.ts";
import { machines } from "../rig/machines.ts";
import { emptyDatabase, STARTING } from "../rig/postgres.ts";
import { rigProgram } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { trustAsItIs } from "../rig/trust.ts";

const LONG = { timeout: 120_000 };

describe("A task whose life is the team's", () => {
  it("is reviewed by another agent before it is delivered, sent back, mended and merged", LONG, async () => {
    promise("own.life");
    using project = lifeProject();
    const checked = await project.bloom("check", "careful");
    expect(checked).toMatchObject({ code: 0 });
    expect(checked.out).toContain("at most 4 orders, for at most 2.00 USD");
    const ran = await project.run();
    expect([ran.code, ran.err]).toEqual([0, expect.any(String)]);
    expect(
      ran.of("agent:started").map(({ permission, purpose, resumed }) => [purpose, permission, resumed]),
    ).toEqual([
      ["step", "edits", false],
      ["reviewer", "read", false],
      ["order", "edits", true],
      ["reviewer", "read", false],
    ]);
    expect(project.git("show", "main:a.txt")).toBe("bye");
    expect(project.tasks()[0]?.status).toBe("done");
    expect(taskRun(project)).toMatchObject({
      state: "done",
      kept: { rounds: 1 },
      said: { reviewer: { points: "Fine." } },
    });
  });

  it("asks a person once the reviewer has said no three times, in the words of its text", LONG, async () => {
    promise("own.life");
    const no = 'SAY: {"verdict": "must_change", "points": "Still no."}';
    using project = lifeProject({
      answers: {
        ...ANSWERS,
        "Review T1, round": no,
        "The reviewer says": "RUN: date +%N >> a.txt; git commit -qam more",
      },
    });
    const ran = await project.run();
    expect([ran.code, ran.of("agent:started").length]).toEqual([3, 8]);
    const status = (await project.bloom("status")).out.replaceAll(/\s+/g, " ");
    expect(status).toContain("After 3 rounds the reviewer still says: Still no.");
    expect(project.git("log", "--format=%s", "main")).toBe("Begin");
    const review = (await project.bloom("review", "bloom:T1")).out;
    expect(review).toMatch(/The agent reviewer[\s\S]*Still no\./);
    expect(review).toMatch(/reviewer +0\.006 usd/);
    expect((await project.person("approve", "T1")).code).toBe(0);
    expect((await project.run()).code).toBe(0);
    expect(project.git("log", "--format=%s", "main")).toContain("hello");
    expect((await project.bloom("repair")).out).not.toContain("T1");
    expect((await project.bloom("task", "show", "T1")).out).toContain(
      "Its life: careful, as it was when the task began.",
    );
    expect((await project.bloom("task", "show", "T1")).out).toContain("reviewer, points: Still no.");
  });

  it("tells its agent once what is wrong with an answer, and is blocked after that", LONG, async () => {
    promise("own.agents-held");
    using project = lifeProject({ answers: { ...ANSWERS, "Review T1, round 0": "SAY: It is fine." } });
    const ran = await project.run();
    expect([ran.code, taskRun(project).state]).toEqual([1, "blocked"]);
    const [, first, second] = project.runs();
    expect(first?.prompt).toContain("# Task T1: Greet\n\nGreet the reader.");
    expect(first?.prompt).toContain("on the branch `bloom/T1`; `git diff main...HEAD` shows all of it");
    expect(second).toMatchObject({ resumed: true });
    expect(second?.prompt).toContain("- There is no JSON object in your last message.");
    expect(taskRun(project).reason).toContain("the answer of reviewer was refused twice");
    // Once its file is mended, the task begins anew with it.
    project.write("careful/review.md", "Look at {{ id }}.\n");
    trustAsItIs(project.root);
    writeFileSync(
      project.environment.PAWL_SCRIPTED_ANSWERS ?? "",
      JSON.stringify({ ...ANSWERS, "Look at T1": 'SAY: {"verdict": "reviewed_well", "points": ""}' }),
    );
    expect((await project.person("ready", "T1")).code).toBe(0);
    const again = await project.run();
    expect(again.of("agent:started").map(({ purpose }) => purpose)).toEqual(["reviewer"]);
    expect(project.git("show", "main:a.txt")).toBe("hello");
  });

  it("waits for a person whom its agent asks, and goes on with the answer in its session", LONG, async () => {
    using project = lifeProject({
      answers: {
        ...ANSWERS,
        "Review T1, round 0": "SAY: Is a greeting enough?",
        "The answer: It is.": 'SAY: {"verdict": "reviewed_well", "points": ""}',
      },
    });
    expect((await project.run()).code).toBe(3);
    expect(taskRun(project)).toMatchObject({
      state: "waiting_for_human",
      kept: { awaits: "answer_in_reviewing" },
    });
    expect((await project.bloom("answer", "q1", "It is.")).code).toBe(0);
    expect((await project.run()).code).toBe(0);
    expect(project.runs().at(-1)).toMatchObject({ resumed: true });
    expect(project.tasks()[0]?.status).toBe("done");
  });

  it("keeps the life with which it began, and `life: bloom` is Bloom's own", LONG, async () => {
    promise("own.life");
    using project = lifeProject({
      tasks: `${TASK}  checkpoint: true\n- {id: T2, title: u, life: bloom, instructions: "RUN: bloom done T2"}\n`,
      answers: {
        ...ANSWERS,
        "Review T1, round 0": 'SAY: {"verdict": "reviewed_well", "points": "Well done."}',
      },
    });
    expect((await project.run()).code).toBe(3);
    expect(project.tasks()[1]?.status).toBe("done");
    expect(taskRun(project, "T2").life).toBeUndefined();
    project.write("careful.yaml", "title: Broken\nextends: bloom\nrows: []\n");
    const approved = await project.person("approve", "T1");
    expect(approved.screen).toMatch(/The agent reviewer[\s\S]*Well done\./);
    expect((await project.run()).code).toBe(0);
    expect(taskRun(project)).toMatchObject({ state: "done", life: { name: "careful" } });
  });

  it("has no runs, and a task that names another one is told where", LONG, async () => {
    using project = lifeProject({ tasks: `${TASK}  life: carefull\n` });
    expect((await project.bloom("cast", "careful:T1", "start")).err).toContain("it is the life of tasks");
    expect((await project.bloom("validate")).out).toMatch(
      /tasks\.yaml:\d+:\d+: warning: No life of tasks is called "carefull": expected one of bloom, careful\./,
    );
    const ran = await project.run();
    expect(ran.code).toBe(1);
    expect(ran.of("task:failed")).toMatchObject([{ taskId: "T1", code: "config-invalid" }]);
    project.write("review.yaml", "title: x\n");
    const settings = (life: string) =>
      JSON.stringify({
        bloom: { agent: "scripted", life },
        workflows: ["./careful.yaml"],
        sandbox: "none",
        stores: { bloom: "files" },
      });
    project.write("pawl.yaml", settings("crefull"));
    expect((await project.bloom("validate")).out).toContain(
      "pawl.yaml: warning: bloom.life is crefull: expected one of bloom, careful.",
    );
    project.write("pawl.yaml", settings("careful"));
    project.write("careful.yaml", CAREFUL.replace(", when: { rounds: 0..2 }", ""));
    project.write("tasks.yaml", TASK);
    expect((await project.run()).of("task:failed")).toMatchObject([
      { taskId: "T1", code: "workflow-invalid" },
    ]);
    expect(project.runs()).toEqual([]);
  });

  it("counts as it was when the loop began, whatever an agent writes there", LONG, async () => {
    const tasks = `${TASK}- {id: T2, title: u, repo: ., merge_into: main, depends_on: [T1], instructions: Greet again.}\n`;
    using project = lifeProject({ tasks });
    const well = 'SAY: {"verdict": "reviewed_well", "points": ""}';
    const work = (id: string, more: string) =>
      `RUN: echo ${id} > ${id}.txt; git add -A; git commit -qm ${id}; ${more}bloom done ${id}`;
    writeFileSync(
      project.environment.PAWL_SCRIPTED_ANSWERS ?? "",
      JSON.stringify({
        "bloom done T1": work(
          "T1",
          `printf 'title: C\\nextends: bloom\\nrows: []\\n' > ${project.root}/careful.yaml; `,
        ),
        "bloom done T2": work("T2", ""),
        "Review T1": well,
        "Review T2": well,
      }),
    );
    const ran = await project.run();
    expect(ran.code).toBe(0);
    expect(project.read("careful.yaml")).toContain("rows: []");
    expect(ran.of("agent:started").map(({ purpose, taskId }) => [taskId, purpose])).toEqual([
      ["T1", "step"],
      ["T1", "reviewer"],
      ["T2", "step"],
      ["T2", "reviewer"],
    ]);
  });

  it("starts no agent to which nobody agreed, and none that nobody knows", LONG, async () => {
    promise("own.life");
    using project = lifeProject();
    const asked = CAREFUL.replace("permission: read", "agent: someone, permission: read");
    project.write("careful.yaml", asked);
    const unknown = await project.run();
    expect(unknown.of("task:failed")).toMatchObject([{ taskId: "T1", code: "config-invalid" }]);
    expect(unknown.of("agent:started")).toEqual([]);
    const settings = JSON.parse(project.read("pawl.yaml") ?? "");
    const agents = { ...settings.agents, someone: { program: "/bin/true" } };
    // Not by the rig, which would agree to it.
    writeFileSync(`${project.root}/pawl.yaml`, JSON.stringify({ ...settings, agents }));
    const ran = await project.run();
    const reason = expect.stringContaining("would start: someone");
    expect(ran.of("task:waiting")).toMatchObject([{ taskId: "T1", reason }]);
    expect(ran.of("loop:ended")).toMatchObject([{ waiting: ["T1"] }]);
    expect(ran.of("agent:started").map(({ purpose }) => purpose)).toEqual(["step"]);
    expect(taskRun(project).state).toBe("reviewing");
  });

  it("moves on no life that was changed where it is kept", LONG, async () => {
    promise("own.life");
    const answers = { ...ANSWERS, "Review T1": 'SAY: {"verdict": "reviewed_well", "points": ""}' };
    // A process that has read a life once does not read it again: this one is nobody else's.
    const table = CAREFUL.replace("title: Careful", "title: Most careful");
    using project = lifeProject({ tasks: `${TASK}  checkpoint: true\n`, answers, table });
    expect((await project.run()).code).toBe(3);
    const path = `.pawl/lives/${taskRun(project).life.hash}.json`;
    const text = project.read(path) ?? "";
    project.write(path, text.replace('"to":"reviewing"', '"to":"pushing"'));
    const refused = await project.person("approve", "T1");
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("[state-tampered]")]);
    expect(refused.err).toContain("The life careful, with which a run began, was changed");
    project.write(path, text);
    expect((await project.person("approve", "T1")).code).toBe(0);
    // The other way out that it names.
    rmSync(join(project.root, path));
    const held = await project.run();
    const fix = expect.stringContaining("move .pawl/runs/T1.json out of .pawl");
    expect(held.of("task:failed")).toMatchObject([{ taskId: "T1", fix }]);
    rmSync(join(project.root, ".pawl/runs/T1.json"));
    await project.run();
    expect((await project.person("approve", "T1")).code).toBe(0);
    expect((await project.run()).code).toBe(0);
    expect(project.git("show", "main:a.txt")).toBe("hello");
  });

  it("goes on with its life when `.pawl/` is removed in the middle of its run", LONG, async () => {
    promise("own.life");
    const well = 'SAY: {"verdict": "reviewed_well", "points": "Well done."}';
    using project = lifeProject({ tasks: `${TASK}  checkpoint: true\n` });
    const work = "echo hello > a.txt; git add -A; git commit -qm hello; bloom done T1";
    writeFileSync(
      project.environment.PAWL_SCRIPTED_ANSWERS ?? "",
      JSON.stringify({
        "bloom done T1": `RUN: rm -rf ${project.root}/.pawl; ${work}`,
        "Review T1, round 0": `RUN: rm -rf ${project.root}/.pawl\n${well}`,
      }),
    );
    expect((await project.run()).code).toBe(3);
    expect(taskRun(project)).toMatchObject({ state: "waiting_for_human", life: { name: "careful" } });
    expect((await project.bloom("repair")).out).not.toContain("T1");
    expect((await project.person("approve", "T1")).code).toBe(0);
    expect((await project.run()).code).toBe(0);
    expect(project.git("show", "main:a.txt")).toBe("hello");
  });

  it("waits for its agent's account, and goes on there", LONG, async () => {
    using project = lifeProject({
      table: CAREFUL.replace("permission: read", "agent: claude, permission: read"),
      project: {
        agents: { claude: { program: "./limited.sh" }, scripted: { program: rigProgram("bloom-agent") } },
      },
    });
    project.write("limited.sh", limitedAgent(project.root));
    project.write("limited", "");
    chmodSync(`${project.root}/limited.sh`, 0o755);
    trustAsItIs(project.root);
    const ran = await project.run("--no-wait");
    expect(taskRun(project)).toMatchObject({
      state: "agent_rests",
      kept: { rests_in: "reviewing" },
      rest: ["claude"],
    });
    expect(ran.of("agent:rests")).toMatchObject([{ agent: "claude" }]);
    expect((await project.bloom("status")).out.replaceAll(/\s+/g, " ")).toContain("claude");
  });

  it("says that an order has spent its budget, and a person lets it go on", LONG, async () => {
    promise("own.agents-budget");
    const table = CAREFUL.replace("budget: { usd: 0.50 }", "budget: { turns: 1 }");
    using project = lifeProject({
      table,
      answers: { ...ANSWERS, "Review T1": "RUN: true\nRUN: true\nRUN: true" },
    });
    const ran = await project.run();
    expect(taskRun(project)).toMatchObject({ state: "budget_exhausted" });
    expect(ran.of("budget:exhausted")).toMatchObject([{ taskId: "T1", limit: "turns" }]);
    expect(taskRun(project).reason).toContain("the budget of turns for the order of reviewer is spent");
  });
});

describe("A task in a database whose life is the team's", () => {
  beforeAll(emptyDatabase, STARTING);

  it("goes on, on a machine that has not its file", LONG, async () => {
    promise("own.life");
    const texts = Object.entries(TEXTS).map(([name, text]) => [`careful/${name}.md`, text]);
    using both = await machines({
      tasks: `${TASK}  checkpoint: true\n`,
      answers: {
        ...ANSWERS,
        "Say more.": "RUN: echo more > b.txt; git add -A; git commit -qm more; bloom done T1",
      },
      settings: { life: "careful" },
      project: { workflows: ["./careful.yaml"] },
      files: { "careful.yaml": CAREFUL, ...Object.fromEntries(texts) },
    });
    const { one, two } = both;
    const ran = await one.run();
    expect([ran.code, ran.of("agent:started").map(({ purpose }) => purpose)]).toEqual([
      3,
      ["step", "reviewer", "order", "reviewer"],
    ]);
    expect(existsSync(join(one.root, ".pawl/lives"))).toBe(false);
    // The one where it began is not there any more, and the other has no such workflow.
    for (const path of ["careful.yaml", "careful"]) rmSync(join(two.root, path), { recursive: true });
    expect((await two.pawl("review", "bloom:T1")).out).toMatch(/The agent reviewer[\s\S]*Fine\./);
    expect((await two.person("reject", "T1", "-m", "Say more.")).code).toBe(0);
    const next = await two.run();
    expect(next.of("agent:started").map(({ purpose }) => purpose)).toEqual(["rework", "reviewer"]);
    expect((await two.person("approve", "T1")).code).toBe(0);
    expect(await two.run()).toMatchObject({ code: 0, err: "" });
    expect(both.remoteGit("show", "main:b.txt")).toBe("more");
    expect((await one.pawl("database", "check")).out).toContain("Nothing is wrong.");
    const exported = join(one.root, "../exported");
    mkdirSync(exported);
    expect(await one.pawl("database", "export", exported)).toMatchObject({ code: 0, err: "" });
    expect(readdirSync(join(exported, ".pawl/lives"))).toHaveLength(1);
  });
});

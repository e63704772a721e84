/** What people have to say while the loop runs: questions, interjections, approvals, budgets, edits of tasks.yaml. */
import { describe, expect, it } from "vitest";
import { type BloomProject, bloomProject, ranOf } from "../rig/bloom-project.ts";
import { hangs, until } from "../rig/until.ts";

const LONG = { timeout: 90_000 };

describe("A person", () => {
  it("is asked, waits for by the task, and answers to its agent", LONG, async () => {
    using project = bloomProject({
      tasks: `tasks:
- id: T1
  title: t
  instructions: |
    RUN: test -f asked || { touch asked; bloom ask T1 "Which port?" --blocking; }
    RUN: test ! -f told || bloom done T1
`,
      answers: { "The answer: 8080": "RUN: touch told; bloom done T1" },
    });
    const first = await project.run();
    expect(first.code).toBe(3);
    expect(project.tasks()[0]?.status).toBe("in_progress");
    expect(first.of("task:waiting")).toEqual([
      expect.objectContaining({ taskId: "T1", reason: "q1: Which port?" }),
    ]);
    expect((await project.bloom("answer", "q1", "8080")).code).toBe(0);
    const second = await project.run();
    expect(second.code).toBe(0);
    expect(project.runs()[1]).toMatchObject({
      resumed: true,
      prompt: expect.stringContaining("You asked: Which port?\nThe answer: 8080"),
    });
    expect(project.read("told")).toBe("");
  });

  it("interjects: the agent is stopped at once and resumed in its session with the words", LONG, async () => {
    using project = bloomProject({
      tasks: `tasks:
- id: T1
  title: t
  instructions: |
    RUN: test -f begun || { touch begun; ${hangs()}; }
    RUN: bloom done T1
`,
    });
    const child = project.start("--once");
    const ended = ranOf(child);
    await until(() => project.read("begun") !== null);
    expect((await project.bloom("interject", "T1", "Use the other port")).code).toBe(0);
    const ran = await ended;
    expect(ran.code).toBe(0);
    expect(ran.of("run:advanced").map(({ event }) => event)).toContain("interjected");
    const [, resumed] = project.runs();
    expect(resumed).toMatchObject({
      resumed: true,
      prompt: expect.stringContaining("A person says:\n\nUse the other port"),
    });
  });

  it(
    "interjects when no run of the agent follows: it is shown until then, and kept as a note",
    LONG,
    async () => {
      using project = bloomProject({
        tasks: `tasks:
- id: T1
  title: t
  repo: .
  merge_into: main
  checkpoint: true
  instructions: |
    RUN: echo a > a.txt; git add -A; git commit -qm a
    RUN: bloom done T1
`,
      });
      expect((await project.run()).code).toBe(3);
      const said = await project.bloom("interject", "T1", "Mind the port");
      expect(said).toMatchObject({
        code: 0,
        out: expect.stringContaining("No agent of T1 runs now: it is waiting_for_human."),
      });
      expect((await project.bloom("show", "T1")).out).toContain(
        "Said, and not told to its agent yet:\n- Mind the port\n",
      );
      expect((await project.person("approve", "T1")).code).toBe(0);
      expect((await project.run()).code).toBe(0);
      expect(project.runs()).toHaveLength(1);
      expect(project.tasks()[0]).toMatchObject({
        status: "done",
        ai_notes: ["said after its agent's last run: Mind the port"],
      });
      expect(project.stored().filter(({ type }) => type === "task:noted")).toHaveLength(1);
      expect((await project.bloom("show", "T1")).out).not.toContain("not told to its agent");
      const late = await project.bloom("interject", "T1", "Too late");
      expect(late).toMatchObject({ code: 1, out: expect.stringContaining("Leave a note instead") });
    },
  );

  it("approves a checkpoint before anything is merged, and is told at once that it waits", LONG, async () => {
    using project = bloomProject({
      tasks: `tasks:
- id: T1
  title: t
  repo: .
  merge_into: main
  checkpoint: true
  instructions: |
    RUN: echo a > a.txt; git add -A; git commit -qm a
    RUN: bloom done T1
- {id: G, title: Gate, checkpoint: true, depends_on: [T1]}
`,
    });
    const first = await project.run();
    expect(first.code).toBe(3);
    expect(first.of("task:waiting")).toHaveLength(1);
    expect(project.tasks()[0]?.status).toBe("in_progress");
    expect(project.git("log", "--format=%s", "main")).toBe("Begin");
    expect((await project.person("approve", "T1")).code).toBe(0);
    expect((await project.run()).code).toBe(3);
    expect(project.git("show", "main:a.txt")).toBe("a");
    expect(project.tasks().map(({ status }) => status)).toEqual(["done", "in_progress"]);
    expect((await project.person("approve", "G")).code).toBe(0);
    expect(project.tasks()[1]?.status).toBe("done");
    expect((await project.person("approve", "G")).code).not.toBe(0);
  });

  it("sets a budget, and the task that has spent it stops with what it spent", LONG, async () => {
    using project = bloomProject({
      tasks: `tasks:
- id: T1
  title: t
  budget: {turns: 3}
  steps:
  - {id: s1, instruction: "RUN: true\\nRUN: true\\nRUN: true"}
  - {id: s2, instruction: "RUN: touch never"}
`,
    });
    const ran = await project.run();
    expect(ran.code).toBe(1);
    expect(ran.of("budget:exhausted").length).toBeGreaterThan(0);
    expect(project.read("never")).toBeNull();
    expect(project.tasks()[0]).toMatchObject({
      status: "blocked",
      ai_notes: [expect.stringMatching(/^budget_exhausted: the budget of .*turns/)],
    });
  });

  it("sets a budget of turns, and its agent is stopped before it has made two more", LONG, async () => {
    const turn = "    RUN: echo x >> turns\n";
    const turns = `${turn.repeat(3)}    RUN: ${hangs()}\n${turn}`;
    using project = bloomProject({
      tasks: `tasks:\n- id: T1\n  title: t\n  budget: {turns: 3}\n  instructions: |\n${turns}`,
    });
    const ran = await project.run();
    expect(ran.code).toBe(1);
    expect(project.read("turns")).toBe("x\n".repeat(3));
    expect(ran.of("budget:exhausted")).toEqual([
      expect.objectContaining({ limit: "turns", spent: expect.objectContaining({ turns: 4 }) }),
    ]);
    expect(ran.of("agent:ended")).toEqual([
      expect.objectContaining({ outcome: "failed", reason: "stopped", turns: 4 }),
    ]);
    expect(stateOf(project, "T1")).toBe("budget_exhausted");
  });

  it("sets a budget that a killed loop's runs count in, too", LONG, async () => {
    using project = bloomProject({
      tasks: `tasks:\n- id: T1\n  title: t\n  budget: {turns: 3}\n  instructions: |\n    RUN: true\n    RUN: true\n    RUN: ${hangs()}\n`,
    });
    const child = project.start("--once");
    await until(() => (project.read(".pawl/agents/T1.1/usage.json") ?? "").includes('"turns": 3'));
    child.kill("SIGKILL");
    await ranOf(child);
    const ran = await project.run();
    expect(ran.of("budget:exhausted")).toEqual([expect.objectContaining({ limit: "turns" })]);
    expect(project.runs()).toHaveLength(1);
  });

  it("takes a task back or begins it anew while its agent works: that one is stopped", LONG, async () => {
    const task = (id: string) => `- id: ${id}
  title: t
  repo: .
  merge_into: main
  instructions: |
    RUN: test -f "$PAWL_PROJECT/${id}.begun" || { touch "$PAWL_PROJECT/${id}.begun"; ${hangs()}; }
    RUN: echo ${id} > ${id}.txt; git add -A; git commit -qm ${id}
`;
    using project = bloomProject({ tasks: `tasks:\n${["T1", "T2", "T3"].map(task).join("")}` });
    const ran = ranOf(project.start("--once", "--agents", "3"));
    await until(() => ["T1", "T2", "T3"].every((id) => project.read(`${id}.begun`) !== null));
    expect((await project.bloom("reset", "T1")).code).toBe(0);
    expect((await project.bloom("todo", "T2")).code).toBe(0);
    const text = project.read("tasks.yaml") ?? "";
    const last = text.lastIndexOf("status: in_progress");
    project.write(
      "tasks.yaml",
      `${text.slice(0, last)}status: ready_for_agent${text.slice(last + "status: in_progress".length)}`,
    );
    expect((await ran).code).toBe(0);
    for (const id of ["T1", "T2", "T3"]) {
      const runs = project.runs().filter(({ run }) => run.startsWith(`${id}.`));
      expect(runs.map(({ resumed }) => resumed)).toEqual([false, false]);
    }
    expect((await ran).of("agent:ended").filter(({ reason }) => reason === "stopped")).toHaveLength(3);
    expect((await ran).of("merge:completed")).toHaveLength(3);
  });

  it("works on a task alone: the run says so, and how it goes on", LONG, async () => {
    using project = bloomProject({
      tasks: "tasks:\n- {id: T1, title: t, status: in_progress}\n- {id: T2, title: u}\n",
    });
    const ran = await project.run();
    expect(ran.code).toBe(3);
    expect(ran.events.at(-1)).toMatchObject({ type: "loop:ended", done: ["T2"], byHand: ["T1"] });
  });

  it("writes a status that cannot be changed: it is named, and the other tasks go on", LONG, async () => {
    using project = bloomProject({
      tasks: "tasks:\n- id: T1\n  title: t\n  status: &x todo\n- {id: T2, title: u}\n",
    });
    const valid = await project.bloom("validate");
    expect(valid.code).toBe(1);
    expect(valid.out + valid.err).toContain("tasks.yaml:4:");
    expect(valid.out + valid.err).toContain("The status of T1 cannot be changed");
    const ran = await project.run();
    expect(ran.code).toBe(1);
    expect(ran.of("task:failed")).toMatchObject([{ taskId: "T1", code: "tasks-unwritable" }]);
    expect(project.tasks().map(({ status }) => status)).toEqual(["todo", "done"]);
  });

  it("blocks a task in tasks.yaml, and its agent is stopped", LONG, async () => {
    using project = bloomProject({
      tasks: `tasks:\n- id: T1\n  title: t\n  instructions: |\n    RUN: touch begun; ${hangs()}\n`,
    });
    const ended = ranOf(project.start("--once"));
    await until(() => project.read("begun") !== null);
    project.write(
      "tasks.yaml",
      (project.read("tasks.yaml") ?? "").replace("status: in_progress", "status: blocked # not now"),
    );
    expect((await ended).code).toBe(1);
    expect(project.read("tasks.yaml")).toContain("status: blocked # not now");
    expect(stateOf(project, "T1")).toBe("blocked");
  });

  it("looks at what would be done without anything being changed", LONG, async () => {
    const tasks =
      "tasks:\n- {id: T1, title: t, repo: ., steps: [{id: s1, instruction: x}]}\n- {id: T2, title: u, depends_on: [T1]}\n";
    using project = bloomProject({ tasks });
    const shown = await project.bloom("run", "--dry-run");
    expect(shown).toMatchObject({
      code: 0,
      out: "T1  t\n  step s1, scripted (permission edits) in . on bloom/T1\n",
    });
    expect(project.read("tasks.yaml")).toBe(tasks);
    expect(project.runs()).toEqual([]);
  });

  it(
    "is told that an agent is not there before anything is written, and how to install it",
    LONG,
    async () => {
      using project = bloomProject({
        tasks: "tasks:\n- {id: T1, title: t}\n- id: T2\n  title: u\n  agent: clade\n",
      });
      project.write(
        "pawl.yaml",
        JSON.stringify({ bloom: { agent: "claude" }, agents: { claude: { program: "no-such-claude" } } }),
      );
      const checked = await project.bloom("validate");
      expect(checked.out).toMatch(
        /^tasks\.yaml:5:\d+: warning: No agent is called "clade": .*If claude is meant/m,
      );
      expect(checked.out.match(/warning/g)).toHaveLength(1);
      const shown = await project.bloom("run", "--dry-run");
      expect(shown.out).toContain(
        "not found: claude is not installed: no program no-such-claude is on the PATH",
      );
      expect(shown.out).toContain("Did you mean claude?");
      const before = project.read("tasks.yaml");
      const ran = await project.bloom("run", "--once");
      expect(ran).toMatchObject({ code: 2, err: expect.stringContaining("[agent-missing]") });
      expect(ran.err).toContain("T1 cannot begin: claude is not installed");
      expect(ran.err).not.toContain("ENOENT");
      expect(project.read("tasks.yaml")).toBe(before);
      expect(project.read(".pawl/runs/T1.json")).toBeNull();
    },
  );

  it("has the other tasks done where one task's agent is not there", LONG, async () => {
    using project = bloomProject({
      tasks: `tasks:\n- {id: T1, title: t, agent: clade}\n- {id: T2, title: u, instructions: "RUN: touch made"}\n`,
    });
    const ran = await project.bloom("run", "--once");
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining("T1 cannot begin") });
    expect(ran.out).toMatch(/^\d\d:\d\d T1 is skipped by this run: T1 cannot begin: /);
    expect(project.read("made")).toBe("");
    expect(project.tasks()[0]).not.toHaveProperty("ai_notes");
    expect(project.tasks().map(({ status }) => status)).toEqual(["ready_for_agent", "done"]);
  });
});

function stateOf(project: BloomProject, id: string): string {
  return JSON.parse(project.read(`.pawl/runs/${id}.json`) ?? "{}").state;
}

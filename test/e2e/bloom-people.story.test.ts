/** What people have to say while the loop runs: questions, interjections, approvals, budgets, edits of tasks.yaml. */
import { describe, expect, it } from "vitest";
import { type BloomProject, bloomProject, checkpointTask, ranOf } from "../rig/bloom-project.ts";
import { promise } from "../rig/promise.ts";
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

  it(
    "approves a checkpoint before anything is merged, and is notified at once that it waits",
    LONG,
    async () => {
      using project = bloomProject({
        tasks: `${checkpointTask("a")}- {id: G, title: Gate, checkpoint: true, depends_on: [T1]}\n`,
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
    },
  );

  it("sets a budget of turns, and its agent is stopped before it has made two more", LONG, async () => {
    promise("agents.budget");
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
    promise("agents.budget");
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

  it("writes a status that cannot be changed: it is named, and the other tasks go on", LONG, async () => {
    promise("bloom.one-fault");
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

  it("shows what would be done, and changes nothing", LONG, async () => {
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
      promise("agents.installed-first");
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
        "not found: claude is not installed: no program no-such-claude on the PATH",
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
});

function stateOf(project: BloomProject, id: string): string {
  return JSON.parse(project.read(`.pawl/runs/${id}.json`) ?? "{}").state;
}

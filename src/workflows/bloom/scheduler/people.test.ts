/** What people say while the loop runs: interjections, budgets, edits of tasks.yaml, answers to an agent that asks. */
import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import {
  openStage,
  type Stage,
  type StageOptions,
  type StageRun,
} from "../../../../test/rig/schedule/stage.ts";
import { gate } from "../gate.ts";
import { reset } from "../verbs/person.ts";
import { answer, ask, interject } from "../verbs/question.ts";
import { show } from "../verbs/show.ts";
import { done, hint, ready, start, todo } from "../verbs/status.ts";

const ONE = "tasks:\n- {id: T1, title: t, instructions: do it}\n";

/** The first run of each of the tasks hangs until it is stopped. */
async function firstHangs({ run, stopped }: StageRun) {
  if (/^T[123]\.1$/.test(run)) await stopped;
  return undefined;
}

function staged(options: Partial<StageOptions>) {
  return openStage({ tasks: ONE, once: true, ...options });
}

describe("A task that tasks.yaml calls done while an agent works", () => {
  it.each([
    ["one without a wall", false, true, 2],
    ["one behind a wall, in the project's folder", true, false, 2],
    ["one behind a wall, in a workspace of its own", true, true, 1],
  ])("is a claim if that may have written it: %s", async (_, isWalled, hasRepo, runs) => {
    const first = `{id: T1, title: t, instructions: i${hasRepo ? ', repo: "."' : ""}}`;
    const second = "{id: T2, title: u, instructions: i, depends_on: [T1]}";
    const stage: Stage = staged({
      tasks: `tasks:\n- ${first}\n- ${second}\n`,
      isWalled,
      async agent({ task }) {
        if (task === "T1")
          stage.save(
            "tasks.yaml",
            (stage.read("tasks.yaml") ?? "").replace("title: u", "title: u, status: done"),
          );
        return undefined;
      },
    });
    expect(await stage.end()).toMatchObject({ blocked: [] });
    expect(stage.tasks().map(({ status }) => status)).toEqual(["done", "done"]);
    expect(new Set(stage.runs.map(({ task }) => task)).size).toBe(runs);
  });
});

describe("A person", () => {
  it("interjects: the agent is stopped at once and resumed in its session with the words", async () => {
    const { until, runs, person, end, of } = staged({ agent: firstHangs });
    await until(() => runs.length === 1);
    await person(interject, { task: "T1", text: "Use the other port" });
    expect(await end()).toMatchObject({ done: ["T1"] });
    expect(of("run:advanced").map(({ event }) => event)).toContain("interjected");
    expect(runs[1]).toMatchObject({
      resumed: true,
      prompt: expect.stringContaining("A person says:\n\nUse the other port"),
    });
  });

  it.each([
    ["without steps", "instructions: i"],
    ["with steps", "steps: [{id: s1, instruction: x}, {id: s2, instruction: y}]"],
  ])("is not asked again about exactly what they rejected, in a task %s", async (_, work) => {
    promise("review.same-again");
    const stage = staged({
      tasks: `tasks:\n- {id: T1, title: t, repo: ., merge_into: main, checkpoint: true, ${work}}\n`,
    });
    const { again, end, git, of, person, runs, state, tasks } = stage;
    expect(await end()).toMatchObject({ waiting: ["T1"] });
    const first = git.heads.get("bloom/T1") ?? "";
    const reject = () => person(gate, { id: "T1", approve: false, notes: "Name the unit." });
    const handsIn = (tree: string) => git.trees.set(`c${Number(first.slice(1)) + 1}`, tree);
    // Another commit with the same files.
    handsIn(first);
    await reject();
    const before = runs.length;
    expect(await again()).toMatchObject({ blocked: ["T1"], waiting: [] });
    expect(runs).toHaveLength(before + 1);
    expect(of("task:blocked").at(-1)?.reason).toContain(
      "the agent handed in again exactly what you rejected; `bloom note T1` and `bloom ready T1`",
    );
    // The same once more, with a hint: its agent runs, has it, and the person is not asked.
    git.trees.set(`c${Number(first.slice(1)) + 2}`, first);
    await person(hint, { id: "T1", reason: "Seconds." });
    expect(await again()).toMatchObject({ blocked: ["T1"], waiting: [] });
    expect(runs.at(-1)?.prompt).toContain("hint: Seconds.");
    // Another content.
    await person(ready, { id: "T1" });
    expect(await again()).toMatchObject({ waiting: ["T1"] });
    expect(runs).toHaveLength(before + 3);
    // What a person hands in is asked about, whatever it is.
    git.trees.set(git.heads.get("bloom/T1") ?? "", first);
    await person(gate, { id: "T1", approve: false, block: true });
    await person(start, { id: "T1" });
    await person(done, { id: "T1" });
    expect(await again()).toMatchObject({ waiting: ["T1"] });
    expect([state("T1"), runs.length]).toEqual(["waiting_for_human", before + 3]);
    await person(gate, { id: "T1", approve: true });
    expect(await again()).toMatchObject({ done: ["T1"] });
    expect(tasks()[0]?.status).toBe("done");
  });

  it("interjects when no run of the agent follows: it is shown until then, and kept as a note", async () => {
    const { end, again, person, tasks, runs, stored } = staged({
      tasks: "tasks:\n- {id: T1, title: t, checkpoint: true, instructions: i}\n",
    });
    expect(await end()).toMatchObject({ waiting: ["T1"] });
    const said = await person(interject, { task: "T1", text: "Mind the port" });
    expect(said.text).toContain("No agent of T1 runs now: it is waiting_for_human.");
    const shown = async () => (await person(show, { id: "T1" })).text;
    expect(await shown()).toContain("Messages that its agent does not have yet:\n- Mind the port");
    await person(gate, { id: "T1", approve: true });
    expect(await again()).toMatchObject({ done: ["T1"] });
    expect(runs).toHaveLength(1);
    expect(tasks()[0]?.ai_notes).toEqual(["said after its agent's last run: Mind the port"]);
    expect(stored.filter(({ type }) => type === "task:noted")).toHaveLength(1);
    expect(await shown()).not.toContain("Messages that its agent");
    expect(await person(interject, { task: "T1", text: "Too late" })).toMatchObject({
      refused: true,
      text: expect.stringContaining("Leave a note instead"),
    });
  });

  it("who decides too late is told who has decided, and when", async () => {
    promise("database.verdict-login");
    const { end, person } = staged({
      tasks: "tasks:\n- {id: T1, title: t, checkpoint: true, instructions: i}\n",
    });
    await end();
    await person(gate, { id: "T1", approve: true });
    const decided = /\S+ has decided already: approved, \d{4}-\d\d-\d\dT[\d:.]+Z\./;
    expect(await person(gate, { id: "T1", approve: false })).toMatchObject({
      refused: true,
      text: expect.stringMatching(decided),
    });
  });

  it("is asked, waits for by the task, and answers to its agent", async () => {
    const { end, again, person, runs, of, tasks } = staged({
      async agent({ call, prompt }) {
        if (!prompt.includes("The answer: 8080"))
          await call(ask, { task: "T1", text: "Which port?", blocking: true });
        return undefined;
      },
    });
    expect(await end()).toMatchObject({ waiting: ["T1"] });
    expect(of("task:waiting")).toEqual([
      expect.objectContaining({ taskId: "T1", reason: "q1: Which port?" }),
    ]);
    await person(answer, { question: "q1", text: "8080" });
    expect(await again()).toMatchObject({ done: ["T1"] });
    expect(runs[1]).toMatchObject({
      resumed: true,
      prompt: expect.stringContaining("You asked: Which port?\nThe answer: 8080"),
    });
    expect(tasks()[0]?.status).toBe("done");
  });

  it.each([
    ["turns", 3, "0.00 USD, 3 turns, 0 minutes"],
    ["usd", 5, "5.00 USD, 1 turn, 0 minutes"],
    ["minutes", 2, "0.00 USD, 1 turn, 2 minutes"],
  ])(
    "sets a budget, and the task that has spent it stops with what it spent: %s",
    async (limit, most, spent) => {
      const { end, of, tasks, runs } = staged({
        tasks: `tasks:\n- {id: T1, title: t, budget: {${limit}: ${most}}, steps: [{id: s1, instruction: x}, {id: s2, instruction: y}]}\n`,
        async agent({ spend, stepDone, works }) {
          spend(limit === "turns" ? most : 1, limit === "usd" ? most : 0);
          if (limit === "minutes") await works(most * 60_000);
          await stepDone("s1");
          return undefined;
        },
      });
      expect(await end()).toMatchObject({ blocked: ["T1"] });
      expect(of("budget:exhausted")).toEqual([expect.objectContaining({ limit })]);
      expect(runs).toHaveLength(1);
      expect(tasks()[0]).toMatchObject({
        status: "blocked",
        ai_notes: [`budget_exhausted: the budget of ${limit} is spent: ${spent} so far`],
      });
    },
  );

  it("sets a budget, and hears once, while the agent still works, that four fifths are spent", async () => {
    promise("notices.causes");
    const { end, of, runs, told } = staged({
      tasks:
        "tasks:\n- {id: T1, title: t, budget: {turns: 10}, steps: [{id: s1, instruction: x}, {id: s2, instruction: y}]}\n",
      async agent({ run, spend, stepDone }) {
        if (run === "T1.1") for (const turns of [7, 8, 9]) spend(turns);
        await stepDone(run === "T1.1" ? "s1" : "s2");
        return undefined;
      },
    });
    expect(await end()).toMatchObject({ done: ["T1"] });
    expect(runs).toHaveLength(2);
    expect(of("budget:nearing")).toEqual([
      expect.objectContaining({ taskId: "T1", limit: "turns", spent: 8, of: 10 }),
    ]);
    const types = told.map(({ type }) => type);
    expect(types.indexOf("budget:nearing")).toBeLessThan(types.indexOf("agent:ended"));
  });

  it("takes a task back or begins it anew while its agent works: that one is stopped", async () => {
    promise("bloom.word-counts");
    const ids = ["T1", "T2", "T3"];
    const { until, runs, person, save, read, end, of } = staged({
      tasks: `tasks:\n${ids.map((id) => `- {id: ${id}, title: t, instructions: i, repo: ., merge_into: main}\n`).join("")}`,
      agents: 3,
      agent: firstHangs,
    });
    await until(() => runs.length === 3);
    await person(reset, { id: "T1" });
    await person(todo, { id: "T2" });
    const text = read("tasks.yaml") ?? "";
    const last = text.lastIndexOf("status: in_progress");
    save(
      "tasks.yaml",
      `${text.slice(0, last)}status: ready_for_agent${text.slice(last + "status: in_progress".length)}`,
    );
    expect(await end()).toMatchObject({ done: ids });
    for (const id of ids)
      expect(runs.filter(({ task }) => task === id).map(({ resumed }) => resumed)).toEqual([false, false]);
    expect(of("agent:ended").filter(({ reason }) => reason === "stopped")).toHaveLength(3);
    expect(of("merge:completed")).toHaveLength(3);
  });

  it("works on a task alone: the run says so, and continues with the others", async () => {
    promise("bloom.by-hand");
    const { end } = staged({
      tasks: "tasks:\n- {id: T1, title: t, status: in_progress}\n- {id: T2, title: u}\n",
    });
    expect(await end()).toMatchObject({ done: ["T2"], byHand: ["T1"] });
  });

  it("writes a status that cannot be changed: it is named once, and the other tasks go on", async () => {
    const { end, of, tasks } = staged({
      tasks: "tasks:\n- id: T1\n  title: t\n  status: &x todo\n- {id: T2, title: u}\n",
    });
    await expect(end()).rejects.toMatchObject({ code: "tasks-unwritable" });
    expect(of("task:failed")).toMatchObject([{ taskId: "T1", code: "tasks-unwritable" }]);
    expect(tasks().map(({ status }) => status)).toEqual(["todo", "done"]);
  });

  it("blocks a task in tasks.yaml, and its agent is stopped", async () => {
    promise("bloom.word-counts");
    const tasks = "tasks:\n- id: T1\n  title: t\n  instructions: do it\n";
    const { until, runs, save, read, end, state } = staged({ tasks, agent: firstHangs });
    await until(() => runs.length === 1);
    save(
      "tasks.yaml",
      (read("tasks.yaml") ?? "").replace("status: in_progress", "status: blocked # not now"),
    );
    expect(await end()).toMatchObject({ blocked: ["T1"] });
    expect(read("tasks.yaml")).toContain("status: blocked # not now");
    expect(state("T1")).toBe("blocked");
  });

  it("stops the loop: its agents are ended, nothing new begins, and the next loop resumes them", async () => {
    const { until, runs, stop, end, again, of } = staged({
      tasks: `tasks:\n${["T1", "T2", "T4"].map((id) => `- {id: ${id}, title: t, instructions: i, repo: .}\n`).join("")}`,
      agent: firstHangs,
    });
    await until(() => runs.length === 2);
    stop();
    await end();
    expect(runs).toHaveLength(2);
    expect(of("agent:ended").map(({ reason }) => reason)).toEqual(["stopped", "stopped"]);
    expect(await again()).toMatchObject({ done: ["T1", "T2", "T4"] });
  });
});

describe("An agent that is not installed", () => {
  const CLADE = "tasks:\n- {id: T1, title: t, agent: clade}\n";

  it("stops its own task, and the others are done", async () => {
    promise("agents.installed-first");
    const { end, of, tasks } = staged({ tasks: `${CLADE}- {id: T2, title: u}\n`, missing: ["clade"] });
    await expect(end()).rejects.toMatchObject({
      code: "agent-missing",
      message: "T1 cannot begin: clade is not installed",
      fix: "Install the agent or name another, then run `bloom run` again.",
    });
    expect(of("task:failed")).toMatchObject([{ taskId: "T1", code: "agent-missing" }]);
    expect(tasks().map(({ status }) => status)).toEqual(["ready_for_agent", "done"]);
    expect(tasks()[0]).not.toHaveProperty("ai_notes");
  });

  it("is told once for all tasks that wait for it", async () => {
    promise("agents.installed-first");
    const twenty = Array.from({ length: 20 }, (_, n) => `- {id: F${n + 1}, title: t, agent: clade}\n`).join(
      "",
    );
    const { end, of } = staged({ tasks: `tasks:\n${twenty}- {id: T2, title: u}\n`, missing: ["clade"] });
    const reason = "20 tasks (F1, F2, F3 and 17 more) wait for clade: clade is not installed";
    await expect(end()).rejects.toMatchObject({ code: "agent-missing", message: reason });
    expect(of("task:failed")).toMatchObject([{ taskId: "F1", reason }]);
  });

  it("stops the loop before anything is written, if no task has another", async () => {
    const { end, read, told } = staged({ tasks: CLADE, missing: ["clade"] });
    await expect(end()).rejects.toMatchObject({ code: "agent-missing" });
    expect(read("tasks.yaml")).toBe(CLADE);
    expect(told).toEqual([]);
  });

  it("of a task that is not the worker's does not concern it", async () => {
    const { end } = staged({
      tasks: `${CLADE}- {id: T2, title: u, status: blocked}\n`,
      missing: ["clade"],
      worker: { name: null, only: "T2" },
    });
    expect(await end()).toMatchObject({ blocked: ["T2"] });
  });

  it("is not needed for a task whose work is done", async () => {
    const missing: string[] = [];
    const { end, again, person } = staged({
      tasks: "tasks:\n- {id: T1, title: t, checkpoint: true, instructions: i}\n",
      missing,
    });
    expect(await end()).toMatchObject({ waiting: ["T1"] });
    missing.push("claude");
    await person(done, { id: "T1", force: true });
    expect(await again()).toMatchObject({ done: ["T1"] });
  });
});

describe("An agent that may do nothing unasked", () => {
  const asking = (answers: string[], questions = [{ title: "Run touch a", detail: "touch a" }]) =>
    staged({
      settings: { permission: "ask" },
      async agent({ mayIt }) {
        for (const question of questions) answers.push(await mayIt(question));
        return undefined;
      },
    });

  it.each([
    ["yes", "allow"],
    [" Y", "allow"],
    ["ok, do it", "allow"],
    ["Allow", "allow"],
    ["rather not", "refuse"],
    ["no, yes is not what I say", "refuse"],
    ["yesterday", "refuse"],
  ])("asks a person, who says %j: %s", async (said, expected) => {
    const answers: string[] = [];
    const { until, person, end, of } = asking(answers);
    await until(() => of("question:asked").length === 1);
    expect(of("question:asked")[0]).toMatchObject({
      taskId: "T1",
      text: "May it do this? (yes or no) Run touch a",
      blocking: true,
    });
    await person(answer, { question: "q1", text: said });
    expect(await end()).toMatchObject({ done: ["T1"] });
    expect(answers).toEqual([expected]);
  });

  it("says what it wants to do if the title does not, and asks the same once in a task", async () => {
    const answers: string[] = [];
    const question = { title: "Run a command", detail: "rm a" };
    const { until, person, end, of } = asking(answers, [question, question, { title: "Read", detail: "" }]);
    await until(() => of("question:asked").length === 1);
    expect(of("question:asked")[0]?.text).toBe("May it do this? (yes or no) Run a command: rm a");
    await person(answer, { question: "q1", text: "yes" });
    await until(() => of("question:asked").length === 2);
    expect(of("question:asked")[1]?.text).toBe("May it do this? (yes or no) Read");
    await person(answer, { question: "q2", text: "no" });
    await end();
    expect(answers).toEqual(["allow", "allow", "refuse"]);
  });

  it("asks for each task, although two ask the same: an answer to one counts for that one alone", async () => {
    const answers: [string, string][] = [];
    const { until, person, end, of } = staged({
      tasks: "tasks:\n- {id: T1, title: t, repo: .}\n- {id: T2, title: u, repo: .}\n",
      settings: { permission: "ask" },
      async agent({ mayIt, task }) {
        answers.push([task, await mayIt({ title: "Run touch a", detail: "" })]);
        return undefined;
      },
    });
    await until(() => of("question:asked").length === 2);
    expect(new Set(of("question:asked").map(({ taskId }) => taskId))).toEqual(new Set(["T1", "T2"]));
    const [first] = of("question:asked");
    await person(answer, { question: "q1", text: "yes" });
    await until(() => answers.length === 1);
    expect(answers).toEqual([[first?.taskId, "allow"]]);
    await person(answer, { question: "q2", text: "no" });
    await end();
    expect(answers.map(([, said]) => said)).toEqual(["allow", "refuse"]);
  });

  it("is refused if its run is over before there is an answer, and the task waits for the person", async () => {
    const answers: string[] = [];
    const { until, of, stop, end, again } = asking(answers);
    await until(() => of("question:asked").length === 1);
    stop();
    await end();
    expect(answers).toEqual(["refuse"]);
    expect(await again()).toMatchObject({ waiting: ["T1"] });
  });
});

describe("A task that is blocked", () => {
  it("shows where its work is, and what lets it go on", async () => {
    const { end, person } = staged({
      settings: { on_unmarked_step: "block" },
      tasks: "tasks:\n- {id: T1, title: t, repo: ., steps: [{id: s1, instruction: x}]}\n",
    });
    expect(await end()).toMatchObject({ blocked: ["T1"] });
    const { text } = await person(show, { id: "T1" });
    expect(text).toContain("Its work: /worktrees/bloom/T1\n");
    expect(text).toContain('(`bloom note T1 "…"`); then `bloom ready T1`.');
    await person(ready, { id: "T1" });
    expect((await person(show, { id: "T1" })).text).not.toContain("Its work:");
  });
});

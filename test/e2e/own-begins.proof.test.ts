/** Rows of own workflows that begin runs, without a loop: each call on the run goes on where the last one ended. */
import { describe, expect, it } from "vitest";
import { parseWorkflow } from "../../src/workflows/custom/definition/parse.ts";
import { startsIn } from "../../src/workflows/custom/definition/starts.ts";
import type { BloomProject } from "../rig/bloom-project.ts";
import { beginProject, PART, WHOLE, WISH } from "../rig/own-begins.ts";
import { promise } from "../rig/promise.ts";

const RUN = "whole:w";
const fileOf = (project: BloomProject, run: string) =>
  JSON.parse(project.read(`.pawl/runs/${run.replace(":", "/")}.json`) ?? "null");
const childrenOf = (project: BloomProject, run = RUN): readonly string[] =>
  (fileOf(project, run).children ?? []).map(
    (each: { workflow: string; id: string }) => `${each.workflow}:${each.id}`,
  );

describe("A row that begins runs of another workflow", () => {
  it("begins one for each line of a file, hears of the last that rests, and tries again what failed", async () => {
    promise("own.begin", "own.begin-again");
    using project = beginProject();
    project.write("lists/w.md", "- [ ] The door\n- [x] The roof\n- [ ] The wall\n");
    const begun = await project.bloom("cast", RUN, "start");
    expect(begun.out).toContain("2 runs: 2 open");
    const [door = "", wall = ""] = childrenOf(project);
    expect([door, wall]).toEqual([
      expect.stringMatching(/^part:w\.The-door-[0-9a-f]{8}$/),
      expect.stringMatching(/^part:w\.The-wall-[0-9a-f]{8}$/),
    ]);
    expect(fileOf(project, door)).toMatchObject({ state: "open", task: "Do The door of w." });

    for (const event of ["gathered", "start"])
      expect((await project.bloom("cast", RUN, event)).code).not.toBe(0);
    await project.bloom("cast", door, "finish");
    expect((await project.bloom("status")).out).toContain("2 runs: 1 done, 1 open");
    expect((await project.bloom("show", RUN)).out).toContain(`- ${door}: done\n- ${wall}: open`);
    await project.bloom("cast", wall, "give_up");
    expect((await project.bloom("cast", RUN)).out).toContain("whole:w is deciding.");
    expect((await project.bloom("show", RUN)).out).toContain("children = failed");

    await project.person("cast", RUN, "again");
    expect(childrenOf(project)).toEqual([wall, door, `${wall}-2`]);
    await project.bloom("cast", `${wall}-2`, "finish");
    await project.bloom("cast", RUN);
    expect(fileOf(project, RUN)).toMatchObject({ state: "ended" });
    expect(fileOf(project, RUN).pending).toBeUndefined();
    expect((await project.bloom("repair")).code).toBe(0);
  });

  it("gives a begun run's task to its commands as a file, and leaves them to the next call on it", async () => {
    promise("own.begin");
    const told = "run: { command: 'cat \"$PAWL_SAID/task\" >> told.txt', passed: finish, failed: give_up }";
    const part = PART.replace("to: open, reply", `to: open, ${told}, reply`);
    using project = beginProject({ files: { "part.yaml": part } });
    project.write("lists/w.md", "The door\n");
    await project.bloom("cast", RUN, "start");
    const [door = ""] = childrenOf(project);
    expect(fileOf(project, door)).toMatchObject({ state: "open", pending: { row: "begins" } });
    await project.bloom("cast", door);
    expect(project.read("told.txt")).toBe("Do The door of w.");
    await project.bloom("cast", RUN);
    expect(fileOf(project, RUN)).toMatchObject({ state: "ended" });
  });

  it("gathers at once if there is nothing to begin", async () => {
    promise("own.begin");
    using project = beginProject();
    project.write("lists/w.md", "- [x] The roof\n");
    const begun = await project.bloom("cast", RUN, "start");
    expect(begun.out).toContain("whole:w is ended.");
    expect(fileOf(project, RUN)).toMatchObject({ state: "ended", children: [] });
  });

  it("begins nothing from a list that is missing or too long, and says so to the person whom it waits for", async () => {
    promise("own.begin-held");
    using project = beginProject();
    const begun = await project.bloom("cast", RUN, "start");
    expect(begun).toMatchObject({
      code: 3,
      out: expect.stringContaining("began nothing: lists/w.md is missing."),
    });
    project.write("lists/w.md", "a\nb\nc\nd\n");
    expect((await project.bloomWith({ CLAUDECODE: "1" }, "cast", RUN)).out).toContain(
      "lists/w.md is missing",
    );
    expect((await project.person("cast", RUN)).out).toContain(
      "lists/w.md has 4 entries, and at most 3 may begin",
    );
    expect((await project.bloom("status")).out.replaceAll(/\s+/g, " ")).toContain(
      "waits for you: it began nothing",
    );
    expect(childrenOf(project)).toEqual([]);
    project.write("lists/w.md", "a\na\na\n  \nb\n");
    await project.person("cast", RUN);
    expect(childrenOf(project)).toHaveLength(2);
    // What a person sends need not wait for the runs, and where it moves nothing, they are waited for as before.
    expect((await project.person("cast", RUN, "leave")).out).toContain("Not now.");
    expect((await project.bloom("cast", RUN)).out).toContain("2 runs: 2 open");
    project.write("reason.md", "");
    await project.person("cast", RUN, "leave");
    expect(fileOf(project, RUN)).toMatchObject({ state: "left" });
  });
});

describe("A row that begins tasks from a file", () => {
  const TASKS = WHOLE.replace("workflow: part", "workflow: bloom")
    .replace("most: 3, event: begin, done: done", "first: 1, with: { repo: ., checkpoint: true }")
    .replace("children: [none, all-done]", "children: all-done")
    .replace("children: failed }, to: deciding", "children: failed }, to: same")
    .concat(
      "  - { id: none, from: parting, on: gathered, when: { children: none }, to: deciding, reply: moved }\n",
    );

  it("stays where its rule leaves it, and receives events again once a person has fixed what failed", async () => {
    promise("own.begin");
    using project = beginProject({
      files: { "whole.yaml": TASKS },
      tasks: "tasks:\n- { id: T1, title: Mine }\n",
    });
    project.write("lists/w.md", "The door\nThe wall\n");
    await project.bloom("cast", RUN, "start");
    const [, door, ...more] = project.tasks();
    expect(more).toEqual([]);
    expect(door).toMatchObject({
      title: "The door",
      instructions: "Do The door of w.\n",
      repo: ".",
      checkpoint: true,
    });
    const became = (status: string) =>
      project.write("tasks.yaml", `tasks:\n- { id: ${door?.id}, title: The door, status: ${status} }\n`);
    became("blocked");
    expect((await project.bloom("cast", RUN)).out).toContain("whole:w is parting.");
    const heard = () => fileOf(project, RUN).pending.begin.gathered;
    expect(heard()).toBe("failed");
    expect((await project.bloom("cast", RUN)).out).toContain("1 run: 1 failed");
    became("done");
    // Its run has not ended, so only its agent says so.
    const record = { version: 1, task: door?.id, state: "working", reason: null, evidence: [], work: null };
    project.write(`.pawl/runs/${door?.id}.json`, JSON.stringify(record));
    expect((await project.bloom("cast", RUN)).out).toContain("1 run: 1 open");
    project.write(`.pawl/runs/${door?.id}.json`, JSON.stringify({ ...record, state: "done" }));
    await project.bloom("cast", RUN);
    expect(fileOf(project, RUN)).toMatchObject({ state: "ended" });
    const moves = (project.read(".pawl/events.jsonl") ?? "").match(/"event":"gathered"/g);
    expect(moves).toHaveLength(2);
  });

  it("waits for a person where its tasks cannot stand in the tasks file, which stays as it is", async () => {
    promise("own.begin-held");
    const table = TASKS.replace("checkpoint: true", "merge_into: main, open_pr: true");
    expect(table).not.toBe(TASKS);
    const tasks = "tasks:\n- { id: T1, title: Mine }\n";
    using project = beginProject({ files: { "whole.yaml": table }, tasks });
    project.write("lists/w.md", "The door\n");
    const begun = await project.bloom("cast", RUN, "start");
    expect(begun.out).toContain("began nothing: its tasks cannot be added: ");
    expect(begun.out).toContain("opens a pull request, but nothing is pushed");
    expect(project.read("tasks.yaml")).toBe(tasks);
    expect((await project.bloom("status")).out).toContain("waits for you");
    expect((await project.bloom("repair")).code).toBe(0);
  });

  it("is held if it may begin more than before, until a person agrees", async () => {
    promise("own.begin");
    using project = beginProject();
    project.write("lists/w.md", "The door\n");
    await project.bloom("cast", RUN, "start");
    project.write("whole.yaml", WHOLE.replaceAll("most: 3", "most: 30"));
    const held = await project.bloom("cast", RUN);
    expect(held).toMatchObject({
      code: 1,
      err: expect.stringContaining("whole:w is held: its workflow was loosened"),
    });
  });
});

it("What a row begins is part of what a person trusts: the agent of its tasks, and their text", () => {
  promise("own.begin");
  const { definition } = parseWorkflow("wish", "wish.yaml", WISH.replace("with: {", "with: { agent: codex,"));
  expect(startsIn(definition).agents?.[0]).toMatchObject({ name: "rule builds", agent: "codex" });
});

it("A diagram and a walk say where a row begins runs", async () => {
  promise("own.begin");
  using project = beginProject();
  expect((await project.bloom("workflow", "diagram", "wish")).out).toContain(
    "planning --> building : planned / begin bloom",
  );
  const walked = await project.bloom("workflow", "try", "wish", "--events", "start,planned,gathered");
  expect(walked.out).toContain("Runs of bloom begin: once they rest, gathered comes.");
});

describe("The check of a row that begins runs", () => {
  const checked = async (files: Readonly<Record<string, string>>, workflow: string) => {
    using project = beginProject({ files });
    const { code, out } = await project.bloom("check", workflow);
    return { code, out: out.replaceAll(/\s+/g, " ") };
  };

  it("counts what it begins into the bound", async () => {
    promise("own.begin-check");
    expect(await checked({}, "wish")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/at most 1 order, for at most 1.00 USD.* at most 3 tasks of Bloom/),
    });
    const paid = PART.replace("states:", "agents: { doer: { budget: { usd: 0.5 } } }\nstates:").replace(
      "on: begin, to: open,",
      "on: begin, to: open, run: { agent: doer, prompt: do, answers: { next: [finish] } },",
    );
    expect(await checked({ "part.yaml": paid, "part/do.md": "{{ task }}" }, "whole")).toMatchObject({
      code: 0,
      out: expect.stringContaining("at most 3 orders, for at most 1.50 USD, between"),
    });
  });

  it.each([
    [
      "a target without a repository",
      WISH.replace("repo: .", "merge_into: main"),
      "`with` has merge_into and no repo: expected `repo: .` for the project's own.",
    ],
    ["no limit", WISH.replace("most: 3, ", ""), "expected one of `most` and `first`"],
    ["two limits", WISH.replace("most: 3", "most: 3, first: 1"), "expected one of `most` and `first`"],
    ["no entries", WISH.replace("from: planner.tasks, ", ""), "expected one of `from`"],
    [
      "another agent",
      WISH.replace("planner.tasks", "builder.tasks"),
      "no agent answers builder.tasks: expected one of planner.tasks",
    ],
    ["a text", WISH.replace("tasks: tasks", "tasks: text"), "planner.tasks is not a field of tasks"],
    [
      "an event of a task",
      WISH.replace("most: 3", "most: 3, event: start"),
      "a task of Bloom takes no `event`",
    ],
    [
      "a command, too",
      WISH.replace("begin: *rest", "begin: *rest, run: { command: x, passed: start, failed: start }"),
      "expected one of `run` and `begin`",
    ],
    [
      "no way on from its end",
      WISH.replace("children: failed }, to: deciding", "children: failed }, outcome: blocked"),
      "gathered moves nothing where its runs are failed",
    ],
    ["no rule for its end", WISH.replace(/ {2}- \{ id: some-failed.*\n/, ""), "gathered"],
    [
      "no workflow",
      WISH.replace("workflow: bloom", "workflow: blom").replace(", with: { repo: . }", ""),
      "did you mean bloom?",
    ],
    [
      "a life that is none",
      WISH.replace("repo: .", "repo: ., life: part"),
      "part is no life of tasks: expected `extends: bloom`",
    ],
    [
      "a life as its workflow",
      WISH.replaceAll("workflow: bloom", "workflow: careful").replace(", with: { repo: . }", ""),
      "careful is a life of tasks: expected `workflow: bloom`, and careful as `life` in `with`",
    ],
    [
      "no end of itself",
      WISH.replace("workflow: bloom", "workflow: wish").replace(", with: { repo: . }", ""),
      "circle: wish → wish",
    ],
    [
      "no person in its loop",
      WISH.replace("go_on: { description: Try again what failed, gate: human }", "go_on: Try again"),
      "form a loop that begins runs without end",
    ],
  ])("refuses one with %s", async (_, text, words) => {
    promise("own.begin-check");
    expect(await checked({ "wish.yaml": text }, "wish")).toMatchObject({
      code: 1,
      out: expect.stringContaining(words),
    });
  });

  it.each([
    [
      "an event that is none",
      WHOLE.replaceAll("event: begin", "event: bgin"),
      PART,
      '"bgin" begins no run of part in new: expected one of begin, give_up',
    ],
    [
      "an end that is none",
      WHOLE.replaceAll("done: done", "done: open"),
      PART,
      'no run of part ends in "open": expected one of done, given_up',
    ],
    [
      "a person's event",
      WHOLE,
      PART.replace("begin: Begin", "begin: { description: Begin, gate: human }"),
      '"begin" begins no run of part',
    ],
    [
      "workflows in a circle",
      WHOLE,
      PART.replace(
        "to: open, reply",
        "to: open, begin: { workflow: whole, each: x, task: t, most: 1 }, reply",
      ).replace("on: finish", "on: gathered"),
      "in a circle: whole → part → whole",
    ],
    ["a workflow that is faulty", WHOLE, "title: x", "part cannot be used: `pawl check part` says why"],
  ])("refuses one with %s", async (_, whole, part, words) => {
    promise("own.begin-check");
    const files = { "whole.yaml": whole, "part.yaml": part, "part/t.md": "x" };
    expect(await checked(files, "whole")).toMatchObject({ code: 1, out: expect.stringContaining(words) });
  });
});

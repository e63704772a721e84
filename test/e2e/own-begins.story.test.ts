/** Rows of own workflows that begin tasks of Bloom: real loops, a scripted agent. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runOfTemplate } from "../rig/own-agents.ts";
import { beginProject, does, PART, saysTasks, WHOLE, WISH } from "../rig/own-begins.ts";
import { emptyDatabase } from "../rig/postgres.ts";
import { promise } from "../rig/promise.ts";
import { trustAsItIs } from "../rig/trust.ts";

const LONG = { timeout: 180_000 };
const RUN = "wish:login";

describe("A row that begins tasks of Bloom", () => {
  it("has Bloom do an agent's tasks in their order, and hears of the last", LONG, async () => {
    promise("own.begin");
    using project = beginProject({
      answers: {
        "Write the tasks of login": saysTasks(
          { id: "form", title: "Make the form", instructions: "The form, please.", depends_on: ["model"] },
          { id: "model", title: "Make the model", instructions: "The model, please." },
        ),
        "The form, please": does("form"),
        "The model, please": does("model"),
      },
    });
    await project.bloom("cast", RUN, "start");
    const ran = await project.run();
    expect({ code: ran.code, err: ran.err }).toEqual({ code: 0, err: "" });
    expect(ran.of("task:added")).toHaveLength(2);
    const [asked] = project.runs();
    expect(asked?.prompt).toContain("In `tasks`, at most 3, or none: `[]`.");
    expect(runOfTemplate(project, RUN)).toMatchObject({ state: "built" });

    const tasks = project.tasks();
    const [form, model] = tasks;
    expect(tasks).toHaveLength(2);
    expect(form?.id).toMatch(/^login\.form-[0-9a-f]{8}$/);
    expect(form).toMatchObject({
      title: "Make the form",
      repo: ".",
      status: "done",
      depends_on: [model?.id],
    });
    expect(project.read(".pawl/events.jsonl")).toContain(`"by":"${RUN}"`);
    const began = ran.of("agent:started").map(({ taskId }) => taskId);
    expect(began).toEqual([RUN, model?.id, form?.id]);
    const shown = (await project.bloom("show", RUN)).out;
    expect(shown).toContain(`- bloom:${form?.id}: done`);
    expect(shown).toContain("## gathered: building → built");
    expect(shown).toContain("children = all-done");
    expect((await project.bloom("repair")).code).toBe(0);
  });

  it(
    "hears that one failed and another waits for it; what a person tries again takes their place",
    LONG,
    async () => {
      promise("own.begin-again");
      using project = beginProject({
        answers: {
          "Write the tasks of login": saysTasks(
            { id: "form", title: "Make the form", instructions: "The form, please.", depends_on: ["model"] },
            { id: "model", title: "Make the model", instructions: "The model, please." },
            { id: "page", title: "Make the page", instructions: "The page, please." },
          ),
          "The form, please": does("form"),
          "The model, please": "FAIL: no model yet",
          "The page, please": does("page"),
        },
        settings: { tries: 1 },
      });
      await project.bloom("cast", RUN, "start");
      await project.run();
      expect(runOfTemplate(project, RUN)).toMatchObject({ state: "deciding" });
      const [form, model, page] = project.tasks();
      expect([form, model, page].map((task) => task?.status)).toEqual([undefined, "blocked", "done"]);
      const shown = (await project.bloom("show", RUN)).out;
      expect(shown).toContain(`- bloom:${form?.id}: waiting for one that failed`);
      expect(shown).toContain(`- bloom:${model?.id}: failed`);

      await project.person("cast", RUN, "go_on");
      const again = project.tasks();
      expect(again.map(({ id }) => id)).toEqual([form?.id, model?.id, page?.id, `${model?.id}-2`]);
      expect(again[0]?.depends_on).toEqual([`${model?.id}-2`]);
      await project.run();
      // It fails again: a third one takes its place only if a person says so.
      expect(project.tasks()).toHaveLength(4);
      expect(runOfTemplate(project, RUN)).toMatchObject({ state: "deciding" });
      await project.person("cast", RUN, "drop");
      expect(runOfTemplate(project, RUN)).toMatchObject({ state: "dropped" });
    },
  );

  it(
    "tells the agent once what is wrong with its tasks, and nothing of them becomes a command",
    LONG,
    async () => {
      promise("own.begin-held");
      using project = beginProject({
        answers: {
          "Write the tasks of login": saysTasks({
            id: "a",
            title: "A",
            instructions: "a",
            verify: ["touch pwned"],
          }),
          "Your answer cannot be used": saysTasks(),
        },
      });
      await project.bloom("cast", RUN, "start");
      const ran = await project.run();
      expect(ran.code).toBe(3);
      expect(project.runs()[1]?.prompt).toContain("- tasks: 0.verify: expected no such key");
      expect(runOfTemplate(project, RUN)).toMatchObject({ state: "deciding", children: [] });
      expect(project.read("tasks.yaml")).toBeNull();
    },
  );

  it(
    "begins runs of an own workflow, whose agents work in their turn; a list that is missing waits for a person",
    LONG,
    async () => {
      promise("own.begin", "own.begin-held");
      const WHOLE_RUN = "whole:house";
      const part = PART.replace("states:", "agents: { doer: { budget: { turns: 5 } } }\nstates:").replace(
        "to: open, reply",
        "to: open, run: { agent: doer, prompt: do, answers: { next: [finish, give_up] } }, reply",
      );
      using project = beginProject({
        answers: {
          "Do The door of house": `RUN: echo door >> parts\nSAY: {"next": "finish"}`,
          "Do The wall of house": `RUN: echo wall >> parts\nSAY: {"next": "finish"}`,
        },
        files: { "part.yaml": part, "part/do.md": "{{ task }}\n" },
      });
      await project.bloom("cast", WHOLE_RUN, "start");
      const held = await project.run();
      expect([held.code, held.of("loop:progress").at(-1)]).toMatchObject([3, { waiting: [WHOLE_RUN] }]);
      project.write("lists/house.md", "The door\nThe wall\n");
      await project.person("cast", WHOLE_RUN);
      const { code, err } = await project.run();
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(project.read("parts")).toBe("door\nwall\n");
      expect(runOfTemplate(project, WHOLE_RUN)).toMatchObject({ state: "ended" });
      expect((await project.bloom("repair")).code).toBe(0);
    },
  );

  it("starts no agent while a workflow that it may begin cannot be used", LONG, async () => {
    promise("own.begin-held");
    using project = beginProject({ files: { "lists/house.md": "The door\n" } });
    project.write(
      "whole.yaml",
      WHOLE.replace("states:", "agents: { asker: { budget: { turns: 5 } } }\nstates:\n  asking: It is asked.")
        .replace("events:", "events:\n  ask: { description: Ask, gate: human }\n  asked: It was asked")
        .replace(
          "rows:",
          "rows:\n  - { id: asks, from: listed, on: ask, to: asking, run: { agent: asker, prompt: part-ask, answers: { next: [asked] } }, reply: moved }\n  - { id: asked, from: asking, on: asked, to: listed, reply: moved }",
        ),
    );
    project.write("whole/part-ask.md", "Is it right?\n");
    trustAsItIs(project.root);
    expect(await project.person("cast", "whole:house", "ask")).toMatchObject({ code: 0 });
    project.write("part.yaml", PART.replace("to: done, reply", "to: doen, reply"));
    const ran = await project.run();
    expect([ran.of("agent:started"), ran.of("task:failed")]).toMatchObject([
      [],
      [{ taskId: "whole:house", code: "workflow-invalid" }],
    ]);
  });

  it("does the same where the tasks are in a database", LONG, async () => {
    promise("own.begin");
    const PAWL_DATABASE_URL = await emptyDatabase();
    const table = WHOLE.replace("workflow: part", "workflow: bloom").replace(
      "event: begin, done: done",
      "with: { repo: . }",
    );
    using project = beginProject({
      answers: { "Do door of house": does("door"), "Do wall of house": does("wall") },
      tasks: "tasks:\n- { id: T1, title: Mine, status: done }\n",
      environment: { PAWL_DATABASE_URL },
      files: { "whole.yaml": table, "lists/house.md": "door\nwall\n" },
    });
    await project.person("database", "init");
    const settings = { ...JSON.parse(project.read("pawl.yaml") ?? ""), stores: { bloom: "postgres" } };
    project.write("pawl.yaml", JSON.stringify(settings));
    await project.person("database", "import");
    rmSync(join(project.root, "tasks.yaml"));
    expect((await project.person("cast", "whole:house", "start")).out).toContain("2 runs: 2 open");
    const { code, err } = await project.run();
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(runOfTemplate(project, "whole:house")).toMatchObject({ state: "ended" });
    expect((await project.person("list")).out).toContain("3 tasks, 3 done.");
    expect(project.read("tasks.yaml")).toBeNull();
  });

  it("begins and hears once where two loops work at once", LONG, async () => {
    promise("own.begin-crash");
    const tasks = ["a", "b", "c"].map((id) => ({ id, title: `Make ${id}`, instructions: `Do part ${id}.` }));
    using project = beginProject({
      answers: {
        '"next": "planned"': saysTasks(...tasks),
        "Do part a.": does("a"),
        "Do part b.": does("b"),
        "Do part c.": does("c"),
      },
    });
    for (const id of ["one", "two"]) await project.bloom("cast", `wish:${id}`, "start");
    const loops = await Promise.all([project.run(), project.run()]);
    expect(loops.map(({ code, err }) => ({ code, err }))).toEqual([
      { code: 0, err: "" },
      { code: 0, err: "" },
    ]);
    // Whoever had nothing to begin at its end left the rest to the other.
    await project.run();
    expect(project.tasks().map(({ status }) => status)).toEqual(Array(6).fill("done"));
    const stored = project.stored();
    expect(stored.filter(({ type }) => type === "task:added")).toHaveLength(6);
    const heard = stored.filter(({ event, type }) => type === "run:advanced" && event === "gathered");
    expect(heard.map(({ run }) => run).toSorted()).toEqual(["wish:one", "wish:two"]);
    for (const id of ["one", "two"])
      expect(runOfTemplate(project, `wish:${id}`)).toMatchObject({ state: "built" });
  });

  it("gives its tasks the life that it says", LONG, async () => {
    promise("own.begin");
    using project = beginProject({
      answers: {
        "Write the tasks of login": saysTasks({
          id: "form",
          title: "Make the form",
          instructions: "The form, please.",
        }),
        "The form, please": does("form"),
        ", round 0.": 'SAY: {"verdict": "reviewed_well", "points": "Fine."}',
      },
      files: { "wish.yaml": WISH.replace("repo: .", "repo: ., life: careful") },
    });
    await project.bloom("cast", RUN, "start");
    const { code, err } = await project.run();
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(project.tasks()).toMatchObject([{ life: "careful", status: "done" }]);
    expect(project.stored().filter(({ event }) => event === "reviewed_well")).toHaveLength(1);
    expect(runOfTemplate(project, RUN)).toMatchObject({ state: "built" });
  });
});

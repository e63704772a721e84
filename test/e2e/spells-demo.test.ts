import { readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { advance } from "../../src/runtime/run-transaction.ts";
import { backUp, restore } from "../../src/workflows/spells/backup.ts";
import { DEMO_NAMES, type DemoInput, demo } from "../../src/workflows/spells/demo.ts";
import { FILE_KEYS, FILE_NAMES } from "../../src/workflows/spells/files.ts";
import { HEAD, SpellsProject } from "../rig/spells-project.ts";

const CALLER = { channel: "terminal" } as const;

async function play(project: SpellsProject, input: DemoInput): Promise<string> {
  return (await advance(project.runtime, demo, input, CALLER)).reply.text;
}

describe("a demo", () => {
  test("is there for each of the 26 states, and is listed", async () => {
    using project = new SpellsProject();
    const text = await play(project, { action: "list" });
    expect(DEMO_NAMES).toHaveLength(26);
    for (const name of DEMO_NAMES) expect(text).toContain(`${name} `);
    expect(project.list("/")).toEqual([]);
  });

  test.each(DEMO_NAMES)(
    "at %s is what Lumos finds, with the files that the state is known by",
    async (name) => {
      using project = new SpellsProject();
      await play(project, { action: "set", name });
      const { state, outcome, text } = await project.cast("lumos");
      expect(state.toLowerCase().replaceAll("_", "-")).toBe(name);
      expect(outcome).toBe("shown");
      for (const key of FILE_KEYS)
        expect(text.includes(`- \`.ai/task/${FILE_NAMES[key]}\`:`)).toBe(project.has(FILE_NAMES[key]));
      // From each of them Accio goes on without an error of its own.
      await project.cast("accio");
    },
  );

  test("is found by its state's own name too", async () => {
    using project = new SpellsProject();
    await play(project, { action: "set", name: "ACHIEVE_COMPLETE" });
    expect((await project.cast("lumos")).state).toBe("ACHIEVE_COMPLETE");
  });

  test("follows another in the same folder, and can be taken away", async () => {
    using project = new SpellsProject();
    await play(project, { action: "set", name: "pr-applied-pending-archive-a" });
    await play(project, { action: "set", name: "gather-editing-context" });
    expect(project.list(".")).toEqual(["context.md", "state.json"]);
    expect(await play(project, { action: "reset" })).toBe("The sample project was removed.\n");
    expect(project.files("/").filter((name) => !name.startsWith(".pawl/"))).toEqual([]);
    await play(project, { action: "set", name: "gather-editing" });
  });

  test("is told of in the event log, and goes on from there", async () => {
    using project = new SpellsProject();
    await play(project, { action: "set", name: "gather-editing" });
    await play(project, { action: "set", name: "achieve-task-drafting" });
    expect(movesOf(project).map(({ event, from, to }) => [event, from, to])).toEqual([
      ["demo", "GATHER_NEEDS_CONTEXT", "GATHER_EDITING"],
      ["demo", "GATHER_EDITING", "ACHIEVE_TASK_DRAFTING"],
    ]);
    expect(JSON.parse(project.read(`/${HEAD}`)).steps).toHaveLength(2);
    await project.cast("accio");
    expect((await project.cast("lumos")).state).toBe("ACHIEVE_TASK_EXECUTED");
    await play(project, { action: "reset" });
    expect(movesOf(project).at(-1)).toMatchObject({ event: "demo", to: "GATHER_NEEDS_CONTEXT" });
  });

  test("copies what a person changed in it before it is replaced", async () => {
    using project = new SpellsProject();
    await play(project, { action: "set", name: "gather-editing" });
    project.write("plan.md", "my own plan");
    expect(await play(project, { action: "set", name: "achieve-complete" })).toContain(".ai-backups/");
    const [copy] = project.list("/.ai-backups");
    expect(project.read(`/.ai-backups/${copy}/task/plan.md`)).toBe("my own plan");
  });

  test.each([
    ["a project's files", "/src/app/app.ts"],
    ["a .ai/ that is none of ours", "plan.md"],
    ["a single note", "/notes.txt"],
  ])("is refused where there are %s", async (_, file) => {
    using project = new SpellsProject();
    project.write(file, "precious");
    for (const action of ["set", "reset"])
      await expect(play(project, { action, name: "gather-editing" })).rejects.toMatchObject({
        code: "usage",
      });
    expect(project.read(file)).toBe("precious");
    expect(project.has("/.ai/demo.json")).toBe(false);
  });

  test("that does not exist is refused by its name", async () => {
    using project = new SpellsProject();
    for (const name of ["nowhere", undefined])
      await expect(play(project, { action: "set", name })).rejects.toMatchObject({ code: "usage" });
  });
});

/** The copy is brought back, with a person's yes. */
async function bringBack(project: SpellsProject, input: { readonly name?: string } = {}) {
  const { ask, reply } = await advance(project.runtime, restore, input, CALLER);
  if (!ask) return reply;
  return (await advance(project.runtime, restore, input, CALLER, { message: ask.message })).reply;
}

const movesOf = (project: SpellsProject) =>
  project
    .read("/.pawl/events.jsonl")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === "run:advanced");

describe("a copy of .ai/", () => {
  test("brings back what it holds, and what was there before is copied too", async () => {
    using project = new SpellsProject();
    project.write("plan.md", "\uFEFFfirst\r\n");
    project.write("tasks/task-a/task.md", "archived");
    project.state("GATHER_EDITING");
    const { data } = await project.run(backUp);
    expect(data.files).toBe(3);
    project.write("plan.md", "second");
    project.write("task.md", "new");
    const { data: brought } = await bringBack(project);
    expect(project.read("plan.md")).toBe("\uFEFFfirst\r\n");
    expect(project.has("task.md")).toBe(false);
    expect(project.read("tasks/task-a/task.md")).toBe("archived");
    const before = brought.before as string;
    expect(project.read(`/.ai-backups/${before}/task/plan.md`)).toBe("second");
    const again = await bringBack(project, { name: before });
    expect(again.data.name).toBe(before);
    expect(project.read("task.md")).toBe("new");
    expect(project.list("/.ai-backups")).toHaveLength(3);
  });

  test("leaves out and alone what is no text, and says so", async () => {
    using project = new SpellsProject();
    const bytes = Buffer.from([0x89, 0x50, 0xff, 0x00]);
    project.write("plan.md", "mine");
    project.write("shot.png", bytes);
    symlinkSync("/nowhere", project.at("link"));
    const { text, data } = await project.run(backUp);
    expect(data).toMatchObject({ files: 1, left_out: [".ai/task/link", ".ai/task/shot.png"] });
    expect(text).toContain("Left out (links, and files that are no text): .ai/task/link, .ai/task/shot.png.");
    project.write("plan.md", "other");
    const answer = await bringBack(project);
    expect(answer.text).toContain("Left as it is: .ai/task/link, .ai/task/shot.png.");
    expect(project.read("plan.md")).toBe("mine");
    expect(readFileSync(project.at("shot.png"))).toEqual(bytes);
    expect(readlinkSync(project.at("link"))).toBe("/nowhere");
    // Not even where the copy has a text for it: what is there could not be copied first.
    project.write("plan.md", bytes);
    const { name } = data as { name: string };
    const again = await bringBack(project, { name });
    expect(again.text).toContain(".ai/task/plan.md");
    expect(readFileSync(project.at("plan.md"))).toEqual(bytes);
  });

  test("that brings back another state is a person's to take, and is a step of the run's history", async () => {
    using project = new SpellsProject();
    await project.cast("accio");
    project.write("context.md", "# Context\n\nWhat is to be done.\n");
    await project.run(backUp);
    await project.cast("accio");
    const before = project.read("state.json");
    const { ask, changes } = await advance(project.runtime, restore, {}, CALLER);
    expect(ask?.message).toContain("stands at GATHER_EDITING_CONTEXT then; it stands at GATHER_EDITING now");
    expect(changes ?? []).toEqual([]);
    expect(project.read("state.json")).toBe(before);
    await bringBack(project);
    const { current_state, history } = project.stateFile();
    expect(current_state).toBe("GATHER_EDITING_CONTEXT");
    const [copy] = project.list("/.ai-backups");
    expect(history.slice(0, -1)).toEqual(
      JSON.parse(project.read(`/.ai-backups/${copy}/task/state.json`)).history,
    );
    expect(history.at(-1)).toMatchObject({
      transition: "GATHER_EDITING → GATHER_EDITING_CONTEXT",
      trigger: "Restore",
    });
    expect(movesOf(project).at(-1)).toMatchObject({
      ...{ event: "restore", from: "GATHER_EDITING", to: "GATHER_EDITING_CONTEXT", strength: "terminal" },
      summary: expect.stringContaining(`.ai-backups/${copy}`),
    });
    expect(JSON.parse(project.read(`/${HEAD}`)).steps).toHaveLength(3);
    expect((await project.cast("lumos")).state).toBe("GATHER_EDITING_CONTEXT");
    await project.cast("accio");
    project.state("ACHIEVE_COMPLETE");
    rmSync(project.at("/.ai"), { recursive: true });
    await bringBack(project);
    expect((await project.cast("lumos")).state).toBe("GATHER_EDITING");
  });

  test("lets no edited state pass, be it put into the copy or already there", async () => {
    using project = new SpellsProject();
    await project.cast("accio");
    const edited = JSON.stringify({ ...project.stateFile(), current_state: "ACHIEVE_COMPLETE" });
    project.write("state.json", edited);
    const { data } = await project.run(backUp);
    const { name } = data as { name: string };
    // Nothing is another than it is: the state stays held.
    await bringBack(project, { name });
    await expect(project.cast("lumos")).rejects.toMatchObject({ code: "state-tampered" });
    project.write("state.json", "{}");
    const { ask } = await advance(project.runtime, restore, { name }, { channel: "script" });
    expect(ask?.message).toContain("stands at ACHIEVE_COMPLETE then; where it stands now cannot be read");
  });

  test("with a state that is none is refused, and nothing is changed", async () => {
    using project = new SpellsProject();
    await project.cast("accio");
    const { data } = await project.run(backUp);
    const { name } = data as { name: string };
    project.write(`/.ai-backups/${name}/task/state.json`, '{"current_state": "NOWHERE"}');
    await expect(advance(project.runtime, restore, {}, CALLER)).rejects.toMatchObject({
      code: "state-unreadable",
      message: expect.stringContaining(`.ai-backups/${name}/task/state.json cannot be used: line 1`),
      fix: expect.stringContaining("pawl spells restore NAME"),
    });
    expect((await project.cast("lumos")).state).toBe("GATHER_EDITING_CONTEXT");
  });

  test("that does not exist is refused, and nothing is changed", async () => {
    using project = new SpellsProject();
    project.write("plan.md", "mine");
    for (const input of [{}, { name: "../x" }, { name: "2020" }])
      await expect(advance(project.runtime, restore, input, CALLER)).rejects.toMatchObject({ code: "usage" });
    expect(project.read("plan.md")).toBe("mine");
    using empty = new SpellsProject();
    expect((await empty.run(backUp)).data).toEqual({ name: null });
  });
});

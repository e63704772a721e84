import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Context } from "../../src/runtime/module.ts";
import { runTransaction } from "../../src/runtime/transaction/run-transaction.ts";
import { acceptState } from "../../src/workflows/spells/accept-state.ts";
import { overview } from "../../src/workflows/spells/overview.ts";
import { SPELLS_WORKFLOW } from "../../src/workflows/spells/table.ts";
import { personAtTerminal, temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { SpellsProject } from "../rig/spells-project.ts";

const PLAN = "# Plan\n\n- [ ] the list is sorted\n- [ ] the list can be filtered\n";
const DONE = PLAN.replaceAll("[ ]", "[x]");

function section(text: string, heading: string): string {
  const after = text.split(`### ${heading}\n`)[1] ?? "";
  return (after.split(/^##/m)[0] ?? "").trim();
}

describe("from nothing to complete", () => {
  test("the happy path leads over context, plan and task to completion", async () => {
    using project = new SpellsProject();
    expect(await project.castAll("accio")).toEqual(["GC1"]);
    expect(project.has("context.md")).toBe(true);
    expect(project.list("/.ai")).toEqual([".gitignore", "plan-guide.md", "task", "task-guide.md"]);
    project.write("context.md", "# Sort the list\n\n- [ ] not a criterion of the plan\n");
    expect(await project.castAll("accio")).toEqual(["GC2b"]);
    expect(project.read("plan.md")).toContain("- [ ] not a criterion of the plan");
    expect(await project.castAll("accio")).toEqual(["G3"]);
    project.write("plan.md", PLAN);
    expect(await project.castAll("accio", "accio")).toEqual(["G2", "A1"]);
    project.write("task.md", "---\ntask_name: sort the list\n---\nSort it.\n");
    project.write("task-results.md", "It is sorted.\n");
    const accepted = await project.cast("accio");
    expect(accepted.row).toBe("A2");
    expect(accepted.text).toContain("It is sorted.");
    const archive = "tasks/task-sort-the-list-2026-01-31T09-30-15Z";
    expect(project.list(archive)).toEqual(["task-results.md", "task.md"]);
    expect(project.read("task.md")).toContain("task_name: short-name-of-this-task");
    project.write("plan.md", DONE);
    expect(await project.castAll("accio", "accio")).toEqual(["A3", "A4"]);
    const { current_state, context, history } = project.stateFile();
    expect(current_state).toBe("ACHIEVE_COMPLETE");
    expect(context).toEqual({});
    expect(history.map(({ transition }) => transition)).toEqual([
      "GATHER_NEEDS_CONTEXT → GATHER_EDITING_CONTEXT",
      "GATHER_EDITING_CONTEXT → GATHER_EDITING",
      "GATHER_EDITING → ACHIEVE_TASK_DRAFTING",
      "ACHIEVE_TASK_DRAFTING → ACHIEVE_TASK_EXECUTED",
      "ACHIEVE_TASK_EXECUTED → ACHIEVE_TASK_DRAFTING",
      "ACHIEVE_TASK_DRAFTING → ACHIEVE_COMPLETE",
    ]);
    expect(history[0]).toEqual({
      timestamp: "2026-01-31T09:30:15Z",
      transition: "GATHER_NEEDS_CONTEXT → GATHER_EDITING_CONTEXT",
      trigger: "Accio",
    });
  });

  test("a review from the completed work leads through its steps and back", async () => {
    using project = new SpellsProject();
    project.state("ACHIEVE_COMPLETE");
    project.write("plan.md", DONE);
    expect(await project.castAll("reparo")).toEqual(["A5a"]);
    expect(project.stateFile().context).toEqual({ reparo_origin: "ACHIEVE_COMPLETE" });
    expect(project.read("comments.md")).toContain("<!-- pawl: comments incomplete -->");
    expect(await project.castAll("accio", "accio")).toEqual(["P1", "P2"]);
    expect(project.read("review-task.md")).toContain("## Specific Tasks");
    project.write("review-task-results.md", "All answered.\n");
    const done = await project.cast("accio");
    expect(done.row).toBe("P4b");
    expect(done.text).toContain("All answered.");
    expect(project.list("pr-reviews/pr-review-2026-01-31T09-30-15Z")).toEqual([
      "comments.md",
      "review-task-results.md",
      "review-task.md",
    ]);
    expect(project.stateFile().current_state).toBe("ACHIEVE_TASK_DRAFTING");
    expect(project.stateFile().context).toEqual({});
    expect(project.has("task.md")).toBe(true);
  });

  test("Reverto without a task leads back to the completed work, as long as it is complete", async () => {
    using project = new SpellsProject();
    project.state("ACHIEVE_COMPLETE");
    project.write("plan.md", DONE);
    expect(await project.castAll("reparo", "reverto", "reparo")).toEqual(["A5a", "H4", "PR2"]);
    project.write("plan.md", PLAN);
    expect(await project.castAll("reverto")).toEqual(["H6"]);
    expect(project.stateFile().current_state).toBe("ERROR_TASK_MISSING");
    expect(project.stateFile().context).toEqual({});
  });
});

describe("what writes nothing", () => {
  test.each(["reverto", "expecto", "finite", "reparo", "lumos"] as const)(
    "%s in a fresh project leaves not even a state.json",
    async (spell) => {
      using project = new SpellsProject();
      await project.cast(spell);
      expect(project.list("/")).toEqual([]);
    },
  );

  test("a blocked cast and one without effect leave the state file and its history as they are", async () => {
    promise("spells.writes-nothing");
    using project = new SpellsProject();
    project.write("plan.md", PLAN);
    project.state("GATHER_EDITING");
    const before = project.read("state.json");
    expect(await project.castAll("finite", "reverto", "lumos", "expecto")).toEqual([
      "GN1",
      "GB1",
      "L2",
      "E3b",
    ]);
    expect(project.read("state.json")).toBe(before);
    expect(project.has("/.pawl/events.jsonl")).toBe(false);
  });
});

describe("what a person wrote", () => {
  test("is set aside if a spell creates its file anew", async () => {
    promise("spells.nothing-lost");
    using project = new SpellsProject();
    project.write("context.md", "my notes\r\n");
    const { row, text } = await project.cast("accio");
    expect(row).toBe("GC1");
    expect(project.read("context.md.bak-2026-01-31T09-30-15Z")).toBe("my notes\r\n");
    expect(text).toContain("`.ai/task/context.md.bak-2026-01-31T09-30-15Z`");
    project.write("plan.md", "my plan");
    await project.cast("accio");
    expect(project.read("plan.md.bak-2026-01-31T09-30-15Z")).toBe("my plan");
  });

  test("gets a counter if the name of the copy is taken", async () => {
    using project = new SpellsProject();
    project.write("context.md", "second");
    project.write("context.md.bak-2026-01-31T09-30-15Z", "first");
    await project.cast("accio");
    expect(project.read("context.md.bak-2026-01-31T09-30-15Z")).toBe("first");
    expect(project.read("context.md.bak-2026-01-31T09-30-15Z-2")).toBe("second");
  });

  test("is not copied if only the server's own text would be replaced", async () => {
    using project = new SpellsProject();
    await project.cast("accio");
    const template = project.read("context.md");
    project.state("GATHER_NEEDS_CONTEXT");
    project.write("context.md", template.replaceAll("\n", "\r\n"));
    await project.cast("accio");
    expect(project.list(".").filter((name) => name.includes(".bak-"))).toEqual([]);
  });

  test("in a guide is never overwritten", async () => {
    using project = new SpellsProject();
    project.write("/.ai/plan-guide.md", "ours");
    await project.cast("accio");
    expect(project.read("/.ai/plan-guide.md")).toBe("ours");
    expect(project.has("/.ai/task-guide.md")).toBe(true);
  });

  test("stays untouched if a missing file is back, and the reply says so", async () => {
    using project = new SpellsProject();
    project.write("plan.md", PLAN);
    project.write("task.md", "mine");
    project.state("ERROR_TASK_MISSING");
    const { row, text } = await project.cast("accio");
    expect(row).toBe("R1");
    expect(project.read("task.md")).toBe("mine");
    expect(text).toContain("was found again and left unchanged");
  });

  test("is never touched if it is no text: the cast says which file and why", async () => {
    using project = new SpellsProject();
    const bytes = Buffer.from([0x2d, 0xff, 0xfe, 0x0a]);
    project.write("plan.md", PLAN);
    project.write("task.md", bytes);
    project.write("task-results.md", "done");
    project.state("ACHIEVE_TASK_EXECUTED");
    await expect(project.cast("accio")).rejects.toMatchObject({
      message: expect.stringContaining("task.md"),
    });
    expect(readFileSync(project.at("task.md"))).toEqual(bytes);
    expect(project.stateFile().current_state).toBe("ACHIEVE_TASK_EXECUTED");
  });
});

describe("archives", () => {
  test("never collide: a second one in the same second gets a counter", async () => {
    promise("spells.nothing-lost");
    using project = new SpellsProject();
    project.write("plan.md", PLAN);
    for (const text of ["one", "two", "three"]) {
      project.write("task.md", "---\ntask_name: Same\n---\n");
      project.write("task-results.md", text);
      project.state("ACHIEVE_TASK_EXECUTED");
      await project.cast("accio");
    }
    const date = "2026-01-31T09-30-15Z";
    expect(project.list("tasks")).toEqual([
      `task-Same-${date}`,
      `task-Same-${date}-2`,
      `task-Same-${date}-3`,
    ]);
    expect(project.read(`tasks/task-Same-${date}-3/task-results.md`)).toBe("three");
  });

  test.each([
    ["../../../etc/passwd", "etc-passwd"],
    ["a/../../b", "a-.-.-b"],
    ["a/b\\\\c", "a-b-c"],
    ["  ", "unnamed"],
    ["....", "unnamed"],
    ["Prüfe: die Liste!", "Prüfe-die-Liste"],
    ["123", "123"],
    ["x\\u0000y\\nz", "x-y-z"],
    [`${"ä".repeat(80)}`, "ä".repeat(50)],
  ])("of a task called %j stay inside their folder", async (name, segment) => {
    using project = new SpellsProject();
    project.write("plan.md", PLAN);
    project.write("task.md", `---\ntask_name: "${name}"\n---\n`);
    project.write("task-results.md", "done");
    project.state("ACHIEVE_TASK_EXECUTED");
    await project.cast("accio");
    expect(project.list("tasks")).toEqual([`task-${segment}-2026-01-31T09-30-15Z`]);
  });

  test.each([
    ["no front matter", "# Task\n"],
    ["broken YAML", "---\ntask_name: [\n---\n"],
    ["a list for a name", "---\ntask_name: [a]\n---\n"],
    ["the template's name", "---\ntask_name: short-name-of-this-task\n---\n"],
  ])("of a task with %s are called unnamed", async (_, text) => {
    using project = new SpellsProject();
    project.write("plan.md", PLAN);
    project.write("task.md", text);
    project.write("task-results.md", "done");
    project.state("ACHIEVE_TASK_EXECUTED");
    await project.cast("accio");
    expect(project.list("tasks")).toEqual(["task-unnamed-2026-01-31T09-30-15Z"]);
  });

  test("read the name through a BOM and CRLF", async () => {
    using project = new SpellsProject();
    project.write("plan.md", "\uFEFF# Plan\r\n\r\n- [ ] one\r\n");
    project.write("task.md", "\uFEFF---\r\ntask_name: windows\r\n---\r\n");
    project.write("task-results.md", "done\r\n");
    project.write(
      "state.json",
      '\uFEFF{"current_state":"ACHIEVE_TASK_EXECUTED","context":{},"history":[]}\r\n',
    );
    expect(await project.castAll("accio")).toEqual(["A2"]);
    expect(project.list("tasks")).toEqual(["task-windows-2026-01-31T09-30-15Z"]);
  });

  test("are neither made nor mentioned if there is nothing to archive", async () => {
    using project = new SpellsProject();
    project.write("plan.md", PLAN);
    project.state("ERROR_TASK_RESULTS_MISSING");
    const { row, text } = await project.cast("accio");
    expect(row).toBe("R3");
    expect(text).not.toContain("archived");
    expect(project.list("tasks")).toEqual([]);
  });

  test("take all of a review's files that exist when it is started over", async () => {
    using project = new SpellsProject();
    project.write("plan.md", PLAN);
    project.write("comments.md", "c");
    project.write("review-task.md", "t");
    project.write("review-task-results.md", "r");
    project.state("GATHER_EDITING");
    expect(await project.castAll("reparo", "reparo")).toEqual(["PR3", "C2"]);
    expect(project.list("pr-reviews/pr-review-2026-01-31T09-30-15Z")).toEqual([
      "comments.md",
      "review-task-results.md",
      "review-task.md",
    ]);
    expect(project.list(".")).toEqual(["comments.md", "plan.md", "pr-reviews", "state.json"]);
  });
});

describe("a state.json that cannot be used", () => {
  test.each([
    ["no JSON", "{"],
    ["empty", ""],
    ["a list", "[]"],
    ["an unknown state", '{"current_state":"GATHER_NEEDS_PLAN","context":{},"history":[]}'],
    ["no state", '{"context":{},"history":[]}'],
    ["a prototype's name", '{"current_state":"toString"}'],
    ["a history that is no list", '{"current_state":"GATHER_EDITING","history":{}}'],
  ])("(%s) makes every spell say what is wrong, and stays as it is", async (_, text) => {
    using project = new SpellsProject();
    project.write("state.json", text);
    project.write("plan.md", PLAN);
    for (const spell of ["accio", "lumos", "reparo"] as const)
      await expect(project.cast(spell)).rejects.toMatchObject({
        code: "state-unreadable",
        message: expect.stringContaining(".ai/task/state.json"),
        fix: expect.stringContaining("pawl repair"),
      });
    expect(project.read("state.json")).toBe(text);
  });

  test("is set to what the files suggest only by a person's word at `pawl repair`, and is kept beside it", async () => {
    const environment = { DOOR_ONLY: "" };
    using project = temporaryProject({ environment });
    project.write(".ai/task/state.json", "{oops");
    project.write(".ai/task/plan.md", PLAN);
    project.write(".ai/task/task.md", "t");
    const script = await project.pawl("repair");
    expect(script).toMatchObject({ code: 1, err: "" });
    expect(script.out.replace(/\s+/g, " ")).toContain(
      "The files suggest ACHIEVE_TASK_DRAFTING. Run `pawl repair` in a terminal to set it",
    );
    expect((await project.pawl("status")).out).toContain("pawl repair");
    expect((await personAtTerminal(project.root, ["repair"], { answer: "n\n", environment })).code).toBe(1);
    expect(project.read(".ai/task/state.json")).toBe("{oops");
    const { code, out, screen } = await project.person("repair");
    expect(screen).toContain(
      "Set .ai/task/state.json to ACHIEVE_TASK_DRAFTING, the state that the files suggest?",
    );
    expect(screen).toContain(".ai/task/state.json cannot be used: line 1");
    expect([code, out]).toEqual([0, expect.stringContaining("state.json now says ACHIEVE_TASK_DRAFTING")]);
    const [kept = ""] = readdirSync(join(project.root, ".ai/task")).filter((name) => name.includes(".bak-"));
    expect(project.read(`.ai/task/${kept}`)).toBe("{oops");
    expect((await project.pawl("lumos")).code).toBe(0);
    expect((await project.pawl("log", "spells:main")).out).toContain("was set to ACHIEVE_TASK_DRAFTING");
    expect((await project.pawl("repair")).out).toContain("No damage found");
  });

  test("and is no text at all gets the same answer: what is wrong, and the state that the files suggest", async () => {
    using project = new SpellsProject();
    const bytes = Buffer.from('\uFEFF{"current_state":"GATHER_EDITING"}', "utf16le");
    project.write("state.json", bytes);
    project.write("plan.md", PLAN);
    await expect(project.cast("lumos")).rejects.toMatchObject({
      code: "state-unreadable",
      message: expect.stringMatching(/^\.ai\/task\/state\.json cannot be used: .*UTF-8/),
      fix: expect.stringContaining("pawl repair"),
    });
    const [told] = await overview(project.runtime.store.view());
    expect(told?.problem?.fix).toContain("The files suggest GATHER_EDITING.");
    expect(readFileSync(project.at("state.json"))).toEqual(bytes);
    const accept = (answered?: Context["answered"]) =>
      runTransaction(project.runtime, acceptState, { id: "main" }, { channel: "terminal" }, answered);
    const { ask } = await accept();
    expect(readFileSync(project.at("state.json"))).toEqual(bytes);
    await accept({ to: { message: ask?.message ?? "" } });
    expect(project.stateFile().current_state).toBe("GATHER_EDITING");
    expect(readFileSync(project.at("state.json.bak-2026-01-31T09-30-15Z"))).toEqual(bytes);
  });

  test.each([
    [[], "GATHER_NEEDS_CONTEXT"],
    [["context"], "GATHER_EDITING_CONTEXT"],
    [["context", "plan"], "GATHER_EDITING"],
    [["plan", "task"], "ACHIEVE_TASK_DRAFTING"],
    [["plan", "task", "task-results"], "ACHIEVE_TASK_EXECUTED"],
    [["done"], "ACHIEVE_COMPLETE"],
    [["plan", "comments"], "PR_GATHERING_COMMENTS_G"],
    [["plan", "comments", "review-task"], "PR_REVIEW_TASK_DRAFT_G"],
    [["plan", "task", "comments", "review-task"], "PR_REVIEW_TASK_DRAFT_A"],
    [["plan", "task-results", "comments"], "PR_GATHERING_COMMENTS_A"],
    [["done", "comments", "review-task", "review-task-results"], "PR_APPLIED_PENDING_ARCHIVE_A"],
  ])("beside %j suggests %s", async (files, state) => {
    using project = new SpellsProject();
    for (const file of files)
      project.write(file === "done" ? "plan.md" : `${file}.md`, file === "done" ? DONE : PLAN);
    project.write("state.json", "{");
    const [told] = await overview(project.runtime.store.view());
    expect(told?.problem?.fix).toContain(`The files suggest ${state}.`);
  });

  test("keeps keys that are not ours over a cast, and all of its history", async () => {
    using project = new SpellsProject();
    const history = Array.from({ length: 40 }, (_, at) => ({
      timestamp: `${at}`,
      transition: "",
      trigger: "",
    }));
    project.write(
      "state.json",
      JSON.stringify({ version: 3, current_state: "GATHER_NEEDS_CONTEXT", context: { mine: 1 }, history }),
    );
    const { text } = await project.cast("accio");
    expect(project.stateFile()).toMatchObject({ version: 3, context: { mine: 1 } });
    expect(project.stateFile().history).toHaveLength(41);
    const shown = await project.cast("lumos");
    expect((shown as unknown as { history: unknown[] }).history).toHaveLength(10);
    expect(text).not.toContain("version");
  });
});

describe("criteria", () => {
  test.each([
    ["in a code fence do not count", "```\n- [x] fenced\n```\n", "G3"],
    [
      "that are the template's line do not count",
      "- [ ] Replace this line with the first acceptance criterion\n",
      "G3",
    ],
    ["without a text do not count", "- [ ]\n- [ ] \n", "G3"],
    ["in a numbered or nested list count", "1. step\n   * [ ] nested\n", "G2"],
    ["with a capital X are met", "- [X] met\n", "G3"],
    ["right after a BOM count", "\uFEFF- [ ] one\r\n", "G2"],
  ])("%s", async (_, plan, row) => {
    using project = new SpellsProject();
    project.write("plan.md", plan);
    project.state("GATHER_EDITING");
    expect(await project.castAll("accio")).toEqual([row]);
  });

  test("that are all checked get words of their own if there is no task", async () => {
    using project = new SpellsProject();
    project.write("plan.md", DONE);
    project.state("GATHER_EDITING");
    const { text } = await project.cast("accio");
    expect(section(text, "What Just Happened")).toContain("already checked");
    project.write("plan.md", "# Plan\n");
    expect(section((await project.cast("accio")).text, "What Just Happened")).toContain(
      "no acceptance criteria yet",
    );
  });
});

describe("many at once", () => {
  test("casts of several servers are serialised: each takes the state that the one before left", async () => {
    using project = new SpellsProject();
    project.write("plan.md", PLAN);
    project.state("GATHER_EDITING");
    const rows = await Promise.all(
      ["reparo", "reparo", "reparo", "reparo"].map(() => project.cast("reparo")),
    );
    // One starts the review; the next fetch again what stays missing, without effect on the files.
    expect(rows.map(({ row }) => row).sort()).toEqual(["G5", "H15", "H15", "H15"]);
    expect(project.stateFile().history).toHaveLength(1);
  });
});

test("what is loaded into a reply stays data: it is fenced, and no template", async () => {
  using project = new SpellsProject();
  const results = "````\n{{ tip }} {% assign x = 1 %}\n\n\n\ntrailing  \n## Response to the Developer\n";
  project.write("plan.md", PLAN);
  project.write("task.md", "t");
  project.write("task-results.md", results);
  project.state("ACHIEVE_TASK_EXECUTED");
  const { text } = await project.cast("accio");
  expect(text).toContain(`\`\`\`\`\`markdown\n${results}\`\`\`\`\``);
});

test("what is loaded into a reply is cut if it is very long, and stays whole on disk", async () => {
  using project = new SpellsProject();
  project.write("plan.md", PLAN);
  project.write("task.md", "x".repeat(300_000));
  project.state("GATHER_EDITING");
  const { row, text } = await project.cast("accio");
  expect(row).toBe("G4");
  expect(text).toContain("x\n(cut here: the file is longer)\n");
  expect(text.length).toBeLessThan(110_000);
  expect(project.read("task.md")).toHaveLength(300_000);
});

test("the run is listed with what it waits for, or with its problem if it is unreadable", async () => {
  using project = new SpellsProject();
  const told = () => overview(project.runtime.store.view());
  expect(await told()).toEqual([]);
  await project.cast("accio");
  expect(await told()).toMatchObject([
    { run: "spells:main", state: "GATHER_EDITING_CONTEXT", awaits: "human", since: "2026-01-31T09:30:15Z" },
  ]);
  for (const state of Object.keys(SPELLS_WORKFLOW.states)) {
    project.state(state);
    expect((await told())[0]?.next, state).not.toBe("");
  }
  project.write("state.json", "[]");
  expect((await told())[0]?.problem?.fix).toContain("The files suggest GATHER_EDITING_CONTEXT.");
});

test("in a terminal a cast is shown to the person first, and a blocked one is refused", async () => {
  using project = new SpellsProject();
  const { castOf } = await import("../../src/workflows/spells/cast.ts");
  const moved = await project.run(castOf("accio"), "terminal");
  expect(moved.text).toMatch(/^WHAT JUST HAPPENED\n/);
  expect(moved.text).toContain("FOR YOUR ASSISTANT");
  expect(moved.text).not.toContain("**");
  expect(moved.refused).toBeUndefined();
  const blocked = await project.run(castOf("reverto"), "terminal");
  expect(blocked).toMatchObject({ refused: true });
  expect(blocked.text).not.toContain("FOR YOUR ASSISTANT");
});

test("in a terminal what a reply quotes is not taken for its headings", async () => {
  using project = new SpellsProject();
  project.write("plan.md", PLAN);
  project.write("task.md", "t");
  project.write("task-results.md", "## Response to the Developer\n\n### Next Steps\nCast it all away.\n");
  project.state("ACHIEVE_TASK_EXECUTED");
  const { text } = await project.cast("accio", "terminal");
  expect(text).toMatch(/^WHAT JUST HAPPENED\nThe results were accepted\./);
  const [developer = "", assistant = ""] = text.split("FOR YOUR ASSISTANT");
  expect(developer).not.toContain("Cast it all away.");
  expect(assistant).toContain("Cast it all away.");
});

test("a review says of the completed work that it was started there", async () => {
  using project = new SpellsProject();
  project.state("ACHIEVE_COMPLETE");
  project.write("plan.md", DONE);
  const { text } = await project.cast("reparo");
  expect(section(text, "Where We Are")).toContain("or from the completed work");
});

test("completion counts one criterion as one", async () => {
  using project = new SpellsProject();
  project.state("ACHIEVE_TASK_DRAFTING");
  project.write("plan.md", "- [x] it is done\n");
  const { text } = await project.cast("accio");
  expect(section(text, "What Just Happened")).toContain(
    "the one acceptance criterion in `.ai/task/plan.md` is checked",
  );
});

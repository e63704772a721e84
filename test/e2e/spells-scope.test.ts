/** What an assistant may write at each point of the guided work. */
import { describe, expect, it } from "vitest";
import { openScopes, runOfCall } from "../../src/runtime/reports/open-scopes.ts";
import spells from "../../src/workflows/spells/module.ts";
import { promise } from "../rig/promise.ts";
import { SpellsProject } from "../rig/spells-project.ts";

const WORKFLOWS = { spells: async () => spells };

const scopeOf = (project: SpellsProject, id = "main") =>
  spells.scopes?.scopeOf(project.runtime.store.view(), id) ?? Promise.reject(new Error("Spells has scopes."));
const open = ({ runtime }: SpellsProject) => openScopes({ runtime, workflows: WORKFLOWS });

describe("the scope of the guided work", () => {
  it("is none before it begins, and for any other run", async () => {
    using project = new SpellsProject();
    expect(await scopeOf(project)).toBeNull();
    await project.cast("accio");
    expect(await scopeOf(project, "other")).toBeNull();
  });

  it("is the plan's files until a task is carried out, and never the state", async () => {
    promise("scope.follows-the-run");
    using project = new SpellsProject();
    await project.cast("accio");
    const [scope] = await open(project);
    expect(scope).toMatchObject({
      run: "spells:main",
      state: "GATHER_EDITING_CONTEXT",
      writes: "plan",
      forbids: [],
      awaits: "human",
      next: "Describe the work in `.ai/task/context.md` with the developer, until they cast accio to have a plan made from it.",
    });
    expect(scope?.planFiles).toEqual([
      ".ai/task/context.md",
      ".ai/task/plan.md",
      ".ai/task/task.md",
      ".ai/task/task-results.md",
      ".ai/task/comments.md",
      ".ai/task/review-task.md",
      ".ai/task/review-task-results.md",
      ".ai/task/.atlassian-refs",
      ".ai/plan-guide.md",
      ".ai/task-guide.md",
    ]);
  });

  it("is the worktree while a task is carried out, and waits for the developer once its results are written", async () => {
    using project = new SpellsProject();
    project.state("ACHIEVE_TASK_DRAFTING");
    project.write("plan.md", "- [ ] one\n");
    project.write("task.md", "the task\n");
    expect(await scopeOf(project)).toMatchObject({ writes: "plan" });
    await project.cast("accio");
    expect(await scopeOf(project)).toMatchObject({
      state: "ACHIEVE_TASK_EXECUTED",
      writes: "worktree",
      forbids: [],
      awaits: "assistant",
      next: "Carry out `.ai/task/task.md`, and write what you did to `.ai/task/task-results.md`.",
    });
    project.write("task-results.md", "done\n");
    expect(await scopeOf(project)).toMatchObject({
      writes: "worktree",
      awaits: "human",
      next: expect.stringContaining("`.ai/task/task-results.md`"),
    });
  });

  it("guards nothing once every criterion is met, and the plan again after that", async () => {
    promise("scope.follows-the-run");
    using project = new SpellsProject();
    project.state("ACHIEVE_TASK_DRAFTING");
    project.write("plan.md", "- [x] one\n");
    project.write("task.md", "the task\n");
    await project.cast("accio");
    expect(project.stateFile().current_state).toBe("ACHIEVE_COMPLETE");
    expect(await scopeOf(project)).toBeNull();
    expect(await open(project)).toEqual([]);
    await project.cast("finite");
    expect(await open(project)).toMatchObject([{ state: "GATHER_EDITING", writes: "plan" }]);
  });

  it.each([
    [
      "was edited",
      (text: string) => text.replace("GATHER_EDITING_CONTEXT", "ACHIEVE_TASK_EXECUTED"),
      /pawl repair/,
    ],
    ["cannot be read", () => "{", /pawl repair/],
  ])("allows nothing while its state %s, and says how to mend it", async (_, harm, fix) => {
    promise("scope.unreadable");
    using project = new SpellsProject();
    await project.cast("accio");
    project.write("state.json", harm(project.read("state.json")));
    const [scope] = await open(project);
    expect(scope).toEqual(await scopeOf(project));
    expect(scope).toMatchObject({
      run: "spells:main",
      state: "unreadable",
      writes: "none",
      forbids: ["commit", "push"],
      next: expect.stringMatching(fix),
    });
  });
});

describe("the run of a spell", () => {
  it("is the project's one run, whichever spell is cast", async () => {
    for (const { name } of (await spells.mcp?.tools()) ?? [])
      expect([name, await runOfCall({ workflows: WORKFLOWS }, name, {})]).toEqual([name, "spells:main"]);
    expect(await runOfCall({ workflows: WORKFLOWS }, "advance", { run: "spells:main" })).toBeNull();
  });
});

/** What a person reads at a gate, in each workflow, and what a verdict on something else comes to. */
import { describe, expect, it } from "vitest";
import type { Project } from "../../src/runtime/project.ts";
import { differencesOf, reviewOf, waiting } from "../../src/runtime/review/load.ts";
import type { Review } from "../../src/runtime/review/model.ts";
import { withPoints } from "../../src/runtime/review/points.ts";
import alfred from "../../src/workflows/alfred/module.ts";
import { CONTEXT, MANIFEST, plan, STRATEGY, start, through } from "../rig/alfred-artifacts.ts";
import { type AlfredProject, projectWithTask } from "../rig/alfred-project.ts";
import { hangs } from "../rig/until.ts";

const ID = "TS-01";
const RUN = `alfred:${ID}`;

const asProject = (project: AlfredProject) =>
  ({ runtime: project.runtime(), workflows: { alfred: async () => alfred } }) as unknown as Project;

async function reviewIn(project: AlfredProject): Promise<Review> {
  const review = await reviewOf(asProject(project), RUN);
  if (review === null) throw new Error("It waits for no verdict.");
  return review;
}

const pathsOf = ({ changes }: Review) =>
  changes?.kind === "changes" ? changes.files.map(({ group, item, path }) => [path, group, item]) : null;
const newOf = ({ changes }: Review) =>
  changes?.kind === "changes" ? changes.files.filter(({ isNew }) => isNew).map(({ path }) => path) : null;

/** A planned task whose work waits for a person; the assistant's own review has passed it. */
async function implemented(options: Parameters<typeof projectWithTask>[1] = {}): Promise<AlfredProject> {
  const project = await projectWithTask(ID, options);
  project.write("src/server.txt", "server\n");
  project.commit("Add the server");
  await start(project, ID);
  await plan(project, ID);
  await project.call("implement_task", { task_id: ID });
  project.write("src/bucket.txt", "bucket\n");
  project.write("src/server.txt", "server with bucket\n");
  project.write("test/bucket.test.js", "ok\n");
  for (const subtask_id of ["S-1", "S-2"])
    await project.call("mark_subtask_complete", { task_id: ID, subtask_id });
  await project.submit(ID, MANIFEST);
  await project.review(ID, true, "I see nothing wrong.");
  return project;
}

describe("The review of a task of Alfred's", () => {
  it("is none while the assistant is at it", async () => {
    using project = await projectWithTask(ID);
    expect(await reviewOf(asProject(project), RUN)).toBeNull();
    await project.call("start_task", { task_id: ID });
    expect(await reviewOf(asProject(project), RUN)).toBeNull();
    expect(await waiting(asProject(project))).toEqual([]);
  });

  it("shows the decisions of a strategy before any code, and which of them changed after a rejection", async () => {
    using project = await projectWithTask(ID);
    project.write("src/server.txt", "server\n");
    project.commit("Add the server");
    await start(project, ID);
    await project.call("plan_task", { task_id: ID });
    await through(project, ID, CONTEXT);
    const strategy = { ...STRATEGY, new_dependencies: ["left-pad"], risk_analysis: "None." };
    await project.submit(ID, strategy);
    await project.review(ID, true);
    const review = await reviewIn(project);
    expect(review).toMatchObject({
      ...{ run: RUN, title: "Limit the rate", gate: "alfred.plan_task", subject: "the strategy", round: 1 },
      question: "Do you approve the strategy of task TS-01 (Limit the rate)?",
      leads: {
        approve: "Approving accepts the strategy; then the assistant hands in the design.",
        reject: "Rejecting has the strategy done again, with your notes.",
      },
      ...{ level: "any", changes: null, checks: [], points: [], notes: [] },
      artifact: { name: "StrategyArtifact", value: strategy },
    });
    expect(review.choices.map(({ field, kind, since, words }) => [kind, field, words, since])).toEqual([
      ["strategy", "high_level_strategy", ["A token bucket before the handler."], null],
      ["dependency", "new_dependencies", ["left-pad"], null],
      ["risk", "risk_analysis", ["None."], null],
      ["scope", "key_components", ["bucket", "handler"], null],
    ]);
    const points = [
      { text: "What if the process restarts?", at: { field: "risk_analysis" } },
      { text: "We do not need it.", at: { field: "new_dependencies" } },
      { text: "Think again." },
    ];
    await project.gate(ID, false, withPoints("Nearly.", points));
    await project.submit(ID, { ...STRATEGY, risk_analysis: "None." });
    await project.review(ID, true);
    const second = await reviewIn(project);
    expect(second.points.map(({ since, text }) => [text, since])).toEqual([
      ["What if the process restarts?", "same"],
      ["We do not need it.", "changed"],
      ["Think again.", "unknown"],
    ]);
    expect(second.choices.map(({ field, since }) => [field, since])).toEqual([
      ["high_level_strategy", "same"],
      ["risk_analysis", "same"],
      ["key_components", "same"],
    ]);
    expect(second.round).toBe(2);
    expect(second.version).not.toBe(review.version);
    expect(
      second.history.map(({ approved, notes, points: given, stage }) => [
        stage,
        approved,
        notes,
        given.length,
      ]),
    ).toEqual([
      ["ai", true, "", 0],
      ["human", false, "Nearly.", 3],
      ["ai", true, "", 0],
    ]);
  });

  it("shows the work in the order in which it matters, with claims, checks, cost and the review's size", async () => {
    using project = await implemented({ settings: { checks: { test: "echo tested; exit 3" } } });
    project.write("src/extra.txt", "extra\n");
    const review = await reviewIn(project);
    expect(pathsOf(review)).toEqual([
      ["src/extra.txt", "outside-plan", null],
      ["test/bucket.test.js", "outside-plan", "tests"],
      ["src/bucket.txt", "plan", "S-1"],
      ["src/server.txt", "plan", "S-2"],
    ]);
    expect(newOf(review)).toEqual([]);
    const claims = review.claims.map(({ about, claim, verdict }) => [about, verdict, claim]);
    expect(claims).toEqual([
      ["work", "differs", undefined],
      ["process files", "unknown", undefined],
      ["subtasks", "agrees", "done: S-1, S-2"],
      ["diff", "differs", undefined],
    ]);
    expect(review.claims[0]?.found).toContain("src/extra.txt");
    expect(review.checks).toEqual([
      {
        ...{ name: "test", command: "echo tested; exit 3", state: "failed", exit: 3, tail: "tested" },
        duration_ms: expect.any(Number),
        log: expect.stringMatching(/^\.pawl\/checks\/.+\/output$/),
        on: expect.stringMatching(/^[0-9a-f]{40}$/),
      },
    ]);
    expect(project.read(review.checks[0]?.log ?? "")).toBe("tested\n");
    expect(review.cost).toMatchObject({ usd: null, tokens: null, minutes: 0, tries: 7 });
    expect(review.cost.steps.map(({ name, tries }) => [name, tries])).toEqual([
      ["start_task", 2],
      ["plan_task", 4],
      ["implement_task", 1],
    ]);
    expect(review.size).toMatchObject({ files: 4, minutes: 1 });
    expect(review.notes).toEqual([{ by: "The assistant's review", text: "I see nothing wrong." }]);
    const shown = await differencesOf(asProject(project), review, { bytes: 100_000 });
    if (shown.kind !== "diff") throw new Error(shown.reason);
    expect(shown.files.map(({ path }) => path)).toEqual(pathsOf(review)?.map(([path]) => path));
    expect(shown.files.at(-1)?.text).toContain("-server\n+server with bucket\n");
  });

  it("says after a rejection what is new since then, and which points were answered, by what is there", async () => {
    using project = await implemented();
    const first = await reviewIn(project);
    const points = [
      { text: "Refill it.", at: { file: "src/bucket.txt", line: 1 } },
      { text: "Why?", at: { file: "src/server.txt", line: 1 } },
      { text: "Say how.", at: { field: "testing_notes" } },
    ];
    await project.gate(ID, false, withPoints("", points));
    expect((await project.call("implement_task", { task_id: ID })).next_prompt).toContain(
      "> - [src/bucket.txt:1] Refill it.\n> - [src/server.txt:1] Why?\n> - [field testing_notes] Say how.",
    );
    project.write("src/bucket.txt", "bucket\nrefilled\n");
    await project.submit(ID, {
      ...MANIFEST,
      summary: "All points are answered.",
      testing_notes: "By a test.",
    });
    await project.review(ID, true);
    const second = await reviewIn(project);
    expect(second.points.map(({ at, since }) => [at, since])).toEqual([
      [{ file: "src/bucket.txt", line: 1 }, "changed"],
      [{ file: "src/server.txt", line: 1 }, "same"],
      [{ field: "testing_notes" }, "changed"],
    ]);
    expect([second.round, newOf(second)]).toEqual([2, ["src/bucket.txt"]]);
    const since = await differencesOf(asProject(project), second, { bytes: 100_000, since: true });
    if (since.kind !== "diff") throw new Error(since.reason);
    expect(since.files.map(({ path, text }) => [path, text.includes("+refilled")])).toEqual([
      ["src/bucket.txt", true],
    ]);
    expect(first.version).not.toBe(second.version);
  });

  it("refuses a verdict on what is no longer there, before anybody is asked", async () => {
    using project = await implemented();
    const gate = await alfred.gate?.();
    if (!gate) throw new Error("Alfred has no gate.");
    const person = { channel: "terminal", who: "ada@host" } as const;
    const decide = async (version: string, approve = true) =>
      project
        .run(gate, { id: ID, approve, version }, person)
        .then(({ ask, reply: { data } }) => (ask ? "asked" : (data.data as { code?: string }).code));
    const { version } = await reviewIn(project);
    expect(await decide(version)).toBe("asked");
    project.write("src/server.txt", "changed after it was read\n");
    expect(await decide(version)).toBe("review-changed");
    expect(await decide(version, false)).toBe("review-changed");
    project.write("src/server.txt", "server with bucket\n");
    expect((await reviewIn(project)).version).toBe(version);
    await project.gate(ID, false, "Once more.");
    expect(await decide(version)).toBe("review-changed");
    await project.submit(ID, MANIFEST);
    expect(await decide(version, false)).toBe("review-changed");
    await project.review(ID, true);
    // The same artifact and the same work, handed in again: another round.
    expect(await decide(version)).toBe("review-changed");
    expect(await decide((await reviewIn(project)).version)).toBe("asked");
  });

  it("waits for no check that runs, and starts none", async () => {
    using project = await implemented({ settings: { checks: {} } });
    await project.gate(ID, false, "With checks.");
    project.retries = 0;
    project.settings = { ...project.settings, checks: { slow: `echo begun; ${hangs()}` } };
    await project.submit(ID, MANIFEST);
    await project.review(ID, true);
    const state = () => project.state(ID);
    const before = JSON.stringify(state());
    const { checks } = await reviewIn(project);
    expect(checks).toMatchObject([{ name: "slow", state: "running", exit: null }]);
    expect(JSON.stringify(state())).toBe(before);
  });
});

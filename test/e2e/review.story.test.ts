/** What a person reads at a gate, in each workflow, and what a verdict on something else comes to. */

import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { WITHOUT_SETUP } from "../../src/adapters/process/remarks.ts";
import { allWorkflows, openProject } from "../../src/app/open-project.ts";
import type { Project } from "../../src/runtime/project.ts";
import { briefOf } from "../../src/runtime/review/brief.ts";
import { openVerdicts } from "../../src/runtime/review/give-verdict.ts";
import { differencesOf, reviewOf, waiting } from "../../src/runtime/review/load.ts";
import type { Review, ReviewFacts } from "../../src/runtime/review/model.ts";
import { withPoints } from "../../src/runtime/review/points.ts";
import { runTransaction } from "../../src/runtime/transaction/run-transaction.ts";
import { renderDifferences, renderReview } from "../../src/surfaces/cli/terminal/render-review.ts";
import { paintOf } from "../../src/surfaces/cli/terminal/terminal.ts";
import alfred from "../../src/workflows/alfred/module.ts";
import { WORKFLOWS } from "../../src/workflows/index.ts";
import { CONTEXT, MANIFEST, plan, STRATEGY, start, through } from "../rig/alfred-artifacts.ts";
import { type AlfredProject, CLEAN, projectWithTask, taskMarkdown } from "../rig/alfred-project.ts";
import { AWKWARD } from "../rig/awkward.ts";
import { bloomProject, checkpointTask } from "../rig/bloom-project.ts";
import { pawlInside, personInside, testEnvironment } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { releaseReady } from "../rig/release-project.ts";
import { committedAt } from "../rig/repository.ts";
import { shellUntil } from "../rig/until.ts";

const ID = "TS-01";
const RUN = `alfred:${ID}`;

const asProject = (project: AlfredProject) =>
  ({ runtime: project.runtime(), workflows: { alfred: async () => alfred } }) as unknown as Project;

async function reviewIn(project: AlfredProject): Promise<Review> {
  const review = await reviewOf(asProject(project), RUN);
  if (review === null) throw new Error("It waits for no verdict.");
  return review;
}

/** The project at the root, as every program of Pawl's opens it. */
async function opened(root: string): Promise<Project & AsyncDisposable> {
  const place = {
    home: resolve(import.meta.dirname, "../../src"),
    environment: testEnvironment(),
    workflows: WORKFLOWS,
  };
  const workflows = await allWorkflows(root, place, openProject);
  const project = await openProject({ ...place, root, workflows });
  return Object.assign(project, { [Symbol.asyncDispose]: () => project.close() });
}

const PERSON = { channel: "terminal", who: "ada@host" } as const;

/** What a person's verdict comes to: they are asked, or an error's code. */
async function verdictOn(project: Project, run: string, version: string, approve = true): Promise<string> {
  const [workflow = "", id = ""] = run.split(":");
  const module = await project.workflows[workflow]?.();
  const gate = await module?.gate?.verdict();
  if (!gate) throw new Error(`${workflow} has no gate.`);
  return runTransaction(project.runtime, gate, { id, approve, version }, PERSON).then(
    ({ ask, reply }) => (ask ? "asked" : JSON.stringify(reply.data)),
    (thrown) => thrown.code,
  );
}

const OWN = { DOOR_ONLY: "" };
const pawl = (root: string, ...args: string[]) => pawlInside(root, args, OWN);
const person = (root: string, ...args: string[]) => personInside(root, args, OWN);

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

  it("says what is not known if there is no repository", async () => {
    using project = await projectWithTask(ID, { withoutGit: true });
    await project.call("start_task", { task_id: ID });
    await project.submit(ID, CLEAN);
    await project.review(ID, true);
    const review = await reviewIn(project);
    expect(review).toMatchObject({ changes: null, checks: [], choices: [], size: { files: 0, lines: 0 } });
    expect(review.claims).toMatchObject([{ about: "git", claim: "clean, on main", verdict: "unknown" }]);
    expect(review.leads.approve).toBe(
      "Approving accepts the report, and has the task's branch created; then the assistant hands in the branch report.",
    );
    const none = await differencesOf(asProject(project), review, { bytes: 100 });
    expect(none).toEqual({ kind: "diff", files: [] });
  });

  it("shows the decisions of a strategy before any code, and which of them changed after a rejection", async () => {
    promise("review.model");
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
      artifact: { name: "strategy", value: strategy },
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

  it("tells a check that ran no test from one that passed", async () => {
    promise("bloom.no-test");
    const test = "node --test 'none/*.test.mjs'";
    using project = await implemented({ settings: { checks: { test, lint: "true" } } });
    const { brief, checks } = await reviewIn(project);
    expect(checks.map(({ empty, name, state }) => [name, state, empty])).toEqual([
      ["test", "passed", true],
      ["lint", "passed", undefined],
    ]);
    expect(brief.chips).toContainEqual({ tone: "warn", words: "test ran no test", place: "checks" });
    expect(brief.chips).toContainEqual({ tone: "good", words: "lint passed", place: "checks" });
  });

  it("shows the work in the order in which it matters, with claims, checks, cost and the review's size", async () => {
    promise("review.model");
    using project = await implemented({ settings: { checks: { test: "echo tested; exit 3" } } });
    project.write("src/extra.txt", "extra\n");
    const review = await reviewIn(project);
    expect(pathsOf(review)).toEqual([
      ["test/bucket.test.js", "process", "tests"],
      ["src/bucket.txt", "plan", "S-1"],
      ["src/server.txt", "plan", "S-2"],
      ["src/extra.txt", "outside-plan", null],
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
    const tested = `tested\n${WITHOUT_SETUP}`;
    expect(review.checks).toEqual([
      {
        ...{ name: "test", command: "echo tested; exit 3", state: "failed", exit: 3, tail: tested },
        duration_ms: expect.any(Number),
        log: expect.stringMatching(/^\.pawl\/checks\/.+\/output$/),
        on: expect.stringMatching(/^[0-9a-f]{40}$/),
      },
    ]);
    expect(project.read(review.checks[0]?.log ?? "")).toBe(`${tested}\n`);
    expect(review.cost).toMatchObject({ usd: null, tokens: null, minutes: 0, tries: 1 });
    expect(review.cost.steps.map(({ name, tries }) => [name, tries])).toEqual([
      ["Start task", 1],
      ["Plan task", 1],
      ["Implement task", 1],
    ]);
    expect(review.size).toMatchObject({ files: 4, minutes: 1 });
    expect(review.notes).toEqual([{ by: "The assistant's review", text: "I see nothing wrong." }]);
    const shown = await differencesOf(asProject(project), review, { bytes: 100_000 });
    if (shown.kind !== "diff") throw new Error(shown.reason);
    expect(shown.files.map(({ path }) => path)).toEqual(pathsOf(review)?.map(([path]) => path));
    expect(shown.files.at(-2)?.text).toContain("-server\n+server with bucket\n");
  });

  it("says after a rejection what is new since then, and which points were answered, by what is there", async () => {
    promise("review.answered");
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
    promise("review.version");
    using project = await implemented();
    const gate = await alfred.gate?.verdict();
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
    const late = openVerdicts().give(
      asProject(project),
      `alfred:${ID}`,
      { approve: true, notes: "", points: [], version },
      person,
    );
    await expect(late).rejects.toMatchObject({
      code: "review-changed",
      message: expect.stringMatching(/dev@host has decided already: \S+, \d{4}-/),
    });
    expect((await project.gate(ID, true)).message).toContain("dev@host has decided already: ");
    await project.submit(ID, MANIFEST);
    expect(await decide(version, false)).toBe("review-changed");
    await project.review(ID, true);
    // The same artifact and the same work, handed in again: another round.
    expect(await decide(version)).toBe("review-changed");
    expect(await decide((await reviewIn(project)).version)).toBe("asked");
  });

  it("waits for no check that runs, and starts none", async () => {
    promise("review.model");
    using project = await implemented({ settings: { checks: {} } });
    await project.gate(ID, false, "With checks.");
    project.retries = 0;
    project.settings = { ...project.settings, checks: { slow: `echo begun; ${shellUntil("-e go")}` } };
    await project.submit(ID, MANIFEST);
    await project.review(ID, true);
    const state = () => project.state(ID);
    const before = JSON.stringify(state());
    const { checks } = await reviewIn(project);
    expect(checks).toMatchObject([{ name: "slow", state: "running", exit: null }]);
    expect(JSON.stringify(state())).toBe(before);
  });
});

describe("The review of a task of Bloom's that waits for approval", () => {
  const LONG = { timeout: 60_000 };

  it(
    "shows what the loop saw and spent, and after a rejection what is new; another version is refused",
    LONG,
    async () => {
      promise("review.version");
      using project = bloomProject({
        tasks: checkpointTask("a", "b").replace(
          "  checkpoint: true\n",
          "  checkpoint: true\n  verify: [test -f a.txt]\n",
        ),
      });
      await project.run();
      await using open = await opened(project.root);
      const first = (await reviewOf(open, "T1")) as Review;
      expect(first).toMatchObject({
        ...{ run: "bloom:T1", title: "t", gate: "bloom.approval", round: 1, level: "any" },
        question: "Do you approve the work of task T1 (t)?",
        leads: { approve: "Approving merges it into main." },
        ...{ choices: [], artifact: null, points: [], history: [] },
        cost: { usd: 0.004, tokens: 440, minutes: 0, tries: 1, steps: [] },
        size: { files: 2, lines: 2, minutes: 1 },
      });
      expect(first.checks).toMatchObject([{ command: "test -f a.txt", state: "passed", exit: 0 }]);
      expect(first.checks[0]?.on).toBe(project.tip("bloom/T1"));
      expect(pathsOf(first)?.map(([path]) => path)).toEqual(["a.txt", "b.txt"]);
      const shown = await differencesOf(open, first, { path: "a.txt", bytes: 10_000 });
      expect(shown).toMatchObject({ files: [{ path: "a.txt", text: expect.stringContaining("+a\n") }] });
      expect((await waiting(open)).map(({ command, kind, minutes }) => [kind, minutes, command])).toEqual([
        ["gate", 1, "pawl review bloom:T1"],
      ]);
      expect(await verdictOn(open, "bloom:T1", first.version)).toBe("asked");
      expect(await verdictOn(open, "bloom:T1", "0".repeat(64))).toBe("review-changed");

      const rejected = await person(project.root, "reject", "T1", "--block", "--at", "a.txt:1", "Say more.");
      expect(rejected.out).toContain("T1 is rejected and blocked.");
      expect(rejected.out).toContain("at the gate bloom.approval of bloom:T1");
      expect(project.tasks()[0]?.ai_notes).toEqual(["rejected:\n- [a.txt:1] Say more."]);
      expect(await reviewOf(open, "T1")).toBeNull();
      expect(await verdictOn(open, "bloom:T1", first.version)).toBe("review-changed");

      project.write("tasks.yaml", (project.read("tasks.yaml") ?? "").replace("echo a >", "echo more >"));
      await person(project.root, "ready", "T1");
      await project.run();
      expect(project.runs().at(-1)?.prompt).toContain(
        "## Notes so far\n\n- rejected:\n  - [a.txt:1] Say more.\n",
      );
      const second = (await reviewOf(open, "T1")) as Review;
      expect(second.points).toEqual([
        { text: "Say more.", at: { file: "a.txt", line: 1 }, since: "changed" },
      ]);
      expect([second.round, newOf(second)]).toEqual([2, ["a.txt"]]);
      expect(second.history).toMatchObject([
        { approved: false, strength: "terminal", notes: "", points: [{}] },
      ]);
      expect(await verdictOn(open, "bloom:T1", first.version)).toBe("review-changed");
    },
  );

  it(
    "says what each step has cost so far, in the review, in the list of runs and beside the total",
    LONG,
    async () => {
      promise("review.cost-by-step");
      const steps = ["one", "two"].map(
        (id) =>
          `  - id: ${id}\n    instruction: |\n      RUN: echo ${id} > ${id}.txt; git add -A; git commit -qm ${id}\n`,
      );
      const head =
        "tasks:\n- id: T1\n  title: t\n  repo: .\n  merge_into: main\n  checkpoint: true\n  steps:\n";
      using project = bloomProject({ tasks: `${head}${steps.join("")}` });
      await project.run();
      await using open = await opened(project.root);
      const { cost } = (await reviewOf(open, "T1")) as Review;
      const each = { usd: 0.002, tokens: 220, minutes: 0, tries: 1 };
      expect(cost).toEqual({
        ...{ usd: 0.004, tokens: 440, minutes: 0, tries: 2 },
        steps: [
          { name: "one", ...each },
          { name: "two", ...each },
        ],
      });
      const page = await pawl(project.root, "review", "T1");
      expect(page.out).toMatch(
        /Cost so far\n +0\.004 usd, 440 tokens, under a minute, 2 tries\n +one +0\.002 usd, 220 tokens/,
      );
      const { runs } = JSON.parse((await pawl(project.root, "status", "--json")).out);
      expect(runs).toMatchObject([{ run: "bloom:T1", cost: { usd: 0.004, tokens: 440, minutes: 0 } }]);
    },
  );

  it(
    "is of another repository where the task works in one: its differences, in their order, and what is new since the last verdict",
    LONG,
    async () => {
      promise("review.other-repository");
      const more = "    RUN: echo {} > package.json; git add -A; git commit -qm more\n";
      const tasks = checkpointTask("a", "b").replace("repo: .", "repo: libs/api");
      using project = bloomProject({ tasks: tasks.replace("    RUN: bloom", `${more}    RUN: bloom`) });
      const api = join(project.root, "libs/api");
      mkdirSync(api, { recursive: true });
      const git = committedAt(api);
      await project.run();
      await using open = await opened(project.root);
      const first = (await reviewOf(open, "T1")) as Review;
      expect(first.changes).toMatchObject({
        ...{ kind: "changes", repo: "libs/api", base: "main", lastJudged: null },
        ...{ from: git("rev-parse", "main"), to: project.tip("bloom/T1", "libs/api") },
      });
      expect(pathsOf(first)).toEqual([
        ["package.json", "process", "configuration"],
        ["a.txt", "other", null],
        ["b.txt", "other", null],
      ]);
      expect(first.size).toMatchObject({ files: 3, lines: 3 });
      const shown = await differencesOf(open, first, { path: "a.txt", bytes: 10_000 });
      expect(shown).toMatchObject({ files: [{ path: "a.txt", text: expect.stringContaining("+a\n") }] });
      const page = await pawl(project.root, "review", "T1", "--diff");
      expect(page.out).toContain("Changes against main in libs/api: 3 files, +3 -0");
      expect(page.out).toContain("+a");

      expect(await verdictOn(open, "bloom:T1", first.version)).toBe("asked");
      const rejected = await person(project.root, "reject", "T1", "--block", "--at", "a.txt:1", "Say more.");
      expect(rejected.screen).toMatch(/against main in libs\/api: .*package\.json/s);
      project.write("tasks.yaml", (project.read("tasks.yaml") ?? "").replace("echo a >", "echo more >"));
      await person(project.root, "ready", "T1");
      await project.run();
      const second = (await reviewOf(open, "T1")) as Review;
      expect(second.points).toEqual([
        { text: "Say more.", at: { file: "a.txt", line: 1 }, since: "changed" },
      ]);
      expect(newOf(second)).toEqual(["a.txt"]);
      expect(await verdictOn(open, "bloom:T1", first.version)).toBe("review-changed");

      rmSync(api, { recursive: true });
      const gone = (await reviewOf(open, "T1")) as Review;
      expect(gone.changes).toEqual({
        kind: "unavailable",
        reason: "The repository libs/api does not exist.",
      });
    },
  );
});

describe("The review of a run of a workflow of one's own", () => {
  it("shows where the events of the state lead and what was only claimed; another version is refused", async () => {
    promise("review.version");
    using project = releaseReady();
    const git = committedAt(project.root);
    git("checkout", "-qb", "work");
    project.write("src/a.js", "one\n");
    const run = "release:1.2.0";
    await project.pawl("cast", run, "submit", "--fact", "risk=low", "-m", "Fine.");
    await using open = await opened(project.root);
    const first = (await reviewOf(open, run)) as Review;
    expect(first).toMatchObject({
      ...{ run, gate: "release.in_review", round: 1, subject: "what is in in_review" },
      leads: {
        approve: "Approving sends `approve` (Let the release go out), which leads to tagging.",
        reject: expect.stringContaining(
          "Rejecting sends `reject` (Send the release back), which leads to drafting",
        ),
      },
      notes: [{ by: "submit (by script)", text: "Fine." }],
      cost: {
        usd: null,
        tokens: null,
        minutes: 0,
        tries: 1,
        steps: [{ name: "drafting", minutes: 0, tries: 1 }],
      },
    });
    expect(first.claims).toContainEqual({
      ...{ about: "risk", claim: "low", verdict: "unknown" },
      found: "It came with the event; nobody checked it.",
    });
    expect(pathsOf(first)).toContainEqual(["src/a.js", "other", null]);
    expect(await verdictOn(open, run, first.version)).toBe("asked");
    project.write("src/a.js", "another\n");
    expect(await verdictOn(open, run, first.version)).toBe("review-changed");
    const rejected = await project.person("reject", "1.2.0", "--at", "src/a.js:1", "Why?", "-m", "Not yet.");
    expect(rejected.out).toContain("- [src/a.js:1] Why?");
    expect(rejected.out).toContain("at the gate release.in_review of release:1.2.0");
    expect(await verdictOn(open, run, first.version)).toBe("review-changed");
    await project.pawl("cast", run, "submit", "--fact", "risk=high");
    const second = (await reviewOf(open, run)) as Review;
    expect([second.round, newOf(second)]).toEqual([2, []]);
    expect(second.points).toEqual([{ text: "Why?", at: { file: "src/a.js", line: 1 }, since: "same" }]);
    expect(second.history).toMatchObject([{ approved: false, notes: "Not yet.", strength: "terminal" }]);
  });
});

describe("pawl review at a terminal", () => {
  it("lists what waits, then shows one review in order, and reject and --since walk to the next round", async () => {
    promise("review.terminal");
    using project = await implemented();
    const list = await pawl(project.root, "review");
    expect(list.out).toMatch(
      /^alfred:TS-01 {2}Limit the rate .*1 min, just now\n {2}review {5}approve or reject the/,
    );
    expect(list.out).toContain("pawl review alfred:TS-01\n");
    expect(list.out).toMatch(/\n1 thing waits for you\.\n$/);
    const shown = await pawl(project.root, "review", ID, "--diff");
    const places = [
      "Do you approve the implementation manifest of task TS-01",
      "The assistant's review: ",
      "Claims beside what Pawl found",
      "Changes against main: 3 files",
      "+server with bucket",
      "Cost so far",
      "History",
      "pawl approve alfred:TS-01",
    ].map((text) => shown.out.indexOf(text));
    expect(places, shown.out).not.toContain(-1);
    // Nothing is left for it: the assistant's words and the parts that are done stand above.
    expect(shown.out).not.toContain("The rest of what is handed in");
    expect(places).toEqual([...places].sort((one, other) => one - other));
    expect(shown.out).not.toContain("\u001b");
    expect((await pawl(project.root, "review", ID, "--since")).err).toContain("[no-effect]");
    expect((await pawl(project.root, "review", "--diff")).err).toContain("[usage]");
    expect((await pawl(project.root, "review", ID, "--path", "nope")).err).toContain("[no-effect]");
    const data = JSON.parse((await pawl(project.root, "review", ID, "--json")).out);
    expect(data.review).toEqual(JSON.parse(JSON.stringify(await reviewIn(project))));
    expect(data.differences).toBeUndefined();

    expect((await person(project.root, "reject", ID, "--at", "one word")).err).toContain("[usage]");
    const points = ["--at", "src/bucket.txt:1", "Refill it.", "--at", "field testing_notes", "Say how."];
    const rejected = await person(project.root, "reject", ID, "-m", "Nearly.", ...points);
    expect(rejected.screen).toContain("- [src/bucket.txt:1] Refill it.");
    expect(rejected.out).toMatch(/^The implementation manifest of task 'TS-01' is rejected with notes/);
    expect(rejected.out).toMatch(
      /\n {2}decided {3}rejected, at the gate alfred\.implement_task of alfred:TS-01\n/,
    );
    expect(rejected.out).toMatch(/\n {2}worth {5}given at a terminal; unverified: anyone with your shell\n/);
    expect(rejected.out).toMatch(
      /\n {2}artifact {2}sha256 [0-9a-f]{64}\n {2}work {6}[0-9a-f]{40}\n {2}points {4}2,/,
    );
    expect((await pawl(project.root, "review", ID)).out).toContain("waits for no verdict of yours");

    project.write("src/bucket.txt", "bucket\nrefilled\n");
    await project.submit(ID, MANIFEST);
    await project.review(ID, true);
    const since = await pawl(project.root, "review", ID, "--since", "--diff");
    expect(since.out).toContain("x 1 of 3 requests as before");
    expect(since.out).toContain("src/bucket.txt:1: Refill it. (bucket.txt changed)");
    expect(since.out).toContain("field testing_notes: Say how. (as before)");
    expect(since.out).toContain("Changes since the last verdict: 1 file, +1 -0");
    expect(since.out).toContain("+refilled");
    expect(since.out).not.toContain("src/server.txt\n");
    const approved = await person(project.root, "approve", ID, "--json");
    expect(JSON.parse(approved.out)).toMatchObject({
      receipt: { approved: true, gate: "alfred.implement_task", channel: "terminal", strength: "terminal" },
    });
  });

  it("shows a difference of 20,000 lines in part, says how much is left out, and all of it by its path", async () => {
    promise("review.terminal");
    using project = await implemented();
    project.write("src/long.txt", "a line of a long file\n".repeat(20_000));
    const shown = await pawl(project.root, "review", ID, "--diff");
    expect(shown.out.length).toBeLessThan(200_000);
    const left =
      /\((\d+) bytes of src\/long\.txt left out: pawl review alfred:TS-01 --path "src\/long\.txt"\)/;
    expect(Number(left.exec(shown.out)?.[1])).toBeGreaterThan(300_000);
    expect(shown.out).toContain("+server with bucket");
    const whole = await pawl(project.root, "review", ID, "--path", "src/long.txt");
    expect(whole.out.match(/^\+a line of a long file$/gm)).toHaveLength(20_000);
    expect(whole.out).not.toContain("left out");
  });

  it("puts the runs that wait for me first in pawl status", async () => {
    promise("review.terminal");
    using project = await implemented();
    await project.call("create_task", { task_content: taskMarkdown("A-01") });
    await project.call("start_task", { task_id: "A-01" });
    const { out } = await pawl(project.root, "status");
    expect(out.indexOf("alfred:TS-01")).toBeLessThan(out.indexOf("alfred:A-01"));
    const { runs } = JSON.parse((await pawl(project.root, "status", "--json")).out);
    expect(runs.map(({ run }: { run: string }) => run)).toEqual([RUN, "alfred:A-01"]);
    expect(runs[0]).toMatchObject({ awaits: "human", waitsFor: "gate" });
  });
});

describe("A review full of hostile texts", () => {
  const EVIL =
    "\u001b[2J\u001b]0;title\u0007\u202eevil\u200b\n\nDo you approve this?\n  agrees       all: fine\n\r<b>";
  const PLACED = { isOutside: true, folded: null };
  const factsOfTexts = (text: string): ReviewFacts => ({
    ...{
      run: `alfred:${text}`,
      title: text,
      gate: text,
      subject: text,
      version: text,
      since: text,
      round: 1,
    },
    ...{ question: text, leads: { approve: text, reject: text }, facts: [text], level: "any" },
    claims: [{ about: text, claim: text, found: text, verdict: "differs" }],
    choices: [{ kind: "risk", field: text, title: text, words: Array(30).fill(text), since: "new" }],
    artifact: { name: text, value: { [text]: text }, sha256: text },
    changes: {
      ...{ kind: "changes", repo: text, base: text, from: text, to: text, lastJudged: text, untouched: [] },
      files: [
        {
          ...{ path: text, added: 1, deleted: null, item: text, isNew: true },
          group: "outside-plan",
          ...PLACED,
        },
      ],
      since: [
        {
          ...{ path: text, added: 1, deleted: 0, item: text, isNew: true },
          group: "outside-plan",
          ...PLACED,
        },
      ],
    },
    checks: [
      {
        ...{ name: text, command: text, state: "failed", exit: 1, duration_ms: 1 },
        tail: text,
        log: text,
        on: text,
      },
    ],
    cost: {
      usd: 1,
      tokens: 2,
      minutes: 3,
      tries: 4,
      steps: [{ ...{ name: text, usd: 1 }, tokens: null, minutes: 1, tries: 1 }],
    },
    size: { files: 1, toRead: 1, lines: 1, minutes: 1 },
    history: [
      {
        ...{ time: text, approved: false, stage: "human", by: text, strength: null, notes: text },
        ...{ points: Array(30).fill({ text, at: { file: text, line: 1 } }), artifact: text, work: text },
      },
    ],
    points: Array(25).fill({ text, at: { field: text }, since: "same" }),
    notes: [{ by: text, text }],
  });
  const differencesIn = (text: string) => ({
    ...({ kind: "diff" } as const),
    files: [
      {
        path: text,
        text: `diff --git a b\n${text
          .slice(0, 10_000)
          .split("\n")
          .map((line) => `+${line}\n`)
          .join("")}`,
        isBinary: false,
        leftOut: 1,
      },
    ],
  });
  const render = (text: string, columns: number, since = false) =>
    renderReview(
      { ...factsOfTexts(text), brief: briefOf(factsOfTexts(text)) },
      { since, differences: differencesIn(text) },
      { columns, paint: paintOf(false) },
      new Date(),
    );

  it.each([80, 100])("keeps to its lines and headings at %i columns, and moves no cursor", (columns) => {
    promise("review.cleaned");
    for (const since of [false, true]) {
      const shown = render(EVIL, columns, since);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
      expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u200b]/);
      expect(shown).toContain("<U+202E>evil<U+200B>");
      expect(shown.split("\n").filter((line) => line.startsWith("Do you approve"))).toEqual([]);
      expect(shown.split("\n").filter((line) => /^ {2}agrees/.test(line))).toEqual([]);
      const wide = shown
        .split("\n")
        .filter((line) => line.length > columns && !/[│+(]|all of it|pawl /.test(line));
      expect(wide).toEqual([]);
    }
  });

  it("is cut if its texts are megabytes", () => {
    promise("review.cleaned");
    for (const [name, text] of Object.entries(AWKWARD)) {
      // It is there about a hundred times.
      const shown = render(text.slice(0, 100_000), 80);
      expect(shown.length, name).toBeLessThan(700_000);
    }
  });

  it("has a difference of one endless line cut, too", () => {
    const shown = renderDifferences(RUN, differencesIn("x".repeat(5_000_000)), {
      columns: 80,
      paint: paintOf(true),
    });
    expect(shown.length).toBeLessThan(10_000);
  });
});

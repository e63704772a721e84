/** What an assistant may write while a run of an own workflow is where it is. */
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/adapters/files/store.ts";
import { PawlError } from "../../src/core/error.ts";
import { projectPath } from "../../src/core/path.ts";
import { DEFAULT_SETTINGS } from "../../src/core/settings.ts";
import type { WorkflowModule } from "../../src/runtime/module.ts";
import { openScopes, runOfCall } from "../../src/runtime/reports/open-scopes.ts";
import type { Runtime } from "../../src/runtime/transaction/run-transaction.ts";
import { fileSource } from "../../src/workflows/custom/load.ts";
import { openOwnWorkflows } from "../../src/workflows/custom/module.ts";
import type { TemporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { change, releaseReady } from "../rig/release-project.ts";
import { stateOf } from "../rig/state-home.ts";
import { until } from "../rig/until.ts";

const RUN = "release:1.2.0";
const FILE = "release.yaml";
const RUN_FILE = ".pawl/runs/release/1.2.0.json";
const SCOPES = /^ {4}(?:writes|forbids): .*\n/gm;

/** The project's workflows, read anew. */
function opened({ root }: TemporaryProject) {
  const store = openStore({ root, state: stateOf(root), packaged: async () => null });
  const sources = [fileSource({ name: "release", file: projectPath(FILE) })];
  const workflows: Readonly<Record<string, () => Promise<WorkflowModule>>> = openOwnWorkflows({
    sources,
    view: () => store.view(),
  });
  const runtime = {
    store,
    outside: {},
    settings: async () => DEFAULT_SETTINGS,
    now: () => new Date(),
  } as unknown as Runtime;
  return { runtime, workflows };
}

const scopes = (project: TemporaryProject) => openScopes(opened(project));
const submit = (project: TemporaryProject) => project.pawl("cast", RUN, "submit", "--fact", "risk=low");

describe("the scope of a run of an own workflow", () => {
  it("is none before the run begins and after it is over, and follows its states between", async () => {
    promise("scope.follows-the-run");
    using project = releaseReady();
    expect(await scopes(project)).toEqual([]);
    await submit(project);
    expect(await scopes(project)).toEqual([
      {
        run: RUN,
        state: "in_review",
        writes: "none",
        forbids: ["commit", "push"],
        planFiles: [],
        next: `A person decides; wait, or tell them to run \`pawl approve ${RUN}\`: approve or reject the release.`,
        awaits: "human",
      },
    ]);
    await project.person("reject", "1.2.0");
    expect(await scopes(project)).toMatchObject([
      {
        state: "drafting",
        writes: "worktree",
        forbids: ["push"],
        next: `Send submit with advance (run "${RUN}"): write releases/ID.md and tick its list, then send submit.`,
        awaits: "assistant",
      },
    ]);
    await submit(project);
    await project.person("approve", "1.2.0");
    expect(await scopes(project)).toEqual([]);
  });

  it("limits nothing if no state has one", async () => {
    promise("scope.follows-the-run");
    using project = releaseReady();
    project.write(FILE, (project.read(FILE) ?? "").replace(SCOPES, ""));
    await submit(project);
    expect(await scopes(project)).toMatchObject([{ run: RUN, writes: "all", forbids: [] }]);
  });

  it("has the plan files of its own run", async () => {
    promise("scope.follows-the-run");
    using project = releaseReady();
    change(project, FILE, "    writes: none\n", "    writes: plan\n");
    change(project, FILE, "goals:", 'plan_files: ["releases/{{ id }}.md", "notes/**"]\ngoals:');
    await submit(project);
    expect(await scopes(project)).toMatchObject([
      { writes: "plan", planFiles: ["releases/1.2.0.md", "notes/**"] },
    ]);
  });

  it("names the command that is under way, and how to wait for its end", async () => {
    using project = releaseReady();
    change(
      project,
      FILE,
      "sh ./tag.sh {{ id }}",
      "until test -e go; do sleep 0.05; done; sh ./tag.sh {{ id }}",
    );
    project.trust();
    await submit(project);
    const approved = project.person("approve", "1.2.0");
    const scope = await until(async () => (await scopes(project)).find(({ state }) => state === "tagging"));
    project.write("go", "");
    expect(scope).toMatchObject({ writes: "none", awaits: "assistant" });
    expect(scope.next).toContain(`call advance with run "${RUN}" and no event`);
    expect((await approved).code).toBe(0);
  });

  it.each<[string, (project: TemporaryProject) => void, RegExp]>([
    [
      "its file was edited",
      (project) => change(project, RUN_FILE, '"state": "in_review"', '"state": "drafting"'),
      /pawl repair/,
    ],
    ["its file cannot be read", (project) => project.write(RUN_FILE, "{"), /forgets the run/],
  ])("allows nothing while %s, and says how to mend it", async (_, harm, fix) => {
    promise("scope.unreadable");
    using project = releaseReady();
    await submit(project);
    harm(project);
    const [scope, ...others] = await scopes(project);
    expect(others).toEqual([]);
    expect(scope).toMatchObject({
      run: RUN,
      state: "unreadable",
      writes: "none",
      forbids: ["commit", "push"],
    });
    expect(scope?.next).toMatch(fix);
  });

  it("allows nothing while the workflow of a run has a fault", async () => {
    promise("scope.unreadable");
    using project = releaseReady();
    await submit(project);
    change(project, FILE, "    writes: none\n", "");
    const { runtime, workflows } = opened(project);
    const module = await workflows.release?.();
    expect(await module?.scopes?.scopeOf(runtime.store.view(), "1.2.0")).toMatchObject({
      run: RUN,
      state: "unreadable",
      writes: "none",
    });
    expect(await openScopes({ runtime, workflows })).toMatchObject([
      { run: RUN, writes: "none", next: expect.stringContaining("release.yaml") },
    ]);
  });

  it("is one for the whole workflow, in which nothing may be written, while its runs cannot be listed", async () => {
    promise("scope.unreadable");
    using project = releaseReady();
    await submit(project);
    const { runtime, workflows } = opened(project);
    const release = (await workflows.release?.()) as Required<WorkflowModule>;
    const runIds = async () => {
      throw new PawlError("disk-failed", "The folder cannot be read.", "Mend the disk.");
    };
    const module = { ...release, scopes: { ...release.scopes, runIds } };
    const found = await openScopes({ runtime, workflows: { release: async () => module } });
    expect(found).toMatchObject([
      { run: "release", state: "unreadable", writes: "none", next: "Mend the disk." },
    ]);
  });
});

describe("the run of a call of the tools that own workflows share", () => {
  it.each([
    ["advance", { run: RUN, event: "submit" }, RUN],
    ["look", { run: RUN }, RUN],
    ["look", {}, null],
    ["advance", { run: "release:" }, null],
    ["advance", { run: "release:../x" }, null],
    ["advance", { run: "releases:1" }, null],
    ["advance", { run: 7 }, null],
    ["submit_work", { run: RUN }, null],
  ])("%s with %j", async (tool, input, run) => {
    using project = releaseReady();
    expect(await runOfCall(opened(project), tool, input)).toBe(run);
  });
});

describe("pawl check, of an own workflow's scopes", () => {
  async function faultOf(project: TemporaryProject): Promise<string> {
    const { code, out } = await project.pawl("check", "release", "--json");
    expect(code).toBe(1);
    return JSON.parse(out).faults[0].message;
  }

  it.each([
    ["    writes: none\n", "", /release\.yaml:\d+:3: The state "in_review" does not say what it writes/],
    [
      "    writes: none\n",
      "    writes: nothing\n",
      /release\.yaml:\d+:13: states\.in_review\.writes: expected none, plan, worktree, all; found "nothing"/,
    ],
    [
      "    forbids: push\n",
      "    forbids: [push, pull]\n",
      /release\.yaml:\d+:\d+: states\.drafting\.forbids\.1: expected commit or push; found "pull"/,
    ],
    [
      "    forbids: push\n",
      "    forbids: [push, push]\n",
      /release\.yaml:\d+:3: The state "drafting" must list/,
    ],
    [
      "    writes: none\n",
      "    writes: plan\n",
      /release\.yaml:\d+:3: the state in_review writes plan: expected `plan_files`/,
    ],
    [
      "goals:",
      'plan_files: [notes.md, "../**"]\ngoals:',
      /release\.yaml:\d+:\d+: the plan files "\.\.\/\*\*" cannot be used: it has the segment "\.\."/,
    ],
    [
      "goals:",
      'plan_files: "{{ run }}.md"\ngoals:',
      /release\.yaml:\d+:\d+: the plan files "\{\{ run \}\}\.md" cannot be used/,
    ],
  ])("instead of %j finds what is wrong with %j, at its place", async (from, to, said) => {
    promise("scope.every-state");
    using project = releaseReady();
    change(project, FILE, from, to);
    expect(await faultOf(project)).toMatch(said);
  });

  it("shows in the table what may be written in each state", async () => {
    using project = releaseReady();
    const { out } = await project.pawl("diagram", "release", "--format", "markdown");
    expect(out).toContain(
      "| drafting | initial | worktree, no push | The notes of the release are being written. |",
    );
  });
});

/** The state of Spells follows from its run's log, or is held for a person; one without a log is taken as it is. */
import { describe, expect, it } from "vitest";
import { loadLines } from "../../src/runtime/run-log/read.ts";
import { logFaults } from "../../src/runtime/run-log/replay.ts";
import { RUN } from "../../src/workflows/spells/files.ts";
import { overview } from "../../src/workflows/spells/overview.ts";
import { SPELLS_RUNS } from "../../src/workflows/spells/run-kind.ts";
import { promise } from "../rig/promise.ts";
import { LOG, SpellsProject } from "../rig/spells-project.ts";

const CONTEXT = "# Context\n\nWhat is to be done.\n";

async function withContext(): Promise<SpellsProject> {
  const project = new SpellsProject();
  await project.cast("accio");
  project.write("context.md", CONTEXT);
  return project;
}

// biome-ignore lint/suspicious/noExplicitAny: a test edits the file as it is
type Edit = (value: any) => void;

function edit(project: SpellsProject, change: Edit): void {
  const state = JSON.parse(project.read("state.json"));
  change(state);
  project.write("state.json", JSON.stringify(state));
}

/** Changes a line of the log; `at` as of a list, from its end where it is negative. */
function editLog(project: SpellsProject, at: number, change: Edit): void {
  const lines = project.read(`/${LOG}`).trimEnd().split("\n");
  const index = at < 0 ? lines.length + at : at;
  const line = JSON.parse(lines[index] ?? "");
  change(line);
  lines[index] = JSON.stringify(line);
  project.write(`/${LOG}`, `${lines.join("\n")}\n`);
}

const inLast = (change: Edit) => (project: SpellsProject) => editLog(project, -1, change);
const inState = (change: Edit) => (project: SpellsProject) => edit(project, change);

async function faultsOf(project: SpellsProject): Promise<readonly string[]> {
  return logFaults(SPELLS_RUNS, await loadLines(project.runtime.store.view(), RUN));
}

const shown = async (project: SpellsProject) => (await overview(project.runtime.store.view()))[0];

describe("The state of Spells", () => {
  it.each<[string, RegExp, (project: SpellsProject) => void]>([
    [
      "state.json has another state",
      /after step 2: found ACHIEVE_TASK_EXECUTED .*; its log leads to GATHER_EDITING_CONTEXT/,
      inState((state) => {
        state.current_state = "ACHIEVE_TASK_EXECUTED";
      }),
    ],
    [
      "state.json has a step in its history that nobody took",
      /is not the one that Pawl wrote/,
      inState(({ history }) => history.push({ ...history[0], trigger: "Reparo" })),
    ],
    [
      "the log leads elsewhere",
      /contradict each other/,
      inLast(({ local }) => {
        local.checkpoint.state = "GATHER_EDITING";
      }),
    ],
    [
      "the log's last step leads elsewhere",
      /contradict each other/,
      inLast(({ step }) => {
        step.to = "GATHER_EDITING";
      }),
    ],
    [
      "the log says of variables what the state does not",
      /the log's last line says GATHER_EDITING_CONTEXT with reparo_origin = GATHER_EDITING/,
      inLast(({ local }) => {
        local.checkpoint.variables.reparo_origin = "GATHER_EDITING";
      }),
    ],
    [
      "the log has a key that no step has",
      /the last line: step.reason: expected no such key/,
      inLast(({ step }) => {
        step.reason = "because";
      }),
    ],
    [
      "the log is about another run",
      /it is about the run spells:other/,
      inLast(({ step }) => {
        step.run = "spells:other";
      }),
    ],
    [
      "the log's last line is cut",
      /it is not JSON, or only a part of it/,
      (project) => project.write(`/${LOG}`, project.read(`/${LOG}`).slice(0, -20)),
    ],
    [
      "the log's last commit is cut",
      /the commit that it belongs to is cut off/,
      (project) => project.write(`/${LOG}`, `${project.read(`/${LOG}`).split("\n")[0]}\n`),
    ],
    [
      "the log's last line is not text",
      /main\.jsonl, its log, cannot be used: the last line: it is not text\. The run is held until a person decides\.$/,
      (project) => project.write(`/${LOG}`, Buffer.from([0x7b, 0xff, 0xfe, 0x0a])),
    ],
    ["the log is an empty line", /it is not JSON/, (project) => project.write(`/${LOG}`, "\n")],
  ])("is held if %s, until a person accepts it", async (_, said, change) => {
    promise("gates.history");
    using project = await withContext();
    change(project);
    const before = [project.read("state.json"), project.read(`/${LOG}`)];
    for (const spell of ["accio", "lumos"] as const)
      await expect(project.cast(spell)).rejects.toMatchObject({
        code: "state-tampered",
        message: expect.stringMatching(said),
        fix: expect.stringContaining("pawl repair"),
      });
    expect([project.read("state.json"), project.read(`/${LOG}`)]).toEqual(before);
    expect((await shown(project))?.problem).toMatchObject({ code: "state-tampered" });
    await project.accept();
    const state = JSON.parse(before[0] ?? "").current_state;
    expect(await shown(project)).toMatchObject({ state });
    await project.cast("lumos");
    expect(await faultsOf(project)).toEqual([]);
  });

  it("has no fault in a log of many casts, and an earlier line that was changed is found when all of it is looked at", async () => {
    promise("gates.history");
    using project = await withContext();
    await project.castAll("accio", "reparo", "reverto", "reparo", "reverto");
    expect(await faultsOf(project)).toEqual([]);
    const log = project.read(`/${LOG}`);
    for (const [change, said] of [
      [
        ({ step }) => {
          step.by.who = "another";
        },
        /step 4 of its log is not made on the 3 before it/,
      ],
      [
        ({ local }) => {
          local.patch.set.current_state = "ACHIEVE_COMPLETE";
        },
        /what its log says of the state after step 3 is not what was written/,
      ],
      [
        ({ step }) => {
          step.rule = "R5a";
        },
        /step 3 of its log \(accio\) does not lead on from GATHER_EDITING_CONTEXT/,
      ],
    ] as const satisfies readonly (readonly [Edit, RegExp])[]) {
      editLog(project, 2, change);
      expect((await faultsOf(project)).join("; ")).toMatch(said);
      project.write(`/${LOG}`, log);
    }
  });

  it("goes on if only its layout was changed", async () => {
    using project = await withContext();
    const state = project.read("state.json");
    project.write("state.json", JSON.stringify(JSON.parse(state)).replaceAll("\n", "\r\n"));
    expect((await project.cast("lumos")).state).toBe("GATHER_EDITING_CONTEXT");
    expect((await project.cast("accio")).state).toBe("GATHER_EDITING");
    expect(await faultsOf(project)).toEqual([]);
  });

  it("goes on from an earlier state that was put back, and the log says so", async () => {
    using project = await withContext();
    const earlier = project.read("state.json");
    await project.cast("accio");
    project.write("state.json", earlier);
    expect(await shown(project)).toMatchObject({ state: "GATHER_EDITING_CONTEXT" });
    project.remove("plan.md");
    expect((await project.cast("accio")).state).toBe("GATHER_EDITING");
    const lines = await loadLines(project.runtime.store.view(), RUN);
    expect(lines.map(({ step }) => step?.kind)).toEqual(["begun", "moved", "moved", "returned", "moved"]);
    expect(lines[3]?.step).toMatchObject({ from: "GATHER_EDITING", to: "GATHER_EDITING_CONTEXT" });
    expect(lines[3]?.step?.of).toBe(lines[1]?.local?.checkpoint.head);
    expect(await faultsOf(project)).toEqual([]);
  });

  it("is taken as it is if it has no log, is shown as unproved, and gets a log", async () => {
    promise("gates.history-missing");
    using project = new SpellsProject();
    project.state("GATHER_EDITING_CONTEXT");
    project.write("context.md", CONTEXT);
    expect(await shown(project)).toMatchObject({ unproved: true });
    await project.cast("accio");
    expect(await shown(project)).toMatchObject({ state: "GATHER_EDITING", unproved: true });
    edit(project, (state) => {
      state.current_state = "ACHIEVE_COMPLETE";
    });
    await expect(project.cast("lumos")).rejects.toMatchObject({ code: "state-tampered" });
    expect(await faultsOf(project)).toEqual([]);
  });

  it("begins anew if its files are gone, and is proved from there", async () => {
    using project = new SpellsProject();
    project.state("GATHER_EDITING_CONTEXT");
    project.write("context.md", CONTEXT);
    await project.cast("accio");
    project.remove("/.ai");
    await project.cast("accio");
    const run = await shown(project);
    expect(run).toMatchObject({ state: "GATHER_EDITING_CONTEXT" });
    expect(run?.unproved).toBeUndefined();
    expect(await faultsOf(project)).toEqual([]);
  });

  it("keeps the newest 200 casts of its history, and the log all of them", async () => {
    using project = await withContext();
    await project.cast("accio");
    for (let at = 0; at < 102; at++) await project.castAll("reparo", "reverto");
    expect(project.stateFile().history).toHaveLength(200);
    const lines = await loadLines(project.runtime.store.view(), RUN);
    expect(lines.filter(({ step }) => step?.kind === "moved").length).toBe(206);
    expect(await faultsOf(project)).toEqual([]);
  });
});

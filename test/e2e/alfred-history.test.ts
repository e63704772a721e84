/** A task's state follows from its run's log, or is held for a person: edits by hand skip no gate. */
// biome-ignore-all lint/suspicious/noExplicitAny: states are edited here as a text is, whatever their types say
import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { hashOfState, loadLines } from "../../src/runtime/run-log/read.ts";
import { logFaults } from "../../src/runtime/run-log/replay.ts";
import { hashOfStep } from "../../src/runtime/run-log/step.ts";
import { TASK_RUNS } from "../../src/workflows/alfred/state/run-kind.ts";
import { start } from "../rig/alfred-artifacts.ts";
import { type AlfredProject, CLEAN, projectWithTask } from "../rig/alfred-project.ts";
import { pawlInside, personAtTerminal } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

const ID = "TS-01";
const STATE = `.alfred/workspace/${ID}/task_state.json`;
const LOG = `.pawl/log/alfred/${ID}.jsonl`;
const LONG = { timeout: 30_000 };

/** In the human review of the git status, with an approval by the assistant before it. */
async function inReview(): Promise<AlfredProject> {
  const project = await projectWithTask(ID);
  await project.call("start_task", { task_id: ID });
  await project.submit(ID, CLEAN);
  await project.review(ID, true);
  return project;
}

function linesOf(project: AlfredProject): any[] {
  const lines = project.read(LOG).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line));
}

function editLog(project: AlfredProject, change: (lines: any[]) => void): void {
  const lines = linesOf(project);
  change(lines);
  project.write(LOG, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

function edit(project: AlfredProject, change: (state: any) => void): string {
  const state = project.state(ID);
  change(state);
  const text = `${JSON.stringify(state, null, 2)}\n`;
  project.write(STATE, text);
  return text;
}

async function expectHeld(project: AlfredProject, said: RegExp): Promise<void> {
  const before = project.read(STATE);
  for (const [tool, input] of [
    ["start_task", { task_id: ID }],
    ["work_on_task", { task_id: ID }],
    ["provide_review", { task_id: ID, is_approved: true }],
    ["plan_task", { task_id: ID }],
  ] as const) {
    const { data, message, status } = await project.call(tool, input);
    expect({ tool, status, code: data.code }).toEqual({ tool, status: "error", code: "state-tampered" });
    expect(message).toMatch(said);
    expect(message).toContain(STATE);
  }
  expect((await project.call("get_next_task")).message).toMatch(said);
  expect(project.read(STATE)).toBe(before);
}

describe("A task's state", () => {
  it(
    "is written with the steps that it came by, and is held by nothing where it follows from them",
    LONG,
    async () => {
      using project = await inReview();
      await project.review(ID, false, "Again.");
      await project.submit(ID, CLEAN);
      for (const _ of "ah") await project.review(ID, true);
      await project.submit(ID, { branch_name: `feature/${ID}`, success: true, details: "made" });
      for (const _ of "ah") expect((await project.review(ID, true)).status).toBe("success");
      expect(project.state(ID).task_status).toBe("planning");
      const lines = linesOf(project);
      expect(lines).toHaveLength(10);
      const { checkpoint, document } = lines[9].local;
      expect(checkpoint).toMatchObject({ machine: "start_task", state: "verified", seq: 10 });
      expect(document).toBe(hashOfState(TASK_RUNS, project.read(STATE)));
      const { store } = project.runtime();
      const all = await loadLines(store.view(), `alfred:${ID}`);
      expect(logFaults(TASK_RUNS, all)).toEqual([]);
      expect((await project.call("plan_task", { task_id: ID })).status).toBe("success");
    },
  );

  it.each([
    [
      "a place after its gate",
      /active\.position\.state: found "branch_created"/,
      (state: never) => {
        Object.assign((state as any).active_tool_state, {
          current_state: "branch_created",
          review_source: null,
        });
      },
    ],
    [
      "a status that no tool gave it",
      /task_status: found "ready_for_finalization", .* "new"/,
      (state: never) => {
        Object.assign(state as any, { task_status: "ready_for_finalization", active_tool_state: null });
      },
    ],
    [
      "an approval that nobody gave",
      /active\.verdicts/,
      (state: never) => {
        const { verdicts } = (state as any).active_tool_state.context_store;
        verdicts.push({ ...verdicts[0], stage: "human", channel: "terminal", strength: "terminal" });
      },
    ],
    [
      "another review policy",
      /review_policy/,
      (state: never) => {
        (state as any).active_tool_state.context_store.review_policy = ["human"];
      },
    ],
    [
      "another artifact under its approval",
      /active\.submitted/,
      (state: never) => {
        (state as any).active_tool_state.context_store.submitted.sha256 = "0".repeat(64);
      },
    ],
  ])("is held for a person where it was edited to have %s", LONG, async (_, said, change) => {
    promise("gates.history");
    using project = await inReview();
    edit(project, change as never);
    await expectHeld(project, said);
  });

  it.each<[string, RegExp, (lines: any[]) => void]>([
    ["is cut off", /is not the one that Pawl wrote after step 2/, (lines) => void lines.pop()],
    ["is gone", /its log, \.pawl\/log\/alfred\/TS-01\.jsonl, is missing/, (lines) => void lines.splice(0)],
    ["ends in a half line", /the last line: it is not JSON/, (lines) => void lines.push("half").toString()],
    [
      "ends in another state than its step",
      /its step and what follows from it contradict each other/,
      (lines) => {
        lines[2].local.checkpoint.state = "verified";
      },
    ],
  ])("is held for a person where its log %s", LONG, async (what, said, change) => {
    promise("gates.history");
    using project = await inReview();
    editLog(project, change);
    if (what.includes("half")) project.write(LOG, project.read(LOG).replace(/"half"\n$/, '{"id": '));
    if (what.includes("gone")) rmSync(project.path(LOG));
    await expectHeld(project, said);
  });

  it(
    "is held where an older file is put back, and goes on where it is put back as it was",
    LONG,
    async () => {
      using project = await projectWithTask(ID);
      await project.call("start_task", { task_id: ID });
      await project.submit(ID, CLEAN);
      const older = project.read(STATE);
      await project.review(ID, false, "No.");
      const now = project.read(STATE);
      project.write(STATE, older);
      await expectHeld(project, /what Pawl wrote after step 2, and its log goes on to step 3: an older file/);
      project.write(STATE, now);
      expect((await project.submit(ID, CLEAN)).status).toBe("success");
    },
  );

  it(
    "keeps the newest verdicts, however many there are; the log and what is shown of it have all",
    LONG,
    async () => {
      promise("gates.history");
      using project = await projectWithTask(ID);
      await project.call("start_task", { task_id: ID });
      await project.submit(ID, CLEAN);
      const rounds = 23;
      for (let round = 1; round <= rounds; round++) {
        await project.review(ID, false, `Round ${round}.`);
        await project.submit(ID, CLEAN);
      }
      const { active_tool_state: active } = project.state(ID);
      expect(active.context_store.verdicts).toHaveLength(20);
      expect(active.context_store.rejections).toEqual({ git_status_checked: rounds });
      const { out } = await pawlInside(project.root, ["show", ID], { DOOR_ONLY: "" });
      for (let round = 1; round <= rounds; round++) expect(out).toContain(`> Round ${round}.`);
      const all = await loadLines(project.runtime().store.view(), `alfred:${ID}`);
      expect(logFaults(TASK_RUNS, all)).toEqual([]);
    },
  );

  it("is shown with each verdict of a person and how it came", LONG, async () => {
    promise("gates.strength-shown");
    using project = await inReview();
    const environment = { DOOR_ONLY: "" };
    expect((await personAtTerminal(project.root, ["approve", ID], { environment })).code).toBe(0);
    const said = "(given at a terminal; unverified: anyone with your shell)";
    const status = await pawlInside(project.root, ["status"], environment);
    expect(status.out.replace(/\s+/g, " ")).toContain(`approved the git status report ${said}`);
    const story = await pawlInside(project.root, ["show", ID], environment);
    expect(story.out.replace(/\s+/g, " ")).toContain(
      "given at a terminal; unverified: anyone with your shell",
    );
  });

  it("names file and line where no run can come to its place, wherever it is asked about", LONG, async () => {
    using project = await inReview();
    const text = edit(project, (state) => {
      state.active_tool_state.review_source = "verified";
    });
    const line = text.split("\n").findIndex((each) => each.includes('"current_state"')) + 1;
    for (const tool of ["start_task", "work_on_task"]) {
      const { data, message } = await project.call(tool, { task_id: ID });
      expect(data.code).toBe("run-unreachable");
      expect(message).toContain(`${STATE}, line ${line}: The run of start_task has review_source = verified`);
    }
    expect((await project.call("get_next_task")).message).toContain(`${STATE}, line ${line}`);
  });
});

describe("pawl repair", () => {
  it(
    "tells in which an edited state differs, and takes it only by a person's word, which is recorded",
    LONG,
    async () => {
      promise("gates.history");
      using project = await inReview();
      edit(project, (state) => {
        Object.assign(state, { task_status: "ready_for_development", active_tool_state: null });
      });
      const script = await pawlInside(project.root, ["repair"], { DOOR_ONLY: "" });
      expect(script).toMatchObject({
        code: 1,
        out: expect.stringContaining('found "ready_for_development"'),
      });
      const agent = await pawlInside(project.root, ["repair"], { DOOR_ONLY: "", CLAUDECODE: "1" });
      expect(agent.code).toBe(1);
      const environment = { DOOR_ONLY: "" };
      const no = await personAtTerminal(project.root, ["repair"], { answer: "n\n", environment });
      expect([no.code, linesOf(project).length]).toEqual([1, 3]);
      const yes = await personAtTerminal(project.root, ["repair"], { environment });
      expect(yes.screen).toContain(
        '- task_status: found "ready_for_development", its history leads to "new"',
      );
      expect(yes).toMatchObject({ code: 0, out: expect.stringContaining("is taken as it is") });
      expect(linesOf(project).at(-1).step).toMatchObject({ kind: "accepted", strength: "terminal" });
      const log = await pawlInside(project.root, ["log"], environment);
      expect(log.out).toContain(`an edit of ${STATE} was accepted`);
      expect((await project.call("work_on_task", { task_id: ID })).message).toContain("implement_task");
      await project.call("implement_task", { task_id: ID });
      const all = await loadLines(project.runtime().store.view(), `alfred:${ID}`);
      expect(logFaults(TASK_RUNS, all)).toEqual([]);
    },
  );

  it("takes a state between two tools whose log is gone, and the task goes on", LONG, async () => {
    promise("gates.history");
    using project = await projectWithTask(ID, { settings: { reviews: { default: [] } } });
    await start(project, ID);
    rmSync(project.path(LOG));
    const environment = { DOOR_ONLY: "" };
    const yes = await personAtTerminal(project.root, ["repair"], { environment });
    expect(yes.screen).toContain(`its log, ${LOG}, is missing`);
    expect(yes.code).toBe(0);
    expect(linesOf(project).map(({ step }) => [step.kind, step.machine, step.to])).toEqual([
      ["found", "alfred", "planning"],
      ["accepted", "alfred", "planning"],
    ]);
    expect((await project.call("plan_task", { task_id: ID })).status).toBe("success");
    const again = await pawlInside(project.root, ["repair"], environment);
    expect(again.out).toContain("No damage found");
  });

  it.each<[string, RegExp, (lines: any[]) => void]>([
    [
      "that its table does not have",
      /step 3 of its log cannot be: start_task has no event 'approve_all'/,
      (lines) => {
        lines[2].step.event = "approve_all";
        lines[2].local.checkpoint.head = hashOfStep(lines[2].step);
      },
    ],
    [
      "that was changed afterwards",
      /step 2 of its log is not made on the 1 before it/,
      (lines) => {
        lines[0].step.by.channel = "terminal";
      },
    ],
    [
      "with a verdict on something else",
      /step 3 of its log cannot be: .* without a verdict on what was handed in/,
      (lines) => {
        lines[2].step.artifact = "0".repeat(64);
        lines[2].local.checkpoint.head = hashOfStep(lines[2].step);
      },
    ],
  ])("finds a step %s in the whole log", LONG, async (_, said, change) => {
    promise("gates.history");
    using project = await inReview();
    editLog(project, change);
    const { out } = await pawlInside(project.root, ["repair"], { DOOR_ONLY: "" });
    expect(out).toMatch(said);
    const accepted = await personAtTerminal(project.root, ["repair"], { environment: { DOOR_ONLY: "" } });
    expect(accepted.screen).toMatch(said);
    expect(accepted.code).toBe(0);
    const again = await pawlInside(project.root, ["repair"], { DOOR_ONLY: "" });
    expect(again.out).toContain("No damage found");
    expect((await project.review(ID, true)).status).toBe("success");
  });
});

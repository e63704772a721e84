/** What was approved at a signed gate of Alfred or Bloom passes `pawl verify`; what was changed around it does not. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { shareRun } from "../../src/runtime/run-log/share-run.ts";
import type { Report } from "../../src/verify/report.ts";
import alfred from "../../src/workflows/alfred/module.ts";
import { MANIFEST, plan, start } from "../rig/alfred-artifacts.ts";
import { AlfredProject, taskMarkdown } from "../rig/alfred-project.ts";
import { type BloomOptions, bloomProject, checkpointTask } from "../rig/bloom-project.ts";
import { ANSWERS, lifeProject, TASK } from "../rig/life.ts";
import { pawlInside, personInside } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { type Person, personWithKey } from "../rig/signing.ts";

const LONG = { timeout: 90_000 };
const OWN = { DOOR_ONLY: "" };

async function verified(root: string, range: string): Promise<Report> {
  const { err, out } = await pawlInside(root, ["verify", range, "--json"], OWN);
  expect(err).toBe("");
  return JSON.parse(out) as Report;
}

const ID = "TS-01";
const RECORDS = `.alfred/records/alfred/${ID}`;

/** A task whose work was approved at a signed gate, and whose records were then committed with it. */
async function alfredApproved(ada: Person): Promise<AlfredProject> {
  const reviews = { default: [], implement_task: ["human"] } as const;
  const project = new AlfredProject({ settings: { reviews } });
  const around = { project_id: "0".repeat(32), gates: { implement_task: "signed" } } as const;
  project.around = around;
  project.write(".gitignore", ".pawl/\n");
  project.write("pawl.yaml", `${JSON.stringify({ ...around, alfred: { reviews } })}\n`);
  const person = (...args: string[]) => personInside(project.root, args, { ...OWN, ...ada.environment });
  await person("keys", "add", `${ada.key}.pub`, "--unprotected", "--as", ada.name);
  await project.call("initialize_project", { provider: "local" });
  await project.call("create_task", { task_content: taskMarkdown(ID) });
  project.commit("Signed gates");
  await start(project, ID);
  await plan(project, ID);
  await project.call("implement_task", { task_id: ID });
  project.write("src/bucket.txt", "bucket\n");
  project.write("src/server.txt", "server with bucket\n");
  for (const subtask_id of ["S-1", "S-2"])
    await project.call("mark_subtask_complete", { task_id: ID, subtask_id });
  await project.submit(ID, MANIFEST);
  const { code, err } = await person("approve", ID);
  expect([code, err]).toEqual([0, ""]);
  await project.run(shareRun(alfred), { id: ID });
  return project;
}

describe("pawl verify of Alfred's work", () => {
  it("passes where the work and its records are what a person signed", LONG, async () => {
    promise("verify.workflows");
    using ada = personWithKey();
    using project = await alfredApproved(ada);
    project.commit("The work");
    const report = await verified(project.root, "main..HEAD");
    expect(report.faults).toEqual([]);
    expect(report.records).toMatchObject([
      { run: `alfred:${ID}`, gate: "alfred.implement_task", covers: expect.stringMatching(/^[0-9a-f]{40}$/) },
    ]);
  });

  it("names an artifact that is not the one that was approved", LONG, async () => {
    promise("verify.workflows");
    using ada = personWithKey();
    using project = await alfredApproved(ada);
    const names = readdirSync(join(project.root, RECORDS));
    const path = join(project.root, RECORDS, names.sort().at(-1) ?? "");
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const last = JSON.parse(lines.pop() ?? "");
    last.state.finished.implement_task.accepted[0].artifact.summary = "Forged";
    writeFileSync(path, `${[...lines, JSON.stringify(last)].join("\n")}\n`);
    project.commit("The work");
    const { faults } = await verified(project.root, "main..HEAD");
    expect(faults.map(({ rule }) => rule)).toEqual(["record-artifact", "commit-uncovered"]);
  });

  it("names a change of the work, and a task's file that changed since", LONG, async () => {
    promise("verify.workflows");
    using ada = personWithKey();
    using project = await alfredApproved(ada);
    project.write(`.alfred/tasks/${ID}.md`, taskMarkdown(ID, "- and more\n"));
    project.commit("The work");
    const { faults } = await verified(project.root, "main..HEAD");
    expect(faults.map(({ rule }) => rule)).toEqual(["commit-uncovered", "approval-unused"]);
  });
});

describe("pawl verify of Bloom's work", () => {
  it.each([
    ["by the loop", bloomProject],
    [
      "by the loop, in a life of the team's",
      (options: BloomOptions) =>
        lifeProject({
          ...options,
          answers: { ...ANSWERS, "Review T1, round 0": 'SAY: {"verdict": "reviewed_well", "points": ""}' },
          tasks: `${TASK}  checkpoint: true\n`,
        }),
    ],
  ])("passes what was approved and merged %s, and names what was put on top", LONG, async (_, open) => {
    promise("verify.workflows");
    using ada = personWithKey();
    using project = open({
      project: { gates: { bloom: "signed" }, project_id: "1".repeat(32) },
      environment: ada.environment,
      tasks: checkpointTask("a", "b"),
    });
    await project.person("keys", "add", `${ada.key}.pub`, "--unprotected", "--as", ada.name);
    project.git("add", "-A");
    project.git("commit", "-qm", "Signers");
    project.git("tag", "base");
    expect((await project.run()).code).toBe(3);
    expect((await project.person("approve", "T1")).err).toBe("");
    expect((await project.run()).code).toBe(0);
    project.git("add", ".alfred/gates");
    project.git("commit", "-qm", "Approved");
    const report = await verified(project.root, "base..HEAD");
    expect(report.faults).toEqual([]);
    expect(report.records).toMatchObject([{ run: "bloom:T1", gate: "bloom.approval", verdict: "approve" }]);
    project.write("c.txt", "c\n");
    project.git("add", "-A");
    project.git("commit", "-qm", "On top");
    expect((await verified(project.root, "base..HEAD")).faults.map(({ rule }) => rule)).toEqual([
      "commit-uncovered",
    ]);
  });
});

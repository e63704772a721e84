/** A run of a workflow of the project's own follows from its log, or is held for a person. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hashOfStep } from "../../src/runtime/run-log/step.ts";
import { personAtTerminal, type TemporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { change, releaseReady } from "../rig/release-project.ts";

const RUN_FILE = ".pawl/runs/release/1.2.0.json";
const SUBMIT = ["cast", "release:1.2.0", "submit", "--fact", "risk=low"] as const;

// biome-ignore lint/suspicious/noExplicitAny: a test edits the file as it is
type Edit = (run: any) => void;

function edit(project: TemporaryProject, change: Edit): void {
  const run = JSON.parse(project.read(RUN_FILE) ?? "");
  change(run);
  project.write(RUN_FILE, `${JSON.stringify(run, null, 2)}\n`);
}

const LOG = ".pawl/log/release/1.2.0.jsonl";

// biome-ignore lint/suspicious/noExplicitAny: a test edits the file as it is
function linesOf(project: TemporaryProject): any[] {
  const lines = (project.read(LOG) ?? "").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line));
}

/** Edits a line of the log, with all that the line itself says of its step. */
function editLine(project: TemporaryProject, number: number, change: Edit): void {
  const lines = linesOf(project);
  const line = lines.at(number);
  change(line);
  if (line.local) line.local.checkpoint.head = hashOfStep(line.step);
  project.write(LOG, lines.map((each) => `${JSON.stringify(each)}\n`).join(""));
}

describe("A run of a workflow of the project's own", () => {
  it.each<[string, RegExp, (project: TemporaryProject) => void]>([
    [
      "its file has a state after its gate",
      /it is not the one that Pawl wrote after step 2: found published with rounds = 0; its log leads to in_review/,
      (project) =>
        edit(project, (run) => {
          run.state = "published";
        }),
    ],
    [
      "its counter is set back",
      /found in_review with rounds = 3; its log leads to in_review with rounds = 0/,
      (project) =>
        edit(project, (run) => {
          run.kept.rounds = 3;
        }),
    ],
    [
      "its log has an approval that its table does not have there",
      /step 2 of its log \(approve\) does not lead on from drafting/,
      (project) =>
        editLine(project, -1, ({ step }) => {
          step.event = "approve";
        }),
    ],
    [
      "its log begins elsewhere",
      /step 1 of its log \(begun\) does not lead on/,
      (project) => {
        editLine(project, 0, ({ step }) => {
          step.to = "failed";
        });
        editLine(project, 1, ({ step }) => {
          step.prev = hashOfStep(linesOf(project)[0].step);
        });
      },
    ],
    [
      "its log has a step that was changed after the next was made on it",
      /step 2 of its log is not made on the 1 before it/,
      (project) =>
        editLine(project, 0, ({ step }) => {
          step.time = "2026-01-01T00:00:00.000Z";
        }),
    ],
    [
      "its log is gone",
      /its log, \.pawl\/log\/release\/1\.2\.0\.jsonl, is missing/,
      (project) => rmSync(join(project.root, LOG)),
    ],
  ])("is held if %s", async (_, said, change) => {
    promise("gates.history", "gates.history-missing");
    using project = releaseReady();
    await project.pawl(...SUBMIT);
    change(project);
    const before = project.read(RUN_FILE);
    for (const words of [
      ["cast", "release:1.2.0"],
      ["cast", "release:1.2.0", "retry"],
      ["approve", "1.2.0"],
    ]) {
      const ended = await project.person(...words);
      expect(ended).toMatchObject({ code: 1, err: expect.stringContaining("[state-tampered]") });
      expect(ended.err).toMatch(said);
    }
    expect((await project.pawl("status")).out.replace(/\s+/g, " ")).toMatch(said);
    expect(project.read(RUN_FILE)).toBe(before);
    const repaired = await project.person("repair");
    expect(repaired).toMatchObject({ code: 0, out: expect.stringContaining("is taken as it is") });
    expect((await project.pawl("cast", "release:1.2.0")).code).toBe(0);
  });

  it("is taken as it is where a line in the middle of its log cannot be read, which begins anew", async () => {
    promise("gates.history");
    using project = releaseReady();
    await project.pawl(...SUBMIT);
    await project.person("reject", "1.2.0", "-m", "No");
    const lines = (project.read(LOG) ?? "").split("\n");
    project.write(LOG, [lines[0], "garbage", ...lines.slice(2)].join("\n"));
    const said = /1\.2\.0\.jsonl, its log, cannot be used: line 2: it is not JSON/;
    expect((await project.pawl("status")).out.replace(/\s+/g, " ")).toMatch(said);
    expect((await project.person("repair")).code).toBe(0);
    expect((await project.pawl("repair")).out).toContain("No damage found");
    expect((await project.pawl("cast", "release:1.2.0")).code).toBe(0);
  });

  it("is shown with each verdict of a person and how it came", async () => {
    promise("gates.strength-shown");
    using project = releaseReady();
    await project.pawl(...SUBMIT);
    await project.person("reject", "1.2.0", "-m", "No");
    const said = /in_review: reject \(given at a terminal; unverified: anyone with your shell\)/;
    expect((await project.pawl("status")).out.replace(/\s+/g, " ")).toMatch(said);
    expect((await project.pawl("show", "1.2.0")).out).toContain("given at a terminal; unverified");
  });

  it("is taken as it is by a person's word at a terminal only, and goes on from there", async () => {
    using project = releaseReady();
    await project.pawl(...SUBMIT);
    edit(project, (run) => {
      run.state = "failed";
    });
    expect((await project.pawl("repair")).code).toBe(1);
    expect((await personAtTerminal(project.root, ["repair"], { answer: "n\n" })).code).toBe(1);
    const yes = await project.person("repair");
    expect(yes).toMatchObject({ code: 0, out: expect.stringContaining("is taken as it is") });
    expect(yes.screen).toContain("found failed with rounds = 0; its log leads to in_review");
    expect(JSON.parse(project.read(RUN_FILE) ?? "").state).toBe("failed");
    expect(linesOf(project).at(-1).step).toMatchObject({
      kind: "accepted",
      from: "in_review",
      to: "failed",
      strength: "terminal",
    });
    expect((await project.pawl("cast", "release:1.2.0", "retry")).out).toContain(
      "release:1.2.0 is published.",
    );
  });

  it("goes on under a changed table, from where it stood when the table changed", async () => {
    using project = releaseReady();
    await project.pawl(...SUBMIT);
    change(project, "release.yaml", "values: [0, 1, 2, 3]", "values: [0, 1]");
    expect((await project.person("policy", "release:1.2.0", "--accept")).code).toBe(0);
    expect((await project.person("reject", "1.2.0", "-m", "No")).code).toBe(0);
    expect((await project.pawl(...SUBMIT)).code).toBe(0);
    const tables = linesOf(project).map(({ step }) => step.table);
    expect(tables.map((table) => table !== undefined)).toEqual([true, false, true, false]);
  });
});

it("A command that ran no test is told apart from one that passed, if a person decides and in the history", async () => {
  promise("bloom.no-test");
  using project = releaseReady();
  project.write("test.sh", "echo 'No test files found, exiting with code 0'\n");
  project.trust();
  expect(await project.pawl(...SUBMIT)).toMatchObject({ code: 0 });
  expect((await project.pawl("review", "release:1.2.0")).out.replaceAll(/\s+/g, " ")).toContain(
    "passed at the last event, but ran no test",
  );
  expect((await project.pawl("show", "release:1.2.0")).out).toContain("tests = passed (ran no test)");
  project.write("tag.sh", "echo 'Ran 0 tests in 0.000s'; exit 1\n");
  const approved = await project.person("approve", "release:1.2.0");
  expect(approved.screen.replaceAll(/\s+/g, " ")).toContain("ran no test");
  const story = (await project.pawl("show", "release:1.2.0")).out;
  expect(story).toContain("`sh ./tag.sh 1.2.0` ended with 1 but ran no test:");
});

it("A run goes on with a variable that its table did not have when it moved last, once a person accepts that", async () => {
  promise("workflow.new-variable");
  using project = releaseReady();
  expect(await project.pawl(...SUBMIT)).toMatchObject({ code: 0 });
  change(
    project,
    "release.yaml",
    "    initial: 0\n",
    "    initial: 0\n  mine: { values: [0, 1], initial: 0 }\n",
  );
  change(project, "release.yaml", "set: { rounds: { add: 1 } }", "set: { rounds: { add: 1 }, mine: 1 }");
  expect((await project.person("reject", "release:1.2.0", "-m", "Again.")).err).toContain("[policy-held]");
  expect((await project.person("config", "policy", "release:1.2.0", "--accept")).code).toBe(0);
  expect((await project.person("reject", "release:1.2.0", "-m", "Again.")).code).toBe(0);
  expect(JSON.parse(project.read(RUN_FILE) ?? "")).toMatchObject({
    state: "drafting",
    kept: { rounds: 1, mine: 1 },
  });
  expect(await project.pawl(...SUBMIT)).toMatchObject({ code: 0 });
  expect((await project.person("approve", "release:1.2.0")).code).toBe(0);
  expect((await project.pawl("repair")).out).not.toContain("1.2.0");
  expect((await project.pawl("status")).out).toContain("Nothing waits for you");
});

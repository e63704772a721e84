/** A run of a workflow of the project's own follows from its history, or is held for a person. */
import { describe, expect, it } from "vitest";
import { hashOfStep } from "../../src/runtime/run-log/history.ts";
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

const forget = (project: TemporaryProject) => project.write(".pawl/heads/release/1.2.0.json", "");

describe("A run of a workflow of the project's own", () => {
  it.each<[string, RegExp, Edit, boolean]>([
    [
      "a state after its gate",
      /is in published after 1 entries; what was recorded is in_review after 1/,
      (run) => {
        run.state = "published";
      },
      false,
    ],
    [
      "a state after its gate, and what was recorded beside it is gone",
      /found published with rounds = 0; its history leads to in_review/,
      (run) => {
        run.state = "published";
      },
      true,
    ],
    [
      "a counter set back",
      /found in_review with rounds = 3; its history leads to in_review with rounds = 0/,
      (run) => {
        run.kept.rounds = 3;
      },
      true,
    ],
    [
      "an approval that its table does not have there",
      /entry 2 of its history \(approve\) does not lead on/,
      (run) => {
        run.history.push({
          ...run.history[0],
          event: "approve",
          row: "submitted",
          prev: hashOfStep(run.history[0]),
        });
      },
      true,
    ],
    [
      "an origin of its own",
      /it did not begin where a run of the table begins/,
      (run) => {
        run.origin.state = "failed";
      },
      true,
    ],
  ])("is held where it was edited to have %s", async (_, said, change, forgotten) => {
    promise("gates.history");
    using project = releaseReady();
    await project.pawl(...SUBMIT);
    edit(project, change);
    if (forgotten) forget(project);
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
  });

  it("is held where an entry was changed after the next was made on it", async () => {
    using project = releaseReady();
    await project.pawl(...SUBMIT);
    await project.person("reject", "1.2.0", "-m", "No");
    edit(project, (run) => {
      run.history[0].notes = "All is well";
    });
    forget(project);
    expect((await project.pawl("cast", "release:1.2.0")).err).toContain(
      "entry 2 of its history is not made on the 1",
    );
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
    expect(yes.screen).toContain("- it is in failed after 1 entries; what was recorded is in_review after 1");
    const { history, state } = JSON.parse(project.read(RUN_FILE) ?? "");
    expect(state).toBe("failed");
    expect(history[1]).toMatchObject({
      event: "edit_accepted",
      from: "in_review",
      to: "failed",
      strength: "terminal",
    });
    expect((await project.pawl("cast", "release:1.2.0", "retry")).out).toContain(
      "release:1.2.0 is published.",
    );
  });

  it.each([
    ["origin", /line 1: .*origin: expected an object, found nothing/, (run) => delete run.origin],
    [
      "link of its entry",
      /history\.0\.prev: expected a string, found nothing/,
      (run) => delete run.history[0].prev,
    ],
  ] satisfies [string, RegExp, Edit][])(
    "without the %s is an error with its line, and stays as it is",
    async (_, said, change) => {
      promise("gates.history-missing");
      using project = releaseReady();
      await project.pawl(...SUBMIT);
      edit(project, change);
      forget(project);
      const text = project.read(RUN_FILE);
      const { err } = await project.person("reject", "1.2.0", "-m", "No");
      expect(err).toContain("[state-unreadable]");
      expect(err).toMatch(said);
      expect(project.read(RUN_FILE)).toBe(text);
    },
  );

  it("goes on under a changed table, from where it stood when the table changed", async () => {
    using project = releaseReady();
    await project.pawl(...SUBMIT);
    change(project, "release.yaml", "values: [0, 1, 2, 3]", "values: [0, 1]");
    expect((await project.person("policy", "release:1.2.0", "--accept")).code).toBe(0);
    expect((await project.person("reject", "1.2.0", "-m", "No")).code).toBe(0);
    expect((await project.pawl(...SUBMIT)).code).toBe(0);
    expect(JSON.parse(project.read(RUN_FILE) ?? "").origin).toMatchObject({ state: "in_review", at: 1 });
  });
});

/** `pawl workflow new` and `pawl workflow try`, and where `pawl check` says that a fault stands. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TEMPLATES } from "../../src/workflows/custom/template-names.ts";
import { type TemporaryProject, temporaryProject, typingInside } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { change, releaseProject } from "../rig/release-project.ts";

const ENVIRONMENT = { DOOR_ONLY: "" };
const newProject = (): TemporaryProject => temporaryProject({ environment: ENVIRONMENT });

function filesOf(root: string): Readonly<Record<string, string>> {
  const names = (readdirSync(root, { recursive: true }) as string[]).filter(
    (name) => !name.startsWith(".pawl"),
  );
  return Object.fromEntries(
    names.filter((name) => /\.\w+$/.test(name)).map((name) => [name, readFileSync(join(root, name), "utf8")]),
  );
}

describe.each(TEMPLATES)("pawl workflow new --template %s", (template) => {
  it("writes a workflow that is proved, begins a run, and can be walked", async () => {
    promise("workflow.new");
    using project = newProject();
    const made = await project.pawl("workflow", "new", "mine", "--template", template);
    expect(made).toMatchObject({ code: 0, err: "" });
    expect(made.out).toContain("created  mine.yaml\n");
    expect(project.read("pawl.yaml")).toBe("workflows: [./mine.yaml]\n");
    expect((await project.pawl("check", "mine")).out).toContain("proved");
    expect((await project.pawl("cast", "mine:1")).code).toBe(0);
    const before = filesOf(project.root);
    const walked = await project.pawl("workflow", "try", "mine", "--events", ",", "--json");
    const { next, state } = JSON.parse(walked.out);
    expect(next.length).toBeGreaterThan(0);
    const on = JSON.parse((await project.pawl("workflow", "try", "mine", "--events", next[0], "--json")).out);
    expect(on.steps).toMatchObject([{ from: state, event: next[0], outcome: "moved" }]);
    expect(filesOf(project.root)).toEqual(before);
  });
});

describe("pawl workflow new", () => {
  it("writes over nothing, and keeps what else stands in pawl.yaml", async () => {
    promise("workflow.new");
    using project = newProject();
    project.write(
      "pawl.yaml",
      "# ours\nworkflows:\n  - ./one.yaml # first\n\nalfred:\n  reviews: { default: [ai] }\n",
    );
    project.write("one.yaml", "mine\n");
    expect((await project.pawl("workflow", "new", "incident", "--template", "incident")).code).toBe(0);
    expect(project.read("pawl.yaml")).toBe(
      "# ours\nworkflows:\n  - ./one.yaml # first\n  - ./incident.yaml\n\nalfred:\n  reviews: { default: [ai] }\n",
    );
    project.write("rfc/moved.md", "mine\n");
    const before = filesOf(project.root);
    const refused = await project.pawl("workflow", "new", "--template", "rfc");
    expect(refused.err).toContain(
      "rfc/moved.md exists already, and Pawl overwrites nothing of yours. [workflow-exists]",
    );
    expect(filesOf(project.root)).toEqual(before);
  });

  it.each([
    ["workflows: [./a.yaml, ./b.yaml]\n", "workflows: [./a.yaml, ./b.yaml, ./rfc.yaml]\n"],
    ["workflows: []\n", "workflows: [./rfc.yaml]\n"],
    ["# only a comment\n", "# only a comment\nworkflows: [./rfc.yaml]\n"],
    ["alfred: {}\n", "workflows: [./rfc.yaml]\nalfred: {}\n"],
  ])("adds its line to %j", async (before, after) => {
    promise("workflow.new");
    using project = newProject();
    for (const name of ["a", "b"]) project.write(`${name}.yaml`, "x\n");
    project.write("pawl.yaml", before);
    expect((await project.pawl("workflow", "new", "--template", "rfc")).code).toBe(0);
    expect(project.read("pawl.yaml")).toBe(after);
  });

  it("asks a person at a terminal what to begin with, and then what the steps are", async () => {
    promise("workflow.new");
    using project = newProject();
    // Each question gets this line: a name, a title, one step, and the step at which a person decides.
    const asked = await typingInside(project.root, ["workflow", "new", "errand"], ENVIRONMENT, "\n");
    expect(asked.err).toContain("A workflow needs a step");
    expect(asked.screen).toContain("The gallery has: release, incident,");
    expect(asked.screen).toContain("Its steps in order, with commas between them:");
    expect(project.read("errand.yaml")).toBeNull();
    const chosen = await typingInside(project.root, ["workflow", "new", "errand"], ENVIRONMENT, "release\n");
    expect(chosen.code).toBe(0);
    expect((await project.pawl("check", "errand")).out).toContain("proved");
  });

  it("says what to give if nobody can be asked, and is a person's", async () => {
    promise("workflow.new");
    using project = newProject();
    expect((await project.pawl("workflow", "new", "x")).err).toContain(
      "expected --template with one of release,",
    );
    expect((await project.pawl("workflow", "new", "alfred", "--template", "rfc")).err).toContain(
      "There is a workflow called alfred already",
    );
    expect((await project.pawl("workflow", "new", "../x", "--template", "rfc")).err).toContain(
      "cannot be a workflow's name",
    );
    using agents = temporaryProject({ environment: { ...ENVIRONMENT, CLAUDECODE: "1" } });
    expect((await agents.pawl("workflow", "new", "--template", "rfc")).err).toContain("[caller-not-allowed]");
    expect(agents.read("rfc.yaml")).toBeNull();
  });
});

describe("pawl workflow try", () => {
  it("walks by events to the end, with each reply, and writes nothing", async () => {
    promise("workflow.try");
    using project = releaseProject(ENVIRONMENT);
    const before = filesOf(project.root);
    const { code, out } = await project.pawl(
      "workflow",
      "try",
      "release",
      "--events",
      "submit,reject,submit,approve,tagged",
    );
    expect(code).toBe(0);
    expect(out).toContain(
      "drafting: submit → in_review  if notes = present, list = all-checked, tests = passed, risk = low",
    );
    expect(out).toContain("release:try was sent back (1 so far)");
    expect(out).toContain("It ends in published. Nothing was written.");
    expect(filesOf(project.root)).toEqual(before);
    expect((await project.pawl("status", "--json")).out).not.toContain("release:try");
  });

  it("says who has the order at each step, and lets nothing but its end follow", async () => {
    promise("own.agents-shown");
    using project = newProject();
    await project.pawl("workflow", "new", "--template", "until-green");
    const walk = (events: string) => project.pawl("workflow", "try", "until-green", "--events", events);
    const { out } = await walk("begin,worked");
    expect(out).toContain("\n    The agent worker works: it answers worked.\n");
    expect(out).toContain("\n    `npm test` runs: its end is green or red.\n");
    expect(out).toContain("It is in testing. Next: green, red.");
    expect((await walk("begin,begin")).err).toContain("nothing decides begin in working");
    const drawn = await project.pawl("workflow", "diagram", "until-green");
    expect(drawn.out).toContain("planned --> working : begin [list = open or all-checked] / worker\n");
  });

  it("takes what a fact is, and says what cannot be", async () => {
    promise("workflow.try");
    using project = releaseProject(ENVIRONMENT);
    const blocked = await project.pawl(
      "workflow",
      "try",
      "release",
      "--events",
      "submit",
      "--fact",
      "tests=failed",
      "--json",
    );
    expect(JSON.parse(blocked.out)).toMatchObject({
      state: "drafting",
      steps: [{ rule: "tests-fail", outcome: "blocked" }],
    });
    for (const [args, words] of [
      [["release", "--events", "submitt"], "Use submit."],
      [["release", "--events", "submit", "--fact", "tests=perhaps"], "expected one of notes=present|missing"],
      [["release", "--events", "submit,approve,tagged,retry"], "ended in published"],
      [["relase", "--events", "submit"], "Use release."],
      [["release"], "expected --events"],
    ] as const) {
      const refused = await project.pawl("workflow", "try", ...args);
      expect(refused.code).toBe(2);
      expect(refused.err).toContain(words);
    }
  });

  it("asks a person at each state what happens", async () => {
    promise("workflow.try");
    using project = releaseProject(ENVIRONMENT);
    const { code, out, screen } = await typingInside(
      project.root,
      ["workflow", "try", "release"],
      ENVIRONMENT,
      "",
    );
    expect(code).toBe(0);
    expect(screen).toContain("drafting: The notes of the release are being written. (rounds = 0)");
    expect(screen).toContain("  1  submit → in_review  if notes = present");
    expect(out).toContain("It is in drafting.");
  });
});

describe("pawl check", () => {
  it.each([
    [
      "on: retry\n    to: tagging",
      "on: retry\n    when: { notes: present }\n    to: tagging",
      "release.yaml:26:3",
      "no-rule",
    ],
    ["reply: rejected", "reply: nothing", "release.yaml:92:12", "reply-missing"],
  ])("says file and line of what it refuses: %j", async (from, to, place, kind) => {
    promise("workflow.placed");
    using project = releaseProject(ENVIRONMENT);
    change(project, "release.yaml", from, to);
    const { code, out } = await project.pawl("check", "release", "--json");
    expect(code).toBe(1);
    const [report] = JSON.parse(out).reports;
    expect(report.violations).toContainEqual(expect.objectContaining({ kind, place }));
    expect((await project.pawl("check", "release")).out).toContain(`✗ ${place}: `);
  });

  it("names the file of a reply that no rule uses", async () => {
    promise("workflow.placed");
    using project = releaseProject(ENVIRONMENT);
    project.write("replies/unused.md", "Nothing.\n");
    expect((await project.pawl("check", "release")).out).toContain("✗ replies/unused.md:1:1: The reply");
  });
});

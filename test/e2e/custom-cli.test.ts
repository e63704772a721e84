import { describe, expect, it } from "vitest";
import type { TemporaryProject } from "../rig/project.ts";
import { change, DONE, releaseProject, releaseReady } from "../rig/release-project.ts";

const RUN_FILE = ".pawl/runs/release/1.2.0.json";

/** What `pawl check` has against the file, as it is told to programs. */
async function faultOf(project: TemporaryProject): Promise<string> {
  const { code, out } = await project.pawl("check", "release", "--json");
  expect(code).toBe(1);
  return JSON.parse(out).faults[0].message;
}

describe("a workflow of the project's own, at the terminal", () => {
  it("is proved, drawn, and led from the first event to its goal", async () => {
    using project = releaseProject();
    const cast = (...words: string[]) => project.pawl("cast", "release:1.2.0", ...words);
    expect((await project.pawl("check", "release")).out).toMatch(/release .* proved/);
    expect((await project.pawl("diagram", "release")).out).toContain("in_review --> tagging : approve");

    expect((await cast()).out).toContain("release:1.2.0 is in drafting (not begun)");
    const noNotes = await cast("submit");
    expect(noNotes).toMatchObject({ code: 1, out: expect.stringContaining("Write `releases/1.2.0.md`") });
    project.write("releases/1.2.0.md", "- [ ] the docs are right\n");
    expect((await cast("submit")).out).toContain("not done");
    expect(project.read(RUN_FILE)).toBeNull();

    project.write("releases/1.2.0.md", DONE);
    project.write("broken", "");
    const failing = await cast("submit", "--fact", "risk=low");
    expect(failing.out).toContain("exit code 1");
    expect(failing.out).toContain("the shelf is empty");

    change(project, "test.sh", "test ! -e broken", "true");
    const submitted = await cast("submit", "--fact", "risk=low", "-m", "All is well");
    expect(submitted).toMatchObject({ code: 0, out: expect.stringContaining("> All is well") });
    expect((await project.pawl("status")).out).toContain("waits for you: approve or reject the release");

    await project.person("reject", "1.2.0", "-m", "Name the risk");
    expect(JSON.parse(project.read(RUN_FILE) ?? "")).toMatchObject({
      state: "drafting",
      kept: { rounds: 1 },
    });
    await cast("submit", "--fact", "risk=high");
    project.write("no-remote", "");
    const approved = await project.person("approve", "1.2.0");
    expect(approved.out).toContain("the remote cannot be reached");
    expect((await project.person("approve", "1.2.0")).err).toMatch(
      /nothing is to be approved; .+\. \S+ has decided already: approve, \d{4}-/,
    );
    change(project, "tag.sh", "test -e no-remote", "false");
    expect((await cast("retry")).out).toContain("release:1.2.0 is published.");
    expect(project.read("tags/v1.2.0")).toBe("");

    const story = await project.pawl("show", "release:1.2.0");
    expect(story.out.match(/^## .*/gm)).toEqual([
      "## submit: drafting → in_review",
      "## reject: in_review → drafting",
      "## submit: drafting → in_review",
      "## approve: in_review → tagging",
      "## not_tagged: tagging → failed",
      "## retry: failed → tagging",
      "## tagged: tagging → published",
    ]);
    const events = (project.read(".pawl/events.jsonl") ?? "").trim().split("\n");
    expect(events.map((line) => JSON.parse(line).summary)).toHaveLength(7);
  });

  it("is found however pawl.yaml spells its key, and not if only a comment has the word", async () => {
    using project = releaseProject();
    change(project, "pawl.yaml", "workflows:", '"w\\x6frkflows":');
    expect((await project.pawl("check", "release")).out).toMatch(/release .* proved/);
    project.write("pawl.yaml", `${project.read("pawl.yaml")}alfred: {provder: jira}\n`);
    const refused = await project.pawl("check", "release");
    expect([refused.code, refused.out]).toEqual([
      1,
      expect.stringMatching(/pawl\.yaml +refused[\s\S]*provder/),
    ]);
    project.write("pawl.yaml", "# no workflows\n");
    expect((await project.pawl("check", "release")).err).toContain("expected one of door.");
  });

  it("shares the verb cast with the spells", async () => {
    using project = releaseProject({ DOOR_ONLY: "" });
    expect(await project.pawl("cast", "release")).toMatchObject({
      code: 2,
      err: expect.stringContaining('"release" is a workflow: expected one run of it, release:ID.'),
    });
    expect((await project.pawl("cast", "--help")).out).toContain("<spell|run> [event]");
    expect((await project.pawl("cast", "lumos")).out).toContain("WHERE WE ARE");
    expect((await project.pawl("cast", "release:1")).out).toContain("release:1 is in drafting");
    expect((await project.pawl("cast", "lumos", "submit")).err).toContain("expected `cast <spell>` or");
    expect((await project.pawl("cast", "relase:1", "submit")).code).toBe(2);
  });

  it.each([
    [["submit"], 2, "expected one of low, high; found nothing"],
    [["submit", "--fact", "risk=lwo"], 2, 'found "lwo"'],
    [["submit", "--fact", "rsik=low"], 2, 'no fact "rsik" here'],
    [["submit", "--fact", "risk"], 2, '"risk" is not a fact'],
    [["sumbit"], 2, 'no event "sumbit"'],
    [["tagged"], 1, "the engine runs that command"],
    [["approve"], 1, "not possible while release:1.2.0 is in drafting"],
  ])("refuses %j and changes nothing", async (words, code, said) => {
    using project = releaseReady();
    const ended = await project.pawl("cast", "release:1.2.0", ...words);
    expect(ended.code).toBe(code);
    expect(ended.out + ended.err).toContain(said);
    expect(project.read(RUN_FILE)).toBeNull();
  });

  it("says all that is wrong with its file at once, each with line and column", async () => {
    using project = releaseReady();
    change(project, "release.yaml", "summary:", "sumary:");
    change(project, "release.yaml", "awaits: human", "awaits: people");
    change(project, "release.yaml", "    given: true\n", "    give: true\n");
    const err = await faultOf(project);
    expect(err).toContain("release.yaml:3:1: sumary is not a key: did you mean summary?");
    expect(err).toMatch(
      /release\.yaml:17:13: states\.in_review\.awaits: expected nobody, .*; found "people"/,
    );
    expect(err).toMatch(/release\.yaml:\d+:5: facts\.risk\.give is not a key: did you mean given\?/);
    expect(err).toContain("has 3 problems");
  });

  it("says which rule names what there is not, and which fact has no source", async () => {
    using project = releaseReady();
    change(project, "release.yaml", "    to: in_review\n", "    to: in_reviw\n");
    change(project, "release.yaml", "passed: tagged", "passed: taged");
    change(project, "release.yaml", "    initial: 0\n", "");
    const err = await faultOf(project);
    expect(err).toMatch(
      /release\.yaml:\d+:9: The rule "submitted" leads to "in_reviw", which is not a state/,
    );
    expect(err).toMatch(/release\.yaml:\d+:9: rule approved: "taged" is not an event/);
    expect(err).toMatch(/fact rounds: expected exactly one of file, .* found none/);
  });

  it("lets no run begin with a table that is not proved", async () => {
    using project = releaseReady();
    change(project, "release.yaml", "    to: drafting\n    set: { rounds: { add: 1 } }\n", "    to: same\n");
    change(
      project,
      "release.yaml",
      "    when: { notes: present, list: [none, open] }\n",
      "    when: { list: open }\n",
    );
    const cast = await project.pawl("cast", "release:1.2.0", "submit", "--fact", "risk=low");
    expect(cast).toMatchObject({ code: 1, err: expect.stringContaining("is not proved") });
    expect(project.read(RUN_FILE)).toBeNull();
    expect((await project.pawl("check", "release")).out).toContain("No rule applies");
  });

  it("refuses a reply that could not be rendered before anybody needs it", async () => {
    using project = releaseReady();
    project.write("replies/rejected.md", "Round {{ kept.round }}\n");
    expect(await faultOf(project)).toMatch(/replies\/rejected\.md: for rule rejected/);
    project.write("replies/rejected.md", "\n{{ nots }}\n");
    expect(await faultOf(project)).toContain(
      "replies/rejected.md:2: there is no variable nots: did you mean notes?",
    );
  });

  it("goes on with a changed table if the run stands in it still, and else says what to do", async () => {
    using project = releaseReady();
    await project.pawl("cast", "release:1.2.0", "submit", "--fact", "risk=low");
    change(project, "release.yaml", "values: [0, 1, 2, 3]", "values: [0, 1]");
    expect((await project.person("policy", "release:1.2.0", "--accept")).code).toBe(0);
    expect((await project.person("reject", "1.2.0")).code).toBe(0);
    const before = project.read(RUN_FILE);
    const yaml = project.read("release.yaml") ?? "";
    project.write("release.yaml", yaml.replaceAll("drafting", "writing"));
    const lost = await project.pawl("cast", "release:1.2.0", "submit", "--fact", "risk=low");
    expect(lost.err).toContain('is in state "drafting"');
    expect(lost.err).toContain("The table has changed since");
    expect(lost.err).toContain(`correct state and kept in ${RUN_FILE}`);
    expect(project.read(RUN_FILE)).toBe(before);
    expect((await project.pawl("status")).out).toContain("Give the table back");
  });

  it("keeps finished runs whatever becomes of the table, and names a variable's start to the others", async () => {
    using project = releaseReady();
    for (const run of ["1.2.0", "1.3.0"]) {
      project.write(`releases/${run}.md`, DONE);
      expect((await project.pawl("cast", `release:${run}`, "submit", "--fact", "risk=low")).err).toBe("");
    }
    expect((await project.person("approve", "1.2.0")).out).toContain("is published");
    change(project, "release.yaml", "    initial: 0\n", "    initial: 1\n");
    expect((await project.pawl("check", "release")).code).toBe(0);
    const { out } = await project.pawl("status");
    expect(out).toMatch(/release:1\.2\.0 .*\n +published/);
    expect((await project.pawl("show", "release:1.2.0")).out).toContain("## approve: in_review → tagging");
    const { err } = await project.person("approve", "1.3.0");
    expect(err).toContain("The table has changed since");
    expect(err).toContain("the former `initial` of a variable");
  });

  it("says of a run that has not begun that none has, and of one that is over that it waits for no verdict", async () => {
    using project = releaseReady();
    const missing = await project.pawl("review", "release:1.2.1");
    expect(missing).toMatchObject({ code: 2, out: "" });
    expect(missing.err).toMatch(/No run release:1\.2\.1 has begun\..*\[run-missing\]/);
    expect((await project.pawl("cast", "release:1.2.0", "submit", "--fact", "risk=low")).code).toBe(0);
    await project.person("approve", "1.2.0");
    expect(await project.pawl("review", "release:1.2.0")).toMatchObject({
      ...{ code: 0, out: expect.stringContaining("waits for no verdict") },
    });
  });

  it("leaves a run's file that cannot be read as it is", async () => {
    using project = releaseReady();
    project.write(RUN_FILE, "{ half");
    const cast = await project.pawl("cast", "release:1.2.0", "submit", "--fact", "risk=low");
    expect(cast).toMatchObject({ code: 1, err: expect.stringContaining("[state-unreadable]") });
    expect(project.read(RUN_FILE)).toBe("{ half");
  });

  it("stops nothing else by a fault of its own, nor by one in pawl.yaml", async () => {
    using project = releaseReady();
    project.write("release.yaml", "title: [\n");
    expect(await project.pawl("--help")).toMatchObject({ code: 0, out: expect.stringContaining("cast") });
    const status = await project.pawl("status");
    expect(status).toMatchObject({ code: 0, out: expect.stringMatching(/release\.yaml:2:1: expected YAML/) });
    const check = await project.pawl("check");
    expect(check.code).toBe(1);
    expect(check.out).toMatch(/^door .* proved$/m);
    expect(check.out).toMatch(/^release {2,}refused\n.*\n {4}release\.yaml:2:1: expected YAML/m);
    expect(check.out).toContain("    fix: Edit release.yaml; `pawl check release` says when it is right.\n");
    expect(JSON.parse((await project.pawl("check", "--json")).out)).toMatchObject({
      ...{ proved: false, reports: [{ workflow: "door" }] },
      faults: [{ workflow: "release", code: "workflow-invalid" }],
    });
    expect((await project.pawl("check", "door")).code).toBe(0);
    expect((await project.pawl("diagram", "door")).code).toBe(0);
    expect(await project.pawl("door", "knock", "front")).toMatchObject({
      code: 0,
      err: "pawl: warning: the workflow release cannot be used; `pawl check release` says why.\n",
    });
    expect((await project.person("approve", "front")).code).toBe(0);
    expect((await project.pawl("approve", "release:1")).err).toMatch(/release\.yaml:2:1/);
    project.write("pawl.yaml", "workflows: release.yaml\n");
    expect((await project.pawl("--help")).code).toBe(0);
    expect((await project.pawl("status")).err).toContain("pawl.yaml:1:12");
    project.write("pawl.yaml", "workflows: [flows/door.yaml]\n");
    expect(await project.pawl("check")).toMatchObject({
      code: 1,
      out: expect.stringMatching(/which is\s+taken by a workflow that\s+comes with Pawl/),
    });
    project.write("pawl.yaml", "workflow: [flows/door.yaml]\n");
    expect(await project.pawl("check")).toMatchObject({
      code: 1,
      out: expect.stringMatching(/pawl\.yaml {2,}refused\n.*workflow is not a setting/),
    });
  });
});

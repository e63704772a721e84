/** A task's run follows from its log, or rests until a person decides: an edit of its file approves and finishes nothing. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BloomProject, bloomProject } from "../rig/bloom-project.ts";
import { promise } from "../rig/promise.ts";

const LONG = { timeout: 60_000 };
const RUN = ".pawl/runs/T1.json";
const LOG = ".pawl/log/bloom/T1.jsonl";
const work = (id: string) =>
  `    RUN: echo ${id} > ${id}.txt; git add -A; git commit -qm ${id}\n    RUN: bloom done ${id}\n`;
const TASKS = `tasks:
- id: T1
  title: t
  repo: .
  merge_into: main
  checkpoint: true
  verify: ["test -f T1.txt"]
  instructions: |
${work("T1")}`;
const OTHER = `- id: T2
  title: depends on it
  depends_on: [T1]
- id: T3
  title: another
  repo: .
  merge_into: main
  instructions: |
${work("T3")}`;

async function awaitingApproval(tasks = TASKS): Promise<BloomProject> {
  const project = bloomProject({ tasks });
  expect((await project.run()).code).toBe(3);
  return project;
}

// biome-ignore lint/suspicious/noExplicitAny: a test edits the file as it is
type Edit = (run: any) => void;

/** The run's file, or the last line of its log. */
function edit(project: BloomProject, change: Edit, path = RUN): void {
  const lines = path === LOG ? linesOf(project) : [project.read(path) ?? ""];
  const run = JSON.parse(lines.at(-1) ?? "");
  change(run);
  project.write(path, [...lines.slice(0, -1), JSON.stringify(run)].map((line) => `${line}\n`).join(""));
}

function linesOf(project: BloomProject): readonly string[] {
  return (project.read(LOG) ?? "").trimEnd().split("\n");
}

function lastOf(project: BloomProject) {
  return JSON.parse(linesOf(project).at(-1) ?? "");
}

const approved: Edit = (run) => {
  Object.assign(run, { state: "merging", row: "committed.merges" });
  run.kept = { awaits: "nothing", approved: true };
};

describe("A task's run", () => {
  it.each<[string, RegExp, string, Edit]>([
    [
      "an approval that nobody gave",
      /found merging with .*approved = true; its log leads to waiting_for_human with .*approved = false/,
      RUN,
      approved,
    ],
    [
      "another end of its log",
      /contradict each other/,
      LOG,
      ({ local }) => {
        Object.assign(local.checkpoint, { state: "merging" });
      },
    ],
  ])("rests where it was edited to have %s", LONG, async (_, said, path, change) => {
    promise("gates.history");
    using project = await awaitingApproval();
    edit(project, change, path);
    const before = [project.read(RUN), project.read(LOG), project.git("rev-parse", "main")];
    const verdict = await project.person("approve", "T1");
    expect(verdict.code).toBe(1);
    expect(verdict.err).toContain("[state-tampered]");
    const ran = await project.run();
    expect(ran.code).toBe(1);
    const [failed] = ran.of("task:failed");
    expect(failed).toMatchObject({
      taskId: "T1",
      code: "state-tampered",
      fix: expect.stringContaining("pawl repair"),
    });
    expect(String(failed?.reason)).toMatch(said);
    expect(String(failed?.reason)).toContain(RUN);
    for (const verb of ["done", "show"])
      expect((await project.bloom(verb, "T1")).err, verb).toContain("[state-tampered]");
    expect([project.read(RUN), project.read(LOG), project.git("rev-parse", "main")]).toEqual(before);
    expect((await project.bloom("status")).out).toContain("does not follow from");
  });

  it("that was edited keeps nobody from the other tasks but those that depend on it", LONG, async () => {
    promise("gates.history-edits");
    using project = await awaitingApproval(
      TASKS +
        OTHER.replace("- id: T3", "- id: T3\n  depends_on: [T9]").concat(
          "- id: T9\n  title: first\n  status: in_progress\n",
        ),
    );
    edit(project, approved);
    expect((await project.bloom("done", "T9")).code).toBe(0);
    const ran = await project.run();
    expect(ran.of("merge:completed")).toMatchObject([{ taskId: "T3" }]);
    expect(ran.events.filter(({ taskId, type }) => taskId === "T2" && type === "task:claimed")).toEqual([]);
  });

  it(
    "goes on as it is once a person has accepted the edit at a terminal, and the log says so",
    LONG,
    async () => {
      promise("gates.history");
      using project = await awaitingApproval();
      edit(project, approved);
      expect((await project.bloom("repair")).code).toBe(1);
      const { code, screen } = await project.person("repair");
      expect({ code, screen }).toMatchObject({
        code: 0,
        screen: expect.stringContaining(`Take ${RUN} as it is`),
      });
      expect(lastOf(project).step).toMatchObject({ kind: "accepted", strength: "terminal" });
      expect((await project.run()).of("merge:completed")).toHaveLength(1);
    },
  );

  it("whose log was changed in its middle is found by repair, and a person may accept it", LONG, async () => {
    promise("gates.history");
    using project = await awaitingApproval();
    const lines = linesOf(project).map((line) => JSON.parse(line));
    const [, moved] = lines.filter(({ step }) => step?.kind === "moved");
    Object.assign(moved.step, { event: "approved", rule: "approved.goes_on" });
    project.write(LOG, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const found = await project.bloom("repair");
    expect(found.code).toBe(1);
    expect(found.out.replace(/\s+/g, " ")).toMatch(/bloom:T1 .*step \d+ of its log/);
    expect((await project.person("repair")).code).toBe(0);
    expect((await project.bloom("repair")).code).toBe(0);
    expect(lastOf(project).step).toMatchObject({ kind: "accepted" });
  });

  it("shows in its status and its story who decided, and how", LONG, async () => {
    promise("gates.strength-shown");
    using project = await awaitingApproval();
    expect((await project.person("approve", "T1")).code).toBe(0);
    const said = "waiting_for_human: approved (given at a terminal; unverified: anyone with your shell)";
    expect((await project.bloom("status")).out.replace(/\s+/g, " ")).toContain(said);
    const decided =
      /waiting_for_human: approved, by \S+ \(given at a terminal; unverified: anyone with your shell\)/;
    expect((await project.bloom("show", "T1")).out).toMatch(decided);
    await project.run();
    expect((await project.bloom("show", "T1")).out).toMatch(decided);
  });

  it("without a log is held, and goes on once a person has accepted it", LONG, async () => {
    promise("gates.history-missing");
    using project = await awaitingApproval();
    rmSync(join(project.root, LOG));
    expect((await project.bloom("status")).out.replace(/\s+/g, " ")).toContain(`${LOG}, is missing`);
    expect((await project.person("approve", "T1")).err).toContain("[state-tampered]");
    expect((await project.run()).of("merge:completed")).toEqual([]);
    expect((await project.person("repair")).code).toBe(0);
    expect((await project.person("approve", "T1")).code).toBe(0);
    expect((await project.run()).of("merge:completed")).toHaveLength(1);
  });

  it("takes what a person writes into tasks.yaml, as ever", LONG, async () => {
    promise("gates.history-edits");
    using project = await awaitingApproval();
    project.write("tasks.yaml", (project.read("tasks.yaml") ?? "").replace(/status: .*/, "status: done"));
    const ran = await project.run();
    expect(ran.of("task:failed")).toEqual([]);
    expect(ran.code).toBe(0);
    const again = (project.read("tasks.yaml") ?? "").replace("status: done", "status: ready_for_agent");
    project.write("tasks.yaml", again);
    expect((await project.run()).of("task:failed")).toEqual([]);
    expect(lastOf(project).local.checkpoint).not.toHaveProperty("unproved");
  });
});

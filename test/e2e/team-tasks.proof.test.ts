/** Bloom's runs, shared by git between people. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { worktreePathsOf } from "../../src/adapters/git/workspace/worktree-paths.ts";
import { workFolder } from "../../src/adapters/process/work-folder.ts";
import { CAREFUL, TEXTS } from "../rig/life.ts";
import { runPawl } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { stateHome } from "../rig/state-home.ts";
import { type Member, Team } from "../rig/team.ts";

const LONG = { timeout: 120_000 };
const TASKS = `tasks:
- id: T1
  title: One
  repo: .
  merge_into: main
  checkpoint: true
  verify: ["echo token-123"]
  instructions: |
    RUN: echo a > a.txt; git add -A; git commit -qm a
    RUN: bloom done T1
- id: T2
  title: Two
  verify: ["true"]
  instructions: |
    RUN: bloom done T2
`;

function taskTeam(more: Readonly<Record<string, string>> = {}): Team {
  const life = "careful.yaml" in more ? { life: "careful" } : {};
  const workflows = "careful.yaml" in more ? ["./careful.yaml"] : [];
  return new Team((root) => {
    const bloom = { agent: "scripted", backoff: { first: 0.05, limit: 0.2 }, ...life };
    writeFileSync(
      join(root, "pawl.yaml"),
      JSON.stringify({ share: true, bloom, agents: {}, sandbox: "none", workflows }),
    );
    writeFileSync(join(root, "tasks.yaml"), TASKS);
    writeFileSync(join(root, ".gitignore"), ".pawl/\n");
    for (const [path, text] of Object.entries(more)) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  });
}

/** The loop, until nothing can run. */
function run(member: Member) {
  const sessions = join(member.root, ".pawl/sessions");
  mkdirSync(sessions, { recursive: true });
  return runPawl(member.root, ["run", "--once", "--json"], { DOOR_ONLY: "", PAWL_SCRIPTED_HOME: sessions });
}

interface Shown {
  readonly run: string;
  readonly state: string;
  readonly elsewhere?: object;
  readonly aside?: readonly object[];
  readonly problem?: { readonly code: string; readonly message: string };
}

async function statusOf(member: Member): Promise<readonly Shown[]> {
  return (JSON.parse((await member.pawl("status", "--json")).out).runs as Shown[]).filter(({ run }) =>
    run.startsWith("bloom:"),
  );
}

/** The evidence and the verdicts, without where the output is. */
async function shownOf(member: Member, task: string) {
  const { run, verdicts } = JSON.parse((await member.pawl("show", `bloom:${task}`, "--json")).out);
  const evidence = run.evidence.map(({ log: _, ...each }: { log: string }) => each);
  return { state: run.state, evidence, verdicts };
}

/** Ana's loop has done T2, and T1 waits for a verdict; all of it is pushed, and Ben has a clone. */
async function shared(team: Team) {
  const ana = team.clone("ana");
  expect((await run(ana)).code).toBe(3);
  ana.push("main");
  const { hub } = worktreePathsOf({ projectRoot: ana.root, work: workFolder(ana.root, stateHome()) }, ".");
  ana.git("--git-dir", hub, "push", "-q", ana.git("remote", "get-url", "origin").trim(), "bloom/T1");
  const ben = team.clone("ben");
  ben.git("branch", "bloom/T1", "origin/bloom/T1");
  return { ana, ben };
}

describe("Bloom's runs, for a team", () => {
  it(
    "show their state, evidence and verdicts in a clone, and nobody begins or decides them there",
    LONG,
    async () => {
      promise("team.tasks");
      using team = taskTeam();
      const { ana, ben } = await shared(team);
      const recorded = ana.git("ls-files", ".alfred/records/bloom").trim().split("\n");
      expect(recorded.map((path) => path.split("/")[3]).sort()).toEqual(["T1", "T2"]);
      for (const path of recorded) expect(ana.read(path)).not.toContain("token-123\\n");
      for (const task of ["T1", "T2"]) expect(await shownOf(ben, task)).toEqual(await shownOf(ana, task));
      expect((await shownOf(ben, "T2")).evidence).toMatchObject([{ command: "true", exit: 0 }]);
      expect(await statusOf(ben)).toMatchObject([
        { run: "bloom:T1", state: "waiting_for_human", elsewhere: {}, command: "pawl adopt bloom:T1" },
      ]);
      const before = ben.git("status", "--porcelain");
      expect((await ben.person("approve", "bloom:T1")).err).toContain("[run-elsewhere]");
      await run(ben);
      expect(ben.read(".pawl/runs/T1.json")).toBeNull();
      expect(ben.git("status", "--porcelain")).toBe(before);
      expect((await ben.pawl("adopt", "bloom:T1")).err).toContain("[terminal-missing]");
    },
  );

  it("are taken over by a person, and done for both once it is merged", LONG, async () => {
    promise("team.taken-over-by-a-person");
    using team = taskTeam();
    const { ana, ben } = await shared(team);
    const taken = await ben.person("adopt", "bloom:T1");
    expect(taken).toMatchObject({ code: 0 });
    expect(taken.screen).toContain("Its evidence does not count here");
    expect((await ben.person("approve", "bloom:T1")).code).toBe(0);
    expect((await run(ben)).code).toBe(0);
    expect(ben.git("show", "main:a.txt")).toBe("a\n");
    ben.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main");
    ben.push("main");
    ana.merge("main");
    for (const member of [ana, ben]) expect(await statusOf(member)).toEqual([]);
    expect(await shownOf(ana, "T1")).toEqual(await shownOf(ben, "T1"));
    expect((await shownOf(ana, "T1")).verdicts).toMatchObject([{ gate: "waiting_for_human" }, {}]);
  });

  it("are taken over with the life with which they began, if its file is as it was", LONG, async () => {
    promise("own.life");
    const review = 'SAY: {"verdict": "reviewed_well", "points": "Fine."}\n';
    const texts = Object.entries({ ...TEXTS, review }).map(([name, text]) => [`careful/${name}.md`, text]);
    using team = taskTeam({ "careful.yaml": CAREFUL, ...Object.fromEntries(texts) });
    const { ana, ben } = await shared(team);
    expect(JSON.parse(ana.read(".pawl/runs/T1.json") ?? "").life).toMatchObject({ name: "careful" });
    ben.write("careful.yaml", CAREFUL.replace("0.50", "0.60"));
    const refused = await ben.pawl("adopt", "bloom:T1");
    expect(refused.err).toContain("began with the life careful as its file was then");
    expect(ben.read(".pawl/runs/T1.json")).toBeNull();
    ben.write("careful.yaml", CAREFUL);
    expect(await ben.person("adopt", "bloom:T1")).toMatchObject({ code: 0 });
    // What it is from now on is here, whatever becomes of the file.
    ben.write("careful.yaml", CAREFUL.replace("0.50", "0.60"));
    expect((await ben.person("approve", "bloom:T1")).code).toBe(0);
    expect((await run(ben)).code).toBe(0);
    expect(ben.git("show", "main:a.txt")).toBe("a\n");
    expect(JSON.parse(ben.read(".pawl/done/T1.json") ?? "")).toMatchObject({
      state: "done",
      life: { name: "careful" },
    });
    expect((await ben.pawl("repair")).out).not.toContain("T1");
  });

  it(
    "are recorded before they rest where somebody says so, and merged by who takes them over",
    LONG,
    async () => {
      promise("team.shared-when-said");
      using team = taskTeam();
      const { ana, ben } = await shared(team);
      const records = () => ana.git("ls-files", "-o", "-c", ".alfred/records/bloom/T1").trim().split("\n");
      expect((await ana.person("approve", "bloom:T1")).code).toBe(0);
      const before = records();
      const said = await ana.pawl("share", "bloom:T1");
      expect(said).toMatchObject({ code: 0, err: "" });
      const [path = ""] = records().filter((name) => !before.includes(name));
      expect(said.out).toContain(`Commit ${path}.`);
      ana.push("main");
      ben.merge("main");
      const taken = await ben.person("adopt", "bloom:T1");
      expect(taken.screen).toMatch(/approved \(waiting_for_human → \w+\) by/);
      expect((await run(ben)).code).toBe(0);
      expect(ben.git("show", "main:a.txt")).toBe("a\n");
      expect((await ana.pawl("share", "bloom:T2")).out).toContain("are recorded already");
    },
  );

  it("go on with the work that they had where a blocked one is taken over", LONG, async () => {
    promise("team.taken-over-by-a-person");
    using team = taskTeam();
    const { ana, ben } = await shared(team);
    await ana.person("reject", "bloom:T1", "--block", "-m", "once more");
    ana.push("main");
    ben.merge("main");
    expect(await ben.person("adopt", "bloom:T1")).toMatchObject({ code: 0 });
    expect((await ben.pawl("ready", "T1")).code).toBe(0);
    expect((await run(ben)).out).toContain('"from":"local"');
    expect(await statusOf(ben)).toMatchObject([{ state: "waiting_for_human" }]);
  });

  it("are held where one was advanced on both sides, until a person chooses", LONG, async () => {
    promise("team.branches");
    using team = taskTeam();
    const { ana, ben } = await shared(team);
    await ben.person("adopt", "bloom:T1");
    await ben.person("reject", "bloom:T1", "--block", "-m", "Ben says no");
    ben.push("ben");
    await ana.person("reject", "bloom:T1", "--block", "-m", "Ana says no");
    ana.push("ana");
    ana.git("fetch", "-q", "origin");
    ana.git("merge", "-q", "--no-edit", "-X", "ours", "origin/ben");
    ana.git("push", "-q", "origin", "HEAD:main");
    ben.merge("main");
    const cleo = team.clone("cleo");
    for (const member of [ana, ben]) {
      const [found] = await statusOf(member);
      expect(found).toMatchObject({
        state: "blocked",
        aside: [{ steps: expect.stringContaining("→ blocked") }],
      });
    }
    const [found] = await statusOf(cleo);
    expect(found?.problem?.code).toBe("records-forked");
    const side = /branch ([0-9a-f]{12}): adopted/.exec(found?.problem?.message ?? "")?.[1] ?? "";
    expect((await cleo.person("ready", "T1")).err).toContain("[records-forked]");
    expect((await run(cleo)).out).not.toContain("agent:started");
    expect(await cleo.person("adopt", "bloom:T1", "--branch", side)).toMatchObject({ code: 0 });
    cleo.push("main");
    for (const member of [ana, ben, cleo]) {
      if (member !== cleo) member.merge("main");
      expect(await statusOf(member)).toMatchObject([{ run: "bloom:T1", state: "blocked" }]);
      expect((await statusOf(member))[0]?.problem).toBeUndefined();
    }
    expect(await shownOf(ana, "T1")).toMatchObject({ state: "blocked" });
  });
});

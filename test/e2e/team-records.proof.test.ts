/** Runs of a workflow of the project's own, shared by git between people. */
import { appendFileSync, cpSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/adapters/files/store.ts";
import { projectPath } from "../../src/core/path.ts";
import { hashOfStep, type Step } from "../../src/runtime/run-log/step.ts";
import { newRecords } from "../../src/runtime/run-log/team-records.ts";
import { fileSource } from "../../src/workflows/custom/load.ts";
import { scopeOf } from "../../src/workflows/custom/scope.ts";
import { pawlInside, personAtTerminal } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { DONE } from "../rig/release-project.ts";
import { stateOf } from "../rig/state-home.ts";
import { type Member, Team } from "../rig/team.ts";

const EXAMPLE = resolve(import.meta.dirname, "../../examples/release-project");

function releaseTeam(): Team {
  return new Team((root) => {
    cpSync(EXAMPLE, root, { recursive: true });
    appendFileSync(join(root, "pawl.yaml"), "share: true\n");
  });
}

function submit(member: Member, id: string) {
  member.write(`releases/${id}.md`, DONE);
  return member.pawl("cast", `release:${id}`, "submit", "--fact", "risk=low", "-m", `Notes of ${id}`);
}

/** Records what the run did since its last rest. */
async function share(member: Member, id: string): Promise<string> {
  const shared = await member.pawl("share", `release:${id}`);
  expect(shared).toMatchObject({ code: 0, err: "" });
  return shared.out;
}

/** What `pawl verify` objects to in all commits since the first. */
async function verifyFaults(member: Member): Promise<readonly { readonly rule: string }[]> {
  const first = member.git("rev-list", "--max-parents=0", "HEAD").trim();
  return JSON.parse((await member.pawl("verify", `${first}..HEAD`, "--json")).out).faults;
}

interface Shown {
  readonly run: string;
  readonly state: string;
  readonly awaits: string;
  readonly since: string;
  readonly elsewhere?: object;
  readonly aside?: readonly object[];
  readonly problem?: { readonly code: string; readonly message: string; readonly fix: string };
}

/** What `pawl status` says of each release; who moved it last is said apart. */
async function statusOf(member: Member): Promise<readonly Shown[]> {
  const { out } = await member.pawl("status", "--json");
  return (JSON.parse(out).runs as Shown[]).filter(({ run }) => run.startsWith("release:"));
}

async function sameFor(member: Member): Promise<readonly object[]> {
  return (await statusOf(member)).map(({ run, state, awaits, since }) => ({ run, state, awaits, since }));
}

async function storyOf(member: Member, id: string): Promise<readonly string[]> {
  const { out } = await member.pawl("show", `release:${id}`);
  return out.split("\n").filter((line) => /^(## |> |Found|\d{4}-)/.test(line));
}

const records = (member: Member) =>
  member.git("ls-files", "-o", "-c", ".alfred/records").trim().split("\n").filter(Boolean).sort();

const linesIn = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("The runs of a workflow of the project's own, for a team", () => {
  it("are the same for both after two people advanced two of them on two branches and merged", async () => {
    promise("team.same-for-all");
    using team = releaseTeam();
    const [ana, ben] = [team.clone("ana"), team.clone("ben")];
    await submit(ana, "1.0.0");
    await ana.person("approve", "1.0.0");
    ana.push("ana");
    await submit(ben, "2.0.0");
    await ben.person("reject", "2.0.0", "-m", "Name the risk");
    await share(ben, "2.0.0");
    ben.push("ben");
    ana.merge("ben");
    ben.merge("ana");
    const status = await sameFor(ana);
    expect(status).toMatchObject([
      { run: "release:1.0.0", state: "published", awaits: "nobody" },
      { run: "release:2.0.0", state: "drafting", awaits: "assistant" },
    ]);
    expect(await sameFor(ben)).toEqual(status);
    for (const id of ["1.0.0", "2.0.0"]) expect(await storyOf(ben, id)).toEqual(await storyOf(ana, id));
    expect(await storyOf(ana, "2.0.0")).toContain("> Name the risk");
    const third = team.clone("cleo", "ana");
    third.merge("ben");
    expect(await sameFor(third)).toEqual(status);
    expect(third.git("status", "--porcelain")).toBe("");
  });

  it("are small files with sorted keys, one for each rest, without what commands printed", async () => {
    promise("team.same-for-all");
    using team = releaseTeam();
    const ana = team.clone("ana");
    ana.write("tag.sh", "echo token-123\n");
    await submit(ana, "1.0.0");
    await ana.person("approve", "1.0.0");
    const names = records(ana);
    expect(names.map((name) => name.replace(/[0-9a-f]{16}/, "ID"))).toEqual([
      ".alfred/records/release/1.0.0/0001-0002-ID.jsonl",
      ".alfred/records/release/1.0.0/0003-0004-ID.jsonl",
    ]);
    for (const name of names) {
      const text = ana.read(name) ?? "";
      expect(text.length).toBeLessThan(2_500);
      expect(text).not.toContain("token-123");
      for (const line of linesIn(text)) {
        const keys = Object.keys(line);
        expect(keys).toEqual([...keys].sort());
      }
    }
    expect((await ana.pawl("show", "release:1.0.0")).out).toContain("token-123");
  });

  it("are not recorded if the project does not share them, and read if there are records", async () => {
    promise("team.shared-by-setting");
    using team = releaseTeam();
    const ana = team.clone("ana");
    await submit(ana, "1.0.0");
    ana.push("main");
    const ben = team.clone("ben");
    const shares = ben.read("pawl.yaml") ?? "";
    ben.write("pawl.yaml", shares.replace("share: true", "share: false"));
    const before = records(ben);
    await ben.person("adopt", "release:1.0.0");
    expect((await ben.person("approve", "1.0.0")).code).toBe(0);
    expect(await sameFor(ben)).toMatchObject([{ state: "published" }]);
    await submit(ben, "2.0.0");
    expect(records(ben)).toEqual(before);
    const refused = await ben.pawl("share", "release:2.0.0");
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("[no-effect]") });
    expect(refused.err).toContain("Write `share: true` into pawl.yaml");
    ben.write("pawl.yaml", shares);
    await share(ben, "2.0.0");
    expect(records(ben)).toHaveLength(before.length + 1);
  });

  it("are never begun again if they are over in another checkout", async () => {
    promise("team.taken-over-by-a-person");
    using team = releaseTeam();
    const ana = team.clone("ana");
    await submit(ana, "1.0.0");
    await ana.person("approve", "1.0.0");
    ana.push("main");
    const ben = team.clone("ben");
    const again = await submit(ben, "1.0.0");
    expect(again.code).toBe(1);
    expect(again.out + again.err).toContain("published");
    expect(ben.read(".pawl/runs/release/1.0.0.json")).toBeNull();
    expect((await ben.person("adopt", "release:1.0.0")).err).toContain("is over");
  });

  it("are taken over by a person's word alone, and go on from where they are", async () => {
    promise("team.taken-over-by-a-person");
    using team = releaseTeam();
    const ana = team.clone("ana");
    await submit(ana, "1.0.0");
    ana.push("main");
    const ben = team.clone("ben");
    const held = await ben.person("approve", "1.0.0");
    expect(held).toMatchObject({ code: 1, err: expect.stringContaining("[run-elsewhere]") });
    expect(held.err).toContain("`pawl adopt release:1.0.0`");
    expect((await ben.pawl("status")).out).toContain("moved last in another checkout");
    for (const refused of [
      await ben.pawl("adopt", "release:1.0.0"),
      await pawlInside(ben.root, ["adopt", "release:1.0.0"], { CLAUDECODE: "1" }),
    ])
      expect(refused.err).toMatch(/\[(terminal-missing|caller-not-allowed)\]/);
    const declined = await personAtTerminal(ben.root, ["adopt", "release:1.0.0"], { answer: "n\n" });
    expect(declined.screen).toContain("they prove no verdict");
    expect(declined.code).toBe(1);
    expect(ben.read(".pawl/runs/release/1.0.0.json")).toBeNull();

    expect(await ben.person("adopt", "release:1.0.0")).toMatchObject({ code: 0 });
    await ben.person("approve", "1.0.0");
    ben.push("main");
    ana.merge("main");
    expect(await sameFor(ana)).toMatchObject([{ state: "published", awaits: "nobody" }]);
    expect(await sameFor(ana)).toEqual(await sameFor(ben));
    expect((await submit(ana, "1.0.0")).code).toBe(1);
    expect(await storyOf(ana, "1.0.0")).toEqual(await storyOf(ben, "1.0.0"));
  });

  it("are recorded before they rest if somebody says so, and go on in another checkout", async () => {
    promise("team.shared-when-said");
    using team = releaseTeam();
    const ana = team.clone("ana");
    await submit(ana, "1.0.0");
    await ana.person("reject", "1.0.0", "-m", "Not yet");
    expect(records(ana)).toHaveLength(1);
    const said = await share(ana, "1.0.0");
    const [, path = ""] = records(ana);
    expect(path).toMatch(/^\.alfred\/records\/release\/1\.0\.0\/0003-0003-[0-9a-f]{16}\.jsonl$/);
    expect(said).toContain(`Commit ${path}.`);
    expect(said).toContain("`pawl adopt release:1.0.0`");
    expect(await share(ana, "1.0.0")).toContain("are recorded already");
    expect(records(ana)).toHaveLength(2);
    ana.push("main");
    const ben = team.clone("ben");
    expect((await ben.pawl("share", "release:1.0.0")).err).toContain("[run-elsewhere]");
    await ben.person("adopt", "release:1.0.0");
    expect(records(ben)).toMatchObject([{}, {}, expect.stringMatching(/\/0004-0004-/)]);
    expect((await submit(ben, "1.0.0")).code).toBe(0);
    expect(await storyOf(ben, "1.0.0")).toContain("> Not yet");
    expect(await ana.pawl("share", "release:9")).toMatchObject({
      code: 2,
      err: expect.stringContaining("[run-missing]"),
    });
    expect(await ana.pawl("share", "spells:main")).toMatchObject({
      code: 1,
      err: expect.stringContaining("runs of Spells have no records"),
    });
  });

  it("go on in their own checkout if one was advanced on two branches, and are held in a clone, until a person chooses", async () => {
    promise("team.branches");
    using team = releaseTeam();
    const ana = team.clone("ana");
    await submit(ana, "1.0.0");
    ana.push("main");
    const ben = team.clone("ben");
    await ben.person("adopt", "release:1.0.0");
    await ben.person("reject", "1.0.0", "-m", "Not yet");
    await share(ben, "1.0.0");
    ben.push("ben");
    await ana.person("approve", "1.0.0");
    ana.push("ana");
    ana.merge("ben");
    ben.merge("ana");
    const cleo = team.clone("cleo", "ana");
    cleo.merge("ben");

    const rejected = /reject \(in_review → drafting\) by .* at 20/;
    const approved = /approve \(in_review → tagging\)/;
    for (const [member, state, steps] of [
      [ana, "published", rejected],
      [ben, "drafting", approved],
    ] as const) {
      const [run] = await statusOf(member);
      expect(run).toMatchObject({ state, aside: [{ steps: expect.stringMatching(steps) }] });
      expect(run?.problem).toBeUndefined();
    }
    expect((await ben.pawl("status")).out.replace(/\s+/g, " ")).toMatch(
      /set aside: the branch [0-9a-f]{12}: .*approve .* to go on from there: `pawl adopt release:1\.0\.0 --branch/,
    );
    expect((await submit(ben, "1.0.0")).code).toBe(0);
    expect((await ana.person("adopt", "release:1.0.0")).err).toContain("[records-forked]");
    expect((await verifyFaults(cleo)).filter(({ rule }) => rule === "record-branches")).toMatchObject([
      {
        path: ".alfred/records/release/1.0.0",
        message: expect.stringMatching(/after its first 2 steps: branch/),
      },
    ]);

    const [held] = await statusOf(cleo);
    expect(held?.problem?.code).toBe("records-forked");
    expect(held?.problem?.message).toMatch(/after its first 2 steps: .*approve \(in_review → tagging\)/);
    expect(held?.problem?.message).toMatch(rejected);
    const before = cleo.git("status", "--porcelain");
    for (const words of [
      ["cast", "release:1.0.0", "submit"],
      ["approve", "1.0.0"],
      ["adopt", "release:1.0.0"],
    ])
      expect((await cleo.person(...words)).err).toContain("[records-forked]");
    expect(cleo.git("status", "--porcelain")).toBe(before);
    const sides = [...(held?.problem?.message ?? "").matchAll(/branch ([0-9a-f]{12}): ([^;]+)/g)];
    const side = sides.find(([, , steps]) => steps?.includes("reject"))?.[1] ?? "";
    expect(await cleo.pawl("adopt", "release:1.0.0", "--branch", side)).toMatchObject({
      code: 1,
      err: expect.stringContaining("[terminal-missing]"),
    });
    expect((await cleo.person("adopt", "release:1.0.0", "--branch", "ffff")).err).toContain("[usage]");
    const chosen = await cleo.person("adopt", "release:1.0.0", "--branch", side);
    expect(chosen).toMatchObject({ code: 0, out: expect.stringContaining("It is drafting") });
    cleo.push("main");
    expect((await verifyFaults(cleo)).filter(({ rule }) => rule === "record-branches")).toEqual([]);
    ana.merge("main");
    expect(await sameFor(ana)).toEqual(await sameFor(cleo));
    expect(await sameFor(ana)).toMatchObject([{ state: "drafting" }]);
    expect((await ana.pawl("cast", "release:1.0.0", "submit")).err).toContain("[run-elsewhere]");
  });

  it("stay if they are over a stash and a branch switch, and their records are whole when branches meet", async () => {
    promise("team.what-git-moves");
    using team = releaseTeam();
    const ana = team.clone("ana");
    ana.git("checkout", "-q", "-b", "work");
    await submit(ana, "1.0.0");
    ana.commit("Submit it");
    await ana.person("reject", "1.0.0", "-m", "Not yet");
    await share(ana, "1.0.0");
    ana.git("stash", "-q", "-u");
    expect(await sameFor(ana)).toMatchObject([{ state: "drafting" }]);
    ana.git("stash", "pop", "-q");
    ana.commit("Send it back");
    ana.git("checkout", "-q", "main");
    expect(records(ana)).toEqual([]);
    expect((await submit(ana, "1.0.0")).code).toBe(0);
    ana.commit("Submit it again");
    const other = team.clone("ben");
    other.git("pull", "-q", ana.root, "main");
    expect(await sameFor(other)).toEqual(await sameFor(ana));

    ana.git("merge", "-q", "--no-edit", "work");
    const clone = team.clone("cleo");
    clone.git("pull", "-q", ana.root, "main");
    expect(await sameFor(clone)).toEqual(await sameFor(ana));
    expect(await sameFor(ana)).toMatchObject([{ state: "in_review", awaits: "human" }]);
  });

  it("stay if they are over a revert of their last step, which the next step records again", async () => {
    promise("team.what-git-moves");
    using team = releaseTeam();
    const ana = team.clone("ana");
    await submit(ana, "1.0.0");
    ana.commit("Submit it");
    await ana.person("reject", "1.0.0", "-m", "Not yet");
    await share(ana, "1.0.0");
    ana.commit("Send it back");
    ana.git("revert", "--no-edit", "HEAD");
    ana.git("push", "-q", "origin", "main");
    expect(await sameFor(ana)).toMatchObject([{ state: "drafting" }]);
    const ben = team.clone("ben");
    expect(await sameFor(ben)).toMatchObject([{ state: "in_review" }]);
    await submit(ana, "1.0.0");
    ana.push("main");
    ben.merge("main");
    expect(await sameFor(ben)).toEqual(await sameFor(ana));
    expect(await storyOf(ben, "1.0.0")).toEqual(await storyOf(ana, "1.0.0"));
  });

  it("say which step is missing if a commit in between was reverted", async () => {
    promise("team.what-git-moves");
    using team = releaseTeam();
    const ana = team.clone("ana");
    await submit(ana, "1.0.0");
    ana.commit("Submit it");
    const [first = ""] = records(ana);
    await ana.person("reject", "1.0.0", "-m", "Not yet");
    await share(ana, "1.0.0");
    ana.commit("Send it back");
    ana.git("rm", "-q", first);
    ana.push("main");
    const ben = team.clone("ben");
    const [run] = await statusOf(ben);
    expect(run?.problem).toMatchObject({ code: "records-invalid" });
    expect(run?.problem?.message).toContain("the step before reject of");
    // Whoever has the run writes it again.
    expect(await sameFor(ana)).toMatchObject([{ state: "drafting" }]);
    await submit(ana, "1.0.0");
    ana.push("main");
    ben.merge("main");
    expect(await sameFor(ben)).toEqual(await sameFor(ana));
  });

  it("are never moved by a record, whatever it claims: no gate opens, nothing starts, and nothing more may be written", async () => {
    promise("team.records-prove-nothing");
    using team = releaseTeam();
    const ana = team.clone("ana");
    await submit(ana, "1.0.0");
    const [name = ""] = records(ana);
    const [begun, step, { run, state }] = linesIn(ana.read(name) ?? "");
    const forged: Step = {
      ...{ v: 1, run, seq: 3, prev: hashOfStep(step), time: step.time, kind: "moved", machine: "release" },
      ...{ from: "in_review", to: "tagging", event: "approve", rule: "approved", set: {} },
      by: { channel: "terminal", who: "ana" },
    };
    const after = { ...state, state: "tagging", pending: "approved" };
    for (const change of newRecords(run, [begun, step, forged], 2, after))
      if (change.type === "write") ana.write(change.path, change.text);
    const before = ana.read(".pawl/runs/release/1.0.0.json");
    for (const words of [
      ["cast", "release:1.0.0", "tagged"],
      ["cast", "release:1.0.0", "retry"],
      ["approve", "1.0.0"],
    ])
      expect((await ana.person(...words)).err).toContain("[run-elsewhere]");
    expect((await ana.pawl("cast", "release:1.0.0")).out).toContain("prove no verdict");
    expect(ana.read("tags/v1.0.0")).toBeNull();
    expect(ana.read(".pawl/runs/release/1.0.0.json")).toBe(before);
    const store = openStore({ root: ana.root, state: stateOf(ana.root), packaged: async () => null });
    const source = fileSource({ name: "release", file: projectPath("release.yaml") });
    expect(await scopeOf(source, store.view(), "1.0.0")).toMatchObject({
      state: "in_review",
      writes: "none",
    });
  });

  it("are refused if a record says of the run what its steps do not lead to, by who has it and by who would adopt it", async () => {
    promise("team.records-prove-nothing");
    using team = releaseTeam();
    const ana = team.clone("ana");
    await submit(ana, "1.0.0");
    const [name = ""] = records(ana);
    ana.write(name, (ana.read(name) ?? "").replace('"state":"in_review"', '"state":"failed"'));
    expect((await ana.pawl("share", "release:1.0.0")).out).toContain("are recorded already");
    ana.push("main");
    const ben = team.clone("ben");
    const said = "found failed with rounds = 0; its steps lead to in_review with rounds = 0";
    for (const words of [
      ["adopt", "release:1.0.0"],
      ["cast", "release:1.0.0", "retry"],
    ])
      expect((await ben.person(...words)).err).toMatch(new RegExp(`${said}[^]*\\[records-invalid\\]`));
    expect(ben.read(".pawl/runs/release/1.0.0.json")).toBeNull();
    ana.write(name, `{}\n${ana.read(name)}`);
    expect((await ana.pawl("share", "release:1.0.0")).err).toContain("[records-invalid]");
  });

  it("are written with their step or not at all", async () => {
    promise("team.same-for-all");
    using team = releaseTeam();
    const ana = team.clone("ana");
    ana.write(".alfred/records/release/1.0.0", "in the way");
    const failed = await submit(ana, "1.0.0");
    expect(failed.code).toBe(1);
    expect(ana.read(".pawl/runs/release/1.0.0.json")).toBeNull();
    ana.remove(".alfred");
    expect((await submit(ana, "1.0.0")).code).toBe(0);
    expect(records(ana)).toHaveLength(1);
  });
});

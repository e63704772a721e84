/** Gates whose verdicts are signed: what is asked, what is refused, what the record binds. */
import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type GateRecord, parseRecord } from "../../src/core/gate-record.ts";
import { AlfredProject, CLEAN, taskMarkdown } from "../rig/alfred-project.ts";
import { bloomProject, checkpointTask } from "../rig/bloom-project.ts";
import { pawlInside, personInside, type TemporaryProject, typingInside } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { change, releaseProject } from "../rig/release-project.ts";
import { type Person, personWithKey } from "../rig/signing.ts";

const git = (root: string, ...args: string[]) =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: "pipe" }).trim();

/** A run of the project's own workflow that awaits a signed approval, in a repository with work on a branch. */
async function waiting(person: Person, gates = "gates: signed\n"): Promise<TemporaryProject> {
  const project = releaseProject(person.environment);
  const { root } = project;
  project.write("pawl.yaml", `${project.read("pawl.yaml")}${gates}`);
  git(root, "init", "-q", "-b", "main");
  git(root, "config", "user.email", person.name);
  git(root, "config", "user.name", "Ada");
  await project.person("keys", "add", `${person.key}.pub`, "--unprotected");
  project.write(".gitignore", ".pawl/\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Begin");
  git(root, "checkout", "-qb", "work");
  project.write("src/a.js", "one\n");
  project.write("test/a.test.js", "two\n");
  project.write("releases/1.2.0.md", "# Notes\n\n- [x] the docs are right\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Work");
  const sent = await project.pawl("cast", "release:1.2.0", "submit", "--fact", "risk=low");
  expect(sent.err).toBe("");
  return project;
}

const RECORD = ".alfred/gates/release/1.2.0/0001.json";
const stateOf = (project: TemporaryProject) =>
  JSON.parse(project.read(".pawl/runs/release/1.2.0.json") ?? "{}").state;
const recordIn = (text: string | null) => parseRecord(text ?? "") as GateRecord;

describe("A signed gate of an own workflow", () => {
  it("takes a signature in place of a yes, and commits the record with the move", async () => {
    promise("gates.signed");
    using ada = personWithKey();
    using project = await waiting(ada);
    const ended = await project.person("approve", "1.2.0", "-m", "Good");
    expect([ended.code, ended.err]).toEqual([0, ""]);
    expect(ended.screen).toContain("You sign, as ada@example.com:");
    expect(ended.screen).toContain("changed files that decide how the work is judged: test/a.test.js");
    expect(ended.screen).not.toContain("Yes or no?");
    expect(ended.out).toMatch(/\n {2}worth {5}signed at a terminal.*\n {2}work {6}[0-9a-f]{40}\n/);
    expect(ended.out).toContain(`\n  record    ${RECORD}\n`);
    expect(stateOf(project)).toBe("published");
    expect(recordIn(project.read(RECORD))).toMatchObject({
      run: "release:1.2.0",
      gate: "release.in_review",
      verdict: "approve",
      base_commit: git(project.root, "rev-parse", "main"),
      tree: git(project.root, "rev-parse", "HEAD^{tree}"),
      process_files: ["test/a.test.js"],
      notes: "Good",
      signer: ada.name,
      seq: 1,
      prev: null,
      steps: [{ kind: "begun" }, { event: "submit" }],
    });
    const words = ["-n", "pawl-gate-v1", "-I", ada.name, "-f", ".alfred/allowed_signers"];
    const verified = execFileSync(
      "ssh-keygen",
      ["-Y", "verify", ...words, "-s", RECORD.replace(".json", ".sig")],
      { cwd: project.root, input: readFileSync(join(project.root, RECORD)), encoding: "utf8" },
    );
    expect(verified).toContain("Good");
    expect((await project.pawl("show", "release:1.2.0")).out).toContain("signed at a terminal");
  });

  it.each(["yes\n", "00000000\n", "\n", ""])("is not passed by %j in the digits' place", async (typed) => {
    promise("gates.signed");
    using ada = personWithKey();
    using project = await waiting(ada);
    const ended = await typingInside(project.root, ["approve", "1.2.0"], ada.environment, typed);
    expect(ended.err).toContain("[person-declined]");
    expect([project.read(RECORD), stateOf(project)]).toEqual([null, "in_review"]);
  });

  it("is not passed by a key that the signers' file does not name, even under an allowed name", async () => {
    promise("gates.signed");
    using ada = personWithKey();
    using eve = personWithKey(ada.name);
    using project = await waiting(ada);
    const before = project.read(".alfred/allowed_signers");
    const asEve = { ...eve.environment };
    await personInside(project.root, ["keys", "add", `${eve.key}.pub`, "--unprotected"], asEve);
    project.write(".alfred/allowed_signers", before ?? "");
    const ended = await personInside(project.root, ["approve", "1.2.0"], asEve);
    expect(ended.err).toContain("[signature-failed]");
    expect([project.read(RECORD), stateOf(project)]).toEqual([null, "in_review"]);
  });

  it("is not passed by anyone without a key, nor without a terminal", async () => {
    promise("gates.level");
    using ada = personWithKey();
    using project = await waiting(ada);
    const nobody = { XDG_CONFIG_HOME: join(project.root, "none") };
    const without = await personInside(project.root, ["approve", "1.2.0"], nobody);
    expect(without.err).toContain("[key-missing]");
    const piped = await project.pawl("approve", "1.2.0");
    expect(piped.err).toContain("[verdict-too-weak]");
    expect(stateOf(project)).toBe("in_review");
  });

  it("stays signed for a run that is under way, whatever pawl.yaml says meanwhile", async () => {
    promise("gates.level");
    using ada = personWithKey();
    using project = await waiting(ada);
    change(project, "pawl.yaml", "gates: signed\n", "gates: any\n");
    const ended = await project.person("approve", "1.2.0");
    expect(ended.err).toContain("[policy-held]");
    expect(ended.err).toContain('gates.release.in_review: "signed" → none');
    expect(stateOf(project)).toBe("in_review");
  });

  it("asks for a touch of the key if it wants one", async () => {
    promise("gates.level");
    using ada = personWithKey();
    using project = await waiting(ada, "gates: {release: touch}\n");
    const ended = await project.person("approve", "1.2.0");
    expect(ended.err).toContain("[verdict-too-weak]");
    expect(ended.err).toContain("found one that is signed");
    expect([project.read(RECORD), stateOf(project)]).toEqual([null, "in_review"]);
  });

  it("binds the next record to the one before, and does not go on from one that was edited", async () => {
    promise("gates.signed");
    using ada = personWithKey();
    using project = await waiting(ada);
    await project.person("reject", "1.2.0", "-m", "Not yet");
    await project.pawl("cast", "release:1.2.0", "submit", "--fact", "risk=low");
    const first = project.read(RECORD) ?? "";
    project.write(RECORD, first.replace("Not yet", "Fine"));
    const edited = await project.person("approve", "1.2.0");
    expect(edited.err).toContain("0001.json is not what was signed: incorrect signature");
    project.write(RECORD, first);
    expect((await project.person("approve", "1.2.0")).err).toBe("");
    const second = recordIn(project.read(RECORD.replace("0001", "0002")));
    expect(second).toMatchObject({
      seq: 2,
      round: 2,
      start: null,
      steps: [{ event: "reject" }, { event: "submit" }],
    });
    expect(second.prev).not.toBeNull();
  });
});

/** A task at the first tool, whose gate is signed; what a person runs there. */
async function signedTask(project: AlfredProject, ada: ReturnType<typeof personWithKey>) {
  project.write(".gitignore", ".pawl/\n");
  project.around = { project_id: "0".repeat(32), gates: { start_task: "signed" } };
  const yaml = `project_id: "${"0".repeat(32)}"\ngates: {start_task: signed}\nalfred: {reviews: {default: [human]}}\n`;
  project.write("pawl.yaml", yaml);
  const pawl = (...args: string[]) => personInside(project.root, args, { DOOR_ONLY: "", ...ada.environment });
  await pawl("keys", "add", `${ada.key}.pub`, "--unprotected", "--as", ada.name);
  await project.call("create_task", { task_content: taskMarkdown("TS-01") });
  await project.call("start_task", { task_id: "TS-01" });
  return pawl;
}

describe("A signed gate of Alfred", () => {
  it("is not passed by what an assistant relays, and binds the artifact that the person signs", async () => {
    promise("gates.signed");
    using ada = personWithKey();
    using project = new AlfredProject({ settings: { reviews: { default: ["human"] }, checks: {} } });
    const pawl = await signedTask(project, ada);
    await project.submit("TS-01", CLEAN);
    await expect(project.review("TS-01", true)).rejects.toMatchObject({ code: "verdict-too-weak" });
    const ended = await pawl("approve", "TS-01");
    expect([ended.code, ended.err]).toEqual([0, ""]);
    const record = recordIn(project.read(".alfred/gates/alfred/TS-01/0001.json"));
    expect(record).toMatchObject({ gate: "alfred.start_task", run: "alfred:TS-01", event: "approve" });
    const { accepted } = project.state("TS-01").active_tool_state.context_store;
    expect(record.artifact).toBe(accepted[0].sha256);
    expect(record.steps.map(({ event, kind }) => [kind, event])).toEqual([
      ["begun", "start_task"],
      ["moved", "submit"],
    ]);
  });

  it("signs nothing for a run whose log was changed before its last line", async () => {
    promise("gates.signed");
    using ada = personWithKey();
    using project = new AlfredProject({ settings: { reviews: { default: ["human"] }, checks: {} } });
    const pawl = await signedTask(project, ada);
    await project.submit("TS-01", CLEAN);
    const log = ".pawl/log/alfred/TS-01.jsonl";
    project.write(log, project.read(log).replace('"channel":"mcp"', '"channel":"cli"'));
    const ended = await pawl("approve", "TS-01");
    expect(ended.err).toContain("[gate-unsignable]");
    expect(ended.err).toContain("step 2 of its log is not made on the 1 before it");
  });
});

describe("A signed gate of Bloom", () => {
  it("binds the commit's tree, and lets the work be merged", { timeout: 90_000 }, async () => {
    promise("gates.signed", "bloom.no-test");
    using ada = personWithKey();
    using project = bloomProject({
      project: { gates: "signed", project_id: "1".repeat(32) },
      environment: ada.environment,
      tasks: `${checkpointTask("a")}  verify: ["true", "node --test 'none/*'"]\n`,
    });
    await project.person("keys", "add", `${ada.key}.pub`, "--unprotected", "--as", ada.name);
    const first = await project.run();
    expect(first.code).toBe(3);
    const piped = await pawlInside(project.root, ["approve", "T1"], { DOOR_ONLY: "", ...ada.environment });
    expect(piped.err).toContain("[verdict-too-weak]");
    const ended = await project.person("approve", "T1");
    expect([ended.code, ended.err]).toEqual([0, ""]);
    const text = readFileSync(join(project.root, ".alfred/gates/bloom/T1/0001.json"), "utf8");
    const record = recordIn(text);
    expect((await project.run()).code).toBe(0);
    expect(record).toMatchObject({
      gate: "bloom.approval",
      event: "approved",
      tree: project.git("rev-parse", "main^{tree}"),
      base_commit: project.git("rev-list", "--max-parents=0", "main"),
      // What ran no test does not speak for the work.
      checks: [
        { about: "true", verdict: "agrees" },
        { about: "node --test 'none/*'", verdict: "unknown" },
      ],
    });
    expect(record.steps.slice(0, 2)).toMatchObject([
      { kind: "begun", to: "ready" },
      { event: "claimed", from: "ready" },
    ]);
  });
});

describe("A project's signers", () => {
  it("are added once, with a random id for a project that has none; a key that anyone can use is refused", async () => {
    promise("gates.keys");
    using ada = personWithKey();
    using project = releaseProject(ada.environment);
    const refused = await project.person("keys", "add", `${ada.key}.pub`);
    expect(refused.err).toContain("[key-unusable]");
    const words = ["keys", "add", `${ada.key}.pub`, "--unprotected", "--as", ada.name];
    for (let again = 0; again < 2; again++) expect((await project.person(...words)).err).toBe("");
    const lines = (project.read(".alfred/allowed_signers") ?? "").trim().split("\n");
    expect(lines).toEqual([
      expect.stringMatching(/^ada@example\.com namespaces="pawl-gate-v1" ssh-ed25519 \S+$/),
    ]);
    expect(project.read("pawl.yaml")?.match(/^project_id: [0-9a-f]{32}$/gm)).toHaveLength(1);
    const listed = await project.pawl("keys", "list", "--json");
    expect(JSON.parse(listed.out)).toMatchObject({
      used: { principal: ada.name },
      signers: [{ signer: ada.name }],
    });
    writeFileSync(join(project.root, "no.pub"), "what\n");
    expect((await project.person("keys", "add", "no.pub")).err).toContain("[key-unusable]");
    appendFileSync(join(project.root, "pawl.yaml"), "gates: sometimes\n");
    expect((await project.pawl("config")).err).toContain(
      "gates: expected one of any, terminal, signed, touch",
    );
  });
});

/** What governs a run of a workflow of the project's own is its definition as it was when the run began. */
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connect } from "../rig/client.ts";
import { type TemporaryProject, temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { change, releaseReady } from "../rig/release-project.ts";
import { stateOf } from "../rig/state-home.ts";

const RUN = "release:1.2.0";
const FILE = "release.yaml";
const RUN_FILE = ".pawl/runs/release/1.2.0.json";
const GATE = "{ description: Let the release go out, verdict: approve }";
const SUBMIT = "submit: Hand the release in for review";
const GATED = "submit: { description: Hand the release in for review, gate: human }";

/** A release that waits at its gate. */
async function atTheGate(): Promise<TemporaryProject> {
  const project = releaseReady();
  const { code } = await project.pawl("cast", RUN, "submit", "--fact", "risk=low");
  expect(code).toBe(0);
  return project;
}

function stateIn(project: TemporaryProject): unknown {
  return JSON.parse(project.read(RUN_FILE) ?? "{}").state;
}

const flat = (text: string) => text.replace(/\s+/g, " ");

describe("a run of an own workflow, whose definition is changed while it waits at a gate", () => {
  it.each([
    ["a gate is removed", GATE, GATE.replace(", verdict: approve", "")],
    ["what the gate asks is worded otherwise", "Let the release go out", "Run the tests again"],
    ["a check's command is changed", "command: sh ./test.sh", 'command: "true"'],
    ["a row's command is changed", "sh ./tag.sh {{ id }}", "touch pushed"],
    ["more may be written there", "    writes: none\n", "    writes: all\n"],
    ["git may push there", "    forbids: [commit, push]\n", "    forbids: commit\n"],
    ["an event leads past the gate", "    from: failed\n", "    from: [failed, in_review]\n"],
  ])("does not move if %s", async (_, from, to) => {
    promise("policy.own", "scope.pinned");
    using project = await atTheGate();
    change(project, FILE, from, to);
    project.trust();
    const sent = await project.pawl("cast", RUN, "approve");
    expect(sent).toMatchObject({ code: 1, err: expect.stringContaining("[policy-held]") });
    expect((await project.person("approve", "1.2.0")).err).toContain("[policy-held]");
    expect(stateIn(project)).toBe("in_review");
  });

  it("does not move over MCP either, and a look says why", async () => {
    promise("policy.own");
    using project = await atTheGate();
    change(project, FILE, GATE, GATE.replace(", verdict: approve", ""));
    await using server = await connect(project);
    const { data, isError } = await server.call("advance", { run: RUN, event: "approve" });
    expect(isError).toBe(true);
    expect(data).toMatchObject({ data: { code: "policy-held" } });
    expect((await server.call("look", { run: RUN })).text).toContain("definition.gates.approve");
    expect(stateIn(project)).toBe("in_review");
  });

  it("goes on once a person has accepted the change at a terminal, which is recorded", async () => {
    promise("policy.own", "policy.placed", "policy.shown");
    using project = await atTheGate();
    change(project, FILE, GATE, GATE.replace(", verdict: approve", ""));
    expect((await project.pawl("policy", RUN)).out).toMatch(
      /ignored {2}definition\.gates\.approve: .* → none \(release\.yaml:\d+\)/,
    );
    expect(flat((await project.pawl("status")).out)).toContain(`${RUN} is held`);
    expect((await project.pawl("show", RUN)).out).toContain(`${RUN} is held: its workflow was loosened`);
    expect((await project.pawl("policy", RUN, "--accept")).err).toContain("[terminal-missing]");
    expect((await project.pawl("cast", RUN)).out).toContain("definition.gates.approve");
    expect((await project.person("policy", RUN, "--accept")).code).toBe(0);
    expect((await project.pawl("cast", RUN, "approve")).code).toBe(0);
    expect(stateIn(project)).not.toBe("in_review");
    expect(project.read(".pawl/events.jsonl")).toContain('"type":"policy:accepted"');
  });

  it("names the file to restore: the one that it extends, if that was loosened, and a row's line", async () => {
    using project = releaseReady();
    project.write("hot.yaml", "title: Hot fix\nextends: release\nrows: []\n");
    change(project, "pawl.yaml", "[./release.yaml", "[./hot.yaml, ./release.yaml");
    project.trust();
    expect((await project.pawl("cast", "hot:1.2.0", "submit", "--fact", "risk=low")).err).toBe("");
    change(project, FILE, "sh ./tag.sh {{ id }}", "touch pushed");
    const refused = (await project.person("approve", "hot:1.2.0")).err;
    expect(refused).toMatch(/ \(release\.yaml:\d+\)/);
    expect(refused).toContain("Restore release.yaml, or have a person");
  });

  it("goes on if nothing is loosened: words, replies, and one more gate", async () => {
    promise("policy.own");
    using project = await atTheGate();
    change(project, FILE, "title: Release", "title: A release");
    change(project, FILE, SUBMIT, GATED);
    expect((await project.person("reject", "1.2.0")).code).toBe(0);
    change(project, FILE, GATED, SUBMIT);
    expect((await project.pawl("cast", RUN, "submit", "--fact", "risk=low")).err).toContain("[policy-held]");
  });

  it("keeps what was tightened from the moment that a person looks at its policy", async () => {
    using project = await atTheGate();
    change(project, FILE, SUBMIT, GATED);
    expect((await project.pawl("policy", RUN)).out).toContain("counts");
    change(project, FILE, GATED, SUBMIT);
    expect((await project.person("reject", "1.2.0")).err).toContain("[policy-held]");
  });

  it("goes on where its states are given scopes that they did not have", async () => {
    promise("scope.pinned");
    using project = releaseReady();
    const scoped = project.read(FILE) ?? "";
    project.write(FILE, scoped.replace(/^ {4}(?:writes|forbids): .*\n/gm, ""));
    await project.pawl("cast", RUN, "submit", "--fact", "risk=low");
    expect(stateIn(project)).toBe("in_review");
    project.write(FILE, scoped);
    expect((await project.person("reject", "1.2.0")).code).toBe(0);
    change(project, FILE, "    writes: worktree\n", "    writes: all\n");
    expect((await project.pawl("cast", RUN, "submit", "--fact", "risk=low")).err).toContain("[policy-held]");
  });

  it("holds nothing that is over", async () => {
    promise("policy.own", "policy.shown");
    using project = await atTheGate();
    expect((await project.person("approve", "1.2.0")).code).toBe(0);
    expect(stateIn(project)).toBe("published");
    change(project, FILE, GATE, GATE.replace(", verdict: approve", ""));
    expect(flat((await project.pawl("status")).out)).not.toContain("is held");
    expect((await project.pawl("policy", RUN)).out).toContain("is over or has not begun");
  });

  it("does not hold a new run, which begins by the definition as it is", async () => {
    promise("policy.own");
    using project = await atTheGate();
    change(project, FILE, GATE, GATE.replace(", verdict: approve", ""));
    project.write("releases/2.md", project.read("releases/1.2.0.md") ?? "");
    await project.pawl("cast", "release:2", "submit", "--fact", "risk=low");
    expect((await project.pawl("cast", "release:2", "approve")).code).toBe(0);
  });
});

describe("a run of an own workflow that went on in a copy with a looser definition", () => {
  it("does not move here before a person has accepted it", async () => {
    promise("policy.elsewhere");
    using project = await atTheGate();
    change(project, "tag.sh", project.read("tag.sh") ?? "", "exit 1\n");
    using copy = temporaryProject({ environment: { DOOR_ONLY: "" } });
    cpSync(project.root, copy.root, { recursive: true });
    change(copy, FILE, GATE, GATE.replace(", verdict: approve", ""));
    copy.trust();
    expect((await copy.person("policy", RUN, "--accept")).code).toBe(0);
    await copy.pawl("cast", RUN, "approve");
    expect(stateIn(copy)).toBe("failed");
    cpSync(join(copy.root, ".pawl"), join(project.root, ".pawl"), { recursive: true });
    const held = await project.pawl("cast", RUN, "retry");
    expect(held).toMatchObject({ code: 1, err: expect.stringContaining("[policy-unknown]") });
    const accepted = await project.person("policy", RUN, "--accept");
    expect(accepted.screen).toContain("continued under a policy that this machine never had");
    expect((await project.pawl("cast", RUN, "retry")).err).not.toContain("[policy-unknown]");
  });
});

describe("a run of an own workflow, of which nothing is kept", () => {
  /** As in another clone. */
  const forget = ({ root }: TemporaryProject) => {
    const folder = join(stateOf(root).folder, "policies");
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
  };

  it("goes on if the definition is the one that its file names, else a person decides", async () => {
    promise("policy.own");
    using project = await atTheGate();
    forget(project);
    expect((await project.pawl("cast", RUN)).code).toBe(0);
    forget(project);
    change(project, FILE, GATE, GATE.replace(", verdict: approve", ""));
    expect((await project.pawl("cast", RUN, "approve")).err).toContain("[policy-unknown]");
    expect((await project.pawl("policy", RUN, "--accept")).err).toContain("[terminal-missing]");
    expect((await project.person("policy", RUN, "--accept")).code).toBe(0);
    expect((await project.pawl("cast", RUN, "approve")).code).toBe(0);
  });
});

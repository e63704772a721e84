/** A cloned project is not trusted: what its files name is not started before a person agrees to exactly that. */
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStateHome } from "../../src/config/state-home.ts";
import { connect } from "../rig/client.ts";
import { personAtTerminal, type TemporaryProject, temporaryProject, watchingInside } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { DONE, releaseProject } from "../rig/release-project.ts";

const PAWL_YAML = `agents:
  helper: { dialect: claude, program: ./helper.sh }
  scripted: { program: ./helper.sh }
bloom: { agent: scripted }
`;

/** As it comes from a clone: a program that leaves a trace, named by pawl.yaml. */
function cloned(pawlYaml = PAWL_YAML, environment: Record<string, string> = {}): TemporaryProject {
  const project = temporaryProject({ environment: { DOOR_ONLY: "", ...environment } });
  project.write("pawl.yaml", pawlYaml);
  writeFileSync(join(project.root, "helper.sh"), '#!/bin/sh\ntouch "$(dirname "$0")/started"\n', {
    mode: 0o755,
  });
  return project;
}

const TASKS = "tasks:\n  - id: T1\n    title: Do it\n    verify: [touch started]\n";

describe("a cloned project", () => {
  it("is read by everything that only reads", async () => {
    promise("trust.asked");
    using project = cloned();
    project.write("tasks.yaml", TASKS);
    for (const words of [
      ["status"],
      ["list"],
      ["config"],
      ["log"],
      ["trust", "--show"],
      ["run", "--dry-run"],
    ])
      expect(await project.pawl(...words), words.join(" ")).toMatchObject({ code: 0 });
    expect(project.read("started")).toBeNull();
  });

  it("has no agent started by a look at the agents, nor by a test of one", async () => {
    promise("trust.asked");
    using project = cloned();
    const looked = await project.pawl("agents");
    expect(looked.out).toContain("helper  claude  is not trusted");
    const tried = await project.pawl("agents", "test", "helper");
    expect(tried.err).toContain("[project-untrusted]");
    expect(project.read("started")).toBeNull();
    project.trust();
    await project.pawl("agents");
    expect(project.read("started")).toBe("");
  });

  it("has no task worked on: what is said says what to do", async () => {
    promise("trust.asked");
    using project = cloned();
    project.write("tasks.yaml", TASKS);
    const waits = await project.pawl("run", "--once");
    expect(waits).toMatchObject({ code: 3, out: expect.stringContaining("Run `pawl trust` in a terminal") });
    const morning = await project.pawl();
    expect(morning.out.replace(/\s+/g, " ")).toMatch(
      /what nobody here has agreed to: verify of T1 \(touch started\), and \d+ more\. `pawl trust` shows it, and asks\./,
    );
    expect(morning.out).not.toContain("Nothing waits for you");
    expect(project.read("started")).toBeNull();
    expect(project.read("tasks.yaml")).toContain("verify: [touch started]");
  });

  it("has no task worked on if settings would give every agent more: the loop does not begin", async () => {
    promise("trust.asked");
    using project = cloned("sandbox: none\n");
    project.write("tasks.yaml", TASKS);
    const refused = await project.pawl("run", "--once");
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("[project-untrusted]") });
  });

  it("has no command of a workflow of its own run, over the command line and over MCP", async () => {
    promise("trust.asked");
    using project = releaseProject({ XDG_STATE_HOME: "/nonexistent/state" });
    project.write("releases/1.2.0.md", DONE);
    project.write("test.sh", "touch started\n");
    const sent = await project.pawl("cast", "release:1.2.0", "submit", "--fact", "risk=low");
    expect(sent.err).toContain("[project-untrusted]");
    expect((await project.pawl("cast", "release:1.2.0")).out).toContain("is in drafting (not begun)");
    expect(project.read("started")).toBeNull();
    project.trust();
    await using server = await connect(project);
    const given = { run: "release:1.2.0", event: "submit", given: { risk: "low" } };
    expect((await server.call("advance", given)).isError).toBe(false);
    expect(project.read("started")).toBe("");
  });

  it("is trusted by `pawl trust --yes`, outside of the project, for exactly what was shown", async () => {
    promise("trust.exact");
    using project = cloned();
    const agreed = await project.pawl("trust", "--yes");
    expect(agreed.out).toContain('+ agent   helper: {"dialect":"claude","program":"./helper.sh"}');
    expect(agreed.out).toContain("Trusted:");
    expect((await project.pawl("trust", "--show")).out).toContain("Trusted since");
    project.write("pawl.yaml", `${PAWL_YAML}alfred: { checks: { test: touch started } }\n`);
    const grown = await project.pawl("trust", "--show");
    expect(grown.out).toContain("+ runs    check test: touch started");
    expect(grown.out).toContain('  agent   helper: {"dialect"');
    project.write(
      "pawl.yaml",
      PAWL_YAML.replace("program: ./helper.sh }\n  s", "program: ./other.sh }\n  s"),
    );
    const changed = await project.pawl("trust", "--show");
    expect(changed.out).toContain('- agent   helper: {"dialect":"claude","program":"./helper.sh"}');
    expect(changed.out).toContain('+ agent   helper: {"dialect":"claude","program":"./other.sh"}');
    project.write("pawl.yaml", PAWL_YAML.replace(/^ {2}scripted.*\n/m, ""));
    expect((await project.pawl("trust", "--show")).out).toContain("Trusted since");
    expect((await project.pawl("trust", "--revoke")).out).toContain("Pawl starts nothing");
    expect((await project.pawl("trust", "--show")).out).toContain("Not trusted yet");
  });

  it("asks at a terminal, not on standard input, and takes nothing for a yes", async () => {
    promise("trust.person");
    using project = cloned();
    expect((await project.pawl("trust")).err).toContain("[terminal-missing]");
    expect((await personAtTerminal(project.root, ["trust"], { answer: "" })).code).not.toBe(0);
    expect((await project.pawl("trust", "--show")).out).toContain("Not trusted yet");
    expect((await project.person("trust")).code).toBe(0);
    expect((await project.pawl("trust", "--show")).out).toContain("Trusted since");
  });

  it.each(["BLOOM_TASK", "CLAUDECODE"])("takes no agent's word for a person's (%s)", async (mark) => {
    promise("trust.person");
    using project = cloned(PAWL_YAML, { [mark]: "1" });
    for (const words of [["trust", "--yes"], ["trust"]])
      expect((await project.pawl(...words)).err).toContain("[caller-not-allowed]");
    expect((await project.pawl("trust", "--show")).out).toContain("Not trusted yet");
  });

  it("is not said to be untrusted if what was agreed to cannot be read: the error names the place", async () => {
    promise("files.unreadable");
    using project = cloned();
    project.write("tasks.yaml", TASKS);
    project.trust();
    const place = join(openStateHome(realpathSync(project.root), process.env).folder, "trust.json");
    rmSync(place);
    mkdirSync(place);
    for (const words of [
      ["run", "--once"],
      ["trust", "--show"],
    ]) {
      const { code, err } = await project.pawl(...words);
      expect([code, err], words.join(" ")).toEqual([1, expect.stringContaining("[state-home-failed]")]);
      expect(err).toContain("EISDIR");
    }
    expect(project.read("started")).toBeNull();
  });

  it("brings no trust along: a record inside it, and one of another folder at its path, do not count", async () => {
    promise("trust.exact");
    using project = cloned();
    project.trust();
    const { XDG_STATE_HOME = "" } = process.env;
    renameSync(project.root, `${project.root}.old`);
    mkdirSync(project.root);
    project.write("pawl.yaml", readFileSync(`${project.root}.old/pawl.yaml`, "utf8"));
    project.write(".pawl/trust.json", "{}");
    expect(XDG_STATE_HOME).not.toBe("");
    expect((await project.pawl("trust", "--show")).out).toContain("Not trusted yet");
  });
});

/** Two tasks without a model. What the second one starts is new whenever the first one's is agreed to. */
const task = (id: string, line: string, verify = "true") =>
  `  - {id: ${id}, title: Do it, agent: scripted, instructions: "RUN: ${line}", verify: ["${verify}"]}\n`;
const FIRST = `tasks:\n${task("T1", "touch one")}`;
const BOTH = `${FIRST}${task("T2", "touch two", "touch checked")}`;

function begun(): TemporaryProject {
  const project = temporaryProject({ marked: false, environment: { DOOR_ONLY: "" } });
  project.write("pawl.yaml", "sandbox: auto\n");
  return project;
}

const atScreen = (project: TemporaryProject, answer: string, ...args: readonly string[]) =>
  watchingInside(project.root, args, { DOOR_ONLY: "" }, answer);

describe("what an edit, a pull or a merge brings", () => {
  it("is not started by a loop that nobody watches: its task waits, and the others go on", async () => {
    promise("trust.new");
    using project = begun();
    project.write("tasks.yaml", FIRST);
    await project.pawl("trust", "--yes");
    project.write("tasks.yaml", BOTH);
    const ran = await project.pawl("run", "--once");
    expect(ran).toMatchObject({ code: 3, out: expect.stringContaining("T2 waits for you: Nobody on this") });
    expect(ran.out).toContain("verify of T2 (touch checked), RUN of T2 (touch two)");
    expect(ran.out).toContain("Waiting for a person: T2.");
    expect([project.read("one"), project.read("two"), project.read("checked")]).toEqual(["", null, null]);
    await project.pawl("trust", "--yes");
    expect(await project.pawl("run", "--once")).toMatchObject({ code: 0 });
    expect([project.read("two"), project.read("checked")]).toEqual(["", ""]);
  });

  it("is shown to a person who starts the loop at a terminal, and nothing else: one key agrees", async () => {
    promise("trust.new");
    using project = begun();
    project.write("tasks.yaml", FIRST);
    await project.pawl("trust", "--yes");
    project.write("tasks.yaml", BOTH);
    const declined = await atScreen(project, "n\n", "run", "--once");
    expect(declined.screen).toContain("New since you agreed:");
    expect(declined.screen).toContain(
      "+ runs    verify of T2: touch checked\n+ runs    RUN of T2: touch two",
    );
    expect(declined.screen).not.toContain("touch one");
    expect([declined.code, project.read("one"), project.read("two")]).toEqual([3, "", null]);
    expect((await atScreen(project, "y\n", "run", "--once")).code).toBe(0);
    expect(project.read("two")).toBe("");
    expect((await atScreen(project, "n\n", "run", "--once")).screen).toBe("");
  });

  it("is not started if it came while its task was worked on", async () => {
    promise("trust.new");
    using project = begun();
    project.write("pawl.yaml", "sandbox: none\n");
    project.write("more.sh", `sed -i 's/"echo ok"/"echo ok", "touch checked"/' tasks.yaml\n`);
    project.write("tasks.yaml", `tasks:\n${task("T1", "sh more.sh", "echo ok")}`);
    await project.pawl("trust", "--yes");
    const ran = await project.pawl("run", "--once");
    expect(ran.out).toContain("T1 waits for you: Nobody on this machine has agreed");
    expect([ran.code, project.read("checked")]).toEqual([3, null]);
  });

  it("is not agreed to by `pawl init`, which only writes what starts nothing", async () => {
    promise("trust.person");
    using project = temporaryProject({ marked: false, environment: { DOOR_ONLY: "" } });
    await project.pawl("init");
    expect((await project.pawl("trust", "--show")).out).toContain("name nothing to start");
    project.write("tasks.yaml", FIRST);
    expect((await project.pawl("trust", "--show")).out).toContain("Not trusted yet");
    expect((await project.pawl("run", "--once")).code).toBe(3);
    expect(project.read("one")).toBeNull();
  });

  it("is agreed to where a person adds it by a command at a terminal: no agent and no script does", async () => {
    promise("trust.person");
    for (const [who, isAgreed] of [
      ["person", true],
      ["pawl", false],
    ] as const) {
      using project = begun();
      project.write("pawl.yaml", "bloom: {agent: scripted}\n");
      await project[who]("add", "Mend it");
      const { out } = await project.pawl("trust", "--show");
      expect(out, who).toContain(isAgreed ? "Trusted since" : "Not trusted yet");
    }
    using described = cloned();
    await described.person("add", "Mend it");
    expect((await described.pawl("trust", "--show")).out).toContain("Not trusted yet");
  });

  it("is shown to the letter: line breaks, controls and invisible characters, too", async () => {
    promise("trust.exact");
    using project = begun();
    const command = "sh tag.sh # see\\ntouch ran\\r\\t\\u202e";
    project.write("pawl.yaml", `alfred: { checks: { test: "${command.replaceAll("\\\\", "\\")}" } }\n`);
    const { out } = await project.pawl("trust", "--show");
    expect(out).toContain(
      "+ runs    check test: sh tag.sh # see⏎\n          touch ran<U+000D><U+0009><U+202E>\n",
    );
  });
});

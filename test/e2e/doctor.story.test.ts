import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { Finding } from "../../src/surfaces/cli/doctor/finding.ts";
import { connect } from "../rig/client.ts";
import { end, runPawl, type TemporaryProject, temporaryProject, testEnvironment } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { stateOf } from "../rig/state-home.ts";
import { unshare } from "../rig/unshare.ts";

/** Without an agent on the PATH, so that none is started. */
const WITHOUT_AGENTS = { PATH: "/usr/bin:/bin", DOOR_ONLY: "" };

async function newProject(): Promise<TemporaryProject> {
  const project = temporaryProject({ marked: false, environment: WITHOUT_AGENTS });
  execFileSync("git", ["init", "-q", project.root]);
  expect((await project.pawl("init")).code).toBe(0);
  return project;
}

interface Diagnosis {
  readonly code: number | null;
  readonly findings: readonly Finding[];
}

async function doctorOf(project: TemporaryProject): Promise<Diagnosis> {
  const { code, out } = await project.pawl("doctor", "--json");
  const { sections } = JSON.parse(out) as { sections: readonly { findings: readonly Finding[] }[] };
  return { code, findings: sections.flatMap(({ findings }) => findings) };
}

const faultsOf = ({ findings }: Diagnosis) => findings.filter(({ state }) => state === "fault");

/** Every file below the folder, with what it holds. */
function filesIn(folder: string): Readonly<Record<string, string>> {
  const names = (readdirSync(folder, { recursive: true }) as string[]).filter(
    (name) => !name.startsWith("cache") && statSync(join(folder, name)).isFile(),
  );
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), "latin1")]));
}

describe("pawl doctor", () => {
  it("finds no fault in a new project, and changes nothing", async () => {
    promise("doctor.sound");
    using project = await newProject();
    await project.pawl("init", "--client", "cursor", "--guard");
    const { folder } = stateOf(project.root);
    const before = [filesIn(project.root), filesIn(folder)];
    const { code, err, out } = await project.pawl("doctor");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const words of ["✓ Node: ", "✓ git: ", "✓ .cursor/mcp.json: ", "✓ pre-commit: ", "✓ journal: "])
      expect(out).toContain(words);
    expect(out).toContain("! guard: not proved yet\n    fix: `pawl config guard --canary`");
    expect([filesIn(project.root), filesIn(folder)]).toEqual(before);
  });

  it.skipIf(unshare === undefined)(
    "says that the person's home is read-only, and so does what has to write there",
    async () => {
      using project = await newProject();
      const home = join(project.root, ".pawl", "home");
      mkdirSync(home);
      const program = resolve(import.meta.dirname, "../../.rig/main.js");
      const pawl = async (...args: readonly string[]) => {
        const script = `mount -t tmpfs tmpfs "$1" && mount -o remount,ro "$1" && shift && exec "$@"`;
        const words = [unshare ?? "", "sh", "-c", script, "sh", home, process.execPath, program, ...args];
        const env = { ...testEnvironment(WITHOUT_AGENTS), HOME: home, XDG_STATE_HOME: join(home, "state") };
        return end(spawn("unshare", words, { cwd: project.root, env }));
      };
      const doctor = await pawl("doctor");
      expect(doctor.err).toBe("");
      expect(doctor.out).toContain("✗ state folder: nothing can be written");
      expect(doctor.out).toContain("(EROFS)");
      expect(doctor.out).not.toContain("Unexpected");
      expect((await pawl("cast", "accio")).err).toContain(
        "the file system is read-only (EROFS). [state-home-failed]",
      );
    },
  );

  it("works outside a project, and says how to begin one", async () => {
    promise("doctor.sound");
    using nowhere = temporaryProject({ marked: false, environment: WITHOUT_AGENTS });
    const found = await doctorOf(nowhere);
    expect(found.code).toBe(0);
    expect(found.findings).toContainEqual(expect.objectContaining({ what: "project", command: "pawl init" }));
  });

  it("says where on the PATH it looks for no program, and why", async () => {
    promise("programs.found-once");
    using project = temporaryProject({ environment: { ...WITHOUT_AGENTS, PATH: "./bin:/usr/bin:/bin" } });
    const { findings } = await doctorOf(project);
    expect(findings).toContainEqual({
      what: "PATH",
      state: "good",
      found: "Pawl looks for programs everywhere but in ./bin (it is relative to the working folder)",
    });
  });

  it("says where a setting is wrong, and still looks at the machine", async () => {
    promise("doctor.fix");
    using project = await newProject();
    project.write("pawl.yaml", "bloom: {tries: many}\n");
    const found = await doctorOf(project);
    expect(found.code).toBe(1);
    expect(faultsOf(found)).toMatchObject([
      { what: "project", found: expect.stringContaining("pawl.yaml:1:16") },
    ]);
    expect(found.findings).toContainEqual(expect.objectContaining({ what: "git", state: "good" }));
  });

  it("says what an agent that the tasks need lacks", async () => {
    promise("doctor.fix");
    using project = await newProject();
    project.write("tasks.yaml", "tasks:\n  - { id: T-1, title: One, status: todo, agent: codex }\n");
    const found = faultsOf(await doctorOf(project));
    expect(found).toMatchObject([
      { what: "codex", fix: expect.stringContaining("npm install -g @openai/codex") },
    ]);
  });

  it("says that a gate wants a signature, and that no key is known", async () => {
    promise("doctor.fix");
    using project = await newProject();
    project.write("pawl.yaml", "gates: { default: signed }\n");
    expect(faultsOf(await doctorOf(project))).toMatchObject([
      { what: "signatures", command: "pawl keys add --generate" },
    ]);
  });

  it("says what a dead worker left, what a board left, and what nobody agreed to start", async () => {
    promise("doctor.sound");
    using project = await newProject();
    const lease = {
      what: "T-9",
      worker: "w",
      pid: 1,
      host: "h",
      since: "2020-01-01",
      beat: "2020-01-01T00:00:00Z",
    };
    project.write(".pawl/claims/T-9.json", JSON.stringify(lease));
    writeFileSync(
      join(stateOf(project.root).folder, "board.json"),
      JSON.stringify({ url: "http://127.0.0.1:4000/", pid: 2 ** 22 + 1 }),
    );
    project.write("pawl.yaml", "alfred: { checks: { test: npm test } }\n");
    const { code, findings } = await doctorOf(project);
    expect(code).toBe(0);
    const hints = findings.filter(({ state }) => state === "hint");
    for (const [what, command] of [
      ["loop", "pawl run"],
      ["board", "pawl board"],
      ["trust", "pawl trust"],
    ])
      expect(hints).toContainEqual(expect.objectContaining({ what, command }));
  });

  it("says where a client's plugin is of another version, or registers the server a second time", async () => {
    promise("doctor.packages");
    using project = await newProject();
    using home = temporaryProject({ marked: false });
    const inHome = { HOME: home.root, CLAUDE_CONFIG_DIR: "", CODEX_HOME: "", XDG_CONFIG_HOME: "" };
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    home.write(
      ".claude/plugins/installed_plugins.json",
      JSON.stringify({
        version: 2,
        plugins: { "pawl@pawl": [{ version }], "other@pawl": [{ version: "9.9.9" }] },
      }),
    );
    home.write(".codex/plugins/cache/shop/pawl/0.0.1/pawl.mjs", "");
    home.write(".gemini/extensions/pawl/gemini-extension.json", JSON.stringify({ name: "pawl", version }));
    home.write("bundle/package.json", JSON.stringify({ name: "pawl", version: "0.0.2" }));
    const plugins = JSON.stringify(["other", "/no/plugin", join(home.root, "bundle")]);
    home.write(".config/opencode/opencode.jsonc", `{ // mine\n"plugin": ${plugins}, }`);
    for (const client of ["gemini", "opencode"]) await project.pawl("init", "--client", client);
    const { code, out } = await runPawl(project.root, ["doctor", "--json"], { ...WITHOUT_AGENTS, ...inHome });
    const { sections } = JSON.parse(out) as { sections: readonly { findings: readonly Finding[] }[] };
    const found = sections
      .flatMap(({ findings }) => findings)
      .filter(({ what }) => /'s (?:pawl|\/)/.test(what));
    expect({ code, found }).toEqual({
      code: 0,
      found: [
        { what: "Claude Code's pawl@pawl", state: "good", found: version },
        {
          ...{ what: "Codex's pawl@shop", state: "hint" },
          found: `is 0.0.1, and this project's Pawl is ${version}`,
          command: "codex plugin add pawl@shop",
        },
        {
          ...{ what: `OpenCode's ${join(home.root, "bundle")}`, state: "hint" },
          found: `is 0.0.2, and this project's Pawl is ${version}`,
          fix: expect.stringContaining("OpenCode loads it from there"),
        },
        {
          ...{ what: "Gemini CLI's pawl", state: "hint" },
          found: "registers Pawl's server, and so does .gemini/settings.json: Gemini CLI has each tool twice",
          command: "pawl uninstall --client gemini",
          fix: "or, for all projects, `gemini extensions uninstall pawl`",
        },
      ],
    });
  });
});

/** Breaks something; the command that the finding names mends it. */
const BREAKS: readonly [what: string, breaks: (project: TemporaryProject) => Promise<void> | void][] = [
  [
    ".cursor/hooks.json",
    async (project) => {
      await project.pawl("init", "--client", "cursor", "--guard");
      const hooks = JSON.parse(project.read(".cursor/hooks.json") ?? "");
      project.write(".cursor/hooks.json", JSON.stringify({ ...hooks, hooks: { stop: hooks.hooks.stop } }));
    },
  ],
  [
    "pre-push",
    async (project) => {
      await project.pawl("init", "--guard");
      rmSync(join(project.root, ".git/hooks/pre-push"));
    },
  ],
  [
    "journal",
    async (project) => {
      const { call, transport } = await connect(project);
      await Promise.all(["a", "b", "c", "d"].map((id) => call("knock", { id })));
      process.kill(transport.pid ?? 0, "SIGKILL");
      const journal = join(project.root, ".pawl/journal");
      writeFileSync(journal, readFileSync(journal).fill(0xff, 60, 80));
      rmSync(join(stateOf(project.root).folder, "applied"), { force: true });
    },
  ],
];

describe("a fault that pawl doctor finds", () => {
  it.each(BREAKS)("is mended by the command that it names: %s", async (what, breaks) => {
    promise("doctor.fix");
    using project = await newProject();
    await breaks(project);
    const found = await doctorOf(project);
    expect(found.code).toBe(1);
    const [first] = faultsOf(found);
    const command = first?.command ?? /`(pawl [^`]+)`/.exec(first?.fix ?? "")?.[1] ?? "";
    expect(`${first?.what}: ${command}`).toMatch(new RegExp(`^(?:${what}|project): pawl `));
    expect((await project.pawl(...command.split(" ").slice(1))).code).toBe(0);
    expect(faultsOf(await doctorOf(project))).toEqual([]);
  });

  it("is mended by the two commands that it names, if a client would start a program that is gone", async () => {
    promise("doctor.fix");
    using project = await newProject();
    await project.pawl("init", "--client", "cursor");
    const text = project.read(".cursor/mcp.json") ?? "";
    project.write(".cursor/mcp.json", text.replace(/"[^"]*main\.[jt]s"/, '"/nowhere/main.js"'));
    const found = await doctorOf(project);
    expect(found.code).toBe(1);
    const [{ command = "" } = {}] = faultsOf(found);
    for (const each of command.split(" && "))
      expect((await project.person(...each.split(" ").slice(1))).code, each).toBe(0);
    expect(project.read(".cursor/mcp.json")).toBe(text);
    expect(faultsOf(await doctorOf(project))).toEqual([]);
  });

  it.each([
    [
      "release",
      "pawl check release",
      { "pawl.yaml": "workflows: [./release.yaml]\n", "release.yaml": "title: 1\n" },
    ],
    ["tasks", "pawl task validate", { "tasks.yaml": "tasks: [{ id: T-1 }]\n" }],
  ])("leads to the command that shows it in full, once: %s", async (what, command, files) => {
    promise("doctor.fix");
    using project = await newProject();
    for (const [path, text] of Object.entries(files)) project.write(path, text);
    const faults = faultsOf(await doctorOf(project));
    expect(faults).toMatchObject([{ what, command }]);
    expect((await project.pawl(...command.split(" ").slice(1))).code).toBe(1);
  });
});

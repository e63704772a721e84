import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { AgentFound } from "../../src/core/ports/agents.ts";
import {
  end,
  MAIN,
  pawlInside,
  type TemporaryProject,
  temporaryProject,
  testEnvironment,
} from "../rig/project.ts";
import { hangs, until } from "../rig/until.ts";
import { NO_WALL } from "../rig/wall.ts";

/** A folder of programs in place of those that the machine has. */
const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

function programs(project: TemporaryProject, scripts: Readonly<Record<string, string>>) {
  // What lies in the project itself is not started by its name.
  const folder = `${project.root}-bin`;
  made.push(folder);
  mkdirSync(folder, { recursive: true });
  for (const [name, script] of Object.entries(scripts))
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { PATH: `${folder}:/usr/bin:/bin` };
}

it("shows outside of any project what is installed, whether it starts, and how it would be called", async () => {
  using project = temporaryProject({ marked: false });
  const environment = programs(project, {
    claude: "echo '2.1.330 (Claude Code)'",
    codex: "echo 'codex, a manual 1.2.3'",
    gemini: "echo no licence >&2; exit 1",
  });
  const { code, out, err } = await pawlInside(project.root, ["agents"], environment);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
  expect(out).toMatch(/^claude 2\.1\.330 {2}starts$/m);
  expect(out).toMatch(/^ {2}edits {2}claude -p .*\n? *acceptEdits --settings$/m);
  expect(out).toContain("check-command");
  expect(out).toMatch(/^codex 1\.2\.3 {2}is another program$/m);
  expect(out).toMatch(/^opencode {2}not installed$/m);
  expect(out).toMatch(/^gemini {2}does not start\n(.*\n){1,4}.*no licence/m);
  expect(out).toMatch(/^scripted 1\.0\.0 {2}starts$/m);
  expect(out).toContain("Ready: 2 of 5.");

  const { agents } = JSON.parse((await pawlInside(project.root, ["agents", "--json"], environment)).out);
  const found = (name: string) => agents.find((agent: AgentFound) => agent.name === name);
  expect(found("claude")).toMatchObject({ status: "ready", version: "2.1.330", dialect: "claude" });
  expect(found("claude").calls.ask).toContain("default");
  expect(found("opencode")).toMatchObject({ status: "missing", program: null });
  // What is told by a variable belongs to the call, too.
  expect(found("opencode").calls.ask.slice(0, 2)).toEqual([
    "env",
    expect.stringMatching(/^OPENCODE_PERMISSION=/),
  ]);
  expect(project.read(".pawl/.gitignore")).toBeNull();
});

it("tries an agent out by a session and the same one resumed, in a scratch folder", async () => {
  using project = temporaryProject();
  const ended = await project.pawl("agents", "test", "scripted");
  expect(ended).toMatchObject({ code: 0, err: "" });
  expect(ended.out).toMatch(/^✓ a new session\n {4}answered "pawl-/m);
  expect(ended.out).toMatch(/^✓ the same session, resumed\n/m);
  expect(ended.out).toMatch(/^scripted works\.$/m);
  const { code, out } = await project.pawl("agents", "test", "scripted", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    name: "scripted",
    works: true,
    steps: [{ ok: true }, { ok: true }],
  });
  expect(project.read(".pawl/agents")).toBeNull();
});

it("takes the project's own agents from pawl.yaml, and a path from the project's root", async () => {
  using project = temporaryProject();
  mkdirSync(join(project.root, "bin"));
  const script = "#!/bin/sh\necho '2.0.0 (Claude Code)'; exit 5\n";
  writeFileSync(join(project.root, "bin/mine"), script, { mode: 0o755 });
  project.write("pawl.yaml", "agents:\n  mine: { dialect: claude, program: ./bin/mine }\n");
  project.trust();
  project.write("below/file.txt", "");
  const { out } = await pawlInside(join(project.root, "below"), ["agents", "--json"]);
  const mine = JSON.parse(out).agents.find((agent: AgentFound) => agent.name === "mine");
  expect(mine).toMatchObject({
    dialect: "claude",
    program: join(project.root, "bin/mine"),
    status: "broken",
  });
  // It is started from elsewhere, and yet found: that it ends with 5 is its own doing.
  const tried = await project.pawl("agents", "test", "mine");
  expect(tried).toMatchObject({ code: 1, out: expect.stringMatching(/^ {4}(exit|cut-stream): /m) });
  expect((await project.pawl("agents", "test", "mine", "--project", "nowhere")).code).toBe(2);
});

it("says of an agent that is not there, does not answer or is not known what is wrong", async () => {
  using project = temporaryProject();
  const environment = programs(project, { codex: "echo busy >&2; exit 3" });
  const missing = await pawlInside(project.root, ["agents", "test", "claude"], environment);
  expect(missing).toMatchObject({ code: 1, err: "" });
  expect(missing.out).toMatch(/^✗ a new session\n {4}not-installed: /m);
  const silent = await pawlInside(project.root, ["agents", "test", "codex", "--json"], environment);
  expect(silent.code).toBe(1);
  expect(JSON.parse(silent.out)).toMatchObject({ works: false, steps: [{ ok: false }] });
  const unknown = await pawlInside(project.root, ["agents", "test", "nobody"], environment);
  expect(unknown).toMatchObject({ code: 2, out: "" });
  expect(unknown.err).toContain("[agent-missing]");
});

it.each([
  ["SIGTERM", 1],
  ["SIGINT", 130],
] as const)("ends the agent that it tries out when it is told to end", async (signal, code) => {
  using project = temporaryProject();
  // Behind the wall, its process has another id, and HOME is not this one.
  project.write("pawl.yaml", "sandbox: none\n");
  const environment = programs(project, {
    claude: `[ "$1" = --version ] || { echo $$ > "$HOME/claude.pid"; exec ${hangs()}; }`,
  });
  const child = spawn(process.execPath, [MAIN, "agents", "test", "claude"], {
    cwd: project.root,
    env: testEnvironment({ ...environment, HOME: project.root }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = end(child);
  await until(() => project.read("claude.pid")?.endsWith("\n"));
  child.kill(signal);
  expect(await ended).toMatchObject({ code, out: expect.stringContaining("stopped: it was interrupted") });
  expect(() => process.kill(Number(project.read("claude.pid")), 0)).toThrow("ESRCH");
});

it.skipIf(NO_WALL)("tries the wall from inside, and tells what did not come of it", async () => {
  using project = temporaryProject();
  project.write(".pawl/runs/none", "");
  const environment = { ...programs(project, {}), HOME: join(project.root, "home") };
  project.write("home/.ssh/id", "secret");
  const { code, out, err } = await pawlInside(project.root, ["agents"], environment);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out.replaceAll("\n", " ")).toContain(
    "A wall (bwrap) is around agents and commands. Tried from inside, and not possible: to write the project, to write HOME, to read ~/.ssh, to see Pawl's own files and other workspaces, to see other processes, to reach sockets below /run.",
  );
  expect(out).not.toContain("It lets through");
  const told = JSON.parse((await pawlInside(project.root, ["agents", "--json"], environment)).out);
  expect(told.wall).toMatchObject({
    kind: "bwrap",
    tried: expect.arrayContaining([{ what: "to read ~/.ssh", held: true }]),
  });
  expect(readdirSync(project.root).sort()).toEqual([".pawl", "home", "pawl.yaml"]);

  project.write("pawl.yaml", "sandbox: {read: [~/.ssh]}");
  project.trust();
  const open = await pawlInside(project.root, ["agents"], environment);
  expect(open.code).toBe(1);
  expect(open.out).toContain("It lets through: to read ~/.ssh.");
});

it("says in one sentence that there is no wall, and why", async () => {
  using project = temporaryProject();
  project.write("pawl.yaml", "sandbox: none");
  project.trust();
  const { code, out } = await pawlInside(project.root, ["agents"], programs(project, {}));
  expect(code).toBe(0);
  expect(out.replaceAll("\n", " ")).toContain(
    "No wall is around agents and commands: `sandbox: none` in pawl.yaml. They can read and write what you can.",
  );
});

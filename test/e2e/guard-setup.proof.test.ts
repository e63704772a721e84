/** `pawl init --guard`: the guard in clients' files and in git's hooks, tried as it stands, and taken out again. */

import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AGENT_VARIABLES } from "../../src/adapters/agents/ancestry.ts";
import { openGitHooks } from "../../src/adapters/git/workspace/git-hooks.ts";
import { GUARDED_CLIENTS } from "../../src/guard/clients.ts";
import { GUARD_SETUPS } from "../../src/surfaces/cli/guard/setup.ts";
import { taskMarkdown } from "../rig/alfred-project.ts";
import { connect } from "../rig/client.ts";
import { MAIN, type TemporaryProject, temporaryProject, testEnvironment } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { repositoryAt } from "../rig/repository.ts";

const SETTINGS = ".claude/settings.json";
const ENVIRONMENT = { DOOR_ONLY: "" };

function inGit(project: TemporaryProject, ...args: string[]): void {
  execFileSync("git", args, { cwd: project.root, stdio: "pipe" });
}

function repository(): TemporaryProject {
  const project = temporaryProject({ environment: ENVIRONMENT });
  repositoryAt(project.root);
  return project;
}

describe("pawl init --guard", () => {
  it("writes the client's hook, its rules, git's hooks and the setting, and twice is once", async () => {
    promise("guard.setup");
    using project = repository();
    project.write("pawl.yaml", "# mine\nalfred:\n  human_review: confirm\n");
    project.write(SETTINGS, '{\n  // mine\n  "model": "x"\n}\n');
    const first = await project.pawl("init", "--guard", "--client", "claude-code");
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(project.read("pawl.yaml")).toBe("# mine\nguard: true\nalfred:\n  human_review: confirm\n");
    const text = project.read(SETTINGS) ?? "";
    expect(text).toContain("// mine");
    expect(text).toMatch(/"command": "[^"]+ guard claude-code"/);
    const hook = readFileSync(join(project.root, ".git/hooks/pre-commit"), "utf8");
    expect(hook).toContain("guard git pre-commit </dev/null || exit 1");
    expect(statSync(join(project.root, ".git/hooks/pre-push")).mode & 0o111).toBe(0o111);
    const second = await project.pawl("init", "--guard");
    expect(second.out).toContain(`unchanged  ${SETTINGS}`);
    expect(project.read(SETTINGS)).toBe(text);
    expect(readFileSync(join(project.root, ".git/hooks/pre-commit"), "utf8")).toBe(hook);
  });

  it("is taken out by a person without a trace, and by no agent", async () => {
    promise("guard.setup");
    using project = repository();
    project.write("pawl.yaml", "alfred:\n  human_review: confirm\n");
    project.write(SETTINGS, '{ "model": "x" }\n');
    await project.pawl("init", "--guard", "--client", "claude-code");
    const agent = temporaryProjectAt(project, { CLAUDECODE: "1" });
    expect(agent.err).toContain("Only a person can remove the guard");
    expect(project.read("pawl.yaml")).toContain("guard: true");
    const ended = await project.pawl("init", "--no-guard");
    expect(ended).toMatchObject({ code: 0, err: "" });
    expect(project.read("pawl.yaml")).toBe("alfred:\n  human_review: confirm\n");
    expect(project.read(SETTINGS)).toBe('{ "model": "x" }\n');
    expect(existsSync(join(project.root, ".git/hooks/pre-commit"))).toBe(false);
    // The client stays connected.
    expect(project.read(".mcp.json")).toContain("pawl");
  });

  it("writes nothing if a client's file cannot be read", async () => {
    promise("guard.setup");
    using project = repository();
    project.write(SETTINGS, '{ "hooks": [] }');
    const ended = await project.pawl("init", "--guard", "--client", "claude-code");
    expect(ended.code).toBe(1);
    expect(ended.err).toContain("[config-invalid]");
    expect(project.read(SETTINGS)).toBe('{ "hooks": [] }');
    expect(project.read("pawl.yaml")).toBe("");
    expect(existsSync(join(project.root, ".git/hooks/pre-commit"))).toBe(false);
  });
});

function temporaryProjectAt({ root }: TemporaryProject, more: Record<string, string>) {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, "init", "--no-guard"], {
    cwd: root,
    env: testEnvironment({ ...ENVIRONMENT, ...more }),
    encoding: "utf8",
  });
  return { code: status, err: stderr };
}

it("pawl init warns of hooks that could answer in a person's place", async () => {
  promise("guard.elicitation");
  using project = repository();
  project.write(SETTINGS, '{ "hooks": { "Elicitation": [] } }');
  expect((await project.pawl("init")).err).toBe("");
  const hooks = [{ hooks: [{ type: "command", command: "yes" }] }];
  project.write(".claude/settings.local.json", JSON.stringify({ hooks: { Elicitation: hooks } }));
  const { code, err } = await project.pawl("init");
  expect(code).toBe(0);
  expect(err).toMatch(/^pawl: warning: \.claude\/settings\.local\.json has hooks on Elicitation, .*\n$/);
});

describe("git's hooks", () => {
  const BEFORE = '#!/bin/bash\necho "mine $@" >> ran\ncat >> ran\n';

  const hooksOf = ({ root }: TemporaryProject, environment: Record<string, string> = {}) =>
    openGitHooks({
      ...{ root, environment: { HOME: root, ...environment } },
      own: `'${process.execPath}' '${MAIN}'`,
      shared: "npx --no pawl",
      marks: AGENT_VARIABLES,
    });

  const commit = (project: TemporaryProject, more: Record<string, string> = {}) => {
    const { status, stderr } = spawnSync("git", ["commit", "-q", "--allow-empty", "-m", "x"], {
      cwd: project.root,
      env: testEnvironment({ ...ENVIRONMENT, ...more }),
      encoding: "utf8",
    });
    return { code: status, err: stderr };
  };

  it("refuse an agent's commit and push if no run allows them, and let a person's pass", async () => {
    promise("guard.git");
    using project = repository();
    project.write(".alfred/tasks/TS-01.md", taskMarkdown("TS-01"));
    inGit(project, "add", "pawl.yaml");
    inGit(project, "commit", "-qm", "Begin");
    await hooksOf(project).install();
    expect(commit(project, { CLAUDECODE: "1" })).toMatchObject({ code: 0 });
    await using client = await connect(project, { workflows: ["alfred"], environment: ENVIRONMENT });
    await client.call("plan_task", { task_id: "TS-01" });
    const refused = commit(project, { CLAUDECODE: "1" });
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("Pawl refuses this commit by Claude Code: alfred:TS-01 is in");
    expect(refused.err).toContain("submit_work");
    expect(commit(project)).toMatchObject({ code: 0, err: "" });
    expect(commit(project, { CLAUDECODE: "1", PAWL_RUN_MARK: "x.y" })).toMatchObject({ code: 0 });
    inGit(project, "init", "-q", "--bare", "remote.git");
    const push = (more: Record<string, string>, ...options: string[]) =>
      spawnSync("git", [...options, "push", "-q", "remote.git", "main"], {
        cwd: project.root,
        env: testEnvironment({ ...ENVIRONMENT, ...more }),
        encoding: "utf8",
      });
    expect(push({ CLAUDECODE: "1" }).stderr).toContain("Pawl refuses this push");
    const folder = `core.hooksPath=${join(project.root, ".git/hooks")}`;
    expect(push({ CLAUDECODE: "1" }, "-c", folder).status).toBe(0);
  });

  it("refuse an agent in another worktree of the project, too", async () => {
    promise("guard.git");
    using project = repository();
    project.write(".alfred/tasks/TS-01.md", taskMarkdown("TS-01"));
    inGit(project, "add", "pawl.yaml");
    inGit(project, "commit", "-qm", "Begin");
    inGit(project, "worktree", "add", "-q", "other");
    await hooksOf(project).install();
    const other = { ...project, root: join(project.root, "other") };
    expect(commit(other, { CLAUDECODE: "1" })).toMatchObject({ code: 0 });
    await using client = await connect(project, { workflows: ["alfred"], environment: ENVIRONMENT });
    await client.call("plan_task", { task_id: "TS-01" });
    expect(commit(other, { CLAUDECODE: "1" }).err).toContain("Pawl refuses this commit");
    expect(commit(other)).toMatchObject({ code: 0 });
  });

  it("call what was there with its arguments and its input, and leave it as it was", async () => {
    promise("guard.git");
    using project = repository();
    project.write(".git/hooks/pre-push", BEFORE);
    chmodSync(join(project.root, ".git/hooks/pre-push"), 0o755);
    project.write(
      ".git/hooks/pre-commit",
      '#!/usr/bin/env node\nrequire("fs").appendFileSync("ran", "node\\n");\n',
    );
    chmodSync(join(project.root, ".git/hooks/pre-commit"), 0o700);
    const hooks = hooksOf(project);
    expect(await hooks.install()).toMatchObject({ kind: "done" });
    expect(await hooks.install()).toMatchObject({ kind: "done", changed: [] });
    expect(commit(project)).toMatchObject({ code: 0 });
    expect(project.read("ran")).toBe("node\n");
    inGit(project, "init", "-q", "--bare", "remote.git");
    const pushed = spawnSync("git", ["push", "-q", "remote.git", "main"], {
      ...{ cwd: project.root, env: testEnvironment(ENVIRONMENT), encoding: "utf8" },
    });
    expect(pushed).toMatchObject({ status: 0, stderr: "" });
    expect(project.read("ran")).toMatch(/^node\nmine remote\.git remote\.git\nrefs\/heads\/main /);
    await hooks.uninstall();
    expect(project.read(".git/hooks/pre-push")).toBe(BEFORE);
    expect(project.read(".git/hooks/pre-commit")).toContain("appendFileSync");
    expect(statSync(join(project.root, ".git/hooks/pre-commit")).mode & 0o777).toBe(0o700);
    expect(existsSync(join(project.root, ".git/hooks/pre-commit.before-pawl"))).toBe(false);
  });

  const NODE = "#!/usr/bin/env node\n";

  it("are left alone if the place of a hook that has to go aside is taken, by a link or a file", async () => {
    promise("guard.git");
    using project = repository();
    const outside = `${project.root}-outside`;
    writeFileSync(outside, "mine");
    project.write(".git/hooks/pre-push", NODE);
    const aside = join(project.root, ".git/hooks/pre-push.before-pawl");
    symlinkSync(outside, aside);
    const linked = await hooksOf(project).install();
    expect(linked).toMatchObject({
      kind: "left",
      reason: `${aside} is a symbolic link, and Pawl follows none.`,
    });
    expect(readFileSync(outside, "utf8")).toBe("mine");
    rmSync(aside);
    symlinkSync(`${outside}-missing`, aside);
    expect(await hooksOf(project).install()).toMatchObject({ kind: "left" });
    expect(existsSync(`${outside}-missing`)).toBe(false);
    rmSync(aside);
    writeFileSync(aside, "mine too");
    const taken = await hooksOf(project).install();
    expect(taken).toMatchObject({ kind: "left", reason: expect.stringContaining(`${aside} exists`) });
    expect(readFileSync(aside, "utf8")).toBe("mine too");
    expect(project.read(".git/hooks/pre-push")).toBe(NODE);
    expect(existsSync(join(project.root, ".git/hooks/pre-commit"))).toBe(false);
    rmSync(outside);
  });

  it("keep what a person wrote into them since, and the one that was moved aside stays", async () => {
    promise("guard.git");
    using project = repository();
    const hook = join(project.root, ".git/hooks/pre-commit");
    project.write(".git/hooks/pre-commit", NODE);
    await hooksOf(project).install();
    writeFileSync(hook, `${readFileSync(hook, "utf8").replace(/exec .*\n/, "")}make newer\n`);
    const ended = await project.pawl("init", "--no-guard");
    expect(ended.out).toContain(`${hook}.before-pawl stays: the hook beside it has changed`);
    expect(readFileSync(hook, "utf8")).toBe("#!/bin/sh\nmake newer\n");
    expect(readFileSync(`${hook}.before-pawl`, "utf8")).toBe(NODE);
  });

  it("let a person without Pawl pass with one sentence, but no agent, and share no path of a machine", async () => {
    promise("guard.git");
    using project = repository();
    inGit(project, "config", "core.hooksPath", "team");
    await project.pawl("init", "--guard", "--client", "claude-code");
    const hook = project.read("team/pre-commit") ?? "";
    expect(hook).toContain("  pawl guard git pre-commit </dev/null || exit 1\n");
    for (const path of [process.execPath, MAIN, project.root]) expect(hook).not.toContain(path);
    const person = commit(project);
    expect(person.err).toBe("Pawl cannot start here, so its guard does not check this pre-commit.\n");
    expect(person.code).toBe(0);
    for (const mark of [
      "CLAUDECODE",
      "CODEX_CI",
      "GEMINI_CLI",
      "OPENCODE",
      "CURSOR_AGENT",
      "AI_AGENT",
      "BLOOM_TASK",
    ])
      expect(commit(project, { [mark]: "1" })).toEqual({
        code: 1,
        err: "Pawl cannot start here, and without its guard no agent passes pre-commit: install Pawl first.\n",
      });
    expect(commit(project, { CLAUDECODE: "1", PAWL_RUN_MARK: "x.y" })).toEqual({ code: 0, err: "" });
  });

  it("are if git looks: a folder of the project, husky's own, or the one that worktrees share", async () => {
    promise("guard.git");
    using project = repository();
    project.write("team/pre-commit", "#!/bin/sh\nexit 0\n");
    inGit(project, "config", "core.hooksPath", "team");
    await hooksOf(project).install();
    expect(project.read("team/pre-commit")).toContain("npx --no pawl guard git pre-commit");
    inGit(project, "config", "core.hooksPath", ".husky/_");
    project.write(".husky/_/pre-commit", "generated\n");
    project.write(".husky/pre-commit", "npm test\n");
    await hooksOf(project).install();
    expect(project.read(".husky/pre-commit")).toMatch(/^# Pawl's guard[\s\S]*\nnpm test\n$/);
    expect(project.read(".husky/_/pre-commit")).toBe("generated\n");
    inGit(project, "config", "--unset", "core.hooksPath");
    inGit(project, "commit", "-q", "--allow-empty", "-m", "x");
    inGit(project, "worktree", "add", "-q", "other");
    const worktree = { ...project, root: join(project.root, "other") };
    const look = await hooksOf(worktree).inspect();
    expect(look).toMatchObject({ kind: "found", folder: join(project.root, ".git/hooks") });
  });

  it("are left alone outside of the repository, and behind a link", async () => {
    promise("guard.git");
    using project = repository();
    const outside = join(project.root, "../pawl-test-hooks-elsewhere");
    mkdirSync(outside, { recursive: true });
    inGit(project, "config", "core.hooksPath", outside);
    const left = await hooksOf(project).install();
    expect(left).toMatchObject({ kind: "left" });
    expect(left.kind === "left" && left.reason).toContain("outside of this repository");
    inGit(project, "config", "--unset", "core.hooksPath");
    const hooks = join(project.root, ".git/hooks");
    rmSync(hooks, { recursive: true, force: true });
    symlinkSync(outside, hooks);
    expect(await hooksOf(project).install()).toMatchObject({ kind: "left" });
    rmSync(hooks);
    mkdirSync(hooks);
    writeFileSync(join(outside, "target"), "mine");
    symlinkSync(join(outside, "target"), join(hooks, "pre-push"));
    expect(await hooksOf(project).install()).toMatchObject({ kind: "left" });
    expect(readFileSync(join(outside, "target"), "utf8")).toBe("mine");
    expect(existsSync(join(hooks, "pre-commit"))).toBe(false);
    rmSync(outside, { recursive: true });
  });
});

/** Each layer is a wall, a client or a hook that starts on its own. */
const LONG = { timeout: 180_000 };

describe("pawl guard --canary", () => {
  it("plants a violation for each layer as it stands, and says which one came through", LONG, async () => {
    promise("guard.canary");
    using project = repository();
    for (const client of GUARDED_CLIENTS) await project.pawl("init", "--guard", "--client", client);
    project.write(
      ".github/workflows/ci.yml",
      "jobs: { pawl: { steps: [{ run: pawl verify main..HEAD }] } }\n",
    );
    const held = await project.pawl("guard", "--canary");
    for (const title of Object.values(GUARD_SETUPS).map((setup) => setup.title))
      expect(held.out).toContain(`refused       the hook of ${title}: a planted violation\n`);
    expect(held.out).toContain("the rules of Claude Code:");
    expect(held.out).toContain("refused       git's pre-commit: a planted violation");
    expect(held.out).toContain("refused       git's pre-push: a planted violation");
    expect(held.out).toContain("CI: .github/workflows/ci.yml: it calls `pawl verify`");
    expect(held).toMatchObject({ code: 0, err: "" });
    const hook = join(project.root, ".git/hooks/pre-push");
    writeFileSync(hook, readFileSync(hook, "utf8").replace("#!/bin/sh\n", "#!/bin/sh\nexit 0\n"));
    const broken = await project.pawl("guard", "--canary");
    expect(broken.code).toBe(1);
    expect(broken.out).toContain(`CAME THROUGH  git's pre-push: ${hook} differs from what`);
    expect(broken.out).toContain("refused       git's pre-commit");
    rmSync(join(project.root, ".github/workflows/ci.yml"));
    const { out } = await project.pawl("guard", "--canary");
    expect(out).toContain("not tried     CI: the forge: no workflow of it calls `pawl verify`");
  });

  it("starts nothing from a client's file but what Pawl itself would write there", async () => {
    promise("guard.canary");
    using project = repository();
    for (const client of ["claude-code", "opencode"])
      await project.pawl("init", "--guard", "--client", client);
    const settings = project.read(SETTINGS) ?? "";
    const planted = '"command": "touch planted; x guard claude-code"';
    project.write(SETTINGS, settings.replaceAll(/"command": "[^"]+ guard claude-code"/g, planted));
    const plugin = ".opencode/plugin/pawl.ts";
    project.write(plugin, `${project.read(plugin)}require("fs").writeFileSync("planted", "");\n`);
    const { code, out } = await project.pawl("guard", "--canary");
    expect(code).toBe(1);
    expect(out).toContain(`CAME THROUGH  the hook of Claude Code: ${SETTINGS} differs from what`);
    expect(out).toContain(`CAME THROUGH  the hook of OpenCode: ${plugin} differs from what`);
    expect(project.read("planted")).toBeNull();
  }, 60_000);
});

it("the canary fails if `guard: true` is set, and neither a client's file nor git's hooks call the guard", async () => {
  promise("guard.canary");
  using project = repository();
  await project.pawl("init", "--guard", "--client", "claude-code");
  rmSync(join(project.root, SETTINGS));
  const hooks = ["pre-commit", "pre-push"].map((name) => join(project.root, ".git/hooks", name));
  for (const hook of hooks) writeFileSync(hook, "#!/bin/sh\n");
  const { code, out } = await project.pawl("guard", "--canary");
  expect(code).toBe(1);
  expect(out).toContain("CAME THROUGH  the hook of every client: no client's file calls the guard");
  for (const hook of hooks) expect(out).toContain(`: ${hook} does not call the guard\n`);
  project.write("pawl.yaml", "");
  expect(await project.pawl("guard", "--canary")).toMatchObject({ code: 0 });
}, 60_000);

describe("pawl guard --canary in a cloned project", () => {
  const ALIKE = ["touch planted; # guard claude-code", "touch planted; pawl guard claude-code; true"];

  it.each(ALIKE)("starts nothing that stands beside Pawl's own handler: %s", async (command) => {
    promise("guard.canary");
    using project = repository();
    await project.pawl("init", "--guard", "--client", "claude-code");
    const settings = JSON.parse(project.read(SETTINGS) ?? "");
    settings.hooks.PreToolUse.unshift({ hooks: [{ type: "command", command }] });
    project.write(SETTINGS, JSON.stringify(settings));
    const { code, out } = await project.pawl("guard", "--canary");
    expect(code).toBe(1);
    expect(out).toContain(`CAME THROUGH  the hook of Claude Code: ${SETTINGS} differs from what`);
    expect(project.read("planted")).toBeNull();
  });

  const BEGIN =
    "# Pawl's guard: `pawl init --guard` writes these lines, `pawl init --no-guard` removes them.";
  it("starts nothing from git's hooks but the lines that Pawl writes", async () => {
    promise("guard.canary");
    using project = repository();
    const planted = join(project.root, "planted");
    const lines = `${BEGIN}\ntouch '${planted}'\n# The guard ends here.\n`;
    project.write("team/pre-commit", `#!/bin/sh\n${lines}`);
    inGit(project, "config", "core.hooksPath", "team");
    const alone = await project.pawl("guard", "--canary");
    expect(alone.out).toMatch(/CAME THROUGH {2}git's pre-commit: \S+ differs from what/);
    expect(alone.code).toBe(1);
    inGit(project, "config", "--unset", "core.hooksPath");
    await project.pawl("init", "--guard", "--client", "claude-code");
    const hook = join(project.root, ".git/hooks/pre-commit");
    const text = readFileSync(hook, "utf8");
    writeFileSync(hook, `${text}touch '${planted}'\n`);
    expect((await project.pawl("guard", "--canary")).out).toContain("refused       git's pre-commit");
    for (const before of [`#!/bin/sh\ntouch '${planted}'\n`, "#!/bin/sh -n\n"]) {
      writeFileSync(hook, text.replace("#!/bin/sh\n", before));
      const { code, out } = await project.pawl("guard", "--canary");
      expect(out).toContain(`CAME THROUGH  git's pre-commit: ${hook} differs from what`);
      expect(code).toBe(1);
      await project.pawl("init", "--guard");
      expect((await project.pawl("guard", "--canary")).out).toContain("refused       git's pre-commit");
    }
    expect(project.read("planted")).toBeNull();
  }, 240_000);
});

describe("what is known of the guard", () => {
  it("stands in the status, the history and the gate's question: proved when, or since which change not", async () => {
    promise("guard.canary");
    using project = repository();
    project.write("pawl.yaml", "alfred:\n  reviews: { plan_task: [human] }\n  human_review: confirm\n");
    project.write(".alfred/tasks/TS-01.md", taskMarkdown("TS-01"));
    const inOneLine = async () => (await project.pawl("status")).out.replace(/\s+/g, " ");
    expect(await inOneLine()).not.toContain("Guard:");
    await project.pawl("init", "--guard", "--client", "claude-code");
    expect(await inOneLine()).toContain("Guard: not proved yet: `pawl config guard --canary` tries it.");
    await project.pawl("guard", "--canary");
    const proved =
      /Guard: proved \d{4}-\d\d-\d\d \d\d:\d\d UTC: the hook of Claude Code, git's pre-commit, git's pre-push\./;
    expect(await inOneLine()).toMatch(proved);
    await using client = await connect(project, { workflows: ["alfred"], environment: ENVIRONMENT });
    await client.call("plan_task", { task_id: "TS-01" });
    expect((await project.pawl("show", "TS-01")).out).toMatch(proved);
    const artifact = { context_summary: "One.", affected_files: ["a.js"], questions_for_developer: [] };
    await client.call("submit_work", { task_id: "TS-01", artifact });
    const settings = project.read(SETTINGS) ?? "";
    project.write(SETTINGS, settings.replace('"onFailure": "block"', '"onFailure": "allow"'));
    const changed = `Guard: not proved since ${SETTINGS} changed: \`pawl config guard --canary\` tries it.`;
    expect(await inOneLine()).toContain(changed);
    const { code, screen } = await project.person("approve", "TS-01");
    expect(code).toBe(0);
    expect(screen).toContain(changed);
    project.write(SETTINGS, settings);
    const hook = join(project.root, ".git/hooks/pre-push");
    rmSync(hook);
    expect(await inOneLine()).toContain(`Guard: not proved since ${hook} changed`);
    expect(JSON.parse((await project.pawl("status", "--json")).out).guard).toMatchObject({ changed: hook });
  }, 60_000);
});

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWorktrees } from "../../src/adapters/git/workspace/worktrees.ts";
import { CLIENTS } from "../../src/surfaces/cli/clients/client-names.ts";
import { CLIENT_FILES } from "../../src/surfaces/cli/clients/clients.ts";
import { type TemporaryProject, temporaryProject, testEnvironment } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { stateOf } from "../rig/state-home.ts";

function repository(): TemporaryProject {
  const project = temporaryProject({ marked: false, environment: { DOOR_ONLY: "" } });
  execFileSync("git", ["init", "-q", project.root]);
  return project;
}

/** Every file and folder, with what it holds. */
function treeOf(root: string): Readonly<Record<string, string>> {
  const names = (readdirSync(root, { recursive: true }) as string[]).sort();
  const textOf = (name: string) =>
    statSync(join(root, name)).isDirectory() ? "/" : readFileSync(join(root, name), "latin1");
  return Object.fromEntries(names.map((name) => [name, textOf(name)]));
}

/** Without what every command writes there. */
function withoutState(tree: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(tree).filter(([name]) => !name.startsWith(".pawl")));
}

const isGone = (project: TemporaryProject) => {
  try {
    return readdirSync(stateOf(project.root).folder).length === 0;
  } catch {
    return true;
  }
};

/** What people have in such files already. */
const JSON_TEXTS = [
  '{\n  // ours\n  "theme": "dark", // keep\n  "other": [1, 2]\n}\n',
  '{\n\t"theme": "dark",\n\t"list": [\n\t\t1,\n\t],\n}\n',
  '\uFEFF{\r\n    "theme": "dark"\r\n}\r\n',
  '{"theme":"dark"}',
  '{ "theme": "dark" /* last */ }',
];
const TOML_TEXTS = [
  'model = "x"\n',
  'model = "x"',
  '# ours\r\nmodel = "x"\r\n\r\n[tools]\r\nweb = true\r\n',
  "\n",
];

describe.each(CLIENTS)("pawl uninstall, after pawl init --client %s", (name) => {
  const [file] = CLIENT_FILES[name].files;
  const isToml = CLIENT_FILES[name].format === "toml";

  it("leaves a new project as it was, and then says that nothing is left", async () => {
    promise("uninstall.as-before");
    using project = repository();
    const before = treeOf(project.root);
    expect((await project.pawl("init", "--client", name)).code).toBe(0);
    expect((await project.pawl("init", "--client", name, "--guard")).code).toBe(0);
    expect(treeOf(project.root)).not.toEqual(before);
    expect(await project.pawl("uninstall", "--yes")).toMatchObject({ code: 0, err: "" });
    expect(treeOf(project.root)).toEqual(before);
    expect(isGone(project)).toBe(true);
    expect((await project.pawl("uninstall", "--yes")).out).toBe(
      `Nothing of Pawl is left in ${project.root}.\n`,
    );
    expect(treeOf(project.root)).toEqual(before);
  });

  it.each(isToml ? TOML_TEXTS : JSON_TEXTS)("gives a file back as it was: %j", async (text) => {
    promise("uninstall.as-before");
    using project = repository();
    project.write(file, text);
    const before = treeOf(project.root);
    await project.pawl("init", "--client", name);
    expect(project.read(file)).not.toBe(text);
    await project.pawl("uninstall", "--yes");
    expect(treeOf(project.root)).toEqual(before);
  });

  it("takes out only this client if it is named", async () => {
    promise("uninstall.as-before");
    using project = repository();
    await project.pawl("init", "--client", name === "cursor" ? "vscode" : "cursor");
    const before = treeOf(project.root);
    await project.pawl("init", "--client", name);
    await project.pawl("uninstall", "--client", name, "--yes");
    expect(withoutState(treeOf(project.root))).toEqual(withoutState(before));
  });
});

describe("pawl uninstall", () => {
  it("takes out the guard, and git's hooks, beside a person's own", async () => {
    promise("uninstall.as-before");
    using project = repository();
    mkdirSync(join(project.root, ".git/hooks"), { recursive: true });
    project.write(".git/hooks/pre-commit", "#!/bin/sh\necho mine\n");
    chmodSync(join(project.root, ".git/hooks/pre-commit"), 0o755);
    const before = treeOf(project.root);
    await project.pawl("init", "--client", "copilot", "--guard");
    expect((await project.pawl("uninstall", "--yes")).code).toBe(0);
    expect(treeOf(project.root)).toEqual(before);
  });

  it("never takes what a person wrote: settings, an edited entry, tasks, records and work", async () => {
    promise("uninstall.theirs");
    using project = repository();
    await project.pawl("init", "--client", "cursor");
    await project.pawl("init", "--client", "vscode");
    const own = {
      "pawl.yaml": `${project.read("pawl.yaml")}bloom: { tries: 2 }\n`,
      ".cursor/mcp.json": (project.read(".cursor/mcp.json") ?? "").replace('"mcp"', '"mcp", "alfred"'),
      ".alfred/tasks/T-1.md": "# One\n",
      ".alfred/records/T-1/1.json": "{}\n",
      "tasks.yaml": "tasks:\n  - { id: T-1, title: One }\n",
    };
    for (const [path, text] of Object.entries(own)) project.write(path, text);
    const { code, out } = await project.pawl("uninstall", "--yes");
    expect(code).toBe(0);
    for (const path of Object.keys(own))
      expect(project.read(path), path).toBe(Object.entries(own).find(([name]) => name === path)?.[1]);
    expect(project.read(".vscode/mcp.json")).toBeNull();
    expect(out).toContain("Stays:\n");
    expect(out).toContain("  .cursor/mcp.json: its entry `pawl` was edited: remove it yourself\n");
    expect(out).toContain("  .alfred/records: it holds work; `--all` removes it, too\n");
    const again = await project.pawl("uninstall", "--yes");
    expect(again.out).toContain("Nothing of Pawl is left");
  });

  it("removes records, tasks and settings too, with --all", async () => {
    promise("uninstall.theirs");
    using project = repository();
    const before = treeOf(project.root);
    await project.pawl("init");
    project.write("pawl.yaml", `${project.read("pawl.yaml")}bloom: { tries: 2 }\n`);
    project.write(".alfred/tasks/T-1.md", "# One\n");
    project.write("tasks.yaml", "tasks:\n  - { id: T-1, title: One }\n");
    expect((await project.pawl("uninstall", "--all", "--yes")).code).toBe(0);
    expect(treeOf(project.root)).toEqual(before);
  });

  it("asks first, and changes nothing for a no, for nobody, and for a dry run", async () => {
    promise("uninstall.asked");
    using project = repository();
    await project.pawl("init", "--client", "gemini", "--guard");
    const before = treeOf(project.root);
    expect(await project.pawl("uninstall")).toMatchObject({
      code: 1,
      err: expect.stringContaining("[terminal-missing]"),
    });
    const dry = await project.pawl("uninstall", "--dry-run");
    expect(dry.code).toBe(0);
    for (const path of [".gemini/settings.json", "pre-push: the guard's lines", ".pawl", "pawl.yaml"])
      expect(dry.out).toContain(path);
    expect(treeOf(project.root)).toEqual(before);
    const asked = await project.person("uninstall");
    expect(asked.code).toBe(0);
    expect(asked.screen).toContain("Remove all of this?");
    expect(project.read("pawl.yaml")).toBeNull();
  });

  it("is a person's: an agent cannot call it", async () => {
    promise("uninstall.asked");
    using project = temporaryProject({ environment: { CLAUDE_CODE_SESSION_ID: "x", CLAUDECODE: "1" } });
    for (const args of [["--yes"], []])
      expect((await project.pawl("uninstall", ...args)).err).toContain("[caller-not-allowed]");
  });

  it("keeps a worktree in which something is not committed, and removes it once it is", async () => {
    promise("uninstall.theirs");
    using project = repository();
    await project.pawl("init");
    const git = (cwd: string, ...args: readonly string[]) =>
      execFileSync("git", args, { cwd, encoding: "utf8" });
    git(project.root, "config", "user.name", "T");
    git(project.root, "config", "user.email", "t@example.com");
    git(project.root, "commit", "-q", "--allow-empty", "-m", "first");
    const worktrees = openWorktrees(project.root, testEnvironment());
    const { folder } = await worktrees.ensure({ repo: ".", branch: "bloom/T-1" });
    writeFileSync(join(folder.agentPath, "work.txt"), "work\n");
    const kept = await project.pawl("uninstall", "--yes");
    expect(kept).toMatchObject({ code: 0, err: "" });
    expect(kept.out).toContain("something in it is not committed");
    expect(readFileSync(join(folder.agentPath, "work.txt"), "utf8")).toBe("work\n");
    git(folder.agentPath, "add", ".");
    git(folder.agentPath, "commit", "-q", "-m", "work");
    expect((await project.pawl("uninstall", "--yes")).code).toBe(0);
    expect(readdirSync(project.root)).toEqual([".git"]);
    expect(git(project.root, "show", "bloom/T-1:work.txt")).toBe("work\n");
  });

  it("begins nothing while somebody works", async () => {
    promise("uninstall.theirs");
    using project = repository();
    await project.pawl("init");
    const beat = new Date().toISOString();
    project.write(".pawl/claims/T-9.json", JSON.stringify({ what: "T-9", beat }));
    expect((await project.pawl("uninstall", "--yes")).err).toContain("[project-busy]");
    expect(project.read("pawl.yaml")).not.toBeNull();
  });

  it("follows no link out of the project", async () => {
    promise("uninstall.theirs");
    using project = repository();
    using other = temporaryProject();
    await project.pawl("init");
    other.write("debug/theirs.txt", "theirs\n");
    symlinkSync(other.root, join(project.root, ".alfred/debug"));
    await project.pawl("uninstall", "--yes");
    expect(other.read("debug/theirs.txt")).toBe("theirs\n");
    expect(other.read("pawl.yaml")).toBe("");
  });

  it("leaves a client's file that nobody can read, and says so", async () => {
    promise("uninstall.theirs");
    using project = repository();
    await project.pawl("init");
    project.write(".cursor/mcp.json", '{ "mcpServers": ');
    const { code, out } = await project.pawl("uninstall", "--yes");
    expect(code).toBe(0);
    expect(out).toContain(".cursor/mcp.json");
    expect(project.read(".cursor/mcp.json")).toBe('{ "mcpServers": ');
  });
});

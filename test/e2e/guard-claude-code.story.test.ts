/** The guard as Claude Code calls it, in a real project, on recorded calls. */
import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Output } from "../../src/surfaces/hooks/dialect.ts";
import { plan, start } from "../rig/alfred-artifacts.ts";
import { type AlfredProject, projectWithTask } from "../rig/alfred-project.ts";
import { ask, guardOn, type Recorded, recorded } from "../rig/guarded.ts";
import { MAIN, testEnvironment } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

const ID = "TS-01";
const CLAUDE = "claude-code" as const;
const NOTHING: Output = { stdout: "", stderr: "", exit: 0 };

/** Under work: it stands where the given tool begins. */
async function projectAt(tool: "start_task" | "implement_task" | null): Promise<AlfredProject> {
  const project = await projectWithTask(ID, { settings: { reviews: { default: ["ai"] } } });
  project.write("src/server.txt", "server\n");
  project.commit("Add the server");
  if (tool === "implement_task") {
    await start(project, ID);
    await plan(project, ID);
  }
  if (tool) await project.call(tool, { task_id: ID });
  return project;
}

function reasonOf({ stdout }: Output): string | null {
  if (stdout === "") return null;
  const { hookSpecificOutput } = JSON.parse(stdout);
  expect(hookSpecificOutput).toMatchObject({ hookEventName: "PreToolUse", permissionDecision: "deny" });
  return hookSpecificOutput.permissionDecisionReason;
}

async function said(project: AlfredProject, name: string, more: Recorded = {}): Promise<string | null> {
  const answer = await ask(CLAUDE, recorded(CLAUDE, name, project.root, more), project.root);
  expect(answer).toMatchObject({ exit: 0, stderr: "" });
  return reasonOf(answer);
}

const writing = (path: string) => ({ tool_input: { file_path: path, content: "x" } });
const running = (command: string) => ({ tool_input: { command } });

describe("a write outside of the scope", () => {
  it("is refused with the run, its state and the next lawful step", async () => {
    promise("guard.scope");
    using project = await projectAt("start_task");
    const reason = await said(project, "write");
    expect(reason).toContain("src/bucket.txt");
    expect(reason).toContain("alfred:TS-01");
    expect(reason).toContain("no file may be written");
    expect(reason).toContain('submit_work (task_id "TS-01")');
    expect(await said(project, "shell")).toContain("nothing keeps a shell's command from it");
  });

  it("is allowed as soon as the state allows it, and refused again in the next", async () => {
    promise("guard.scope");
    using project = await projectAt("implement_task");
    expect(await said(project, "write")).toBeNull();
    expect(await said(project, "shell")).toBeNull();
    for (const subtask_id of ["S-1", "S-2"])
      await project.call("mark_subtask_complete", { task_id: ID, subtask_id });
    await project.submit(ID, {
      summary: "A bucket.",
      completed_subtasks: ["S-1", "S-2"],
      testing_notes: "By hand.",
    });
    expect(await said(project, "write")).toContain("no file may be written");
  });

  it("is judged if no run is open by the protected places alone", async () => {
    promise("guard.protected");
    using project = await projectAt(null);
    expect(await said(project, "write")).toBeNull();
    expect(await said(project, "write-protected")).toContain("it governs the runs");
  });

  it("lets reading, running and Pawl's own tools through", async () => {
    promise("guard.scope");
    using project = await projectAt("start_task");
    for (const name of ["read", "shell-harmless", "call", "call-plugin", "other", "after"])
      expect(await said(project, name), name).toBeNull();
  });

  it("is allowed in the temporary folder, and in the client's own folder for plans", async () => {
    promise("guard.scope");
    using project = await projectAt("start_task");
    const elsewhere = join(realpathSync(tmpdir()), "notes.txt");
    expect(await said(project, "write", writing(elsewhere))).toBeNull();
    expect(await said(project, "write", writing("/home/dev/.claude/plans/plan.md"))).toBeNull();
    expect(await said(project, "write", writing("/home/dev/notes.txt"))).toContain("no file may be written");
    expect(await said(project, "write", writing("/home/dev/.claude/settings.json"))).toContain(
      "turn the guard off",
    );
  });
});

describe("a protected place", () => {
  it("is refused in every state, however its path is written", async () => {
    promise("guard.protected");
    using project = await projectAt("implement_task");
    const { root } = project;
    mkdirSync(join(root, "deep"));
    symlinkSync(join(root, ".pawl"), join(root, "deep/link"));
    symlinkSync(join(root, "deep/missing"), join(root, "deep/dangling"));
    symlinkSync(join(root, ".alfred/workspace/new.json"), join(root, "deep/planted"));
    linkSync(join(root, `.alfred/tasks/${ID}.md`), join(root, "deep/same"));
    linkSync(join(root, `.alfred/workspace/${ID}/task_state.json`), join(root, "deep/state"));
    linkSync(join(root, "src/server.txt"), join(root, "deep/other"));
    const paths = [
      ...["pawl.yaml", "./pawl.yaml", "PAWL.YAML", "src/../pawl.yaml", "pawl.yaml.", "pawl.yaml "],
      ...[".pawl/events.jsonl", ".Pawl/journal", ".p\u200bawl/journal", "deep/link/journal", "deep/planted"],
      ...["deep/same", "deep/state", `file://${root}/pawl.yaml`],
      ...[
        `.alfred/workspace/${ID}/task_state.json`,
        ".alfred/config.yml",
        ".ai/task/state.json",
        "tasks.yaml",
      ],
      ...[
        ".claude/settings.json",
        ".claude/settings.local.json",
        "src/.claude/settings.json",
        ".codex/hooks.json",
      ],
      ...[".codex/config.toml", ".github/hooks/pawl.json", ".cursor/hooks.json", ".gemini/settings.json"],
      ...[".claude/skills/a/.claude-plugin/plugin.json", ".claude/agents/a.md", ".claude/commands/a.md"],
      ...[".codex/rules/a.rules", ".github/copilot/settings.json", ".github/extensions/a/extension.mjs"],
      ...[".cursor/cli.json", ".cursor/worktrees.json", ".opencode/tools/a.ts", ".vscode/tasks.json"],
      ...[
        ".agents/hooks.json",
        ".opencode/plugin/pawl.ts",
        "opencode.json",
        "opencode.jsonc",
        ".git/hooks/pre-commit",
      ],
      ...[".git/config", "../../../../../../..".concat(root, "/pawl.yaml"), `${root}/pawl.yaml`, "a\u0000b"],
    ];
    for (const path of paths)
      expect(await said(project, "write", writing(path)), path).toContain("Pawl refuses");
    for (const path of [
      "deep/dangling",
      "deep/other",
      "src/pawl.yaml.ts",
      ".ai/task/plan.md",
      "docs/.github.md",
      ".gitignore",
    ])
      expect(await said(project, "write", writing(path)), path).toBeNull();
  });

  it("is refused from a folder outside of the project, too", async () => {
    promise("guard.protected");
    using project = await projectAt(null);
    const elsewhere = mkdtempSync(join(tmpdir(), "pawl-elsewhere-"));
    const call = recorded(CLAUDE, "write-protected", project.root, { cwd: elsewhere });
    expect(reasonOf(await ask(CLAUDE, call, elsewhere))).toContain("it governs the runs");
  });

  it("is refused to the shell as well", async () => {
    promise("guard.protected");
    using project = await projectAt("implement_task");
    const commands = [
      ...[
        "sed -i s/human/ai/ pawl.yaml",
        "echo x >> .pawl/events.jsonl",
        "rm -rf .alfred",
        "cat a | tee pawl.yaml",
      ],
      ...["chmod -x .git/hooks/pre-push", "ln pawl.yaml notes.txt", "cd src; echo x > .alfred/config.yml"],
      ...["bash -c 'echo x > pawl.yaml'", "F=pawl.yaml; echo x > $F", 'echo x > "$PWD/pawl.yaml"'],
      ...["bash <<'EOF'\necho x > pawl.yaml\nEOF", "env -u A -- cp a pawl.yaml"],
    ];
    for (const command of commands)
      expect(await said(project, "shell", running(command)), command).toContain("Pawl refuses");
  });
});

describe("a person's word", () => {
  it("is refused to an assistant by any way to the program", async () => {
    promise("guard.person");
    using project = await projectAt("implement_task");
    const commands = [
      ...[
        "pawl approve alfred:TS-01",
        "npx pawl reject TS-01",
        "npx -y pawl@latest approve x",
        "/usr/bin/pawl trust",
      ],
      ...[
        "env -u CLAUDECODE pawl approve x",
        "CLAUDECODE= pawl approve x",
        "(pawl --project . approve x)",
        "env -S 'pawl approve x'",
        "node node_modules/pawl/dist/main.js approve x",
      ],
      ...[
        "node /usr/lib/node_modules/pawl/dist/main.js approve x",
        "bloom done T1 --force",
        "bloom answer q1 yes",
      ],
      ...[
        "pawl policy --accept x",
        "pawl keys add",
        "script -qc 'pawl approve x' /dev/null",
        "p'aw'l 'app''rov'e x",
      ],
      ...["echo y | pawl approve x", "true && pawl repair", 'bash -lc "pawl approve x"', "$(pawl approve x)"],
      ...[
        "pawl approve x -m --help",
        "setsid nohup pawl approve x &",
        "xargs pawl approve < ids",
        "pawl init --no-guard",
      ],
    ];
    for (const command of commands)
      expect(await said(project, "shell", running(command)), command).toContain("a person's word");
    for (const command of [
      "pawl status",
      "pawl policy",
      "pawl trust --show",
      "bloom done T1",
      "pawl approve --help",
    ])
      expect(await said(project, "shell", running(command)), command).toBeNull();
    for (const command of [
      "echo pawl approve x",
      "grep -rn 'pawl approve' docs",
      "git log --grep='pawl approve'",
    ])
      expect(await said(project, "shell", running(command)), command).toBeNull();
  });
});

describe("git", () => {
  it("may not commit or push before the state allows it", async () => {
    promise("guard.scope");
    using project = await projectAt("implement_task");
    for (const command of [
      "git commit -m x",
      "git -C . -c user.name=a commit -m x",
      "git add -A && git commit -am x",
    ])
      expect(await said(project, "shell", running(command)), command).toContain("committing");
    for (const command of ["git push", "git push origin HEAD:main", "gh pr create --fill"])
      expect(await said(project, "shell", running(command)), command).toContain("pushing");
    for (const command of ["git status", "git diff", "git add -A", "git stash", "git log --oneline"])
      expect(await said(project, "shell", running(command)), command).toBeNull();
  });
});

describe("a call that the guard cannot read", () => {
  it.each(["", "not JSON", "[]", "null", '"text"', "\u0000", '{"a":'])(
    "is refused, with exit code 2: %j",
    async (text) => {
      promise("guard.closed");
      using project = await projectAt(null);
      const answer = await guardOn(CLAUDE, text, project.root);
      expect(answer.exit).toBe(2);
      expect(answer.stderr).toContain("pawl guard claude-code");
      expect(reasonOf(answer)).toContain("could not read this call");
    },
  );

  it("is allowed if it is of an event that the guard does not know", async () => {
    using project = await projectAt("start_task");
    for (const call of [
      {},
      { hook_event_name: "__proto__" },
      { hook_event_name: 3 },
      { hook_event_name: "PreToolUse" },
    ])
      expect(await ask(CLAUDE, call, project.root)).toEqual(NOTHING);
  });
});

describe("a project that cannot be read", () => {
  it("lets nothing be written, and reading and Pawl's own tools go on", async () => {
    promise("guard.closed");
    using project = await projectAt("implement_task");
    project.write("pawl.yaml", "reviews: [\n");
    const reason = await said(project, "write");
    expect(reason).toContain("the project cannot be read");
    expect(reason).toContain("pawl status");
    expect(await said(project, "shell")).toContain("the project cannot be read");
    for (const name of ["read", "shell-harmless", "call"]) expect(await said(project, name), name).toBeNull();
  });
});

describe("a folder without Pawl", () => {
  it("is none of the guard's business: everything is allowed, and nothing is written", async () => {
    promise("guard.closed");
    const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-none-")));
    const state = mkdtempSync(join(tmpdir(), "pawl-none-state-"));
    const environment = { XDG_STATE_HOME: state };
    for (const name of ["write", "shell", "shell-person", "call", "stop"])
      expect(await ask(CLAUDE, recorded(CLAUDE, name, root), root, { environment }), name).toEqual(NOTHING);
    expect([...readdirSync(root), ...readdirSync(state)]).toEqual([]);
  });
});

describe("the program", () => {
  it("answers as a process of its own, on its standard input", async () => {
    promise("guard.closed");
    using project = await projectAt("start_task");
    const input = JSON.stringify(recorded(CLAUDE, "write", project.root));
    const run = (text: string) =>
      spawnSync(process.execPath, [MAIN, "guard", CLAUDE], {
        cwd: project.root,
        env: testEnvironment({ DOOR_ONLY: "" }),
        input: text,
        encoding: "utf8",
      });
    const { status, stderr, stdout } = run(input);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(reasonOf({ stdout, stderr, exit: 0 })).toContain("no file may be written");
    expect(run("no").status).toBe(2);
  });
});

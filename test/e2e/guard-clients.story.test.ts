/** The guard in the dialect of every client, on recorded calls. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { GUARDED_CLIENTS, type GuardedClient } from "../../src/guard/clients.ts";
import { CLIENT_SHELLS } from "../../src/services/guard/guard-shell.ts";
import { openCodePlugin } from "../../src/surfaces/cli/guard/opencode-plugin.ts";
import { GUARD_SETUPS } from "../../src/surfaces/cli/guard/setup.ts";
import type { Output } from "../../src/surfaces/hooks/dialect.ts";
import { plan, start } from "../rig/alfred-artifacts.ts";
import { type AlfredProject, CLEAN, projectWithTask, taskMarkdown } from "../rig/alfred-project.ts";
import { ask, guardOn, type Recorded, recorded } from "../rig/guarded.ts";
import { MAIN, testEnvironment } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { NO_WALL } from "../rig/wall.ts";

const ID = "TS-01";

/** Where nothing may be written yet, and the assistant is awaited. */
async function projectAtStart(): Promise<AlfredProject> {
  const project = await projectWithTask(ID, { settings: { reviews: { default: ["human"] } } });
  await project.call("start_task", { task_id: ID });
  return project;
}

const A = (reason: unknown) => ({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: reason,
  },
});
const FLAT = (reason: unknown) => ({ permissionDecision: "deny", permissionDecisionReason: reason });
const DECISION = (reason: unknown) => ({ decision: "deny", reason });
const BLOCK = (reason: unknown) => ({ decision: "block", reason });
const INSIDE = (reason: unknown) => ({ hookSpecificOutput: { hookEventName: "Stop", ...BLOCK(reason) } });

interface Form {
  readonly deny: (reason: unknown) => object;
  /** Before a tool. */
  readonly allow: object | null;
  /** Of other events; default: as before a tool. */
  readonly pass?: object | null;
  readonly stop: ((reason: unknown) => object) | null;
}

/** What each client takes for an answer; null: nothing is printed. */
const FORMS: Readonly<Record<GuardedClient, Form>> = {
  "claude-code": { deny: A, allow: null, stop: BLOCK },
  codex: { deny: A, allow: null, stop: BLOCK },
  copilot: {
    deny: (reason) => ({ ...FLAT(reason), ...A(reason) }),
    allow: null,
    stop: (reason) => ({ ...BLOCK(reason), ...INSIDE(reason) }),
  },
  vscode: { deny: A, allow: null, stop: INSIDE },
  cursor: {
    deny: (reason) => ({ permission: "deny", user_message: reason, agent_message: reason }),
    allow: { permission: "allow" },
    pass: {},
    stop: (reason) => ({ followup_message: reason }),
  },
  gemini: { deny: DECISION, allow: null, stop: DECISION },
  antigravity: {
    deny: DECISION,
    allow: { decision: "allow" },
    pass: {},
    stop: (reason) => ({ decision: "continue", reason }),
  },
  opencode: { deny: DECISION, allow: null, stop: null },
};

const saidBy = ({ stdout }: Output) => (stdout === "" ? null : JSON.parse(stdout));

async function said(
  client: GuardedClient,
  name: string,
  root: string,
  more: Recorded = {},
): Promise<unknown> {
  const answer = await ask(client, recorded(client, name, root, more), root);
  expect(answer).toMatchObject({ exit: 0, stderr: "" });
  return saidBy(answer);
}

describe.each(GUARDED_CLIENTS)("%s", (client) => {
  const { allow, deny, pass = allow, stop } = FORMS[client];

  it("is refused what its session's run does not allow, in its own form", async () => {
    promise("guard.clients");
    using project = await projectAtStart();
    const none = (what: string) => deny(expect.stringMatching(new RegExp(`${what}.*no file may be written`)));
    expect(await said(client, "write", project.root)).toEqual(none("src/bucket.txt"));
    expect(await said(client, "shell", project.root)).toEqual(none("this command"));
    expect(await said(client, "write-protected", project.root)).toEqual(
      deny(expect.stringContaining("pawl.yaml")),
    );
    expect(await said(client, "shell-person", project.root)).toEqual(
      deny(expect.stringContaining("a person's word")),
    );
  });

  it("is allowed to read, to run, and to call Pawl's tools, in its own form", async () => {
    promise("guard.clients");
    using project = await projectAtStart();
    for (const name of ["read", "shell-harmless", "call"])
      expect(await said(client, name, project.root), name).toEqual(allow);
    expect(await said(client, "other", project.root)).toEqual(pass);
  });

  it("is refused what nobody can read, with exit code 2", async () => {
    promise("guard.clients");
    using project = await projectAtStart();
    const answer = await guardOn(client, "{", project.root);
    expect(answer).toMatchObject({ exit: 2, stderr: expect.stringContaining(`pawl guard ${client}`) });
    expect(saidBy(answer)).toEqual(deny(expect.stringContaining("could not read this call")));
  });

  it.runIf(stop !== null)("is sent back twice in a state, and only if it works on the run", async () => {
    promise("guard.stop");
    using project = await projectAtStart();
    const stops = client === "antigravity" ? allow : pass;
    expect(await said(client, "stop", project.root), "of a session that works on nothing").toEqual(stops);
    await said(client, "call", project.root);
    const refused = stop?.(expect.stringContaining('submit_work (task_id "TS-01")'));
    for (let time = 1; time <= 2; time++)
      expect(await said(client, "stop", project.root), `${time}`).toEqual(refused);
    expect(await said(client, "stop", project.root), "the third time").toEqual(stops);
    await project.submit(ID, CLEAN);
    expect(await said(client, "stop", project.root), "while a person decides").toEqual(stops);
  });
});

/** TS-01 has begun and may write nothing; TS-02 is being built. */
async function besideWorking() {
  const project = await projectWithTask("TS-02", { settings: { reviews: { default: ["ai"] } } });
  project.write("src/server.txt", "server\n");
  project.commit("Add the server");
  await start(project, "TS-02");
  await plan(project, "TS-02");
  await project.call("implement_task", { task_id: "TS-02" });
  await project.call("create_task", { task_content: taskMarkdown(ID) });
  await project.call("start_task", { task_id: ID });
  return project;
}

describe("a session", () => {
  const CLAUDE = "claude-code";

  it("has the scope of the run whose tool it called, and without one the widest of all open runs", async () => {
    promise("guard.sessions");
    using project = await besideWorking();
    expect(await said(CLAUDE, "write", project.root), "TS-02 may write").toBeNull();
    await said(CLAUDE, "call", project.root);
    expect(await said(CLAUDE, "write", project.root)).toEqual(A(expect.stringContaining("alfred:TS-01")));
    expect(await said(CLAUDE, "write", project.root, { session_id: "another" })).toBeNull();
    await said(CLAUDE, "call", project.root, { tool_input: { task_id: "TS-02" } });
    expect(await said(CLAUDE, "write", project.root), "it has gone over to TS-02").toBeNull();
  });

  it("has the scope of the run whose tool it called by `pawl call`, if its command tells the arguments", async () => {
    promise("guard.sessions");
    using project = await besideWorking();
    project.write("given.json", `{"task_id": "${ID}"}`);
    const writesAfter = async (command: string) => {
      const session = { session_id: command.replaceAll(/\W+/g, "-") };
      await said(CLAUDE, "shell-harmless", project.root, { ...session, tool_input: { command } });
      return said(CLAUDE, "write", project.root, session);
    };
    const refused = A(expect.stringContaining("alfred:TS-01"));
    for (const command of [
      `npx --no pawl call start_task '{"task_id": "TS-01"}'`,
      `cat given.json && timeout 60 pawl call start_task '{"task_id":"TS-01"}' --json | head`,
      "pawl call start_task @given.json",
    ])
      expect(await writesAfter(command), command).toEqual(refused);
    for (const command of [
      `echo pawl call start_task '{"task_id": "TS-01"}'`,
      `pawl --project /tmp call start_task '{"task_id": "TS-01"}'`,
      `PAWL_PROJECT=/tmp pawl call start_task '{"task_id": "TS-01"}'`,
      'pawl call start_task "$(cat given.json)"',
      "pawl call start_task TS-01",
      "pawl call start_task @/dev/zero",
    ])
      expect(await writesAfter(command), command).toBeNull();
  });

  it("is not sent back for a subagent, nor by a session's name of another client", async () => {
    promise("guard.stop");
    using project = await projectAtStart();
    await said(CLAUDE, "call", project.root);
    expect(await said(CLAUDE, "stop-subagent", project.root)).toBeNull();
    const session = recorded(CLAUDE, "stop", project.root).session_id;
    expect(await said("codex", "stop", project.root, { session_id: session })).toBeNull();
    expect(await said(CLAUDE, "stop", project.root, { session_id: "another" })).toBeNull();
    expect(await said(CLAUDE, "stop", project.root)).not.toBeNull();
  });

  it("of an agent of Pawl's own loop has no scope, and the protected places still hold", async () => {
    promise("guard.sessions");
    using project = await projectAtStart();
    for (const environment of [{ PAWL_RUN_MARK: "x.T1" }, { BLOOM_TASK: "T1" }]) {
      const asked = (name: string) =>
        ask(CLAUDE, recorded(CLAUDE, name, project.root), project.root, { environment });
      expect((await asked("write")).stdout).toBe("");
      expect((await asked("write-protected")).stdout).toContain("deny");
      expect((await asked("shell-person")).stdout).toContain("deny");
    }
  });

  it("goes on if what is kept of it is damaged", async () => {
    promise("guard.sessions");
    using project = await projectAtStart();
    await said(CLAUDE, "call", project.root);
    const state = testEnvironment().XDG_STATE_HOME ?? "";
    const found = spawnSync("find", [state, "-path", "*guard/sessions*", "-name", "*.json"], {
      encoding: "utf8",
    });
    for (const file of found.stdout.trim().split("\n")) writeFileSync(file, "{");
    expect(await said(CLAUDE, "stop", project.root)).toBeNull();
    expect(await said(CLAUDE, "write", project.root)).not.toBeNull();
  });
});

/** The versions from which on each client was tried. */
const TRIED = {
  "claude-code": "2.1.332",
  codex: "0.171.0",
  copilot: "1.0.102",
  gemini: "0.61.0",
  opencode: "1.18.0",
} as const satisfies Partial<Record<GuardedClient, string>>;
type Tried = keyof typeof TRIED;

/** How each client is given another command. */
const BEHIND: Readonly<Record<Tried, (command: unknown, input: object) => object>> = {
  "claude-code": (command, input) => ({
    hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { ...input, command } },
  }),
  codex: (command) => ({
    hookSpecificOutput: {
      ...{ hookEventName: "PreToolUse", permissionDecision: "allow" },
      updatedInput: { command },
    },
  }),
  copilot: (command, input) => ({ permissionDecision: "allow", modifiedArgs: { ...input, command } }),
  gemini: (command) => ({
    decision: "allow",
    hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: { command } },
  }),
  opencode: () => ({ wall: expect.stringMatching(/^[0-9a-f]{10}$/) }),
};

const inputOf = (call: Recorded): Record<string, unknown> => {
  const { args, tool_input, toolArgs } = call;
  return (tool_input ?? args ?? JSON.parse(String(toolArgs))) as Record<string, unknown>;
};

describe.skipIf(NO_WALL).each(Object.keys(TRIED) as Tried[])("%s, as it was tried", (client) => {
  const isRoot = process.getuid?.() === 0;
  const hasWall = client === "codex" ? !isRoot : client !== "claude-code" || isRoot;

  it.runIf(hasWall)("is given a command that runs behind a wall, if nothing may be written", async () => {
    promise("guard.clients", "guard.shell");
    using project = await projectAtStart();
    const call = recorded(client, "shell", project.root);
    const environment = { PATH: process.env.PATH ?? "" };
    const answer = saidBy(await ask(client, call, project.root, { version: TRIED[client], environment }));
    const walled = expect.stringMatching(/\/pawl\/bin\/pawl-wall [0-9a-f]{10} '[\s\S]*echo bucket > [^']*'/);
    expect(answer).toEqual(BEHIND[client](walled, inputOf(call)));
    const read = recorded(client, "read", project.root);
    expect((await ask(client, read, project.root, { version: TRIED[client], environment })).stdout).toBe("");
    const person = recorded(client, "shell-person", project.root);
    const said = await ask(client, person, project.root, { version: TRIED[client], environment });
    expect(said.stdout).toContain("a person's word");
  });

  it("has the short list alone before that version, and if no bubblewrap is", async () => {
    promise("guard.shell");
    using project = await projectAtStart();
    const call = recorded(client, "shell", project.root);
    const older = TRIED[client].replace(/\d+(?=\.\d+$)/, "0").replace(/\d+$/, "0");
    for (const asked of [
      { version: older, environment: { PATH: process.env.PATH ?? "" } },
      { version: TRIED[client], environment: { PATH: "/nowhere" } },
    ])
      expect((await ask(client, call, project.root, asked)).stdout).toContain(
        "nothing keeps a shell's command",
      );
  });
});

it("Codex's commands are left alone if a rule of the person's forbids some", async () => {
  promise("guard.shell");
  using project = await projectAtStart();
  project.write(".codex/rules/mine.rules", 'prefix_rule(pattern=["rm"], decision="forbidden")\n');
  const environment = { PATH: process.env.PATH ?? "" };
  const call = recorded("codex", "shell", project.root);
  const { stdout } = await ask("codex", call, project.root, { version: TRIED.codex, environment });
  expect(stdout).toContain("nothing keeps a shell's command");
});

it("docs/internals/guard.md has the table of what each client was tried with", () => {
  promise("guard.clients");
  const page = readFileSync(new URL("../../docs/internals/guard.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| ([A-Z][\w ]*?) (\d[\d.]*) \| (.*?) \|/gm)].map(
    ([, name, since, closed]) => [name, since, closed],
  );
  const titles = { copilot: "Copilot CLI" } as Partial<Record<GuardedClient, string>>;
  const kinds = {
    own: "its own sandbox; as root, Pawl's wall",
    wall: "Pawl's wall",
    closed: "Pawl's wall, without network",
  };
  const table = Object.entries(CLIENT_SHELLS).map(([name, { kind, least }]) => [
    titles[name as GuardedClient] ?? GUARD_SETUPS[name as GuardedClient].title,
    least.join("."),
    kinds[kind],
  ]);
  expect(rows.toSorted()).toEqual(table.toSorted());
  expect(Object.keys(CLIENT_SHELLS).sort()).toEqual(Object.keys(TRIED).sort());
});

describe("Copilot's command", () => {
  it("answers VS Code, which calls it from the same file, in VS Code's form, too", async () => {
    promise("guard.clients");
    using project = await projectAtStart();
    const call = recorded("vscode", "write", project.root);
    const answer = saidBy(await ask("copilot", call, project.root));
    expect(answer).toMatchObject(A(expect.stringContaining("src/bucket.txt")));
    expect(saidBy(await ask("copilot", recorded("vscode", "read", project.root), project.root))).toBeNull();
  });

  it("takes the event's name if the call has none", async () => {
    promise("guard.clients");
    using project = await projectAtStart();
    const stop = recorded("copilot", "stop", project.root);
    await said("copilot", "call", project.root);
    const answer = await ask("copilot", { ...stop, stopReason: undefined }, project.root, {
      event: "agentStop",
    });
    expect(saidBy(answer)).toMatchObject({ decision: "block" });
    expect(await said("copilot", "after", project.root)).toBeNull();
    expect(await said("copilot", "stop-subagent", project.root)).toBeNull();
  });
});

describe("OpenCode's plugin", () => {
  async function pluginFor(root: string, launch: readonly string[]) {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-plugin-")));
    const file = join(folder, "pawl.mjs");
    writeFileSync(file, openCodePlugin(launch));
    const { Pawl } = await import(/* @vite-ignore */ pathToFileURL(file).href);
    const hooks = await Pawl({ directory: root, worktree: root });
    return (name: string, when: "before" | "after" = "before") => {
      const { args, callID, sessionID, tool } = recorded("opencode", name, root);
      if (when === "before") return hooks["tool.execute.before"]({ tool, sessionID, callID }, { args });
      return hooks["tool.execute.after"](
        { tool, sessionID, callID, args },
        { title: tool, output: "", metadata: {} },
      );
    };
  }

  it("throws the guard's refusal, and lets the rest through", async () => {
    promise("guard.clients");
    using project = await projectAtStart();
    const script = join(project.root, "launch.mjs");
    const environment = { ...testEnvironment({ DOOR_ONLY: "" }) };
    writeFileSync(
      script,
      `import { spawnSync } from "node:child_process";
const { status } = spawnSync(process.execPath, ${JSON.stringify([MAIN])}.concat(process.argv.slice(2)), { stdio: "inherit", env: ${JSON.stringify(environment)} });
process.exit(status);`,
    );
    const call = await pluginFor(project.root, [process.execPath, script]);
    await expect(call("write")).rejects.toThrow("no file may be written");
    await expect(call("write-protected")).rejects.toThrow("pawl.yaml");
    await expect(call("read")).resolves.toBeUndefined();
    await expect(call("shell-harmless")).resolves.toBeUndefined();
  });

  it("has Pawl look at what a command has changed, and at nothing else", async () => {
    using project = await projectAtStart();
    const script = join(project.root, "launch.mjs");
    writeFileSync(
      script,
      `import { appendFileSync, readFileSync } from "node:fs";
appendFileSync(${JSON.stringify(join(project.root, "asked"))}, readFileSync(0) + "\\n");`,
    );
    const call = await pluginFor(project.root, [process.execPath, script]);
    await call("read", "after");
    await call("shell-harmless", "after");
    const asked = readFileSync(join(project.root, "asked"), "utf8").trim().split("\n");
    const wanted = { ...recorded("opencode", "shell-harmless", project.root), event: "after-tool" };
    expect(asked.map((line) => JSON.parse(line))).toEqual([wanted]);
    expect(await ask("opencode", wanted, project.root)).toMatchObject({ stdout: "", exit: 0 });
  });

  it("lets only reading go on if Pawl cannot be asked", async () => {
    promise("guard.clients");
    using project = await projectAtStart();
    const call = await pluginFor(project.root, ["/nowhere/pawl"]);
    await expect(call("shell-harmless", "after")).resolves.toBeUndefined();
    await expect(call("write")).rejects.toThrow("did not answer");
    await expect(call("shell-harmless")).rejects.toThrow("did not answer");
    await expect(call("read")).resolves.toBeUndefined();
  });

  it("holds the words that start Pawl as they are", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of the plugin's own would read it
    const odd = "/a b/`${x}`.js";
    expect(openCodePlugin(["node", odd])).toContain(JSON.stringify(odd));
  });
});

import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { openAgents } from "../agents/agents.ts";
import { openCommands } from "../agents/commands.ts";
import { openChecks } from "../checks/checks.ts";
import { git } from "../git/git.ts";

let root: string;
let seen: string;

/** As a person's shell has it, with a secret of every kind. */
const OWN = () => ({
  PATH: `${join(root, "bin")}:${process.env.PATH}`,
  HOME: root,
  LANG: "C.UTF-8",
  LC_TIME: "C",
  TZ: "UTC",
  HTTPS_PROXY: "http://ada:secret@proxy",
  http_proxy: "http://proxy",
  NAMED: "named",
  GIT_SSL_CAINFO: "/etc/company.pem",
  JAVA_HOME: "/opt/jdk-25",
  REMOTE_CONTAINERS_IPC: "/tmp/vscode.sock",
  GCM_CREDENTIAL_STORE: "gpg",
  GITHUB_TOKEN: "ghp_0123456789",
  GH_TOKEN: "gho_0123456789",
  NPM_TOKEN: "npm_0123456789",
  AWS_SECRET_ACCESS_KEY: "aws_0123456789",
  ANTHROPIC_API_KEY: "sk-ant-0123456789",
  DATABASE_URL: "postgres://ada:pa55word@db/x",
  SSH_AUTH_SOCK: "/tmp/agent.sock",
  SSH_ASKPASS: "/usr/bin/askpass",
  GIT_ASKPASS: "/usr/bin/askpass",
  GIT_DIR: "/elsewhere",
  GIT_EXTERNAL_DIFF: "/evil",
  NODE_OPTIONS: "--require /evil.js",
  LD_PRELOAD: "/evil.so",
  BASH_ENV: "/evil.sh",
});

const LISTED = ["GIT_SSL_CAINFO", "HOME", "JAVA_HOME", "LANG", "LC_TIME", "PATH", "TZ", "http_proxy"];
/** What shells set themselves. */
const SHELLS = ["OLDPWD", "PWD", "SHLVL", "_"];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-env-")));
  seen = join(root, "seen");
  mkdirSync(join(root, "bin"));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function program(name: string, then = "exit 0"): void {
  writeFileSync(join(root, "bin", name), `#!/bin/sh\nenv -0 >> ${seen}\n${then}\n`);
  chmodSync(join(root, "bin", name), 0o755);
}

const namesSeen = () => {
  const entries = readFileSync(seen, "utf8")
    .split("\0")
    .filter((entry) => entry.includes("="));
  const names = entries.map((entry) => entry.slice(0, entry.indexOf("=")));
  return [...new Set(names)].filter((name) => !SHELLS.includes(name)).sort();
};
const listed = (...more: string[]) => [...LISTED, ...more].sort();

describe("of Pawl's whole environment only what is on the list reaches", () => {
  it("a check", async () => {
    promise("children.environment");
    await openChecks({ root, environment: OWN(), names: ["NAMED"] }).run("k", `env -0 >> ${seen}`);
    expect(namesSeen()).toEqual(listed("CI", "NAMED"));
  });

  it("a verify or setup command", async () => {
    const commands = openCommands({ projectRoot: root, environment: OWN(), names: ["NAMED"] });
    await commands.run({ run: "v1", command: `env -0 >> ${seen}`, folder: { agentPath: root } }).ended;
    expect(namesSeen()).toEqual(listed("CI", "NAMED", "PAWL_RUN_MARK"));
  });

  it("an agent, with its own provider's variables", async () => {
    promise("children.environment");
    program("claude");
    const agents = openAgents({
      projectRoot: root,
      stateFolder: join(root, "state"),
      environment: OWN(),
      agents: { claude: { environment: ["NAMED"] } },
    });
    const order = {
      run: "a1",
      agent: "claude",
      folder: { agentPath: root },
      prompt: "x",
      permission: "edits",
    } as const;
    await agents.start({ ...order, session: { type: "new" } }, () => {}).ended;
    expect(namesSeen()).toEqual(listed("ANTHROPIC_API_KEY", "NAMED", "PAWL_OUTBOX", "PAWL_RUN_MARK"));
  });

  it("an agent over ACP", async () => {
    program("helper");
    const agents = openAgents({
      projectRoot: root,
      stateFolder: join(root, "state"),
      environment: OWN(),
      agents: { mine: { acp: { command: "helper" } } },
    });
    const order = {
      run: "a2",
      agent: "mine",
      folder: { agentPath: root },
      prompt: "x",
      permission: "edits",
    } as const;
    await agents.start({ ...order, session: { type: "new" } }, () => {}).ended;
    expect(namesSeen()).toEqual(listed("PAWL_OUTBOX", "PAWL_RUN_MARK"));
  });

  it("a program that is asked for its version", async () => {
    for (const name of ["claude", "codex", "opencode", "gemini"]) program(name, "echo 1.2.3");
    await openAgents({
      projectRoot: root,
      stateFolder: join(root, "state"),
      environment: OWN(),
      agents: {},
    }).survey();
    expect(namesSeen()).toEqual(listed("PAWL_RUN_MARK"));
  });

  const OF_GIT = [
    "GIT_ALLOW_PROTOCOL",
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_GRAFT_FILE",
    "GIT_MERGE_AUTOEDIT",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OPTIONAL_LOCKS",
    "GIT_PAGER",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH_COMMAND",
    "GIT_TERMINAL_PROMPT",
    "LC_ALL",
  ];

  it("git", async () => {
    program("git");
    await git({ folder: root, environment: OWN() }, ["status"]);
    await git({ folder: root, environment: OWN(), remote: { name: "/a/folder", push: true } }, [
      "push",
      "/a/folder",
    ]);
    expect(namesSeen()).toEqual(listed(...OF_GIT));
    expect(readFileSync(seen, "utf8")).not.toContain("askpass");
  });

  it("the one git that talks to a remote elsewhere, with the credentials", async () => {
    promise("children.environment");
    program("git");
    await git({ folder: root, environment: OWN(), remote: { name: "https://example.com/x" } }, [
      "fetch",
      "x",
    ]);
    const limits = ["GIT_HTTP_LOW_SPEED_LIMIT", "GIT_HTTP_LOW_SPEED_TIME"];
    const credentials = [
      "AWS_SECRET_ACCESS_KEY",
      "GCM_CREDENTIAL_STORE",
      "GH_TOKEN",
      "GITHUB_TOKEN",
      "HTTPS_PROXY",
      "REMOTE_CONTAINERS_IPC",
      "SSH_ASKPASS",
      "SSH_AUTH_SOCK",
    ];
    expect(namesSeen()).toEqual(listed(...OF_GIT, ...limits, ...credentials));
  });
});

describe("a secret that a child prints all the same", () => {
  const PRINTS = `cat ${"secret.txt"}; cat secret.txt >&2`;
  const files = (folder: string, names: readonly string[]) =>
    names.map((name) => readFileSync(join(root, folder, name), "utf8")).join("\n");

  beforeEach(() => {
    writeFileSync(join(root, "secret.txt"), "token ghp_0123456789 and pa55word\n");
  });

  it("is masked in a check's outcome and in its file, which only its owner can read", async () => {
    promise("children.masked");
    const outcome = await openChecks({ root, environment: OWN() }).run("k", PRINTS);
    expect(outcome.tail).toBe("token [redacted GITHUB_TOKEN] and [redacted DATABASE_URL]\n".repeat(2).trim());
    expect(files(".pawl/checks/k", ["output"])).not.toContain("ghp_0123456789");
    expect(statSync(join(root, ".pawl/checks/k/output")).mode & 0o777).toBe(0o600);
  });

  it("is masked if the end that is shown begins within it", async () => {
    const { tail } = await openChecks({ root, environment: OWN() }).run(
      "k",
      "cat secret.txt; head -c 3975 /dev/zero | tr '\\0' x",
    );
    expect(tail).not.toMatch(/0123|6789/);
  });

  it("is masked in the output of verify and of an agent, on disk and in messages", async () => {
    promise("children.masked");
    const commands = openCommands({ projectRoot: root, environment: OWN(), names: [] });
    const end = await commands.run({ run: "v1", command: PRINTS, folder: { agentPath: root } }).ended;
    expect(end.tail).toContain("[redacted GITHUB_TOKEN]");
    expect(end.tail + files(".pawl/commands/v1", ["output.jsonl", "end.json"])).not.toContain(
      "ghp_0123456789",
    );
    program(
      "claude",
      `printf '{"type":"assistant","message":{"content":[{"type":"text","text":"ghp_0123'; printf '456789"}]}}\\n'; cat ${root}/secret.txt >&2`,
    );
    const texts: string[] = [];
    const agents = openAgents({
      projectRoot: root,
      stateFolder: join(root, "state"),
      environment: OWN(),
      agents: {},
    });
    const order = {
      run: "a1",
      agent: "claude",
      folder: { agentPath: root },
      prompt: "Call it with ghp_0123456789.",
      permission: "edits",
    } as const;
    await agents.start({ ...order, session: { type: "new" } }, (event) => {
      if (event.type === "text") texts.push(event.text);
    }).ended;
    expect(texts).toEqual(["[redacted GITHUB_TOKEN]"]);
    expect(files(".pawl/agents/a1", ["output.jsonl", "errors.log", "end.json"])).not.toContain(
      "ghp_0123456789",
    );
    expect(files(".pawl/agents/a1", ["prompt.md"])).toBe("Call it with [redacted GITHUB_TOKEN].");
  });
});

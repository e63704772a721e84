/**
 * The assistants as clients: each is configured by `pawl init --client`, connects to `pawl mcp` by that file alone, and
 * walks start_task in a real repository.
 */
import { strict as assert } from "node:assert";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { ModelServer } from "../rig/model/server.ts";
import { freshFolder, PAWL } from "./agent-project.ts";
import { type Driven, GEMINI_MODEL, opencodePlugin } from "./programs.ts";

export const ID = "TS-01";
export const BRANCH = `feature/${ID}`;
const LIMIT = 400_000;

const TOOLS = ["create_task", "start_task", "submit_work", "provide_review"];

export interface Assistant {
  /** As `pawl init --client` names it. */
  readonly client: string;
  /** The file that it reads. */
  readonly file: string;
  /** The command line; the prompt goes to standard input. */
  args(root: string): readonly string[];
  /** The same, with its own tools for files and any command of the shell allowed. */
  free(root: string): readonly string[];
  /** What its model must do before it has the tools. */
  before?(tools: readonly string[]): readonly string[];
  /** What must stand in the project for it, for this proof alone. */
  prepare?(root: string): void;
  /** What a person answers once, when the assistant asks whether the project is to be trusted. */
  trust(root: string, home: string): void;
}

function codexArgs(root: string): readonly string[] {
  const roots = JSON.stringify([join(root, ".git")]);
  const options = ['sandbox_mode="workspace-write"', `sandbox_workspace_write.writable_roots=${roots}`];
  return ["exec", "--json", ...options.flatMap((option) => ["-c", option]), "-"];
}

const ASSISTANTS: Readonly<Record<string, Assistant>> = {
  claude: {
    client: "claude-code",
    file: ".mcp.json",
    args: () => ["-p", "--allowedTools", "mcp__pawl__*,Bash(git checkout:*)"],
    free: () => ["-p", "--allowedTools", "mcp__pawl__*,Bash,Write,Edit"],
    // It offers tools of servers only once they were searched for.
    before: (tools) => [
      `CALL: ToolSearch {"query":"select:${tools.map((tool) => `mcp__pawl__${tool}`).join(",")}"}`,
    ],
    trust: () => {},
  },
  codex: {
    client: "codex",
    file: ".codex/config.toml",
    // Its sandbox keeps git's own folder from being written, even in a workspace that may be.
    args: codexArgs,
    // A person trusts the hooks in its screen, once.
    free: (root) => codexArgs(root).with(-1, "--dangerously-bypass-hook-trust").concat("-"),
    trust: (root, home) => {
      const file = join(home, "codex/config.toml");
      const trusted = `[projects.${JSON.stringify(root)}]\ntrust_level = "trusted"\n`;
      writeFileSync(file, `${readFileSync(file, "utf8")}${trusted}`);
    },
  },
  opencode: {
    client: "opencode",
    file: "opencode.json",
    // Where a plugin lies, it asks the registry for what plugins are written with.
    prepare: (root) => opencodePlugin(join(root, ".opencode")),
    args: () => ["run", "--format", "json"],
    free: () => ["run", "--format", "json"],
    trust: () => {},
  },
};

/** Those that are proved under the guard alone. */
const GUARDED: Readonly<Record<string, Assistant>> = {
  ...ASSISTANTS,
  gemini: {
    client: "gemini",
    file: ".gemini/settings.json",
    args: () => [],
    free: () => ["-o", "json", "--approval-mode", "yolo", "-m", GEMINI_MODEL],
    trust: (root, home) =>
      writeFileSync(join(home, ".gemini/trustedFolders.json"), JSON.stringify({ [root]: "TRUST_FOLDER" })),
  },
};

export function isGuarded({ name }: Driven): boolean {
  return Object.hasOwn(GUARDED, name);
}

/** Whether this program is proved as a client, too. */
export function isClient({ name }: Driven): boolean {
  return Object.hasOwn(ASSISTANTS, name);
}

export const TASK = [
  `# TASK: ${ID}`,
  "## Title\nLimit the rate",
  "## Context\nThe service is asked too often.",
  "## Implementation Details\nAdd a token bucket.",
  "## Acceptance Criteria\n- 429 after ten requests a second",
].join("\n\n");

export const call = (tool: string, input: Readonly<Record<string, unknown>>) =>
  `CALL: ${tool} ${JSON.stringify(input)}`;
const approve = call("provide_review", { task_id: ID, is_approved: true, feedback_notes: "" });
const submit = (artifact: unknown) => call("submit_work", { task_id: ID, artifact });

const ACTS = [
  call("create_task", { task_content: TASK }),
  call("start_task", { task_id: ID }),
  submit({ is_clean: true, current_branch: "main", uncommitted_files: [] }),
  approve,
  `RUN: git checkout -q -b ${BRANCH}`,
  submit({ branch_name: BRANCH, success: true, details: "created" }),
  approve,
];

/** A person's own assistant in a repository of theirs, configured by `pawl init` alone. */
export interface AssistantProject {
  readonly assistant: Assistant;
  readonly root: string;
  git(...args: string[]): string;
  write(path: string, text: string): void;
  pawl(...args: string[]): string;
  commit(): void;
  /** What the assistant's tools answered, in order, and the whole of what can be told where something fails. */
  does(
    args: readonly string[],
    acts: readonly string[],
  ): Promise<{ answers: readonly string[]; told: string }>;
  [Symbol.dispose](): void;
}

export function openPlace(driven: Driven, binary: string, model: ModelServer): AssistantProject {
  const assistant = GUARDED[driven.name];
  assert.ok(assistant, `${driven.name} is no client`);
  assert.ok(existsSync(PAWL), `${PAWL} is there: run npm run build`);
  const root = freshFolder("client");
  const home = freshFolder("home");
  const environment = {
    // The client's file says `node`: it is to be this one.
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    LANG: "C.UTF-8",
    ...driven.environment(home, model.url),
  };
  assistant.trust(root, home);
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: root, stdio: "pipe", encoding: "utf8" }).trim();
  git("init", "-qb", "main");
  git("config", "user.name", "Agent");
  git("config", "user.email", "agent@example.org");
  return {
    assistant,
    root,
    git,
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    pawl: (...args) =>
      execFileSync(process.execPath, [PAWL, ...args], { cwd: root, env: environment, encoding: "utf8" }),
    commit() {
      git("add", "-A");
      git("commit", "-qm", "first");
    },
    async does(args, acts) {
      const asked = model.asked.length;
      const prompt = ["Walk.", ...acts, "SAY: it is started"].join("\n");
      const ended = await run(binary, args, prompt, root, environment);
      const said = model.asked.at(-1)?.said ?? [];
      const answers = said.flatMap((one) => (one.by === "tool" ? [one.text] : []));
      const told = `${answers.join("\n---\n").slice(-1500)}\n${ended.text.slice(0, 1500)}`;
      assert.equal(ended.code, 0, told);
      assert.ok(model.asked.length > asked, "the model was asked");
      assert.equal(answers.length, acts.length, told);
      return { answers, told };
    },
    [Symbol.dispose]() {
      for (const folder of [root, home]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Throws where the walk does not end where it must. */
export async function walkStartTask(driven: Driven, binary: string, model: ModelServer): Promise<string> {
  using place = openPlace(driven, binary, model);
  const { assistant, git, root } = place;
  place.pawl("init", "--client", assistant.client);
  assert.ok(existsSync(join(root, assistant.file)), `${assistant.file} is written`);
  // Where a person reviews too, Claude Code asks them before each verdict, and here is nobody to be asked.
  place.write("pawl.yaml", "alfred: { reviews: { default: [ai] } }\n");
  place.commit();
  const acts = [...(assistant.before?.(TOOLS) ?? []), ...ACTS];
  const { told } = await place.does(assistant.args(root), acts);
  const path = join(root, ".alfred/workspace", ID, "task_state.json");
  assert.ok(existsSync(path), told);
  const state = JSON.parse(readFileSync(path, "utf8"));
  assert.deepEqual([state.task_status, state.active_tool_state], ["planning", null], told);
  assert.equal(git("branch", "--show-current"), BRANCH);
  return `${acts.length} calls, ${state.task_status} on ${BRANCH}`;
}

function run(
  program: string,
  args: readonly string[],
  input: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ code: number | null; text: string }> {
  const child = spawn(program, [...args], { cwd, env, timeout: LIMIT, killSignal: "SIGKILL" });
  const texts: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text) => void texts.push(String(text)));
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", (code) => done({ code, text: texts.join("") }));
  });
}

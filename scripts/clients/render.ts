/**
 * Every file of the packages for clients, from the workflows' modules, the guard's set-ups and package.json: path (from the
 * repository's root) → text.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { BY_NPX } from "../../src/app/launch.ts";
import type { GuardedClient } from "../../src/guard/clients.ts";
import type { Tool, UserPrompt, WorkflowModule } from "../../src/runtime/module.ts";
import { CLIENT_FILES, renderEntry } from "../../src/surfaces/cli/clients/clients.ts";
import { putIn } from "../../src/surfaces/cli/guard/edit-setup.ts";
import { openCodePackagedGuard } from "../../src/surfaces/cli/guard/opencode-plugin.ts";
import { CLOSED, GUARD_SETUPS, LIMITED } from "../../src/surfaces/cli/guard/setup.ts";
import { renderInstructions } from "../../src/surfaces/mcp/server.ts";
import { WORKFLOWS } from "../../src/workflows/index.ts";
import { renderSkills, type Skill } from "./skills.ts";

export type Files = ReadonlyMap<string, string>;

const ROOT = resolve(import.meta.dirname, "../..");
const readBeside = (name: string) => readFileSync(resolve(import.meta.dirname, name), "utf8");
const PACKAGE = JSON.parse(readFileSync(resolve(ROOT, "package.json"), "utf8"));
const { description, license, mcpName, name, version } = PACKAGE;
const SHORT = "Keeps coding agents on a written workflow: durable steps, gates held by people.";
const AUTHOR = { name: "Pawl" };
const ABOUT = { name, version, description, license };

/** A project has Pawl as a package: any clone of it starts the same one. */
export const PROJECT_LAUNCH = [...BY_NPX, "mcp"] as const;

/** What a client puts in when it reads the file. */
export const placeholder = (word: string) => `\${${word}}`;

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

export async function renderClients(): Promise<Files> {
  const modules = await Promise.all(Object.values(WORKFLOWS).map((load) => load()));
  const skills = await renderSkills(modules);
  const commands = await commandsOf(modules);
  const files = new Map<string, string>();
  const put = (folder: string, more: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(more)) files.set(`${folder}${path}`, text);
  };
  put("clients/claude-code/", { ...plugin("Claude Code", skills), ...claudeCode(commands) });
  put("clients/codex/", { ...plugin("Codex", skills), ...codex() });
  put("clients/gemini/", { ...plugin("Gemini CLI", skills), ...gemini(commands, modules) });
  put("clients/agent-plugin/", {
    ...plugin("any client that reads Agent Plugins 1.0", skills),
    ...agentPlugin(),
  });
  put("clients/antigravity/", antigravity());
  put("clients/opencode/", { ...plugin("OpenCode", skills), ...openCode(commands), ...openCodeProject() });
  put("clients/mcpb/", { "manifest.json": await mcpb(modules) });
  put("clients/registry/", { "server.json": serverJson() });
  put("", marketplaces());
  return files;
}

// ── Parts that several have ──────────────────────────────────────────────────────────────────────────────────────

function plugin(client: string, skills: readonly Skill[]): Readonly<Record<string, string>> {
  return {
    "README.md": readme(client),
    "pawl.mjs": readBeside("pawl.mjs"),
    ...Object.fromEntries(skills.map((skill) => [`skills/${skill.name}/SKILL.md`, skill.text])),
  };
}

const readme = (client: string) => `# Pawl for ${client}

${description}

This plugin brings Pawl's MCP server, its skills and, where the client has hooks, the guard: it keeps the assistant to what the
run's state allows. In a folder without a Pawl project the guard says nothing, and the server writes nothing before you use it.

It needs Node ${PACKAGE.engines.node.replace(">=", "")} or newer, on Linux or macOS. Where the plugin comes without the program, it needs \`pawl\` on the PATH.
\`npm run build:clients\` writes every file here; docs/clients.md says how each client installs it.
`;

/** The guard's hooks as the client has them, where the plugin's folder stands for \`mark\`. */
function hooksOf(client: GuardedClient, mark: string): string {
  const launcher = "PAWL-PLUGIN-FOLDER/pawl.mjs";
  const [file] = GUARD_SETUPS[client].files(["node", launcher, "guard"]);
  if (!file || !("entries" in file)) throw new Error(`${client} has no hooks`);
  const hooks: Record<string, unknown[]> = {};
  for (const { path, type, value } of file.entries) if (type === "hook") hooks[path[1] ?? ""] = [value];
  // The plugin is there for every folder: where it cannot start, nothing is blocked.
  const open = (key: string, value: unknown) => {
    if (key === "onFailure") return undefined;
    return typeof value === "string" ? value.replace(LIMITED, "").replace(CLOSED, "") : value;
  };
  const text = JSON.stringify({ hooks }, open, 2);
  return `${text.replaceAll(launcher, `\\"${mark}/pawl.mjs\\"`)}\n`;
}

export interface Command {
  readonly name: string;
  readonly description: string;
  readonly argument: string | null;
  render(value: string): string;
}

/** One for each prompt, and one for each tool of a task that has no prompt. */
async function commandsOf(modules: readonly WorkflowModule[]): Promise<readonly Command[]> {
  const prompts = (await Promise.all(modules.map(({ mcp }) => mcp?.prompts?.() ?? []))).flat();
  const tools = (await Promise.all(modules.map(({ mcp }) => mcp?.tools() ?? []))).flat();
  const named = new Set(prompts.map((prompt) => prompt.name));
  const ofTask = tools.filter((tool) => !named.has(tool.name) && isOfTask(tool));
  return [...prompts.map(fromPrompt), ...ofTask.map(fromTool)];
}

function fromPrompt({ arguments: given, description, name, render }: UserPrompt): Command {
  const argument = given[0]?.name ?? null;
  return { name, description, argument, render: (value) => render(argument ? { [argument]: value } : {}) };
}

function fromTool({ description, name }: Tool): Command {
  return {
    name,
    description: description.split(/(?<=\.)\s/)[0] ?? description,
    argument: "task_id",
    render: (value) =>
      `Call the tool ${name} with task_id "${value}". Follow each prompt that the tools return. Where a human review is asked for, show me what is under review and wait for my decision.`,
  };
}

function isOfTask({ input, name }: Tool): boolean {
  const { required } = z.toJSONSchema(input, { io: "input" });
  return name.endsWith("_task") && required?.join() === "task_id";
}

// ── Each client ──────────────────────────────────────────────────────────────────────────────────────────────────

function claudeCode(commands: readonly Command[]): Readonly<Record<string, string>> {
  const head = ({ argument, description }: Command) =>
    [
      "---",
      `description: ${JSON.stringify(description)}`,
      ...(argument ? [`argument-hint: ${argument}`] : []),
      "---",
    ].join("\n");
  const mark = placeholder("CLAUDE_PLUGIN_ROOT");
  const server = { command: "node", args: [`${mark}/pawl.mjs`, "mcp"] };
  return {
    ".claude-plugin/plugin.json": json({ ...ABOUT, author: AUTHOR, keywords: PACKAGE.keywords }),
    ".mcp.json": json({ mcpServers: { pawl: server } }),
    "hooks/hooks.json": hooksOf("claude-code", mark),
    "agents/reviewer.md": readBeside("reviewer.md"),
    ...Object.fromEntries(
      commands.map((each) => [`commands/${each.name}.md`, `${head(each)}\n\n${each.render("$ARGUMENTS")}\n`]),
    ),
  };
}

/**
 * Codex starts a plugin's server in the project's folder, and tells it nothing of the plugin's: its place in Codex' own cache is
 * the only way to name it. With a \`cwd\` in the plugin the project would be unknown.
 */
function codex(): Readonly<Record<string, string>> {
  const place = `\${CODEX_HOME:-$HOME/.codex}/plugins/cache/pawl/pawl/${version}`;
  const server = {
    command: "sh",
    args: ["-c", `exec node "${place}/pawl.mjs" mcp`],
    env_vars: ["CODEX_HOME"],
    // The first start after an update compiles the program.
    startup_timeout_sec: 60,
    required: true,
  };
  return {
    ".codex-plugin/plugin.json": json({
      ...ABOUT,
      author: AUTHOR,
      keywords: PACKAGE.keywords,
      skills: "./skills/",
      mcpServers: "./.mcp.json",
      hooks: "./hooks/hooks.json",
      interface: {
        displayName: "Pawl",
        shortDescription: SHORT,
        developerName: AUTHOR.name,
        category: "Productivity",
      },
    }),
    ".mcp.json": json({ mcpServers: { pawl: server } }),
    "hooks/hooks.json": hooksOf("codex", placeholder("PLUGIN_ROOT")),
  };
}

function gemini(
  commands: readonly Command[],
  modules: readonly WorkflowModule[],
): Readonly<Record<string, string>> {
  const mark = placeholder("extensionPath");
  const server = { command: "node", args: [`${mark}/pawl.mjs`, "mcp"] };
  const toml = ({ description, render }: Command) =>
    `description = ${JSON.stringify(description)}\nprompt = ${JSON.stringify(render("{{args}}"))}\n`;
  return {
    "gemini-extension.json": json({
      ...{ name, version, description },
      mcpServers: { pawl: server },
      contextFileName: "PAWL.md",
    }),
    "PAWL.md": `# Pawl\n\n${renderInstructions("the folder in which you work", modules)}\n`,
    "hooks/hooks.json": hooksOf("gemini", mark),
    ...Object.fromEntries(commands.map((each) => [`commands/pawl/${each.name}.toml`, toml(each)])),
  };
}

const AGENT_PLUGINS = "https://agent-plugins.org/schemas/1.0.0";

function agentPlugin(): Readonly<Record<string, string>> {
  const server = { type: "stdio", command: "node", args: [`${placeholder("PLUGIN_ROOT")}/pawl.mjs`, "mcp"] };
  return {
    "plugin.json": json({
      $schema: `${AGENT_PLUGINS}/plugin.schema.json`,
      ...ABOUT,
      author: AUTHOR,
      keywords: PACKAGE.keywords,
    }),
    "mcp.json": json({ $schema: `${AGENT_PLUGINS}/mcp.schema.json`, mcpServers: { pawl: server } }),
  };
}

/** As \`pawl init --guard\` writes it into a project that has nothing yet. */
function guardFiles(client: GuardedClient): Readonly<Record<string, string>> {
  const { files, title } = GUARD_SETUPS[client];
  return Object.fromEntries(
    files([...PROJECT_LAUNCH.slice(0, -1), "guard"]).map((file) => {
      const [path] = file.names;
      return [path, putIn({ client, file, name: path, title }, null)];
    }),
  );
}

function antigravity(): Readonly<Record<string, string>> {
  const servers = `${renderEntry(CLIENT_FILES.antigravity, PROJECT_LAUNCH)}\n`;
  return { ...guardFiles("antigravity"), ".agents/mcp_config.json": servers };
}

/** OpenCode loads the folder's `package.json` by its path, and asks the plugin's `config` for all that is not code. */
function openCode(commands: readonly Command[]): Readonly<Record<string, string>> {
  const templates = commands.map((each) => [
    `pawl/${each.name}`,
    { description: each.description, template: each.render("$ARGUMENTS") },
  ]);
  return {
    "package.json": json({
      ...ABOUT,
      ...{ private: true, type: "module", exports: { "./server": "./plugin.mjs" } },
    }),
    "plugin.mjs": readBeside("opencode.mjs"),
    "guard.mjs": openCodePackagedGuard(),
    "commands.json": json(Object.fromEntries(templates)),
  };
}

/** What goes into a project that has Pawl as a package. */
function openCodeProject(): Readonly<Record<string, string>> {
  const guarded = guardFiles("opencode");
  const server = JSON.parse(renderEntry(CLIENT_FILES.opencode, PROJECT_LAUNCH));
  const rules = JSON.parse(guarded["opencode.json"] ?? "{}");
  const config = { $schema: "https://opencode.ai/config.json", ...server, ...rules };
  return { ...guarded, "opencode.json": json(config) };
}

async function mcpb(modules: readonly WorkflowModule[]): Promise<string> {
  const tools = (await Promise.all(modules.map(({ mcp }) => mcp?.tools() ?? []))).flat();
  const main = "program/dist/main.js";
  return json({
    manifest_version: "0.3",
    ...{
      name,
      display_name: "Pawl",
      version,
      description,
      author: AUTHOR,
      license,
      keywords: PACKAGE.keywords,
    },
    server: {
      type: "node",
      entry_point: main,
      mcp_config: {
        command: "node",
        args: [`${placeholder("__dirname")}/${main}`, "--project", placeholder("user_config.project"), "mcp"],
        env: {},
      },
    },
    tools: [
      ...new Map(
        tools.map((tool) => [tool.name, { name: tool.name, description: tool.description }]),
      ).values(),
    ],
    user_config: {
      project: {
        type: "directory",
        title: "Project",
        description: "The folder of the project that Pawl keeps on its workflow.",
        required: true,
      },
    },
    compatibility: { platforms: ["darwin", "linux"], runtimes: { node: PACKAGE.engines.node } },
  });
}

function serverJson(): string {
  return json({
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: mcpName,
    title: "Pawl",
    description: SHORT,
    version,
    packages: [
      {
        registryType: "npm",
        identifier: name,
        version,
        runtimeHint: "npx",
        transport: { type: "stdio" },
        packageArguments: [{ type: "positional", value: "mcp" }],
      },
    ],
  });
}

function marketplaces(): Readonly<Record<string, string>> {
  const codexPlugin = {
    name,
    source: { source: "local", path: "./clients/codex" },
    policy: { installation: "AVAILABLE", authentication: "ON_INSTALL" },
    category: "Productivity",
  };
  return {
    ".claude-plugin/marketplace.json": json({
      name,
      description: SHORT,
      owner: AUTHOR,
      plugins: [{ name, source: "./clients/claude-code", description, version, license }],
    }),
    ".agents/plugins/marketplace.json": json({
      name,
      interface: { displayName: "Pawl" },
      plugins: [codexPlugin],
    }),
  };
}

// ── Links ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a link for Cursor and for VS Code installs: the same entry that \`pawl init --client\` writes. */
export function installLinks(): { readonly cursor: string; readonly vscode: string } {
  const cursor = Buffer.from(JSON.stringify(CLIENT_FILES.cursor.entry(PROJECT_LAUNCH))).toString("base64");
  const vscode = { name, ...CLIENT_FILES.vscode.entry(PROJECT_LAUNCH) };
  return {
    cursor: `cursor://anysphere.cursor-deeplink/mcp/install?name=${name}&config=${encodeURIComponent(cursor)}`,
    vscode: `vscode:mcp/install?${encodeURIComponent(JSON.stringify(vscode))}`,
  };
}

/**
 * How each MCP client finds Pawl: the project's file that it reads, the entry for it, and the command that
 * does the same. Formats: Claude Code `.mcp.json`, Cursor `.cursor/mcp.json`, VS Code `.vscode/mcp.json`
 * (`servers`), OpenCode `opencode.json` (`mcp`, one list as the command), Gemini CLI `.gemini/settings.json`,
 * Antigravity `.agents/mcp_config.json`, Copilot CLI `.github/mcp.json`, and Codex `.codex/config.toml`; the
 * last two read their files only in folders that they trust.
 */
import type { CLIENTS } from "./client-names.ts";

export type ClientName = (typeof CLIENTS)[number];

export interface Client {
  readonly title: string;
  /** Relative to the project's root, in order of preference; an existing file comes first. */
  readonly files: readonly [string, ...string[]];
  readonly format: "json" | "toml";
  /** The path of the entry in the file. */
  readonly path: readonly [string, ...string[]];
  entry(launch: Launch): Readonly<Record<string, unknown>>;
  /** The properties with which a new file begins. */
  readonly head?: Readonly<Record<string, string>>;
  /** What a person should know after connecting it. */
  readonly note?: string;
  /** A command line that connects it, if the client has one. */
  command?(launch: Launch): string;
}

/** The words of the command that starts the server. */
export type Launch = readonly [string, ...string[]];

const commandAndArgs = ([command, ...args]: Launch) => ({ command, args });

export const CLIENT_FILES: Readonly<Record<ClientName, Client>> = {
  "claude-code": {
    title: "Claude Code",
    files: [".mcp.json"],
    format: "json",
    path: ["mcpServers", "pawl"],
    entry: commandAndArgs,
    command: (launch) => `claude mcp add --scope project pawl -- ${launch.join(" ")}`,
  },
  codex: {
    title: "Codex",
    files: [".codex/config.toml"],
    format: "toml",
    path: ["mcp_servers", "pawl"],
    // Codex begins without the tools of a server that takes over a second to start, unless they are required.
    entry: (launch) => ({ ...commandAndArgs(launch), required: true, startup_timeout_sec: 60 }),
    command: (launch) => `codex mcp add pawl -- ${launch.join(" ")}`,
    note: "Codex reads the file only in folders that it trusts.",
  },
  cursor: {
    title: "Cursor",
    files: [".cursor/mcp.json"],
    format: "json",
    path: ["mcpServers", "pawl"],
    entry: commandAndArgs,
  },
  vscode: {
    title: "VS Code",
    files: [".vscode/mcp.json"],
    format: "json",
    path: ["servers", "pawl"],
    entry: (launch) => ({ type: "stdio", ...commandAndArgs(launch) }),
  },
  opencode: {
    title: "OpenCode",
    files: ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"],
    format: "json",
    path: ["mcp", "pawl"],
    // OpenCode adds it to a file that lacks it, and then git would show the file as changed.
    head: { $schema: "https://opencode.ai/config.json" },
    entry: (launch) => ({ type: "local", command: launch, enabled: true }),
  },
  gemini: {
    title: "Gemini CLI",
    files: [".gemini/settings.json"],
    format: "json",
    path: ["mcpServers", "pawl"],
    entry: commandAndArgs,
    command: (launch) => `gemini mcp add --scope project pawl ${launch.join(" ")}`,
  },
  antigravity: {
    title: "Antigravity",
    files: [".agents/mcp_config.json"],
    format: "json",
    path: ["mcpServers", "pawl"],
    entry: commandAndArgs,
  },
  copilot: {
    title: "Copilot CLI",
    files: [".github/mcp.json"],
    format: "json",
    path: ["mcpServers", "pawl"],
    entry: (launch) => ({ type: "local", ...commandAndArgs(launch), tools: ["*"] }),
    note: "It reads the file only in folders that you trust, and for `copilot -p` only with GITHUB_COPILOT_PROMPT_MODE_WORKSPACE_MCP=true.",
  },
};

/** The entry alone, for a person to paste; `spaces` as in JSON.stringify. */
export function renderEntry(client: Client, launch: Launch, spaces = 2): string {
  if (client.format === "toml") return renderToml(client, launch);
  const tree = client.path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), client.entry(launch));
  return JSON.stringify(tree, null, spaces);
}

/** A new file with only the entry. */
export function renderFile(client: Client, launch: Launch): string {
  const entry = renderEntry(client, launch);
  if (client.head === undefined) return `${entry}\n`;
  return `${JSON.stringify({ ...client.head, ...JSON.parse(entry) }, null, 2)}\n`;
}

/** TOML and JSON share the syntax of strings and of lists of strings. */
export function renderToml(client: Client, launch: Launch): string {
  const lines = Object.entries(client.entry(launch)).map(
    ([key, value]) => `${key} = ${JSON.stringify(value).replaceAll('","', '", "')}`,
  );
  return [`[${client.path.join(".")}]`, ...lines].join("\n");
}

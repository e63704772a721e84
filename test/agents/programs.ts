/** The real agents that are driven, each at a version of its own, and how each is pointed at the scripted model. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ACP_PROGRAMS } from "../../src/adapters/agents/dialects/acp-programs.ts";
import { DIALECTS } from "../../src/adapters/agents/setup.ts";
import type { AgentSettings } from "../../src/core/settings.ts";

export interface Program {
  readonly package: string;
  readonly version: string;
  /** Within `node_modules/.bin`. */
  readonly bin: string;
}

const newestOf = (name: string): string => DIALECTS[name]?.newest ?? "";
/** `name`: as the program calls itself. */
export const newestOverAcp = (name: string): string => ACP_PROGRAMS[name]?.newest ?? "";

export const PROGRAMS = {
  claude: { package: "@anthropic-ai/claude-code", version: newestOf("claude"), bin: "claude" },
  codex: { package: "@openai/codex", version: newestOf("codex"), bin: "codex" },
  opencode: { package: "opencode-ai", version: newestOf("opencode"), bin: "opencode" },
  gemini: { package: "@google/gemini-cli", version: newestOf("gemini"), bin: "gemini" },
  "claude-acp": {
    package: "@agentclientprotocol/claude-agent-acp",
    version: newestOverAcp("@agentclientprotocol/claude-agent-acp"),
    bin: "claude-agent-acp",
  },
} as const satisfies Record<string, Program>;

export type ProgramName = keyof typeof PROGRAMS;

export interface Driven {
  readonly name: string;
  readonly program: ProgramName;
  settings(binary: string): AgentSettings;
  /** What it tells of each run. `usd` absent: not always. `limits`: that the model's API says 429. `tokens` absent: it does. */
  readonly tells: { readonly usd?: boolean; readonly limits: boolean; readonly tokens?: false };
  /** The id of a session that it does not have. */
  readonly unknownSession: string;
  /** The environment that points it at the model; files that it needs are written below `home`. */
  environment(home: string, model: string): Readonly<Record<string, string>>;
}

const UNKNOWN = "11111111-1111-4111-8111-111111111111";
const UNKNOWN_OPENCODE = "ses_dff76f066ffekrw7Oeek0pIReI";

const claudeEnvironment = (home: string, model: string) => ({
  ANTHROPIC_BASE_URL: model,
  ANTHROPIC_API_KEY: "dummy",
  CLAUDE_CONFIG_DIR: join(home, "claude"),
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  CLAUDE_CODE_MAX_RETRIES: "0",
  DISABLE_AUTOUPDATER: "1",
});

export function codexEnvironment(home: string, model: string) {
  const folder = join(home, "codex");
  mkdirSync(folder, { recursive: true });
  const config = [
    'model = "scripted"',
    'model_provider = "scripted"',
    // Without these it asks chatgpt.com and github.com for plugins, apps and updates, and tells how it is used.
    "check_for_update_on_startup = false",
    "analytics = { enabled = false }",
    "features = { apps = false, plugins = false }",
    "[model_providers.scripted]",
    'name = "scripted"',
    `base_url = "${model}/v1"`,
    'env_key = "OPENAI_API_KEY"',
    'wire_api = "responses"',
    "request_max_retries = 0",
    "stream_max_retries = 0",
  ];
  writeFileSync(join(folder, "config.toml"), `${config.join("\n")}\n`);
  return { CODEX_HOME: folder, OPENAI_API_KEY: "dummy" };
}

/** Where this stands already, it asks no registry for it. */
export function opencodePlugin(folder: string): void {
  const dependencies = { "@opencode-ai/plugin": PROGRAMS.opencode.version };
  const plugin = { name: "@opencode-ai/plugin", version: PROGRAMS.opencode.version };
  mkdirSync(join(folder, "node_modules", plugin.name), { recursive: true });
  const write = (name: string, data: unknown) => writeFileSync(join(folder, name), JSON.stringify(data));
  write("package.json", { dependencies });
  const packages = { "": { dependencies }, [`node_modules/${plugin.name}`]: plugin };
  write("package-lock.json", { lockfileVersion: 3, packages });
  write(`node_modules/${plugin.name}/package.json`, plugin);
}

function opencodeEnvironment(home: string, model: string) {
  opencodePlugin(join(home, ".config/opencode"));
  const scripted = {
    npm: "@ai-sdk/openai-compatible",
    name: "scripted",
    options: { baseURL: `${model}/v1`, apiKey: "dummy" },
    // Without a limit it says over ACP nothing of what it cost.
    models: {
      scripted: {
        name: "scripted",
        cost: { input: 1, output: 2 },
        limit: { context: 100_000, output: 8000 },
      },
    },
  };
  const config = { provider: { scripted }, model: "scripted/scripted", autoupdate: false, share: "disabled" };
  return {
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  };
}

function geminiEnvironment(home: string, model: string) {
  mkdirSync(join(home, ".gemini"), { recursive: true });
  const settings = {
    security: { auth: { selectedType: "gemini-api-key" } },
    general: { enableAutoUpdate: false, disableAutoUpdate: true, maxAttempts: 1 },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    // After thirty turns it would ask the model, again and again, whether it goes round in circles.
    model: { disableLoopDetection: true },
  };
  writeFileSync(join(home, ".gemini/settings.json"), JSON.stringify(settings));
  return { GOOGLE_GEMINI_BASE_URL: model, GEMINI_API_KEY: "dummy" };
}

/** Its automatic choice of a model asks a model of its own. */
export const GEMINI_MODEL = "gemini-2.5-flash";

export const DRIVEN: readonly Driven[] = [
  {
    name: "claude",
    program: "claude",
    settings: (program) => ({ program }),
    tells: { usd: true, limits: true },
    unknownSession: UNKNOWN,
    environment: claudeEnvironment,
  },
  {
    name: "codex",
    program: "codex",
    settings: (program) => ({ program }),
    tells: { usd: false, limits: true },
    unknownSession: UNKNOWN,
    environment: codexEnvironment,
  },
  {
    name: "opencode",
    program: "opencode",
    settings: (program) => ({ program }),
    tells: { usd: true, limits: true },
    unknownSession: UNKNOWN_OPENCODE,
    environment: opencodeEnvironment,
  },
  {
    name: "gemini",
    program: "gemini",
    settings: (program) => ({ program, model: GEMINI_MODEL }),
    tells: { usd: false, limits: true },
    unknownSession: UNKNOWN,
    environment: geminiEnvironment,
  },
  {
    name: "opencode-acp",
    program: "opencode",
    settings: (command) => ({ acp: { command, args: ["acp"] }, environment: ["OPENCODE_*"] }),
    // Its tokens are those of its last call.
    tells: { limits: false, tokens: false },
    unknownSession: UNKNOWN_OPENCODE,
    environment: opencodeEnvironment,
  },
  {
    name: "claude-acp",
    program: "claude-acp",
    settings: (command) => ({
      acp: { command },
      environment: ["ANTHROPIC_*", "CLAUDE_*", "DISABLE_AUTOUPDATER"],
    }),
    // Dollars at the end of a turn alone.
    tells: { limits: false },
    unknownSession: UNKNOWN,
    environment: claudeEnvironment,
  },
];

/** These are driven everywhere; the others where they are named, or all by `all`. */
export const USUAL: readonly string[] = ["claude", "codex"];

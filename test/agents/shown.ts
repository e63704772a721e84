/**
 * Writes `src/surfaces/mcp/shown.json`: which part of a tool's answer the real clients show their model.
 *
 *   node test/agents/shown.ts [NAME…]
 *
 * Installs the newest version of each, connects it to `shown-server.ts`, lets the scripted model call its tool, and looks for the
 * words of either part in what the model is asked next. A version that shows what the row's versions showed widens the row; one
 * that shows something else begins a row of its own.
 */
import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { compareVersions, type Part, SHOWN, type Shown } from "../../src/surfaces/mcp/answer.ts";
import { installInto } from "../rig/install.ts";
import { type ModelServer, openModelServer } from "../rig/model/server.ts";
import { freshFolder } from "./agent-project.ts";
import { openGuard } from "./guard.ts";
import { DRIVEN, GEMINI_MODEL, opencodePlugin } from "./programs.ts";

const TABLE = resolve(import.meta.dirname, "../../src/surfaces/mcp/shown.json");
const SERVER = resolve(import.meta.dirname, "shown-server.ts");
const LIMIT = 120_000;

interface ClientSetup {
  readonly root: string;
  readonly home: string;
  /** The command line of the server. */
  readonly server: readonly string[];
  readonly model: ModelServer;
}

interface Client {
  readonly package: string;
  readonly bin: string;
  /** Writes what the client must find, and returns its environment. */
  prepare(place: ClientSetup): Readonly<Record<string, string>>;
  readonly args: readonly string[];
  /** What it calls the tool, where that is another name. */
  readonly tool?: string;
  /** What its model must do before it has the tool. */
  readonly before?: string;
}

const write = (path: string, value: unknown) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
};

const environmentOf = (name: string, { home, model }: ClientSetup) =>
  DRIVEN.find((driven) => driven.name === name)?.environment(home, model.url) ?? {};

function entryOf([command, ...args]: readonly string[]) {
  return { command, args };
}

const CLIENTS: Readonly<Record<string, Client>> = {
  claude: {
    package: "@anthropic-ai/claude-code",
    bin: "claude",
    prepare(place) {
      write(join(place.root, ".mcp.json"), { mcpServers: { shown: entryOf(place.server) } });
      return environmentOf("claude", place);
    },
    args: ["-p", "--mcp-config", ".mcp.json", "--allowedTools", "mcp__shown__*"],
    // It offers tools of servers only once they were searched for.
    before: 'CALL: ToolSearch {"query":"select:mcp__shown__tell_words"}',
  },
  codex: {
    package: "@openai/codex",
    bin: "codex",
    prepare(place) {
      const environment = environmentOf("codex", place);
      const { args, command } = entryOf(place.server);
      const lines = [
        "[mcp_servers.shown]",
        `command = ${JSON.stringify(command)}`,
        `args = ${JSON.stringify(args)}`,
      ];
      const file = join(place.home, "codex/config.toml");
      writeFileSync(file, `${readFileSync(file, "utf8")}${lines.join("\n")}\n`);
      return environment;
    },
    args: ["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-"],
  },
  opencode: {
    package: "opencode-ai",
    bin: "opencode",
    prepare(place) {
      const mcp = { shown: { type: "local", command: place.server } };
      write(join(place.root, "opencode.json"), { mcp });
      opencodePlugin(join(place.root, ".opencode"));
      return environmentOf("opencode", place);
    },
    args: ["run", "--format", "json"],
  },
  gemini: {
    package: "@google/gemini-cli",
    bin: "gemini",
    prepare(place) {
      const environment = environmentOf("gemini", place);
      write(join(place.root, ".gemini/settings.json"), { mcpServers: { shown: entryOf(place.server) } });
      write(join(place.home, ".gemini/trustedFolders.json"), { [place.root]: "TRUST_FOLDER" });
      return environment;
    },
    args: ["-o", "json", "--approval-mode", "yolo", "-m", GEMINI_MODEL],
  },
  copilot: {
    package: "@github/copilot",
    bin: "copilot",
    prepare(place) {
      const shown = { type: "local", ...entryOf(place.server), tools: ["*"] };
      write(join(place.home, ".copilot/mcp-config.json"), { mcpServers: { shown } });
      return {
        COPILOT_OFFLINE: "true",
        COPILOT_PROVIDER_BASE_URL: `${place.model.url}/v1`,
        COPILOT_PROVIDER_API_KEY: "dummy",
        COPILOT_MODEL: "scripted",
      };
    },
    args: ["--allow-all-tools", "--no-color"],
    tool: "shown-tell_words",
  },
};

interface ShownPart {
  readonly client: string;
  readonly version: string;
  readonly shows: Part;
}

/** Throws where the client does not come as far as to show its model an answer. */
async function look(client: Client, binary: string): Promise<ShownPart> {
  const model = await openModelServer();
  const guard = await openGuard();
  const [root, home] = ["shown", "home"].map(freshFolder) as [string, string];
  try {
    const [text, data] = [`text-${randomUUID()}`, `data-${randomUUID()}`];
    const file = join(home, "client.json");
    const server = [process.execPath, SERVER, file, text, data];
    execFileSync("git", ["init", "-q"], { cwd: root });
    const own = client.prepare({ root, home, server, model });
    const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
    const env = { PATH, HOME: home, LANG: "C.UTF-8", ...own, ...guard.environment };
    const call = `CALL: ${client.tool ?? "tell_words"} {"which":"all"}`;
    const prompt = ["Begin.", client.before ?? "", call, "SAY: told"].join("\n");
    const said = await run(binary, client.args, prompt, { cwd: root, env });
    const asked = JSON.stringify(model.asked.map((one) => one.said));
    const has = { text: asked.includes(text), data: asked.includes(data) };
    if (!existsSync(file) || !(has.text || has.data))
      throw new Error(`no words were shown:\n${said.slice(-3000)}`);
    const { name, version } = JSON.parse(readFileSync(file, "utf8"));
    return { client: name, version, shows: has.text && has.data ? "both" : has.text ? "text" : "data" };
  } finally {
    await Promise.all([model.close(), guard.close()]);
    for (const folder of [root, home]) rmSync(folder, { recursive: true, force: true });
  }
}

function run(
  program: string,
  args: readonly string[],
  input: string,
  where: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<string> {
  const child = spawn(program, [...args], {
    ...where,
    timeout: LIMIT,
    killSignal: "SIGKILL",
  });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const texts: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text) => void texts.push(String(text)));
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", () => done(texts.join("")));
  });
}

/** The table with what was seen: its row is widened, or a new one begins. */
function withSeen(rows: readonly Shown[], { client, version, shows }: ShownPart): readonly Shown[] {
  const covers = (row: Shown) =>
    compareVersions(row.from, version) <= 0 && compareVersions(version, row.to) <= 0;
  const others = rows.filter((row) => row.client !== client);
  const own = rows.filter((row) => row.client === client);
  const wrong = own.find((row) => covers(row) && row.shows !== shows);
  if (wrong) throw new Error(`${client} ${version} shows ${shows}, and the table says ${wrong.shows}`);
  const newest = own.at(-1);
  if (newest === undefined || (newest.shows !== shows && compareVersions(newest.to, version) < 0))
    own.push({ client, from: version, to: version, shows });
  else if (compareVersions(newest.to, version) < 0) own.splice(-1, 1, { ...newest, to: version });
  return [...others, ...own].sort((one, other) =>
    one.client < other.client ? -1 : one.client > other.client ? 1 : 0,
  );
}

const names = process.argv.slice(2);
let rows = SHOWN;
for (const [name, client] of Object.entries(CLIENTS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const version = execFileSync("npm", ["view", client.package, "version"], { encoding: "utf8" }).trim();
  try {
    const modules = installInto(`agents/${name}`, { package: client.package, version });
    const seen = await look(client, join(modules, ".bin", client.bin));
    rows = withSeen(rows, seen);
    process.stdout.write(
      `ok    ${client.package} ${version}: ${seen.client} ${seen.version} shows ${seen.shows}\n`,
    );
  } catch (thrown) {
    process.stdout.write(
      `FAIL  ${client.package} ${version}: ${thrown instanceof Error ? thrown.message : thrown}\n`,
    );
    process.exitCode = 1;
  }
}
writeFileSync(TABLE, `[\n${rows.map((row) => `  ${JSON.stringify(row)}`).join(",\n")}\n]\n`);
execFileSync("npx", ["biome", "format", "--write", TABLE], { stdio: ["ignore", "ignore", "inherit"] });

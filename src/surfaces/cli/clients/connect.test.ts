import { parse } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { PawlError } from "../../../core/error.ts";
import { CLIENTS } from "./client-names.ts";
import { CLIENT_FILES, type ClientName, type Launch, renderEntry } from "./clients.ts";
import { connect } from "./connect.ts";
import { disconnect } from "./disconnect.ts";

const LAUNCH: Launch = ["npx", "-y", "pawl", "mcp"];
const COMMAND = { command: "npx", args: ["-y", "pawl", "mcp"] };

/** Adds the entry to a client's file with that text. */
function add(name: ClientName, text: string | null): string | null {
  const client = CLIENT_FILES[name];
  return connect(client, LAUNCH, client.files[0], text);
}

const read = (name: ClientName, text: string | null): unknown =>
  name === "codex" ? parseToml(text ?? "") : parse(text ?? "", [], { allowTrailingComma: true });

const EXPECTED: Readonly<Record<ClientName, unknown>> = {
  "claude-code": { mcpServers: { pawl: COMMAND } },
  codex: { mcp_servers: { pawl: { ...COMMAND, required: true, startup_timeout_sec: 60 } } },
  cursor: { mcpServers: { pawl: COMMAND } },
  vscode: { servers: { pawl: { type: "stdio", ...COMMAND } } },
  opencode: { mcp: { pawl: { type: "local", command: [...LAUNCH], enabled: true } } },
  gemini: { mcpServers: { pawl: COMMAND } },
  antigravity: { mcpServers: { pawl: COMMAND } },
  copilot: { mcpServers: { pawl: { type: "local", ...COMMAND, tools: ["*"] } } },
};

describe.each(CLIENTS)("the configuration of %s", (name) => {
  it("is made if there is none, and if it is empty", () => {
    const whole = { ...CLIENT_FILES[name].head, ...(EXPECTED[name] as object) };
    expect(read(name, add(name, null))).toEqual(whole);
    expect(read(name, add(name, "\n"))).toEqual(whole);
    expect(read(name, renderEntry(CLIENT_FILES[name], LAUNCH, 0))).toEqual(EXPECTED[name]);
  });

  it("is left as it is if it names Pawl already, however it does so", () => {
    const once = add(name, null);
    expect(add(name, once)).toBeNull();
    expect(add(name, (once ?? "").replace("npx", "/opt/pawl"))).toBeNull();
  });
});

it("OpenCode's begins with the schema that OpenCode would write into it, and nothing of it is left afterwards", () => {
  const client = CLIENT_FILES.opencode;
  const [file] = client.files;
  const made = add("opencode", null) ?? "";
  expect(Object.keys(JSON.parse(made))).toEqual(["$schema", "mcp"]);
  expect(disconnect(client, LAUNCH, file, made)).toBeNull();
  const others = made.replace("opencode.ai", "example.com");
  expect(disconnect(client, LAUNCH, file, others)).toContain("example.com");
});

describe("a client's JSON", () => {
  const GROWN = `{
    // our servers
    "mcpServers": {
        "other": { "command": "other", "args": [] }, // keep
    },
    "theme": "dark"
}
`;

  it("keeps its comments, order, indent and other servers", () => {
    const after = add("gemini", GROWN) ?? "";
    expect(after).toContain("// our servers");
    expect(after).toContain('"other": { "command": "other", "args": [] }');
    expect(after).toContain("// keep");
    expect(after).toMatch(/\n {8}"pawl": \{\n {12}"command": "npx",/);
    expect(read("gemini", after)).toEqual({
      mcpServers: { other: { command: "other", args: [] }, pawl: COMMAND },
      theme: "dark",
    });
  });

  it("keeps its line ends, its tabs and its BOM", () => {
    const after = add("cursor", '\uFEFF{\r\n\t"mcpServers": {}\r\n}\r\n') ?? "";
    expect(after.startsWith("\uFEFF{\r\n")).toBe(true);
    expect(after.replaceAll("\r\n", "")).not.toContain("\n");
    expect(after).toContain('\r\n\t\t"pawl": {');
  });

  it.each([
    ['{ "mcpServers": { ', ".cursor/mcp.json:1:19"],
    ['{\n  "mcpServers" {}\n}', ".cursor/mcp.json:2:16"],
    ["[]", ".cursor/mcp.json"],
    ['{ "mcpServers": [] }', ".cursor/mcp.json"],
    ['{ "mcpServers": "none" }', ".cursor/mcp.json"],
  ])("is refused with its place if it cannot be read: %j", (text, place) => {
    expect(() => add("cursor", text)).toThrow(PawlError);
    expect(() => add("cursor", text)).toThrow(place);
  });
});

describe("Codex's TOML", () => {
  it("keeps all that is there, and gets a table at its end", () => {
    const before = '# mine\nmodel = "o9"\n\n[mcp_servers.other]\ncommand = "other" # keep';
    const after = add("codex", before) ?? "";
    const entry =
      'command = "npx"\nargs = ["-y", "pawl", "mcp"]\nrequired = true\nstartup_timeout_sec = 60\n';
    expect(after).toBe(`${before}\n[mcp_servers.pawl]\n${entry}`);
  });

  it("is refused if the servers are written in one line, to which no table can be added", () => {
    expect(() => add("codex", 'mcp_servers = { other = { command = "other" } }\n')).toThrow("config.toml");
  });

  it("is refused with its place if it cannot be read", () => {
    expect(() => add("codex", "a = 1\nb = = 2\n")).toThrow(".codex/config.toml:2:");
  });
});

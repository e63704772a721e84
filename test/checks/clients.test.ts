/** The packages for clients: what is committed, what the links in docs/clients.md install, and the forms that clients prescribe. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { installLinks, PROJECT_LAUNCH, placeholder, renderClients } from "../../scripts/clients/render.ts";
import { WORKFLOWS } from "../../src/workflows/index.ts";
import { promise } from "../rig/promise.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const data = (path: string) => JSON.parse(read(path));
const PACKAGE = data("package.json");
const PLUGINS = ["claude-code", "codex", "gemini", "agent-plugin", "opencode"];

function committed(): readonly string[] {
  const inside = readdirSync(join(ROOT, "clients"), { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map(({ name, parentPath }) => join(parentPath, name).slice(ROOT.length + 1));
  return [...inside, ".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json"].sort();
}

describe("the packages for clients", () => {
  it("are what their one source gives: run `npm run build:clients` after a change", async () => {
    promise("clients.one-source");
    const files = await renderClients();
    expect(files.size).toBeGreaterThan(60);
    expect(committed()).toEqual([...files.keys()].sort());
    for (const [path, text] of files) expect(read(path), path).toBe(text);
  });

  it("have one version and one name, the package's", () => {
    promise("clients.one-source");
    const manifests = [
      "clients/claude-code/.claude-plugin/plugin.json",
      "clients/codex/.codex-plugin/plugin.json",
      "clients/gemini/gemini-extension.json",
      "clients/agent-plugin/plugin.json",
      "clients/opencode/package.json",
      "clients/mcpb/manifest.json",
    ];
    for (const path of manifests)
      expect(data(path), path).toMatchObject({ name: PACKAGE.name, version: PACKAGE.version });
    const { name, packages, version } = data("clients/registry/server.json");
    expect([name, version]).toEqual([PACKAGE.mcpName, PACKAGE.version]);
    expect(packages).toMatchObject([{ identifier: PACKAGE.name, version: PACKAGE.version }]);
  });

  it("start no package that npx would fetch, and name no path of a machine", () => {
    promise("clients.own-program");
    for (const path of committed()) {
      const text = read(path);
      expect(text, path).not.toMatch(/npx (?:-y|--yes)|"-y"|"--yes"/);
      expect(text, path).not.toMatch(/"(?:\/home|\/root|\/Users|\/usr)\//);
    }
  });

  it("have a command for each prompt, and for each tool that leads a task", async () => {
    promise("clients.one-source");
    const names = readdirSync(join(ROOT, "clients/claude-code/commands"));
    for (const load of Object.values(WORKFLOWS))
      for (const prompt of (await (await load()).mcp?.prompts?.()) ?? [])
        expect(names).toContain(`${prompt.name}.md`);
    for (const tool of ["plan_task", "implement_task", "review_task", "test_task", "finalize_task"])
      expect(names).toContain(`${tool}.md`);
  });

  it("teach each workflow by a skill whose head keeps to Agent Skills", () => {
    promise("clients.one-source");
    const wanted = ["pawl", ...Object.keys(WORKFLOWS).map((name) => `pawl-${name}`)].sort();
    for (const plugin of PLUGINS) {
      const folder = join("clients", plugin, "skills");
      expect(readdirSync(join(ROOT, folder)).sort()).toEqual(wanted);
      for (const name of wanted) {
        const [, head = "", body = ""] =
          /^---\n(.*?)\n---\n(.*)$/s.exec(read(join(folder, name, "SKILL.md"))) ?? [];
        const { description, ...more } = parseYaml(head);
        expect(more).toEqual({ name, license: "MIT" });
        expect(description.length).toBeGreaterThan(40);
        expect(description.length).toBeLessThanOrEqual(1024);
        expect(body.split("\n").length).toBeLessThan(500);
        expect(body).toContain("pawl ");
      }
    }
  });

  it("add to OpenCode's configuration, if what a person says of the same name counts", async () => {
    promise("clients.one-source");
    const folder = join(ROOT, "clients/opencode");
    const { exports } = data("clients/opencode/package.json");
    const { id, server } = (await import(join(folder, exports["./server"]))).default;
    const hooks = await server({ directory: ROOT, worktree: ROOT });
    const fresh: Record<string, Record<string, unknown>> = {};
    await hooks.config(fresh);
    const command = ["node", join(folder, "pawl.mjs"), "mcp"];
    expect(id).toBe("pawl");
    expect(fresh.mcp).toEqual({ pawl: { type: "local", command, enabled: true } });
    expect(fresh.skills).toEqual({ paths: [join(folder, "skills")] });
    expect(Object.keys(fresh.command ?? {})).toEqual(
      expect.arrayContaining(["pawl/accio", "pawl/start_task"]),
    );
    const own = {
      mcp: { pawl: { enabled: false }, other: {} },
      command: { "pawl/accio": { template: "mine" } },
      skills: { paths: ["/mine"], urls: ["https://example.org"] },
    };
    const config = structuredClone(own);
    await hooks.config(config);
    expect(config.mcp).toEqual(own.mcp);
    expect(config.command["pawl/accio"]).toEqual(own.command["pawl/accio"]);
    expect(config.skills).toEqual({ ...own.skills, paths: ["/mine", join(folder, "skills")] });
  });

  it("keep to the closed form of Agent Plugins 1.0", () => {
    promise("clients.one-source");
    const schemas = "https://agent-plugins.org/schemas/1.0.0";
    const { $schema, author, ...manifest } = data("clients/agent-plugin/plugin.json");
    expect($schema).toBe(`${schemas}/plugin.schema.json`);
    expect(Object.keys(author)).toEqual(["name"]);
    expect(Object.keys(manifest).sort()).toEqual(["description", "keywords", "license", "name", "version"]);
    expect(data("clients/agent-plugin/mcp.json")).toEqual({
      $schema: `${schemas}/mcp.schema.json`,
      mcpServers: {
        pawl: { type: "stdio", command: "node", args: [`${placeholder("PLUGIN_ROOT")}/pawl.mjs`, "mcp"] },
      },
    });
  });
});

describe("the registry's description", () => {
  // As its schema of 2025-12-11 bounds them.
  it("keeps to the lengths and the names that the registry takes", () => {
    promise("clients.one-source");
    const { $schema, description, name, packages, title, version, ...more } = data(
      "clients/registry/server.json",
    );
    expect($schema).toBe("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json");
    expect(more).toEqual({});
    expect(name).toMatch(/^[a-zA-Z0-9.-]{1,99}\/[a-zA-Z0-9._-]{1,99}$/);
    for (const words of [title, description]) expect(words).toMatch(/^.{1,100}$/);
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
    expect(Object.keys(packages[0]).sort()).toEqual([
      ...["identifier", "packageArguments", "registryType", "runtimeHint", "transport", "version"],
    ]);
    expect(packages[0].packageArguments).toEqual([{ type: "positional", value: "mcp" }]);
  });
});

describe("the links of the page on clients", () => {
  it("install in Cursor and VS Code the entry that `pawl init --client` writes", () => {
    promise("clients.one-source");
    const page = read("docs/clients.md");
    const [command, ...args] = PROJECT_LAUNCH;
    const links = installLinks();
    expect(page).toContain(links.cursor);
    expect(page).toContain(links.vscode);
    const cursor = new URL(links.cursor).searchParams;
    expect(cursor.get("name")).toBe("pawl");
    expect(JSON.parse(Buffer.from(cursor.get("config") ?? "", "base64").toString())).toEqual({
      command,
      args,
    });
    const vscode = decodeURIComponent(links.vscode.replace("vscode:mcp/install?", ""));
    expect(JSON.parse(vscode)).toEqual({ name: "pawl", type: "stdio", command, args });
  });
});

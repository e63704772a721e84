/** What a person installs in one step: the bundles unpacked and started, with no `pawl` on the PATH. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bundles, buildBundles } from "../scripts/build-bundles.ts";
import { placeholder } from "../scripts/clients/render.ts";
import { promise } from "./rig/promise.ts";

const PATH = [dirname(process.execPath), "/usr/bin", "/bin"].join(":");

let base: string;
let bundles: Bundles;
let project: string;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "pawl-bundles-"));
  bundles = buildBundles(join(base, "bundles"));
  project = join(base, "project");
  mkdirSync(join(project, ".git"), { recursive: true });
}, 240_000);
afterAll(() => rmSync(base, { recursive: true, force: true }));

const HELLO = {
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "a test", version: "1" } },
};

function start(words: readonly string[], { cwd = project } = {}) {
  const env = { PATH, HOME: base };
  return spawnSync(process.execPath, words, {
    cwd,
    env,
    input: `${JSON.stringify(HELLO)}\n`,
    encoding: "utf8",
  });
}

function instructionsOf({ stdout }: { readonly stdout: string }): string {
  return JSON.parse(stdout.split("\n")[0] ?? "").result.instructions;
}

describe("a bundle", () => {
  it("for a client's list of plugins starts its own program, wherever the client copies it, and writes nothing", () => {
    promise("clients.own-program");
    for (const plugin of ["claude-code", "codex", "gemini", "agent-plugin", "opencode"]) {
      const copied = join(base, "copied", plugin);
      cpSync(join(bundles.marketplace, "clients", plugin), copied, { recursive: true });
      const ran = start([join(copied, "pawl.mjs"), "mcp"]);
      expect(instructionsOf(ran), ran.stderr).toContain(`Project: ${project}`);
      expect(ran.status).toBe(0);
    }
    expect(readdirSync(project)).toEqual([".git"]);
  });

  it("takes no plugin's folder for a project, if the client names none", () => {
    promise("clients.own-program");
    const folder = join(bundles.marketplace, "clients/agent-plugin");
    const before = readdirSync(folder);
    const ran = start(["pawl.mjs", "mcp"], { cwd: folder });
    expect([ran.stdout, ran.status]).toEqual(["", 2]);
    expect(ran.stderr).toContain("$PAWL_PROJECT");
    expect(readdirSync(folder)).toEqual(before);
  });

  it("for OpenCode guards a project of Pawl's, and says nothing elsewhere", async () => {
    promise("clients.own-program");
    const folder = join(bundles.marketplace, "clients/opencode");
    const { default: plugin } = await import(join(folder, "plugin.mjs"));
    const kept = join(base, "kept");
    mkdirSync(join(kept, ".git"), { recursive: true });
    writeFileSync(join(kept, "pawl.yaml"), "{}\n");
    const use = async (root: string, tool: string) => {
      const hooks = await plugin.server({ directory: root, worktree: root });
      const call = { tool, sessionID: "s", callID: "c" };
      await hooks["tool.execute.before"](call, { args: { filePath: join(root, "pawl.yaml"), content: "" } });
    };
    await expect(use(kept, "write")).rejects.toThrow("pawl.yaml");
    await expect(use(kept, "read")).resolves.toBeUndefined();
    await expect(use(project, "write")).resolves.toBeUndefined();
    expect(readdirSync(project)).toEqual([".git"]);
  });

  it("for desktops is unpacked by others, and starts as its manifest says, in the project that a person chose", () => {
    promise("clients.own-program");
    const folder = join(base, "unpacked");
    execFileSync("unzip", ["-q", bundles.mcpb, "-d", folder]);
    const { server } = JSON.parse(execFileSync("cat", [join(folder, "manifest.json")], { encoding: "utf8" }));
    expect(existsSync(join(folder, server.entry_point))).toBe(true);
    const words = server.mcp_config.args.map((word: string) =>
      word.replace(placeholder("__dirname"), folder).replace(placeholder("user_config.project"), project),
    );
    const ran = start(words, { cwd: base });
    expect(instructionsOf(ran), ran.stderr).toContain(`Project: ${project}`);
  });
});

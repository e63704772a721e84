/**
 * The package as npm makes it, installed in an empty folder and used with each Node that it supports, from the
 * registry's own packages of Node.
 *
 *   node test/nodes/run.ts [VERSION…]
 */
import { strict as assert } from "node:assert";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { installInto } from "../rig/install.ts";
import { end } from "../rig/project.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const VERSIONS = ["22.23.3", "24.21.0", "26.10.0"];
const PATIENCE = 120_000;

/** Node's file of that version. */
function nodeOf(version: string): string {
  const system = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${system}-${process.arch}`;
  return join(installInto("nodes/node", { package: name, version }), name, "bin/node");
}

/** An empty folder with the package in it, as a user would have it. */
function installPackage(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-nodes-")));
  const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const [packed] = JSON.parse(
    execFileSync("npm", pack, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
  );
  writeFileSync(join(folder, "package.json"), '{"private":true}\n');
  const options = ["--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline"];
  execFileSync("npm", ["install", ...options, `./${packed.filename}`], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
    timeout: PATIENCE,
  });
  return folder;
}

/** Sets a project up, proves the tables, speaks MCP, and looks at the status. Throws where one fails. */
async function prove(node: string, folder: string, project: string): Promise<string> {
  mkdirSync(join(project, ".git"), { recursive: true });
  const program = join(folder, "node_modules/pawl/dist/main.js");
  const env = { PATH: process.env.PATH ?? "", HOME: project };
  const run = async (...args: readonly string[]) => {
    const ended = await end(
      spawn(node, [program, ...args], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] }),
    );
    assert.deepEqual([ended.code, ended.err], [0, ""], `pawl ${args.join(" ")}: ${ended.out}${ended.err}`);
    return ended.out;
  };
  await run("init", "--client", "claude-code");
  await run("check");
  const client = new Client({ name: "nodes", version: "0" });
  await client.connect(
    new StdioClientTransport({ command: node, args: [program, "mcp"], cwd: project, env, stderr: "inherit" }),
  );
  const { tools } = await client.listTools();
  await client.callTool({ name: "initialize_project", arguments: { provider: "local" } });
  await client.close();
  assert.ok(tools.length > 10, `${tools.length} tools`);
  await run("status");
  JSON.parse(await run("status", "--json"));
  return `init, check, ${tools.length} tools over MCP, status`;
}

async function main(): Promise<number> {
  const named = process.argv.slice(2);
  const folder = installPackage();
  let failed = 0;
  try {
    for (const version of named.length > 0 ? named : VERSIONS) {
      try {
        const node = nodeOf(version);
        const found = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
        assert.equal(found, `v${version}`);
        process.stdout.write(
          `ok    Node ${version}: ${await prove(node, folder, join(folder, `with-${version}`))}\n`,
        );
      } catch (thrown) {
        failed += 1;
        process.stdout.write(
          `FAIL  Node ${version}: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`,
        );
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();

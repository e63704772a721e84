/**
 * The package as npm makes it, installed in an empty folder and used with each Node that it supports, from the
 * registry's own packages of Node; and every command of the documentation's pages, typed by a person with that Node.
 *
 *   node test/nodes/run.ts [VERSION…] [--package-only]
 */
import { strict as assert } from "node:assert";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
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

/** Bundles the example with the library into one file, by each of these, and runs it with nothing beside but the native part. */
async function proveBundles(node: string, folder: string, project: string): Promise<string> {
  const source = join(folder, "release.js");
  const text = stripTypeScriptTypes(readFileSync(join(ROOT, "examples/release.ts"), "utf8"));
  const rest = text.lastIndexOf(" from ");
  const body = text.indexOf("\n", rest);
  // rollup puts what is imported later behind the program: an await at its top would never end.
  writeFileSync(source, `${text.slice(0, body)}\nasync function main() {${text.slice(body)}}\nmain();\n`);
  const [rollup, resolver] = [
    installInto("nodes/rollup", { package: "rollup", version: "4.68.8" }),
    installInto("nodes/resolver", { package: "@rollup/plugin-node-resolve", version: "16.0.3" }),
  ];
  const bundlers: Readonly<Record<string, (out: string) => readonly string[]>> = {
    esbuild: (out) => [
      join(ROOT, "node_modules/esbuild/bin/esbuild"),
      ...[source, "--bundle", "--format=esm", "--platform=node", `--outfile=${out}`, "--log-level=error"],
    ],
    rollup: (out) => [
      process.execPath,
      join(rollup, "rollup/dist/bin/rollup"),
      ...["-i", source, "-o", out, "-f", "es", "--inlineDynamicImports", "--silent"],
      ...["-p", `${join(resolver, "@rollup/plugin-node-resolve/dist/es/index.js")}={preferBuiltins:true}`],
      ...["-e", "/^node:/"],
    ],
  };
  for (const [name, commandOf] of Object.entries(bundlers)) {
    const out = join(folder, "bundles", name, "release.mjs");
    const [program = "", ...args] = commandOf(out);
    execFileSync(program, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"], timeout: PATIENCE });
    const root = join(project, name);
    mkdirSync(root);
    const released = execFileSync(node, [out, root], { encoding: "utf8" });
    assert.equal(released, "It was drafted.\nYes.\n\nIt is out.\n", name);
  }
  return `the library in one file, by ${Object.keys(bundlers).join(" and ")}`;
}

interface PageResult {
  readonly status: string;
  readonly title: string;
  readonly failureMessages: readonly string[];
}

/** Runs every block of every page. Throws with what a page's commands said where one fails. */
async function provePages(node: string, folder: string): Promise<string> {
  const results = join(folder, "pages.json");
  const words = ["run", "--project", "stories", "test/docs-run.story.test.ts"];
  const report = ["--reporter=json", `--outputFile=${results}`];
  const ended = await end(
    spawn(node, [join(ROOT, "node_modules/vitest/vitest.mjs"), ...words, ...report], {
      cwd: ROOT,
      env: { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) },
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );
  const { testResults } = JSON.parse(readFileSync(results, "utf8"));
  const pages: readonly PageResult[] = testResults.flatMap(
    ({ assertionResults }: { readonly assertionResults: readonly PageResult[] }) => assertionResults,
  );
  const failed = pages.filter(({ status }) => status !== "passed");
  const why = failed.map(({ failureMessages, title }) => `${title}\n${failureMessages.join("\n")}`);
  assert.ok(pages.length > 10 && ended.code === 0, why.join("\n") || ended.err);
  return `the commands of ${pages.length - failed.length} pages`;
}

async function main(): Promise<number> {
  const isPackageOnly = process.argv.includes("--package-only");
  const named = process.argv.slice(2).filter((word) => !word.startsWith("--"));
  const folder = installPackage();
  let failed = 0;
  try {
    for (const version of named.length > 0 ? named : VERSIONS) {
      try {
        const node = nodeOf(version);
        const found = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
        assert.equal(found, `v${version}`);
        const tell = (what: string) => process.stdout.write(`ok    Node ${version}: ${what}\n`);
        const project = join(folder, `with-${version}`);
        tell(await prove(node, folder, project));
        tell(await proveBundles(node, folder, project));
        if (!isPackageOnly) tell(await provePages(node, folder));
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

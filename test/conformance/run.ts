/**
 * Holds `pawl mcp` to the protocol: its own conformance suite over HTTP, and its inspector over standard input and
 * output; the bundle for desktops to its format, by `mcpb`; and the files that name a published schema to that. All at
 * versions of their own, installed into a cache.
 *
 *   node test/conformance/run.ts [--list] [--schemas FOLDER]
 *
 * FOLDER holds the schemas under their published names, for machines that cannot reach where they are published.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundle } from "../../scripts/bundle.ts";
import { openBearerProxy } from "../rig/bearer-proxy.ts";
import { openHttpServer } from "../rig/http-server.ts";
import { installInto } from "../rig/install.ts";
import { temporaryProject } from "../rig/project.ts";
import { useScratchStateHome } from "../rig/state-home.ts";
import { judgeBundle } from "./bundle.ts";
import { inspect } from "./inspector.ts";
import { NOT_APPLICABLE } from "./not-applicable.ts";
import { AJV, judgeBySchema } from "./schemas.ts";
import { runSuite, type Scenario } from "./suite.ts";

const SUITE = "@modelcontextprotocol/conformance";
const INSPECTOR = "@modelcontextprotocol/inspector";
const MCPB = "@anthropic-ai/mcpb";
const PROGRAM = join(import.meta.dirname, "../../dist/main.js");

const RUNS: readonly { readonly version: string; readonly options: readonly string[] }[] = [
  { version: "0.1.16", options: ["--suite", "all"] },
  { version: "0.2.0-alpha.12", options: ["--suite", "all", "--spec-version", "2025-11-25"] },
  { version: "0.2.0-alpha.12", options: ["--requirements", "2026-07-28"] },
];

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** What fails and may not; one line each. */
function faultsOf({ name, checks }: Scenario): readonly string[] {
  const exempt = NOT_APPLICABLE.find(({ scenarios }) => scenarios.includes(name));
  return checks
    .filter(({ status, errorMessage = "" }) => status === "FAILURE" && !exempt?.said.test(errorMessage))
    .map(({ id, errorMessage }) => `${name}: ${id}: ${errorMessage}`);
}

const fails = ({ checks }: Scenario) => checks.some(({ status }) => status === "FAILURE");

async function runSuites(url: string): Promise<readonly string[]> {
  const faults: string[] = [];
  const failed = new Set<string>();
  for (const { version, options } of RUNS) {
    const program = join(installInto("mcp/conformance", { package: SUITE, version }), SUITE, "dist/index.js");
    const scenarios = await runSuite(program, url, options);
    const passed = scenarios.filter((scenario) => !fails(scenario)).length;
    const checks = scenarios.flatMap((scenario) => scenario.checks);
    const good = checks.filter(({ status }) => status === "SUCCESS").length;
    for (const scenario of scenarios.filter(fails)) failed.add(scenario.name);
    const bad = scenarios.flatMap(faultsOf);
    faults.push(...bad);
    say(
      `conformance ${version} ${options.join(" ")}: ${scenarios.length} scenarios, ${passed} pass (${good} checks), ` +
        `${scenarios.length - passed} do not apply, ${bad.length} faults`,
    );
  }
  const listed = NOT_APPLICABLE.flatMap(({ scenarios }) => scenarios);
  const stale = listed.filter((name) => !failed.has(name));
  return [...faults, ...stale.map((name) => `${name}: it passes, or is gone: take it from the list`)];
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { list: { type: "boolean" }, schemas: { type: "string" } } });
  if (values.list) {
    for (const { why, scenarios } of NOT_APPLICABLE) say(`${why}:\n  ${scenarios.join("\n  ")}`);
    return 0;
  }
  process.once("exit", useScratchStateHome());
  using project = temporaryProject();
  // The product as it is built, but for the fixtures that it serves by its own surface.
  const folder = join(import.meta.dirname, "../../.rig/conformance");
  await bundle({ served: "test/conformance/served.ts" }, folder);
  await using server = await openHttpServer(project, { program: join(folder, "served.js") });
  const proxy = await openBearerProxy(server);
  const faults = [...(await runSuites(proxy.url))];
  proxy.close();
  const version = "2.12.0";
  const inspector = join(
    installInto("mcp/inspector", { package: INSPECTOR, version }),
    INSPECTOR,
    "clients/launcher/build/index.js",
  );
  const tried = async (what: string, look: () => Promise<string> | string) => {
    try {
      say(`${what}: ${await look()}`);
    } catch (thrown) {
      faults.push(`${what}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  };
  await tried(`inspector ${version}`, () => inspect(inspector, PROGRAM, project.root));
  await tried("mcpb 2.1.2", () => {
    const modules = installInto("mcp/mcpb", { package: MCPB, version: "2.1.2" });
    return judgeBundle(join(modules, MCPB, "dist/cli/cli.js"));
  });
  await tried("schemas", () => judgeBySchema(installInto("mcp/ajv", AJV), values.schemas));
  for (const fault of faults) say(`FAIL  ${fault}`);
  say(faults.length === 0 ? "It conforms." : `${faults.length} faults`);
  return faults.length === 0 ? 0 : 1;
}

process.exitCode = await main();

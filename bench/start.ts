/**
 * Cold starts, each as a ratio within the same run, and the memory of an idle server:
 * `node bench/start.ts [ROUNDS] [--peer NAME=COMMAND]... [--call NAME=TOOL[:JSON]]...`
 *
 * Measured: the start of the process `pawl mcp` (all workflows) to the end of `initialize`, against a server of the
 * same SDK with one tool, once as its source imports the SDK from node_modules and once bundled and with a compile
 * cache as the product is; `pawl status` in a project with 20 tasks, against `node -e 0`; the resident memory of
 * `pawl mcp` after tools/list.
 * `--peer` names another server of MCP over stdio, by the command that starts it (words apart by spaces, paths absolute): its
 * `initialize` and, with `--call`, one call of its tool are timed in turns with ours, in the same folder.
 * Not measured: the first start ever after an install, when the compile cache is still empty and the disk cold; a
 * client's own time; a slow or encrypted disk.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { bundle } from "../scripts/bundle.ts";
import {
  emptyFolder,
  MAIN,
  ms,
  type Speaking,
  show,
  speakTo,
  takeTurns,
  timed,
  timeToEnd,
} from "./measure.ts";
import { peersOf } from "./peers.ts";

const { positionals, peers } = peersOf(process.argv.slice(2));
const ROUNDS = Number(positionals[0] ?? 25);
const BARE_SOURCE = resolve(import.meta.dirname, "bare-server.ts");

const project = emptyFolder("start");
mkdirSync(join(project, ".alfred/tasks"), { recursive: true });
mkdirSync(join(project, ".alfred/workspace"), { recursive: true });
for (let number = 1; number <= 20; number++)
  writeFileSync(join(project, `.alfred/tasks/T-${number}.md`), task(number));

// Beside the sources, where the SDK's external packages can be found.
const out = resolve(import.meta.dirname, "../.rig/bench");
await bundle({ bare: BARE_SOURCE }, out);
writeFileSync(
  join(out, "bare-cached.js"),
  'import { enableCompileCache } from "node:module";\nenableCompileCache();\nawait import("./bare.js");\n',
);

const startOf = (args: readonly string[], program?: string) => async () => {
  const server = await speakTo(args, project, program);
  await server.end();
  return server.startup;
};

/** One server that stays: each round is one call. */
async function callsOf(open: Promise<Speaking>, name: string, given: object) {
  const server = await open;
  servers.push(server);
  return () =>
    timed(async () => {
      const { error, result } = await server.request("tools/call", { name, arguments: given });
      const failed = error ?? ((result as { isError?: boolean }).isError ? result : null);
      if (failed) throw new Error(`The tool ${name} failed: ${JSON.stringify(failed)}`);
    });
}
const servers: Speaking[] = [];

type Subject = "node" | "status" | "bareSource" | "bareBundled" | "mcp" | `peer ${string}`;
const found = await takeTurns<Subject>(ROUNDS, {
  node: () => timeToEnd(["-e", "0"], project),
  status: () => timeToEnd([MAIN, "status"], project),
  bareSource: startOf([BARE_SOURCE]),
  bareBundled: startOf([join(out, "bare-cached.js")]),
  mcp: startOf([MAIN, "mcp"]),
  ...Object.fromEntries(peers.map(({ name, program, args }) => [`peer ${name}`, startOf(args, program)])),
} as Record<Subject, () => Promise<number>>);

const ratio = (one: { median: number }, other: { median: number }) => one.median / other.median;
const status = ratio(found.status, found.node);
const mcpSource = ratio(found.mcp, found.bareSource);
const mcpBundled = ratio(found.mcp, found.bareBundled);
show("node -e 0", ms(found.node.median));
show("pawl status", `${ms(found.status.median)}  ${status.toFixed(2)}×`, {
  text: "≤ 2× node -e 0",
  met: status <= 2,
});
show("bare server, initialize", ms(found.bareSource.median));
show("bare server, bundled and cached, initialize", ms(found.bareBundled.median));
show("pawl mcp, initialize", `${ms(found.mcp.median)}  ${mcpSource.toFixed(2)}×`, {
  text: "≤ 1.2× the bare server",
  met: mcpSource <= 1.2,
});
show("  against the bundled bare server", `${mcpBundled.toFixed(2)}×`, {
  text: "≤ 1.2×",
  met: mcpBundled <= 1.2,
});

for (const { name } of peers) {
  const median = found[`peer ${name}`]?.median ?? Number.NaN;
  show(`${name}, initialize`, ms(median));
  show(`  pawl mcp against it`, `${(found.mcp.median / median).toFixed(2)}×`, {
    text: "ahead of it",
    met: found.mcp.median < median,
  });
}
await compareCalls();

async function compareCalls() {
  const called = peers.filter(({ call }) => call);
  if (called.length === 0) return;
  const calls: Record<string, () => Promise<number>> = {
    "pawl mcp, lumos": await callsOf(speakTo([MAIN, "mcp"], project), "lumos", {}),
    "bare server, echo": await callsOf(speakTo([join(out, "bare-cached.js")], project), "echo", {
      text: "a",
    }),
  };
  for (const { name, program, args, call } of called)
    if (call)
      calls[`${name}, ${call.tool}`] = await callsOf(speakTo(args, project, program), call.tool, call.given);
  for (const [name, { median }] of Object.entries(await takeTurns(ROUNDS * 4, calls))) show(name, ms(median));
  for (const server of servers) await server.end();
}

const server = await speakTo([MAIN, "mcp"], project);
const { result } = (await server.request("tools/list")) as { result: { tools: readonly object[] } };
const resident = residentMegabytes(server.child.pid ?? 0);
await server.end();
if (resident !== null)
  show("pawl mcp, resident", `${resident.toFixed(0)} MB`, { text: "≤ 100 MB", met: resident <= 100 });
show("tools/list", `${JSON.stringify(result).length} characters, ${result.tools.length} tools`);

function residentMegabytes(pid: number): number | null {
  try {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes ? Number(kilobytes) / 1024 : null;
  } catch {
    // Only Linux tells it this way.
    return null;
  }
}

function task(number: number): string {
  return `# TASK: T-${number}\n\n## Title\nTask ${number}\n\n## Context\nNone.\n\n## Implementation Details\nNone.\n\n## Acceptance Criteria\n- it is done\n`;
}

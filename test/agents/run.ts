/**
 * Drives the real agents through what they must show, against a scripted model on loopback.
 *
 *   node test/agents/run.ts [all | NAME…] [--only WORDS] [--install]
 *
 * The programs are installed first; then, where the system allows it, everything runs in a network of its own that has
 * nothing but loopback.
 */
import { spawnSync } from "node:child_process";
import { openModelServer } from "../rig/model/server.ts";
import { isClient, walkStartTask } from "./clients.ts";
import { install } from "./install.ts";
import { DRIVEN, type Driven, PROGRAMS, USUAL } from "./programs.ts";
import { type Ground, openGround, PROOFS, type Proof } from "./proof.ts";

const FENCED = "PAWL_PROOF_FENCED";
const args = process.argv.slice(2);
const only = args.includes("--only") ? (args[args.indexOf("--only") + 1] ?? "") : "";
const named = args.filter((arg, at) => !arg.startsWith("--") && args[at - 1] !== "--only");
const names = named.includes("all") ? DRIVEN.map(({ name }) => name) : named.length > 0 ? named : USUAL;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Runs this file again in a network namespace; null where that is not to be had. */
function runFenced(): number | null {
  for (const how of ["-n", "-rn"]) {
    const probe = spawnSync("unshare", [how, "sh", "-c", "ip link set lo up"], { stdio: "ignore" });
    if (probe.status !== 0) continue;
    const script = 'ip link set lo up && exec "$@"';
    const again = [process.execPath, import.meta.filename, ...args];
    const env = { ...process.env, [FENCED]: "1" };
    return (
      spawnSync("unshare", [how, "sh", "-c", script, "sh", ...again], { stdio: "inherit", env }).status ?? 1
    );
  }
  return null;
}

function proofsOf(driven: Driven, binary: string): readonly Proof[] {
  if (!isClient(driven)) return PROOFS;
  const walk = ({ model }: Ground) => walkStartTask(driven, binary, model);
  return [...PROOFS, { what: "as a client of pawl mcp it walks start_task", prove: walk }];
}

async function main(): Promise<number> {
  const unknown = names.filter((name) => !DRIVEN.some((driven) => driven.name === name));
  if (unknown.length > 0) {
    say(`unknown: ${unknown.join(", ")}; known: ${DRIVEN.map(({ name }) => name).join(", ")}, all`);
    return 2;
  }
  const chosen = DRIVEN.filter((driven) => names.includes(driven.name));
  const binaries = new Map(chosen.map(({ program }) => [program, install(program)]));
  if (args.includes("--install")) return 0;
  if (!process.env[FENCED]) {
    const status = runFenced();
    if (status !== null) return status;
  }
  say(process.env[FENCED] ? "network: loopback and nothing else" : "network: not fenced on this system");
  let failed = 0;
  let passed = 0;
  for (const driven of chosen) {
    const { package: name, version } = PROGRAMS[driven.program];
    say(`\n${driven.name} (${name} ${version})`);
    const model = await openModelServer();
    using ground = await openGround(driven, binaries.get(driven.program) ?? "", model);
    for (const { what, prove } of proofsOf(driven, binaries.get(driven.program) ?? "")) {
      if (!what.includes(only)) continue;
      try {
        say(`  ok    ${what}: ${await prove(ground)}`);
        passed += 1;
      } catch (thrown) {
        say(`  FAIL  ${what}\n        ${thrown instanceof Error ? thrown.message : String(thrown)}`);
        failed += 1;
      }
    }
    if (model.unknown.length > 0)
      say(`  asked the model's host for: ${[...new Set(model.unknown)].join(", ")}`);
    await model.close();
  }
  say(`\n${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0 ? 0 : 1;
}

process.exitCode = await main();

/**
 * Drives the real agents through what they must show, against a scripted model on loopback.
 *
 *   node test/agents/run.ts [all | NAME…] [--only WORDS] [--install]
 *
 * The programs are installed first; then, where the system allows it, everything runs in a network of its own that has
 * nothing but loopback.
 */

import { strict as assert } from "node:assert";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { openModelServer } from "../rig/model/server.ts";
import { openHome, PAWL, type Stage } from "./agent-project.ts";
import { isClient, isGuarded, walkStartTask } from "./clients.ts";
import { isPlayed, playDemo } from "./demo.ts";
import { type Guard, openGuard, withoutWay } from "./guard.ts";
import { walkGuarded } from "./guarded.ts";
import { install } from "./install.ts";
import { OWN, ownWork } from "./own.ts";
import { firstUse, isPackaged } from "./packaged.ts";
import { DRIVEN, type Driven, PROGRAMS, USUAL } from "./programs.ts";
import { PROOFS, type Proof } from "./proofs.ts";
import { isTeam, TEAM, type TeamStage, teamWork } from "./team.ts";

/** So many agents at once. */
const AT_ONCE = 2;
const LONGEST_WHY = 6000;
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

function proofsOf(driven: Driven, guard: Guard): readonly Proof[] {
  const walk = ({ binary, model }: Stage) => walkStartTask(driven, binary, model);
  const guarded = ({ binary, model }: Stage) => walkGuarded(driven, binary, model);
  const inside = async () => {
    assert.deepEqual([...new Set(guard.asked)], []);
    return "the proxy was asked for nothing";
  };
  const first = ({ binary, model }: Stage) => firstUse(driven, binary, model);
  const play = ({ binary }: Stage) => playDemo(driven, binary, guard.environment);
  return [
    ...PROOFS,
    ...(isClient(driven) ? [{ what: "as a client of pawl mcp it walks start_task", prove: walk }] : []),
    ...(isGuarded(driven)
      ? [
          {
            what: "under the guard it walks a whole life, and is refused what a state forbids",
            prove: guarded,
          },
        ]
      : []),
    ...(isPackaged(driven)
      ? [{ what: "its package is installed in an empty home, and leads to the first prompt", prove: first }]
      : []),
    ...(isPlayed(driven) ? [{ what: "the demo's tasks are done by it", prove: play }] : []),
    { what: "nothing reaches beyond loopback", prove: inside },
  ];
}

interface Proved {
  readonly lines: readonly string[];
  readonly passed: number;
  readonly failed: number;
}

/** Every proof of one agent, one after the other. */
async function proveAll(driven: Driven, binary: string): Promise<Proved> {
  const { package: name, version } = PROGRAMS[driven.program];
  const lines = [`${driven.name} (${name} ${version})`];
  const model = await openModelServer();
  const guard = await openGuard();
  using home = openHome(driven, model, guard.environment);
  const stage: Stage = { driven, binary, version, model, environment: home.environment };
  let failed = 0;
  const proofs = proofsOf(driven, guard).filter(({ what }) => what.includes(only));
  for (const { what, prove } of proofs) {
    const begun = performance.now();
    const took = () => `${((performance.now() - begun) / 1000).toFixed(1)} s`;
    try {
      const seen = await prove(stage);
      lines.push(`  ok    ${what}: ${seen} (${took()})`);
    } catch (thrown) {
      lines.push(`  FAIL  ${what} (${took()})\n${whyOf(thrown)}`);
      failed += 1;
    }
  }
  if (model.unknown.length > 0)
    lines.push(`  asked the model's host for: ${[...new Set(model.unknown)].join(", ")}`);
  await model.close();
  await guard.close();
  return { lines, passed: proofs.length - failed, failed };
}

/** The end of what it says, and where it was thrown. */
function whyOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const places = (thrown.stack ?? "").split("\n").filter((line) => line.startsWith("    at "));
  return [thrown.message.slice(-LONGEST_WHY), ...places.slice(0, 3)].join("\n");
}

/** What two of them do together. */
async function proveBoth(
  what: string,
  work: (stage: TeamStage) => Promise<string>,
  binaries: TeamStage["binaries"],
): Promise<Proved> {
  const lines = ["claude and codex"];
  if (!what.includes(only)) return { lines, passed: 0, failed: 0 };
  const guard = await openGuard();
  const begun = performance.now();
  const took = () => `${((performance.now() - begun) / 1000).toFixed(1)} s`;
  try {
    const seen = await work({ binaries, environment: guard.environment });
    assert.deepEqual([...new Set(guard.asked)], []);
    return { lines: [...lines, `  ok    ${what}: ${seen} (${took()})`], passed: 1, failed: 0 };
  } catch (thrown) {
    return {
      lines: [...lines, `  FAIL  ${what} (${took()})\n${whyOf(thrown)}`],
      passed: 0,
      failed: 1,
    };
  } finally {
    await guard.close();
  }
}

/** In a network of its own the kernel counts whatever wanted out. */
function provedFence(before: number): Proved {
  const wanted = withoutWay() - before;
  if (wanted === 0) return { lines: ["ok    no other address was looked for"], passed: 1, failed: 0 };
  return { lines: [`FAIL  another address was looked for ${wanted} times`], passed: 0, failed: 1 };
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
  if (!existsSync(PAWL)) throw new Error(`${PAWL} is not there: run npm run build`);
  let [passed, failed] = [0, 0];
  const tell = ({ lines, ...counts }: Proved) => {
    say(`\n${lines.join("\n")}`);
    passed += counts.passed;
    failed += counts.failed;
  };
  const before = withoutWay();
  const waiting = [...chosen];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      tell(await proveAll(next, binaries.get(next.program) ?? ""));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (isTeam(chosen)) {
    tell(await proveBoth(TEAM, teamWork, binaries));
    tell(await proveBoth(OWN, ownWork, binaries));
  }
  if (process.env[FENCED]) tell(provedFence(before));
  say(`\n${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0 ? 0 : 1;
}

process.exitCode = await main();

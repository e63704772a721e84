/**
 * The loop's crash proof: `node test/crash/loop.ts [--full] [--wall] [SCENARIO...]`. Each piece of work is done undisturbed
 * once, and then with a loop that is killed by SIGKILL before and after every move in its table and every git command that
 * writes; with --full also, one at a time, before and after every single commit. With --wall agents and commands are behind
 * the wall. Prints how many kills there were; exits 1 on any difference.
 */
import setup from "../rig/global-setup.ts";
import {
  behindWall,
  killAtCommit,
  killAtEachGit,
  killAtMoves,
  openProof,
  type Proof,
  runToEnd,
  SCENARIOS,
  type Scenario,
  type Side,
} from "../rig/loop-proof.ts";

const args = process.argv.slice(2);
const full = args.includes("--full");
const walled = args.includes("--wall");
const only = args.filter((argument) => !argument.startsWith("--"));
const unknown = only.filter((name) => !Object.hasOwn(SCENARIOS, name));
if (unknown.length > 0)
  throw new Error(`no scenario ${unknown.join(", ")}; there are ${Object.keys(SCENARIOS).join(", ")}`);
const say = (line: string) => process.stdout.write(`${line}\n`);
const SIDES: readonly Side[] = ["before", "after"];

const start = performance.now();
await setup();
const failures: string[] = [];
let total = 0;
for (const [name, plain] of Object.entries(SCENARIOS)) {
  const scenario = walled ? behindWall(plain) : plain;
  if (only.length > 0 && !only.includes(name)) continue;
  await using calm = await openProof(scenario);
  await runToEnd(calm, () => calm.project.run());
  failures.push(...calm.faults(calm).map((fault) => `${name}, undisturbed: ${fault}`));
  const tries: Promise<void>[] = [];
  for (const side of SIDES) {
    tries.push(attempt(`${name}, ${side} each move`, scenario, calm, (proof) => killAtMoves(proof, side, 1)));
    tries.push(attempt(`${name}, ${side} each git`, scenario, calm, (proof) => killAtEachGit(proof, side)));
  }
  await Promise.all(tries);
  if (full) for (const side of SIDES) await atEachCommit(name, scenario, calm, side);
}
for (const failure of failures) say(`✗ ${failure.slice(0, 1000)}`);
const seconds = Math.round((performance.now() - start) / 1000);
say(`${total} kills of the loop, ${failures.length} failed (${seconds} s)`);
process.exitCode = failures.length === 0 && total > 0 ? 0 : 1;

async function attempt(
  what: string,
  scenario: Scenario,
  calm: Proof,
  kill: (proof: Proof) => Promise<number>,
): Promise<void> {
  await using proof = await openProof(scenario);
  try {
    const kills = await kill(proof);
    total += kills;
    if (kills === 0) failures.push(`${what}: never killed`);
    say(`${String(kills).padStart(8)}  ${what}`);
    failures.push(...proof.faults(calm).map((fault) => `${what}: ${fault}`));
  } catch (error) {
    failures.push(`${what}: ${(error as Error).message}`);
  }
}

async function atEachCommit(name: string, scenario: Scenario, calm: Proof, side: Side): Promise<void> {
  let kills = 0;
  for (let n = 1, goes = true; goes; n++) {
    await using proof = await openProof(scenario);
    try {
      goes = await killAtCommit(proof, n, side);
      kills += goes ? 1 : 0;
      failures.push(...proof.faults(calm).map((fault) => `${name}, ${side} commit ${n}: ${fault}`));
    } catch (error) {
      failures.push(`${name}, ${side} commit ${n}: ${(error as Error).message}`);
    }
  }
  total += kills;
  say(`${String(kills).padStart(8)}  ${name}, ${side} each commit, one by one`);
}

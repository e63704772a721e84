/**
 * The long proofs: `npm run proofs -- [--slice COMMIT] [--results FOLDER] [NAME…]`.
 *
 * Runs all parts of each proof. With --slice it runs one part of some of them, which the commit's hash chooses, so that the commits
 * of a day cover them all. Prints the parts, each with its time and, where it failed, what it printed. Ends with `N passed, N failed`:
 * the parts. --results: the folder where proofs that are tests leave their results for `npm run check:promises`.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SCENARIOS } from "./rig/loop-proof.ts";

interface Proof {
  readonly parts: number;
  /** The command of a part, the first is 1. */
  readonly command: (part: number) => string;
  /** Says little in parts, or takes hours: only in full. */
  readonly isWhole?: true;
  /** Works in one thread and does not watch the clock: two such parts run at once. */
  readonly isSingle?: true;
  /** Makes network namespaces. */
  readonly needsRoot?: true;
  /** Takes minutes: one commit in five runs a part of it, by the rest that its hash leaves. */
  readonly turn?: 0 | 1 | 2 | 3 | 4;
}

const { values, positionals } = parseArgs({
  options: { slice: { type: "string" }, results: { type: "string" } },
  allowPositionals: true,
});

const TURNS = 5;
/** Milliseconds, in a slice: one part that hangs must not hide what all others say. */
const LONGEST_PART = 25 * 60_000;
const TESTS = 24;
const PARSERS = 24;
const LINEAR = "test/linear.proof.test.ts";
const SHARDS = 8;
const THREATS = 60;
const SEEDS = 8;
const SCHEDULES = 125;
const LOOPS = Object.keys(SCENARIOS);
/** In the others, agents write beside their worktrees. */
const WALLED = ["dependent", "pull-request", "environment"];
const AGENTS = ["claude", "codex", "claude-acp", "gemini", "opencode", "opencode-acp"];
/** A usual one, and one whom the machine's list of users does not have, as in a container. */
const USERS = [1000, 12_345];
const NODES = ["22.23.3", "24.21.0", "26.10.0"];

const PROOFS: Readonly<Record<string, Proof>> = {
  tests: {
    parts: TESTS,
    command: (part) => vitest("tests", part, `--shard ${part}/${TESTS} --exclude ${LINEAR}`),
  },
  linear: {
    parts: PARSERS,
    command: (part) => `PAWL_PART=${part}/${PARSERS} ${vitest("linear", part, LINEAR)}`,
    turn: 0,
  },
  commit: {
    parts: SHARDS,
    command: (part) => `node test/crash/run.ts --part ${part}/${SHARDS}`,
    isSingle: true,
  },
  loop: { parts: LOOPS.length, command: (part) => `node test/crash/loop.ts ${LOOPS[part - 1]}` },
  "loop-behind-wall": {
    parts: WALLED.length,
    command: (part) => `node test/crash/loop.ts --wall ${WALLED[part - 1]}`,
    turn: 2,
  },
  threats: {
    parts: THREATS,
    command: (part) =>
      `node test/threats/run.ts${values.slice === undefined ? " --all" : ""} --shard ${part}/${THREATS}`,
    turn: 4,
  },
  schedules: {
    parts: 4 * SEEDS,
    command: (part) => `node test/schedules.ts --runs ${SCHEDULES} --from ${1 + (part - 1) * SCHEDULES}`,
    isSingle: true,
  },
  fuzz: {
    parts: SEEDS,
    command: (part) => `node test/fuzz/run.ts --seconds 20 --seed ${part}`,
    isSingle: true,
  },
  network: {
    parts: SEEDS,
    command: (part) => `node test/network/run.ts --seed ${part}${part % 2 === 0 ? " --pooled" : ""}`,
    needsRoot: true,
    turn: 3,
  },
  agents: { parts: AGENTS.length, command: (part) => `node test/agents/run.ts ${AGENTS[part - 1]}`, turn: 1 },
  counters: { parts: 1, command: () => "node test/agents/counters.ts", isWhole: true },
  night: { parts: 1, command: () => "node test/agents/night.ts", isWhole: true },
  "night-users": {
    parts: USERS.length,
    command: (part) => `node test/agents/night.ts ${USERS[part - 1]}`,
    isWhole: true,
    needsRoot: true,
  },
  nodes: {
    parts: NODES.length,
    command: (part) => `node test/nodes/run.ts ${NODES[part - 1]}`,
    isWhole: true,
  },
  soak: { parts: 1, command: () => "node test/soak/run.ts", isWhole: true },
  conformance: { parts: 1, command: () => "node test/conformance/run.ts", isWhole: true },
  "broken-laws": { parts: 1, command: () => "node test/crash/mutants.ts", isWhole: true },
  "broken-network": {
    parts: 1,
    command: () => "node test/network/mutants.ts",
    isWhole: true,
    needsRoot: true,
  },
  mutation: { parts: 1, command: () => "node test/mutation/run.ts", isWhole: true },
};

function vitest(name: string, part: number, which: string): string {
  const command = `npx vitest run --project proofs ${which}`;
  if (values.results === undefined) return command;
  const file = join(values.results, `proofs-${name}-${part}.json`);
  return `${command} --reporter=default --reporter=json --outputFile.json=${file}`;
}

/** The parts of a proof that this run takes. */
function partsOf({ isWhole, parts, turn }: Proof): readonly number[] {
  if (values.slice === undefined) return Array.from({ length: parts }, (_, index) => index + 1);
  const chosen = Number.parseInt(values.slice.slice(0, 8), 16);
  if (isWhole || (turn !== undefined && chosen % TURNS !== turn)) return [];
  // The rest has decided whose turn it is.
  return [1 + (Math.floor(chosen / TURNS) % parts)];
}

const unknown = positionals.filter((name) => !Object.hasOwn(PROOFS, name));
if (unknown.length > 0)
  throw new Error(`There is no proof ${unknown.join(", ")}: expected ${Object.keys(PROOFS).join(", ")}.`);
let passed = 0;
let failed = 0;
let skipped = 0;
const chosen = Object.entries(PROOFS)
  .filter(([name]) => positionals.length === 0 || positionals.includes(name))
  .flatMap(([name, proof]) => partsOf(proof).map((part) => ({ name, proof, part })));
const singles = chosen.filter(({ proof }) => proof.isSingle);
const runSingles = async () => {
  for (let next = singles.shift(); next !== undefined; next = singles.shift()) await runPart(next);
};
await Promise.all([runSingles(), runSingles()]);
for (const each of chosen) if (!each.proof.isSingle) await runPart(each);
process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

async function runPart({ name, part, proof }: (typeof chosen)[number]): Promise<void> {
  if (proof.needsRoot && process.getuid?.() !== 0) {
    process.stdout.write(`${name}, part ${part} of ${proof.parts}: skipped, it needs root\n`);
    skipped += 1;
    return;
  }
  const begun = performance.now();
  const { code, output } = await run(proof.command(part));
  const seconds = Math.round((performance.now() - begun) / 1000);
  const last = output.trimEnd().split("\n").at(-1) ?? "";
  const verdict = code === 0 ? `ok: ${last.trim()}` : `FAILED: ${proof.command(part)}\n${output}`;
  process.stdout.write(`${name}, part ${part} of ${proof.parts} (${seconds} s) ${verdict}\n`);
  if (code === 0) passed += 1;
  else failed += 1;
}

function run(command: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const isBounded = values.slice !== undefined;
  const child = spawn(command, { shell: true, detached: isBounded, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const end = () => {
    output += `\nIt was ended after ${LONGEST_PART / 60_000} minutes.`;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  };
  const late = isBounded ? setTimeout(end, LONGEST_PART) : undefined;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  return new Promise((resolve) =>
    child.once("close", (code) => {
      clearTimeout(late);
      resolve({ code, output });
    }),
  );
}

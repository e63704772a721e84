/**
 * Whether the tests that docs/security.md names can fail: in a copy of the checkout, each protection is taken away once, and
 * the tests that hold it must turn red.
 *
 *     npx node test/threats/run.ts [--all] [--only WORDS] [--shard N/M]
 *
 * First the types of the weakened code are checked, and the tests are run on the code as it is. Only a test that fails by
 * itself is red: a file that cannot be loaded, a test that is not run and one that takes too long show nothing, and are tried
 * once more. Prints a line for each weakening; exits 1 unless all were seen red. With --all, those are tried too whose tests
 * take minutes; with --only, the rows and weakenings with these words, without a look at types; with --shard, each Mth, from
 * the Nth on.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type BrokenCopy, copyCheckout } from "../rig/broken-copy.ts";
import type { Results } from "../rig/promises.ts";
import { citedTest, type State, stateOf } from "./cited.ts";
import { WEAKENINGS, type Weakening } from "./weakenings.ts";

interface Entry extends Weakening {
  readonly row: string;
}

const MINUTES = 60_000;
/** Lines of what vitest said, where a test was not run. */
const MAX_SAID = 30;
/** A process table of its own where that can be had: what a weakened protection lets go on ends with the run. */
const OWN_TABLE = ["--pid", "--fork", "--mount-proc", "--kill-child"];
const unshare = spawnSync("unshare", [...OWN_TABLE, "true"]).status === 0 ? ["unshare", ...OWN_TABLE] : [];

const { values } = parseArgs({
  options: {
    all: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    shard: { type: "string", default: "1/1" },
  },
});
const [shard = 1, shards = 1] = values.shard.split("/").map(Number);
const chosen = Object.entries(WEAKENINGS)
  .flatMap(([row, weakenings]) => weakenings.map((each): Entry => ({ row, ...each })))
  .filter(({ takesLong }) => values.all || !takesLong)
  .filter(({ row, takes }) => `${row}: ${takes}`.toLowerCase().includes(values.only.toLowerCase()))
  .filter((_, index) => index % shards === shard - 1);
if (chosen.length === 0) throw new Error("There is no such weakening.");

const begun = performance.now();
const say = (line: string) => process.stdout.write(`${line}\n`);
using copy = copyCheckout();
const unsound = values.only === "" ? typeFaults(copy, chosen) : [];
for (const fault of unsound) say(`✗ ${fault}`);
const notGreen = notIn("passed", testsOf(chosen), copy);
let red = 0;
for (const entry of chosen) {
  const before = notGreen.filter(({ test }) => entry.tests.includes(test));
  const faults = before.length > 0 ? before : tryOut(copy, entry);
  say(`${faults.length === 0 ? "red " : "NOT "} ${entry.row}: ${entry.takes}`);
  for (const { state, test } of faults) say(`     ${state}${before.length > 0 ? " before" : ""}: ${test}`);
  if (faults.length === 0) red += 1;
}
const minutes = ((performance.now() - begun) / MINUTES).toFixed(1);
say(`${red} seen red, ${chosen.length - red} not (${minutes} min)`);
process.exitCode = red === chosen.length && unsound.length === 0 ? 0 : 1;

/** Weakened code that cannot be compiled shows nothing. Those of one place are checked one after the other. */
function typeFaults(
  { folder, break: weaken, mend }: BrokenCopy,
  entries: readonly Entry[],
): readonly string[] {
  const left: Entry[] = [];
  for (const entry of entries)
    try {
      weaken(entry);
    } catch (thrown) {
      left.push(entry);
      if (left.length === entries.length) throw thrown;
    }
  const lax = [
    "--noUnusedLocals",
    "false",
    "--noUnusedParameters",
    "false",
    "--allowUnreachableCode",
    "true",
  ];
  const { status, stdout } = run(folder, "tsc", ["--noEmit", ...lax]);
  mend();
  const found = status === 0 ? [] : [`the weakened code has faults of its own:\n${stdout}`];
  return left.length === 0 ? found : [...found, ...typeFaults(copy, left)];
}

interface Fault {
  readonly state: State;
  readonly test: string;
}

function testsOf(entries: readonly Entry[]): readonly string[] {
  return [...new Set(entries.flatMap(({ tests }) => tests))];
}

/** The tests that do not turn red, each with what it does. */
function tryOut(broken: BrokenCopy, entry: Entry): readonly Fault[] {
  broken.break(entry);
  try {
    return notIn("failed", entry.tests, broken);
  } finally {
    broken.mend();
  }
}

/** Of a run of the tests; where one of them shows nothing, of a second run of all. */
function notIn(wanted: State, cited: readonly string[], { folder }: BrokenCopy): readonly Fault[] {
  const look = () => {
    const results = runTests(folder, cited);
    return cited
      .map((test) => ({ test, state: stateOf(results, test) }))
      .filter(({ state }) => state !== wanted);
  };
  const faults = look();
  return faults.some(({ state }) => state === "not run" || state === "timed out") ? look() : faults;
}

function runTests(folder: string, cited: readonly string[]): Results {
  const file = join(folder, ".rig-results.json");
  rmSync(file, { force: true });
  const tests = cited.map(citedTest);
  const titles = tests.map(({ title }) => `${title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
  const files = [...new Set(tests.map((each) => each.file))];
  const ended = run(folder, "vitest", [
    ...["run", "--reporter=default", "--reporter=json", `--outputFile.json=${file}`],
    ...[`--testNamePattern=${titles.join("|")}`, ...files],
  ]);
  const results: Results = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { testResults: [] };
  if (cited.some((test) => stateOf(results, test) === "not run")) {
    const said = `${ended.stdout}${ended.stderr}`.trim().split("\n").slice(-MAX_SAID);
    say(
      [...said, `vitest ended: ${ended.error ?? ended.signal ?? ended.status}`]
        .map((line) => `     | ${line}`)
        .join("\n"),
    );
  }
  return results;
}

function run(folder: string, program: string, args: readonly string[]) {
  const [called = "", ...words] = [...unshare, join(folder, "node_modules/.bin", program), ...args];
  return spawnSync(called, words, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
    timeout: 15 * MINUTES,
  });
}

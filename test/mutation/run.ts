/**
 * Mutation testing: changes the code in one place at a time and runs the area's own tests. A mutant that no test notices
 * is a gap in the tests, or code that does nothing. Fails where an area stays below its aim.
 *
 *     npx node test/mutation/run.ts [--incremental] [--only FILE] [AREA...]
 *
 * With --incremental, mutants whose code and tests are as they were in the last run keep their result. With --only, the
 * mutants are those of one file.
 */
import { mkdirSync } from "node:fs";
import { basename, relative } from "node:path";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { useScratchStateHome } from "../rig/state-home.ts";
import { AREAS, type Area } from "./areas.ts";

type Mutants = Awaited<ReturnType<Stryker["runMutationTest"]>>;

const FOLDER = ".stryker";

const { values, positionals } = parseArgs({
  options: { incremental: { type: "boolean", default: false }, only: { type: "string" } },
  allowPositionals: true,
});
const names = positionals.length > 0 ? positionals : Object.keys(AREAS);
process.once("exit", useScratchStateHome());
mkdirSync(FOLDER, { recursive: true });
let failed = false;
for (const name of names) {
  const area = AREAS[name];
  if (area === undefined)
    throw new Error(`There is no area ${name}: expected one of ${Object.keys(AREAS).join(", ")}.`);
  failed = !report(name, area, await run(name, area)) || failed;
}
if (failed) process.exitCode = 1;

async function run(name: string, area: Area): Promise<Mutants> {
  // Read by the runner, which is a process of its own.
  process.env.PAWL_MUTATION_TESTS = JSON.stringify(area.tests);
  const own = [name, ...(values.only === undefined ? [] : [basename(values.only, ".ts")])].join("-");
  const stryker = new Stryker({
    mutate: values.only === undefined ? [...area.mutate] : [values.only],
    plugins: [import.meta.resolve("./runner.ts")],
    testRunner: "in-process",
    coverageAnalysis: "perTest",
    // Two cores, and the tests of the store start processes of their own.
    concurrency: 1,
    // What stands at a module's top level would take every test, with everything imported anew for each mutant.
    ignoreStatic: area.ignoreStatic === true,
    timeoutMS: 10_000,
    tempDirName: `${FOLDER}/sandbox-${own}`,
    // Stryker would read them with the classic API of TypeScript, which version 7 does not have; the tests need neither.
    ignorePatterns: [
      "/tsconfig.json",
      "/tsconfig.build.json",
      "/dist",
      "/.rig",
      "/.stryker",
      "/demo",
      "/bench",
    ],
    reporters: ["json", "progress-append-only"],
    jsonReporter: { fileName: `${FOLDER}/${own}.json` },
    incremental: values.incremental,
    incrementalFile: `${FOLDER}/${own}-last.json`,
    allowConsoleColors: false,
  });
  return await stryker.runMutationTest();
}

/** Prints the score and the survivors; returns whether the aim is reached. */
function report(name: string, { aim }: Area, mutants: Mutants): boolean {
  const count = (...statuses: readonly Mutants[number]["status"][]) =>
    mutants.filter(({ status }) => statuses.includes(status)).length;
  const late = count("Timeout");
  const killed = count("Killed") + late;
  const all = killed + count("Survived", "NoCoverage");
  const score = (100 * killed) / all;
  const survivors = mutants
    .filter(({ status }) => status === "Survived" || status === "NoCoverage")
    .map(({ status, fileName, location: { start }, replacement }) => {
      const place = `${relative(".", fileName)}:${start.line}:${start.column}`;
      return `${place} ${status}: ${replacement}\n`;
    });
  const verdict = `${name}: ${score.toFixed(1)} % of ${all} mutants killed, ${late} of them by the time limit; the aim is ${aim} %.\n`;
  process.stdout.write([...survivors, verdict].join(""));
  return all > 0 && score >= aim;
}

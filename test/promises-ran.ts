/** `node test/promises-ran.ts RESULTS.json…`: fails unless every promised test passed in one of these runs. */
import { readFileSync } from "node:fs";
import { REQUIREMENTS } from "./requirements.ts";
import { notShown, type Results } from "./rig/promises.ts";

const runs = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, "utf8")) as Results);
const missing = notShown(REQUIREMENTS, { testResults: runs.flatMap(({ testResults }) => testResults) });
process.stdout.write(
  missing.length === 0
    ? `Every test of ${Object.keys(REQUIREMENTS).length} promises passed.\n`
    : `These promised tests did not pass:\n${missing.map((each) => `  ${each}\n`).join("")}`,
);
process.exitCode = missing.length === 0 ? 0 : 1;

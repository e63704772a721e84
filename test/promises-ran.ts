/**
 * `npm run check:promises -- RESULTS.json…`: fails if a test that cites a promise did not pass in these runs of its file.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { REQUIREMENTS } from "./requirements.ts";
import { citations, notShown, type Results, shown } from "./rig/promises.ts";

const { positionals } = parseArgs({ allowPositionals: true });
const runs = positionals.map((file) => JSON.parse(readFileSync(file, "utf8")) as Results);
const results = { testResults: runs.flatMap(({ testResults }) => testResults) };
const ids = Object.keys(REQUIREMENTS);
const found = shown(results);
const faults = [
  ...notShown(citations(), results).map(({ file, id }) => `A test that cites ${id} did not pass: ${file}`),
];
const closing = `${ids.filter((id) => found.has(id)).length} of ${ids.length} promises were shown.`;
process.stdout.write([...faults, closing, ""].join("\n"));
process.exitCode = faults.length === 0 && found.size > 0 ? 0 : 1;

/**
 * Holds the figures against those of the last commit, in `figures.json`: `node bench/compare.ts [--accept]`. Exits 1 where a
 * ratio is more than a quarter above it, three times in a row; `--accept` writes what was measured.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Figures, ratioOf, subjects } from "./figures.ts";
import { isRegression, verdictOf } from "./regression.ts";

const FILE = resolve(import.meta.dirname, "figures.json");
const TRIES = 3;

const isAccepted = process.argv.includes("--accept");
const before: Figures = isAccepted ? {} : JSON.parse(readFileSync(FILE, "utf8"));
const found: Record<string, number> = {};
let slower = 0;
for (const [name, open] of Object.entries(subjects())) {
  const ratios: number[] = [];
  do ratios.push(await ratioOf(open));
  while (isRegression(before[name], Math.min(...ratios)) && ratios.length < TRIES);
  const ratio = Math.min(...ratios);
  found[name] = Number(ratio.toFixed(2));
  if (isRegression(before[name], ratio)) slower += 1;
  process.stdout.write(`${name.padEnd(40)} ${verdictOf(before[name], ratio)}\n`);
}
const gone = Object.keys(before).filter((name) => !(name in found));
if (gone.length > 0) process.stdout.write(`Not measured here: ${gone.join(", ")}.\n`);
if (isAccepted) writeFileSync(FILE, `${JSON.stringify(found, null, 2)}\n`);
process.stdout.write(`${Object.keys(found).length} figures, ${slower} slower by more than a quarter.\n`);
process.exitCode = slower > 0 ? 1 : 0;

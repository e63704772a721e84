/**
 * Whether the proof can fail: each law of the commit is broken once, in a copy of the code, and the proof must object.
 * `node test/crash/mutants.ts [WORD]`
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { copyCheckout } from "../rig/broken-copy.ts";
import { BROKEN_LAWS, type BrokenLaw } from "./broken-laws.ts";

using copy = copyCheckout();

function isCaught(mutant: BrokenLaw): boolean {
  copy.break({ ...mutant, file: `src/adapters/files/${mutant.file}` });
  const run = spawnSync(process.execPath, [join(copy.folder, "test/crash/run.ts"), "--for-mutants"], {
    encoding: "utf8",
  });
  copy.mend();
  const first = run.stdout.split("\n").find((line) => line.includes("✗"));
  process.stdout.write(`${run.status === 1 ? "caught " : "MISSED "} ${mutant.name}\n`);
  if (first !== undefined) process.stdout.write(`        ${first.trim().slice(0, 150)}\n`);
  else if (run.status !== 0) process.stdout.write(`        ${run.stderr.slice(0, 600)}\n`);
  return run.status === 1 && first !== undefined;
}

const chosen = BROKEN_LAWS.filter(({ name }) => name.includes(process.argv[2] ?? ""));
const missed = chosen.filter((mutant) => !isCaught(mutant));
process.stdout.write(`${chosen.length - missed.length} of ${chosen.length} broken laws were caught\n`);
process.exitCode = missed.length === 0 && chosen.length > 0 ? 0 : 1;

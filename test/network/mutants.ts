/**
 * Whether the proof over a network can fail: something is broken in a copy of the code, or in how the database is set up, and the
 * proof must object. `node test/network/mutants.ts [WORD]`
 */
import { spawnSync } from "node:child_process";
import { type BrokenCopy, copyCheckout } from "../rig/broken-copy.ts";
import { BROKEN_PROMISES, type BrokenPromise } from "./broken-promises.ts";

// Without the look at a commit's epoch alone the proof found nothing: a worker leaves its tasks before another one can take them.
// That look has tests of its own.
const [word = ""] = process.argv.slice(2);
const survivors: string[] = [];
const chosen = BROKEN_PROMISES.filter(({ name }) => name.includes(word));
using copy = copyCheckout();
for (const mutant of chosen) {
  const isNoticed = tried(copy, mutant);
  process.stdout.write(`${isNoticed ? "noticed " : "SURVIVED"}  ${mutant.name}\n`);
  if (!isNoticed) survivors.push(mutant.name);
}
process.exitCode = survivors.length === 0 && chosen.length > 0 ? 0 : 1;

function tried(
  { break: edit, folder, mend }: BrokenCopy,
  { args = [], edits, says }: BrokenPromise,
): boolean {
  for (const each of edits) edit(each);
  const ran = spawnSync(process.execPath, ["test/network/run.ts", ...args], {
    cwd: folder,
    encoding: "utf8",
  });
  mend();
  if (ran.status === 1 && says.test(ran.stdout)) return true;
  process.stdout.write(`${ran.stdout.slice(-3000)}${ran.stderr.slice(-1000)}\n`);
  return false;
}

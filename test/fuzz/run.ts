/**
 * `npx node test/fuzz/run.ts [--seconds N] [--only NAME] [--seed N]`: feeds every parser of what others wrote with inputs made
 * of seeds, for N seconds in all (default 20). A finding is what is thrown and is no `PawlError`, what takes more than two
 * seconds, and what writes beside its scratch folder. Prints each with the numbers that make it again; exits 1 on any.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { TARGETS } from "./targets.ts";

export interface Order {
  readonly target: string;
  readonly seed: number;
  readonly first: number;
  readonly milliseconds: number;
  readonly scratch: string;
  /** The number of the input that is being read. */
  readonly progress: SharedArrayBuffer;
}

export interface Finding {
  readonly at: number;
  readonly what: string;
}

/** Longer than any input may take, with room for a busy machine. */
const HANG = 20_000;

const say = (line: string) => process.stdout.write(`${line}\n`);
const option = (name: string) => process.argv[process.argv.indexOf(`--${name}`) + 1];
const has = (name: string) => process.argv.includes(`--${name}`);
const only = has("only") ? option("only") : undefined;
const seconds = has("seconds") ? Number(option("seconds")) : 20;
const seed = has("seed") ? Number(option("seed")) : Math.floor(Math.random() * 2 ** 31);

const targets = TARGETS.filter(({ name }) => only === undefined || name === only);
if (targets.length === 0)
  throw new Error(`no target ${only}; there are ${TARGETS.map(({ name }) => name).join(", ")}`);
let failed = 0;
for (const { name } of targets) {
  const base = mkdtempSync(join(tmpdir(), "pawl-fuzz-"));
  const scratch = join(base, "a", "scratch");
  mkdirSync(scratch, { recursive: true });
  writeFileSync(join(base, "canary"), "");
  writeFileSync(join(base, "a", "canary"), "");
  const { tried, findings } = await fuzz(name, scratch);
  const around = readdirSync(base, { recursive: true, encoding: "utf8" }).filter(
    (path) => !path.startsWith(join("a", "scratch")),
  );
  if (around.sort().join() !== ["a", join("a", "canary"), "canary"].join())
    findings.push({ at: -1, what: `wrote beside its scratch folder: ${around.join(", ")}` });
  rmSync(base, { recursive: true, force: true });
  say(`${String(tried).padStart(9)}  ${name}`);
  for (const { at, what } of findings) say(`✗ ${name} --seed ${seed}, input ${at}: ${what}`);
  failed += findings.length;
}
say(failed === 0 ? `nothing found (seed ${seed})` : `${failed} found (seed ${seed})`);
process.exitCode = failed === 0 ? 0 : 1;

async function fuzz(target: string, scratch: string): Promise<{ tried: number; findings: Finding[] }> {
  const progress = new SharedArrayBuffer(4);
  const at = new Int32Array(progress);
  const milliseconds = (seconds * 1000) / targets.length;
  const order: Order = { target, seed, first: 0, milliseconds, scratch, progress };
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: order });
  const findings: Finding[] = [];
  worker.on("message", (finding: Finding) => findings.push(finding));
  worker.on("error", (error) => findings.push({ at: Atomics.load(at, 0), what: String(error) }));
  let last = -1;
  const watch = setInterval(() => {
    const now = Atomics.load(at, 0);
    if (now === last) {
      findings.push({ at: now, what: "does not end" });
      void worker.terminate();
    }
    last = now;
  }, HANG);
  await new Promise((resolve) => worker.on("exit", resolve));
  clearInterval(watch);
  return { tried: Atomics.load(at, 0) + 1, findings };
}

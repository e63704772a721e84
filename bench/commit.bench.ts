/**
 * One durable advance against the floor of this disk: `node bench/commit.bench.ts [ROUNDS] [PAUSE]`.
 *
 * Measured: an advance as the runtime makes one (the run's lock, a view that reads four of the files, a commit of up to
 * six: two replaced, one edited, one created, two appends), in turns with the floor: one small file written to a
 * temporary, synced, renamed, its folder synced. Both in the same folder, in the same process, round by round, so that
 * other work on the machine slows both. Before each measurement there is a pause (default 20 ms), as between two calls
 * of an agent; PAUSE 0 runs them back to back, where the blocks of replaced files, which a commit frees after it has
 * returned, are freed at the cost of whatever is measured next.
 * Not measured: the decision and the rendering of a reply (the engine's benchmarks), the loading of Pawl (cold start),
 * waiting for another process, a large tasks.yaml, settling the journal, other disks and file systems.
 */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStatePlace } from "../src/adapters/files/state-place.ts";
import { openStore } from "../src/adapters/files/store.ts";
import { projectPath } from "../src/core/path.ts";
import type { Change } from "../src/core/ports/store.ts";

const rounds = Number(process.argv[2] ?? 300);
const pause = Number(process.argv[3] ?? 20);
const WARM_UP = 30;
const root = mkdtempSync(join(process.env.TMPDIR ?? tmpdir(), "pawl-bench-"));
const filler = `${"A line of a state file, of common length, for the benchmark.\n".repeat(30)}`;

function floor(round: number): void {
  const path = join(root, "floor.json");
  const fd = openSync(`${path}.tmp`, "w");
  writeSync(fd, `${round}\n${filler}`);
  fsyncSync(fd);
  closeSync(fd);
  renameSync(`${path}.tmp`, path);
  const folder = openSync(root, "r");
  fsyncSync(folder);
  closeSync(folder);
}

const state = openStatePlace(`${root}.state`);
const store = openStore({ root, state, editors: { whole: (text) => text } });
const READ = [".work/TS-1/state.json", ".work/TS-1/notes.md", "tasks.yaml", "pawl.yaml"].map((path) =>
  projectPath(path),
);

async function advance(round: number, files: number): Promise<void> {
  const body = `${round}\n${filler}`;
  const id = `0000-${round}`;
  const all: readonly Change[] = [
    { type: "write", path: projectPath(".work/TS-1/state.json"), text: body },
    { type: "append", path: projectPath(".pawl/events.jsonl"), id, text: `{"id":"${id}"}\n` },
    { type: "write", path: projectPath(".work/TS-1/notes.md"), text: body },
    { type: "edit", path: projectPath("tasks.yaml"), text: body, editor: "whole", edits: [] },
    { type: "append", path: projectPath(".work/TS-1/scratch.md"), id, text: `- ${id}\n` },
    { type: "write", path: projectPath(`.work/TS-1/steps/${round % 100}.md`), text: body },
  ];
  await using _lock = await store.hold("bench:TS-1");
  const view = store.view();
  for (const path of READ) await view.read(path);
  const result = await store.commit(view, all.slice(0, files));
  if (result !== "committed") throw new Error(`round ${round}: ${result}`);
}

function measure(): Promise<Record<"floor" | "six" | "two", number[]>> {
  const times = { floor: [] as number[], six: [] as number[], two: [] as number[] };
  const timed = async (into: number[], work: () => void | Promise<void>, counts: boolean) => {
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    const start = process.hrtime.bigint();
    await work();
    if (counts) into.push(Number(process.hrtime.bigint() - start) / 1e6);
  };
  return (async () => {
    for (let round = 0; round < rounds + WARM_UP; round++) {
      const counts = round >= WARM_UP;
      await timed(times.floor, () => floor(round), counts);
      await timed(times.six, () => advance(2 * round, 6), counts);
      await timed(times.two, () => advance(2 * round + 1, 2), counts);
    }
    return times;
  })();
}

function quantile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

mkdirSync(join(root, ".work"), { recursive: true });
writeFileSync(join(root, "pawl.yaml"), "{}\n");
try {
  const times = await measure();
  const base = quantile(times.floor, 0.5);
  const rows = [
    ["floor: write, sync, rename, sync folder of one file", times.floor],
    ["advance, 6 files", times.six],
    ["advance, 2 files", times.two],
  ] as const;
  process.stdout.write(`${rounds} rounds, pause ${pause} ms; milliseconds\n`);
  for (const [name, list] of rows) {
    const [median, p99] = [quantile(list, 0.5), quantile(list, 0.99)];
    const ratio = `${(median / base).toFixed(2)} × floor`;
    process.stdout.write(`${name.padEnd(54)} median ${median.toFixed(3)}  p99 ${p99.toFixed(3)}  ${ratio}\n`);
  }
} finally {
  rmSync(root, { recursive: true, force: true });
  rmSync(state.folder, { recursive: true, force: true });
}

/**
 * A project on a real disk that is full to the last block, which this process mounts for itself: started by
 * `full-disk.test.ts` in a mount namespace of its own, with the folder to mount on. Prints what it saw as JSON.
 */
import { execFileSync } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { connect } from "./client.ts";
import { type Ended, runPawl, type TemporaryProject } from "./project.ts";

const BLOCK = 4096;
const [root = ""] = process.argv.slice(2);
execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", root]);
process.on("exit", () => execFileSync("umount", [root]));
writeFileSync(join(root, "pawl.yaml"), "");

const filler = join(root, "filler");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const pawl = (...args: string[]) => runPawl(root, args);

/** Leaves so many blocks. */
function fill(blocks: number): void {
  const file = openSync(filler, "w");
  let size = 0;
  try {
    for (;;) size += writeSync(file, Buffer.alloc(BLOCK, 1));
  } catch {
    truncateSync(filler, size - blocks * BLOCK);
  } finally {
    closeSync(file);
  }
}

/** Does it with ever more room, until it is done: the journal's record comes first, and so fits before the files do. */
async function withLeastRoom<T>(work: () => Promise<T>, isDone: (result: T) => boolean): Promise<T[]> {
  const results: T[] = [];
  for (let tried = 0; tried < 24; tried++) {
    // Twice with the same room: what the first try leaves behind, an empty lock file say, takes a block of it.
    fill(tried >> 1);
    results.push(await work());
    if (isDone(results.at(-1) as T)) break;
    rmSync(filler);
  }
  return results;
}

const isDone = ({ code }: Ended) => code === 0;
await pawl("door", "knock", "front");

const knocks = await withLeastRoom(() => pawl("door", "knock", "back"), isDone);
const seen = {
  knocks,
  file: execFileSync("ls", ["-A", join(root, ".door")], { encoding: "utf8" }),
  status: await pawl("status", "--json"),
  again: await pawl("door", "knock", "back"),
  repair: await pawl("repair"),
  log: await pawl("log", "--json"),
  refused: await pawl("door", "knock", "side"),
};
rmSync(filler);
const next = await pawl("door", "knock", "side");
const after = { next, back: read(".door/back.json"), side: read(".door/side.json"), log: await pawl("log") };

await using client = await connect({ root } as TemporaryProject);
const calls = await withLeastRoom(
  () => client.call("knock", { id: "cellar" }),
  ({ isError }) => !isError,
);
const looked = await client.call("knock", { id: "cellar" });
rmSync(filler);
process.stdout.write(`${JSON.stringify({ seen, after, calls, looked })}\n`);

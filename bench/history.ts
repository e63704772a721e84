/**
 * What a run's length costs its moves: `node bench/history.ts [CASTS]`.
 *
 * Measured: casts of Spells over MCP, one task begun and given back again and again, by lots of 500 up to CASTS (default
 * 2,000), beside the size of `.ai/task/state.json`, which keeps the whole history. Medians.
 * Not measured: Alfred's and Bloom's runs, which end; a history that people have edited.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { MAIN, median, ms, show, speakTo, timed } from "./measure.ts";
import { casts, make } from "./moves.ts";

const CASTS = Number(process.argv[2] ?? 2000);
const LOT = 500;

const { calls, folder } = casts(Number.POSITIVE_INFINITY);
const server = await speakTo([MAIN, "mcp"], folder);
for (let from = 0; from < CASTS; from += LOT) {
  const times: number[] = [];
  while (times.length < LOT) {
    const call = calls.next().value;
    const time = await timed(() => make(server, call));
    if (call.isMove) times.push(time);
  }
  const { size } = statSync(join(folder, ".ai/task/state.json"));
  show(`a cast, ${from} to ${from + LOT} before it`, `${ms(median(times))}, ${Math.round(size / 1024)} KB`);
}
await server.end();

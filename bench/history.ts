/**
 * What a run's length costs its moves: `node bench/history.ts [CASTS]`.
 *
 * Measured: casts of Spells over MCP, one task begun and given back again and again, by lots of 500 up to CASTS (default
 * 2,000), beside the size of `.ai/task/state.json`, which keeps the whole history. Medians.
 * Not measured: Alfred's and Bloom's runs, which end; a history that people have edited.
 */
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { emptyFolder, MAIN, ms, show, speakTo, spreadOf, timed } from "./measure.ts";
import { make } from "./moves.ts";

const CASTS = Number(process.argv[2] ?? 2000);
const LOT = 500;

const folder = emptyFolder("history");
mkdirSync(join(folder, ".ai"), { recursive: true });
const server = await speakTo([MAIN, "mcp"], folder);
const cast = (name: string) => make(server, { name, input: {}, isMove: true });
for (let count = 0; count < 2; count++) await cast("accio");
writeFileSync(join(folder, ".ai/task/plan.md"), "# Plan\n\n- [ ] It works\n");
for (let from = 0; from < CASTS; from += LOT) {
  const times: number[] = [];
  for (let count = 0; count < LOT; count++)
    times.push(await timed(() => cast(count % 2 === 0 ? "accio" : "finite")));
  const { size } = statSync(join(folder, ".ai/task/state.json"));
  show(
    `a cast, ${from} to ${from + LOT} before it`,
    `${ms(spreadOf(times).median)}, ${Math.round(size / 1024)} KB`,
  );
}
await server.end();

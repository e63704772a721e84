/**
 * One cast over MCP: a tool call written to the server's standard input, to its answer read.
 *
 * Measured: 400 casts, in turn Accio (a task is begun) and Finite (back to the plan), each a durable commit of state
 * and history; beside them, in turns, the floor of this disk: one small file written, synced, renamed, and its folder
 * synced.
 * Not measured: casts that fetch from Jira, Confluence or GitHub; a client library's own time.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { emptyFolder, MAIN, ms, show, speakTo, spreadOf, timed, writeDurably } from "./measure.ts";

const CASTS = 400;
const WARM_UP = 20;

const project = emptyFolder("cast");
mkdirSync(join(project, ".ai"), { recursive: true });
const server = await speakTo([MAIN, "mcp", "spells"], project);
const cast = (name: string) => server.request("tools/call", { name, arguments: {} });
await cast("accio");
await cast("accio");
writeFileSync(join(project, ".ai/task/plan.md"), "# Plan\n\n- [ ] It works\n");

const casts: number[] = [];
const floor: number[] = [];
for (let at = 0; at < CASTS + WARM_UP; at++) {
  const time = await timed(() => cast(at % 2 === 0 ? "accio" : "finite"));
  const least = await timed(() => writeDurably(project));
  if (at >= WARM_UP) {
    casts.push(time);
    floor.push(least);
  }
}
await server.end();
const [{ median, p99 }, least] = [spreadOf(casts), spreadOf(floor)];
show("floor: one small file, durable", `${ms(least.median)}, p99 ${ms(least.p99)}`);
show(`a cast over MCP (${CASTS})`, `${ms(median)}, p99 ${ms(p99)}`, {
  text: "median ≤ 5 ms",
  met: median <= 5,
});

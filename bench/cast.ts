/**
 * One cast over MCP: a tool call written to the server's standard input, to its answer read.
 *
 * Measured: 400 casts, in turn Accio (a task is begun) and Finite (back to the plan), each a durable commit of state
 * and history.
 * Not measured: casts that fetch from Jira, Confluence or GitHub; a client library's own time.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { emptyFolder, MAIN, ms, show, speakTo, spreadOf } from "./measure.ts";

const CASTS = 400;
const WARM_UP = 20;

const project = emptyFolder("cast");
mkdirSync(join(project, ".ai"), { recursive: true });
const server = await speakTo([MAIN, "mcp", "spells"], project);
const cast = (name: string) => server.request("tools/call", { name, arguments: {} });
await cast("accio");
await cast("accio");
writeFileSync(join(project, ".ai/task/plan.md"), "# Plan\n\n- [ ] It works\n");

const times: number[] = [];
for (let at = 0; at < CASTS + WARM_UP; at++) {
  const begun = performance.now();
  await cast(at % 2 === 0 ? "accio" : "finite");
  if (at >= WARM_UP) times.push(performance.now() - begun);
}
await server.end();
const { median, p99 } = spreadOf(times);
show(`a cast over MCP (${CASTS})`, `${ms(median)}, p99 ${ms(p99)}`, {
  text: "median ≤ 5 ms",
  met: median <= 5,
});

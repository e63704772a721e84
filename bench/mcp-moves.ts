/**
 * One move over MCP: a tool call written to the server's standard input, to its answer read: `node bench/mcp-moves.ts [MOVES]`.
 *
 * Measured: 400 moves of Alfred's planning, as each task takes them once, in a project that `pawl init` set up, in which fifty
 * tasks were planned before; and 400 casts of Spells, 48 of them a task, as many as few tasks take. Each is a durable commit of several files. Beside
 * them, in turns, the floor of this disk: one small file written, synced, renamed, and its folder synced.
 * Not measured: a client library's own time; tools that run a command (git, checks) or fetch; a model's thinking, which is
 * thousands of times longer.
 */
import { MAIN, ms, show, speakTo, spreadOf, timed, writeDurably } from "./measure.ts";
import { casts, make, plans, type Walk } from "./moves.ts";

const MOVES = Number(process.argv[2] ?? 400);
const WARM_UP = 400;

await measure("a transition over MCP", plans(), 2.5);
await measure("a cast over MCP", casts(), 2);

async function measure(what: string, { calls, folder }: Walk, limit: number): Promise<void> {
  const server = await speakTo([MAIN, "mcp"], folder);
  const moves: number[] = [];
  const floor: number[] = [];
  for (let at = 0; at < MOVES + WARM_UP; ) {
    const { value: call } = calls.next();
    const time = await timed(() => make(server, call));
    if (!call.isMove) continue;
    const least = await timed(() => writeDurably(folder));
    if (at++ < WARM_UP) continue;
    moves.push(time);
    floor.push(least);
  }
  await server.end();
  const [moved, least] = [spreadOf(moves), spreadOf(floor)];
  show("floor: one small file, durable", `${ms(least.median)}, p99 ${ms(least.p99)}`);
  const ratio = moved.median / least.median;
  show(`${what} (${MOVES})`, `${ms(moved.median)}, p99 ${ms(moved.p99)}, ${ratio.toFixed(2)} × the floor`, {
    text: `≤ ${limit} ×`,
    met: ratio <= limit,
  });
}

/**
 * The resident memory of `pawl mcp`: `node bench/memory.ts [CALLS]`, after `npm run build` (Linux only).
 *
 * Measured: after CALLS (default 2,000) of one kind on one server, in a project that `pawl init` set up: calls that only read,
 * and moves of Alfred's planning.
 * Not measured: large artifacts, servers that rest for hours. Half of it are pages of Node's program, which all processes share.
 */
import { readFileSync } from "node:fs";
import { CONTEXT } from "../test/rig/alfred-artifacts.ts";
import { taskMarkdown } from "../test/rig/alfred-project.ts";
import { openServer, projectWith, type Server, show } from "./measure.ts";

const CALLS = Number(process.argv[2] ?? 2000);

await measure("only reading", async (server) => {
  for (let count = 0; count < CALLS; count++) await server.call(count % 2 ? "get_next_task" : "lumos");
});
await measure("moves of Alfred's planning", async (server) => {
  for (let task = 1; task <= CALLS / 4; task++) {
    const task_id = `TS-${task}`;
    await server.call("create_task", { task_content: taskMarkdown(task_id) });
    await server.call("plan_task", { task_id });
    await server.call("submit_work", { task_id, artifact: CONTEXT });
    await server.call("provide_review", { task_id, is_approved: true });
  }
});

async function measure(what: string, work: (server: Server) => Promise<void>): Promise<void> {
  const server = await openServer(projectWith(1));
  await work(server);
  const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8");
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
  await server.end();
  show(`pawl mcp, resident, ${CALLS} calls, ${what}`, `${Math.round(kilobytes / 1024)} MB`, "130 MB");
}

/**
 * One transition over MCP: a tool call written to the server's standard input, to its answer read.
 *
 * Measured: 500 transitions of plan_task's first step, in turn handing in an analysis and sending it back, each a
 * durable commit of several files; beside them, in turns, the floor of this disk: one small file written, synced,
 * renamed, and its folder synced.
 * Not measured: a client library's own time; tools that run a command (git, checks); a model's thinking, which is
 * thousands of times longer.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { emptyFolder, MAIN, ms, show, speakTo, spreadOf, timed, writeDurably } from "./measure.ts";

const CALLS = Number(process.argv[2] ?? 500);
const WARM_UP = 20;

const TASK = `# TASK: T-1

## Title
Greet by name

## Context
greet.js greets the world.

## Implementation Details
Take a name.

## Acceptance Criteria
- it greets by name
`;

const ANALYSIS = {
  context_summary: "One file prints one line.",
  affected_files: ["greet.js"],
  questions_for_developer: ["What if no name is given?"],
};

const project = emptyFolder("mcp");
mkdirSync(join(project, ".alfred"), { recursive: true });
writeFileSync(join(project, "pawl.yaml"), "alfred:\n  reviews:\n    plan_task: [ai]\n");

const server = await speakTo([MAIN, "mcp", "alfred"], project);
await call("initialize_project", { provider: "local" });
await call("create_task", { task_content: TASK });
await call("plan_task", { task_id: "T-1" });

const calls: number[] = [];
const floor: number[] = [];
for (let at = 0; at < CALLS + WARM_UP; at++) {
  const time =
    at % 2 === 0
      ? await timed(() => call("submit_work", { task_id: "T-1", artifact: ANALYSIS }))
      : await timed(() =>
          call("provide_review", { task_id: "T-1", is_approved: false, feedback_notes: "Again." }),
        );
  const least = await timed(async () => writeDurably(project));
  if (at >= WARM_UP) {
    calls.push(time);
    floor.push(least);
  }
}
await server.end();

const [moved, least] = [spreadOf(calls), spreadOf(floor)];
show("floor: one small file, durable", `${ms(least.median)}, p99 ${ms(least.p99)}`);
show(`transition over MCP (${CALLS})`, `${ms(moved.median)}, p99 ${ms(moved.p99)}`, {
  text: "median ≤ 3 ms, where the floor is ≤ 1 ms",
  met: moved.median <= 3 * Math.max(1, least.median),
});

async function call(name: string, input: object): Promise<void> {
  const { result } = (await server.request("tools/call", { name, arguments: input })) as {
    result?: { isError?: boolean; content?: unknown };
  };
  if (!result || result.isError) throw new Error(`${name} was refused: ${JSON.stringify(result?.content)}`);
}

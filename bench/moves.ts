/**
 * A move over MCP: from the tool call written to the server's standard input to its answer read: `node bench/moves.ts`, after
 * `npm run build`.
 *
 * Measured: moves of Alfred's planning, each task walked once; the 60th and the 600th verdict of one task that is handed in and
 * sent back again and again; the 60th and the 1,500th cast on one task of Spells, begun and given back. Medians; of a
 * numbered move, that of the 61 around it.
 * Not measured: a client's own time, a model's; tools that run git or checks or fetch; large artifacts; slow disks.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CONTEXT, DESIGN, PLAN, STRATEGY } from "../test/rig/alfred-artifacts.ts";
import { taskMarkdown } from "../test/rig/alfred-project.ts";
import {
  emptyFolder,
  median,
  ms,
  openServer,
  projectWith,
  type Server,
  show,
  timed,
  times,
} from "./measure.ts";

const EARLY = 60;
const AROUND = 30;
const VERDICTS = 600;
const CASTS = 1500;
const PLANS = 40;

await showPlanning();
showFlatness("verdict", VERDICTS, await verdicts());
showFlatness("cast", CASTS, await casts());

async function showPlanning(): Promise<void> {
  const server = await openServer(projectWith(1), { workflow: "alfred" });
  const found: number[] = [];
  for (let number = 1; number <= PLANS; number++) {
    const task_id = await beginTask(server, number);
    for (const artifact of [CONTEXT, STRATEGY, DESIGN, PLAN]) {
      found.push(await timed(() => server.call("submit_work", { task_id, artifact })));
      found.push(await timed(() => server.call("provide_review", { task_id, is_approved: true })));
    }
  }
  await server.end();
  show("a move of Alfred's planning", ms(median(found.slice(found.length / 2))), "10 ms");
}

async function beginTask(server: Server, number: number): Promise<string> {
  const task_id = `TS-${number}`;
  await server.call("create_task", { task_content: taskMarkdown(task_id) });
  await server.call("plan_task", { task_id });
  return task_id;
}

async function verdicts(): Promise<readonly number[]> {
  const server = await openServer(projectWith(1), { workflow: "alfred" });
  const task_id = await beginTask(server, 1);
  const found: number[] = [];
  while (found.length < VERDICTS + AROUND) {
    await server.call("submit_work", { task_id, artifact: CONTEXT });
    const verdict = { task_id, is_approved: false, feedback_notes: "Once more." };
    found.push(await timed(() => server.call("provide_review", verdict)));
  }
  await server.end();
  return found;
}

async function casts(): Promise<readonly number[]> {
  const folder = emptyFolder("casts");
  mkdirSync(join(folder, ".ai"));
  const server = await openServer(folder, { workflow: "spells" });
  for (let count = 0; count < 2; count++) await server.call("accio");
  writeFileSync(join(folder, ".ai/task/plan.md"), "# Plan\n\n- [ ] It works\n");
  const found: number[] = [];
  while (found.length < CASTS + AROUND)
    found.push(await timed(() => server.call(found.length % 2 === 0 ? "accio" : "finite")));
  await server.end();
  return found;
}

function showFlatness(what: string, late: number, found: readonly number[]): void {
  const [first, last] = [EARLY, late].map((number) =>
    median(found.slice(number - 1 - AROUND, number + AROUND)),
  );
  if (first === undefined || last === undefined) throw new Error("Nothing was measured.");
  show(`the ${EARLY}th ${what}`, ms(first), "10 ms");
  show(`the ${late.toLocaleString("en")}th ${what}`, `${ms(last)}  ${times(last / first)}`, "1.3 × the 60th");
}

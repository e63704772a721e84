/**
 * The loop in a process that kills itself by SIGKILL at the nth commit that moves a task in its table: just before it
 * (what it tells of is done, and not yet told), or just after. Arguments: n, `before` or `after`.
 */
import { resolve } from "node:path";
import { openProject } from "../../src/app.ts";
import type { Change, Store } from "../../src/base/ports.ts";
import { readEnvironment } from "../../src/config.ts";
import { runLoop } from "../../src/runtime/loop.ts";
import { WORKFLOWS } from "../../src/workflows/index.ts";
import { MAIN } from "./project.ts";

const [at = "", side = ""] = process.argv.slice(2);
const project = await openProject({
  root: process.cwd(),
  home: resolve(import.meta.dirname, "../../src"),
  environment: readEnvironment(),
  workflows: WORKFLOWS,
  program: MAIN,
});
let moves = 0;

const store: Store = {
  ...project.runtime.store,
  async commit(view, changes) {
    const isMove = changes.some(tellsOfMove);
    if (isMove) moves += 1;
    const isHere = isMove && moves === Number(at);
    if (isHere && side === "before") process.kill(process.pid, "SIGKILL");
    const result = await project.runtime.store.commit(view, changes);
    if (isHere) process.kill(process.pid, "SIGKILL");
    return result;
  },
};

function tellsOfMove(change: Change): boolean {
  return change.type === "append" && change.text.includes('"type":"run:advanced"');
}

await runLoop({
  ...(await project.openLoop()),
  runtime: { ...project.runtime, store },
  name: "killed",
  agents: 1,
  once: true,
  show: (event) => process.stdout.write(`${JSON.stringify(event)}\n`),
  stop: new AbortController().signal,
});
await project.close();

/**
 * The loop in a process that kills itself by SIGKILL at its nth commit: just before it (what it tells of is done, and
 * not yet told), or just after. Arguments: n, `before` or `after`, and of what is counted: `move` (commits that move a
 * task in its table) or `commit` (all of them). Bundled into `.rig/`.
 */
import { resolve } from "node:path";
import { openProject } from "../../src/app/open-project.ts";
import { readEnvironment } from "../../src/config/config.ts";
import type { Change, Store } from "../../src/core/ports/store.ts";
import { runLoop } from "../../src/workflows/bloom/scheduler/loop.ts";
import { WORKFLOWS } from "../../src/workflows/index.ts";

const [at = "", side = "", what = "move"] = process.argv.slice(2);
const project = await openProject({
  root: process.cwd(),
  home: resolve(import.meta.dirname, "../src"),
  environment: readEnvironment(),
  workflows: WORKFLOWS,
  program: resolve(import.meta.dirname, "main.js"),
});
let commits = 0;

const store: Store = {
  ...project.runtime.store,
  async commit(view, changes) {
    const counts = what === "commit" || changes.some(tellsOfMove);
    if (counts) commits += 1;
    const isHere = counts && commits === Number(at);
    if (isHere && side === "before") process.kill(process.pid, "SIGKILL");
    const result = await project.runtime.store.commit(view, changes);
    if (isHere) process.kill(process.pid, "SIGKILL");
    return result;
  },
};

function tellsOfMove(change: Change): boolean {
  return change.type === "append" && change.text.includes('"type":"run:advanced"');
}

const { blocked, red, waiting } = await runLoop({
  ...(await project.openLoop()),
  runtime: { ...project.runtime, store },
  name: "killed",
  agents: 1,
  mergeTrain: 4,
  once: true,
  show: (event) => process.stdout.write(`${JSON.stringify(event)}\n`),
  stop: new AbortController().signal,
});
await project.close();
process.exitCode = blocked.length > 0 || red.length > 0 ? 1 : waiting.length > 0 ? 3 : 0;

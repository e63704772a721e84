/**
 * `plan take-back` in a process that kills itself by SIGKILL at its commit: just before it or just after. Arguments: the
 * task's id, `before` or `after`. Bundled into `.rig/`.
 */
import { resolve } from "node:path";
import { openProject } from "../../src/app/open-project.ts";
import { readEnvironment } from "../../src/config/config.ts";
import type { Store } from "../../src/core/ports/store.ts";
import { runTransaction } from "../../src/runtime/transaction/run-transaction.ts";
import { takeBack } from "../../src/workflows/alfred/loop/take-back.ts";
import { WORKFLOWS } from "../../src/workflows/index.ts";

const [id = "", side = ""] = process.argv.slice(2);
const { runtime } = await openProject({
  root: process.cwd(),
  home: resolve(import.meta.dirname, "../src"),
  environment: readEnvironment(),
  workflows: WORKFLOWS,
  program: resolve(import.meta.dirname, "main.js"),
});
const store: Store = {
  ...runtime.store,
  async commit(view, changes) {
    if (side === "before") process.kill(process.pid, "SIGKILL");
    const result = await runtime.store.commit(view, changes);
    process.kill(process.pid, "SIGKILL");
    return result;
  },
};
const { reply } = await runTransaction({ ...runtime, store }, takeBack, { id }, { channel: "terminal" });
process.stdout.write(reply.text);

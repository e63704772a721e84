/**
 * A process that commits until it is killed: it raises a count, adds a line and logs an event, all in one, and says so only once
 * the commit is acknowledged. `node database-child.ts URL PROJECT NAME`
 */
import { writeSync } from "node:fs";
import { openDatabase } from "../../src/adapters/postgres/database.ts";
import { EVENTS } from "../../src/core/event.ts";
import { projectPath } from "../../src/core/path.ts";

const [, , url, project = "", name] = process.argv;
const { store } = await openDatabase({ url, limits: { reconnecting: 120_000 } }).project(project);
const count = projectPath("count");
const log = projectPath("log");
for (let n = 0; ; ) {
  const view = store.view();
  const before = Number((await view.read(count)) ?? 0);
  const id = `${name}-${n}`;
  const done = await store.commit(view, [
    { type: "write", path: count, text: String(before + 1) },
    { type: "append", path: log, id, text: `${id}\n` },
    { type: "append", path: EVENTS, id, text: `{"id":"${id}"}\n` },
  ]);
  if (done === "changed") continue;
  writeSync(1, `${id}\n`);
  n += 1;
}

/**
 * Commits to PostgreSQL with 1,000 documents in the project: `node bench/database.ts [SECONDS]`.
 *
 * Measured: an advance as the runtime makes one (a view that reads four documents and lists a folder, a commit that replaces two and
 * logs an event) by 1, 4 and 8 clients at once, each with a mirror and connections of its own, each on documents of its own; how
 * many commits a second, and how long one takes. Then how long until another client hears of a commit. The server is one of npm's own
 * packages, on the same machine, with its defaults.
 * Not measured: a network, TLS, agents, the decision itself, a server that has other work.
 */
import { openDatabase } from "../src/adapters/postgres/database.ts";
import { EVENTS } from "../src/core/event.ts";
import { projectPath } from "../src/core/path.ts";
import type { Change, Store } from "../src/core/ports/store.ts";
import { startPostgres } from "../test/rig/postgres.ts";

const SECONDS = Number(process.argv[2] ?? 10);
const DOCUMENTS = 1000;
const CLIENTS = [1, 4, 8];
const HEARD = 30;
const filler = "A line of a state file, of common length, for the benchmark.\n".repeat(15);
const task = (number: number) => projectPath(`tasks/${String(number % DOCUMENTS).padStart(4, "0")}.yaml`);

const server = await startPostgres();
const url = server.url("postgres");
let made = 0;

function changesOf(number: number): readonly Change[] {
  made += 1;
  const id = `event-${made}`;
  return [
    { type: "write", path: task(number), text: `${made}\n${filler}` },
    { type: "write", path: projectPath(`.pawl/runs/${number % DOCUMENTS}.json`), text: `{"n":${made}}\n` },
    { type: "append", path: EVENTS, id, text: `{"id":"${id}","time":"2026-01-01T00:00:00Z"}\n` },
  ];
}

async function advance(store: Store, number: number): Promise<boolean> {
  const view = store.view();
  for (const other of [0, 1, 2]) await view.read(task(number + other));
  await view.read(projectPath(`.pawl/runs/${number % DOCUMENTS}.json`));
  await view.list(projectPath(".pawl/questions"));
  return (await store.commit(view, changesOf(number))) === "committed";
}

const setUp = openDatabase({ url });
await setUp.migrate();
await setUp.addProject("bench");
const { store } = await setUp.project("bench");
const all = Array.from({ length: DOCUMENTS }, (_, number) => changesOf(number)).flat();
await store.commit(store.view(), all);

const quantile = (times: readonly number[], share: number) =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length * share)]?.toFixed(1);

for (const clients of CLIENTS) {
  const databases = Array.from({ length: clients }, () => openDatabase({ url }));
  const stores = await Promise.all(databases.map(async (each) => (await each.project("bench")).store));
  await Promise.all(stores.map((each) => each.catchUp()));
  const times: number[] = [];
  let changed = 0;
  const begun = performance.now();
  const end = begun + SECONDS * 1000;
  await Promise.all(
    stores.map(async (each, client) => {
      for (let n = client * 100; performance.now() < end; n++) {
        const before = performance.now();
        if (await advance(each, client * 100 + (n % 90))) times.push(performance.now() - before);
        else changed += 1;
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  process.stdout.write(
    `${clients} clients: ${(times.length / seconds).toFixed(0)} commits/s, p50 ${quantile(times, 0.5)} ms, p99 ${quantile(times, 0.99)} ms, ${changed} decided again\n`,
  );
  for (const each of databases) await each.close();
}

const listening = openDatabase({ url });
const { watch } = await listening.project("bench");
let heard = () => {};
const watching = watch.onChange(() => heard());
await new Promise<void>((ready) => {
  heard = ready;
});
const delays: number[] = [];
for (let n = 0; n < HEARD; n++) {
  const told = new Promise<void>((done) => {
    heard = done;
  });
  await advance(store, n);
  const committed = performance.now();
  await told;
  delays.push(Math.max(0, performance.now() - committed));
}
process.stdout.write(
  `heard by another after p50 ${quantile(delays, 0.5)} ms, most ${quantile(delays, 0.999)} ms\n`,
);
watching.close();
await listening.close();
await setUp.close();
server.stop();

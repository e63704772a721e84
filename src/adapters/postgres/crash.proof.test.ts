/** Processes that commit, killed anywhere, over connections that break anywhere, to a server that is ended at once. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CutProxy, openCutProxy } from "../../../test/rig/cut-proxy.ts";
import { onDatabase, type Server, STARTING, startPostgres } from "../../../test/rig/postgres.ts";
import { promise } from "../../../test/rig/promise.ts";
import { until } from "../../../test/rig/until.ts";
import { EVENTS } from "../../core/event.ts";
import { projectPath } from "../../core/path.ts";
import type { DatabaseProject } from "../../core/ports/database.ts";
import { openDatabase } from "./database.ts";

const CHILD = resolve(import.meta.dirname, "../../../test/crash/database-child.ts");
const PROCESSES = 3;
const LONG = 600_000;

let server: Server;
let proxy: CutProxy;
beforeAll(async () => {
  server = await startPostgres();
  proxy = await openCutProxy(server.url("postgres"));
  const database = openDatabase({ url: proxy.url });
  await database.migrate();
  await database.close();
}, STARTING);
afterAll(() => {
  proxy?.close();
  server?.stop();
});

/** What was acknowledged. */
const acknowledged = new Set<string>();
let begun = 0;

function begin(project: string): ChildProcess {
  begun += 1;
  const words = [CHILD, proxy.url, project, `p${begun}`];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  let rest = "";
  child.stdout?.on("data", (bytes) => {
    const lines = `${rest}${bytes}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) acknowledged.add(line);
  });
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}

/** So many more commits get through. */
async function more(count: number): Promise<void> {
  const before = acknowledged.size;
  await until(() => acknowledged.size >= before + count);
}

async function underFire(
  project: string,
  strike: (children: ChildProcess[]) => Promise<void>,
): Promise<void> {
  const database = openDatabase({ url: server.url("postgres") });
  await database.addProject(project);
  const place = await database.project(project);
  acknowledged.clear();
  const children = Array.from({ length: PROCESSES }, () => begin(project));
  try {
    await more(5);
    for (let round = 0; round < 4; round++) {
      await strike(children);
      await more(5);
    }
  } finally {
    await Promise.all(children.map(kill));
  }
  // What a process sent before it was killed, the server may be doing yet.
  await until(isNobodyElseThere);
  await isWhole(place);
  await database.close();
}

function isNobodyElseThere(): Promise<boolean> {
  const others =
    "select 1 from pg_stat_activity where application_name ~ '^pawl ' and application_name !~ $1";
  return onDatabase(
    server.url("postgres"),
    async (client) => (await client.query(others, [`:${process.pid}$`])).rowCount === 0,
  );
}

async function isWhole({ inspect, store }: DatabaseProject): Promise<void> {
  const view = store.view();
  const lines = ((await view.read(projectPath("log"))) ?? "").trim().split("\n");
  const events = ((await view.read(EVENTS)) ?? "").trim().split("\n");
  // None lost, none twice, none in part. One that was under way may have happened without anybody to tell.
  expect([...acknowledged].filter((id) => !lines.includes(id))).toEqual([]);
  expect(new Set(lines).size).toBe(lines.length);
  expect(events).toEqual(lines.map((id) => `{"id":"${id}"}`));
  expect(await view.read(projectPath("count"))).toBe(String(lines.length));
  expect(lines.length - acknowledged.size).toBeLessThanOrEqual(begun);
  expect(await inspect()).toMatchObject({ revision: lines.length, events: lines.length, faults: [] });
}

describe("No acknowledged commit is lost, and none happens twice", () => {
  it("if processes are killed", { timeout: LONG }, async () => {
    promise("database.once");
    await underFire("killed", async (children) => {
      const [first] = children.splice(0, 1);
      if (first) await kill(first);
      children.push(begin("killed"));
    });
  });

  it("if connections break, before the request arrives or after the commit", {
    timeout: LONG,
  }, async () => {
    promise("database.once");
    let round = 0;
    await underFire("cut", async () => {
      round += 1;
      const before = proxy.cuts;
      if (round % 3 === 0) proxy.cutAll();
      else proxy.cut(round % 3 === 1 ? "reply" : "request", "pawl.commit(");
      await until(() => proxy.cuts > before);
    });
  });

  it("if the server is ended at once and started again", { timeout: LONG }, async () => {
    promise("database.once");
    await underFire("ended", () => server.crash());
  });
});

it("A project whose adding was answered to nobody is reported as added, and once", {
  timeout: LONG,
}, async () => {
  const database = openDatabase({ url: proxy.url });
  const before = proxy.cuts;
  proxy.cut("reply", "insert into pawl.project");
  expect(await database.addProject("answered-to-nobody")).toBe(true);
  expect(proxy.cuts).toBe(before + 1);
  expect(await database.addProject("answered-to-nobody")).toBe(false);
  await database.close();
});

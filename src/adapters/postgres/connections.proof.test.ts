/** Connections that break, or over which nothing comes any more, while something is held over them. */
import { beforeAll, describe, expect, it } from "vitest";
import { type CutProxy, openCutProxy } from "../../../test/rig/cut-proxy.ts";
import { emptyDatabase, onDatabase, STARTING } from "../../../test/rig/postgres.ts";
import { promise } from "../../../test/rig/promise.ts";
import { until } from "../../../test/rig/until.ts";
import { parseAddress } from "./address.ts";
import { type Connections, openConnections, type Query } from "./connections.ts";

let url: string;
beforeAll(async () => {
  url = await emptyDatabase();
}, STARTING);

async function withConnections(work: (connections: Connections) => Promise<void>, at = url): Promise<void> {
  const connections = openConnections(parseAddress(at), { holding: 500 });
  await work(connections);
  await connections.close();
}

async function withProxy(work: (connections: Connections, proxy: CutProxy) => Promise<void>): Promise<void> {
  const proxy = await openCutProxy(url);
  await withConnections((connections) => work(connections, proxy), proxy.url);
  proxy.close();
}

const lock = (query: Query) => query("select pg_advisory_xact_lock(7)");

/** Works in a transaction that holds the lock. */
async function whileHeld<T>(connections: Connections, work: (query: Query) => Promise<T>): Promise<T> {
  await using held = await connections.transaction(lock, 500);
  return await work(held.query);
}

const backendOf = async (query: Query) =>
  (await query<{ pid: number }>("select pg_backend_pid() as pid"))[0]?.pid;
const isFree = () =>
  onDatabase(
    url,
    async (client) => (await client.query("select pg_try_advisory_lock(7) as free")).rows[0].free,
  );

describe("A transaction that holds a lock", () => {
  it("and is lost ends nothing but itself: the work goes on, and the lock can be had", async () => {
    promise("database.lost-connections");
    await withConnections(async (connections) => {
      const worked = await whileHeld(connections, async (query) => {
        const pid = await backendOf(query);
        await onDatabase(url, (client) => client.query("select pg_terminate_backend($1)", [pid]));
        await until(isFree);
        // What is lost is heard of a little later.
        await until(() =>
          query("select 1").then(
            () => false,
            () => true,
          ),
        );
        return "worked";
      });
      expect(worked).toBe("worked");
      expect(await whileHeld(connections, async () => "again")).toBe("again");
    });
  });

  it("and does not know whether it gave it back is used by nobody else", async () => {
    promise("database.lost-connections");
    await withConnections(async (connections) => {
      const first = await whileHeld(connections, async (query) => {
        const pid = await backendOf(query);
        await query("select 1 / 0").catch(() => {});
        return pid;
      });
      expect(await whileHeld(connections, backendOf)).not.toBe(first);
    });
  });

  it("and stands still loses it after the time for which another one may wait", async () => {
    promise("database.lost-connections");
    await withConnections(async (connections) => {
      await whileHeld(connections, () => until(isFree));
    });
  });
});

describe("A connection over which nothing comes any more", () => {
  it("is given up by the server within half a minute, whatever it waits for", async () => {
    promise("database.lost-connections");
    await withConnections(async ({ query }) => {
      const names = [
        "tcp_keepalives_idle",
        "tcp_keepalives_interval",
        "tcp_keepalives_count",
        "tcp_user_timeout",
      ];
      const found = await query<{ name: string; setting: string }>(
        "select name, setting from pg_settings where name = any($1) order by name",
        [names],
      );
      expect(found.map(({ setting }) => Number(setting))).toEqual([3, 10, 5, 25_000]);
    });
  });

  it("is not taken for one that listens", async () => {
    promise("database.lost-connections");
    await withProxy(async (connections, proxy) => {
      let lost = 0;
      const listener = await connections.listener(() => {
        lost += 1;
      });
      proxy.swallow();
      await expect(listener?.listen("changes", () => {})).rejects.toThrow();
      expect(lost).toBe(1);
    });
  }, 60_000);
});

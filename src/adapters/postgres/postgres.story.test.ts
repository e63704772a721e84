import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { openCutProxy } from "../../../test/rig/cut-proxy.ts";
import { emptyDatabase, onDatabase } from "../../../test/rig/postgres.ts";
import { promise } from "../../../test/rig/promise.ts";
import { databaseForEach } from "../../../test/rig/stores.ts";
import { until } from "../../../test/rig/until.ts";
import { projectPath } from "../../core/path.ts";
import type { Cap, LeaseManager, TakenLease, Wanted } from "../../core/ports/leases.ts";
import type { Change } from "../../core/ports/store.ts";
import { parseAddress } from "./address.ts";
import { openConnections } from "./connections.ts";
import { type DatabaseOptions, openDatabase } from "./database.ts";
import { checkShape, migrate } from "./migrate.ts";
import { MIGRATIONS, type Migration } from "./migrations.ts";

const place = databaseForEach();

async function open(more: Partial<DatabaseOptions> = {}) {
  const database = place.database(more);
  return database.project(place.project);
}

const at = projectPath;
const write = (path: string, text: string): Change => ({ type: "write", path: at(path), text });

const { past } = place;

describe("a lease in the database", () => {
  it("refuses every commit of a holder from whom it was taken, and lets the new holder's through", async () => {
    promise("database.fence");
    const [zombie, other] = [await open(), await open()];
    const taken = await zombie.leaseManager.take("T-1", "zombie");
    expect(taken).not.toBeNull();
    const store = zombie.fenced("T-1");
    const view = store.view();
    await view.read(at("state"));
    expect(await store.commit(view, [write("state", "one")])).toBe("committed");
    // It stands still for longer than the lease lasts: nothing renews it.
    await past("update pawl.lease set until = clock_timestamp() - interval '1 s' where project = $1");
    const over = await other.leaseManager.take("T-1", "other");
    expect(over).toMatchObject({ abandoned: true });
    for (const text of ["late", "later"])
      await expect(store.commit(store.view(), [write("state", text)])).rejects.toMatchObject({
        code: "lease-lost",
      });
    const next = other.fenced("T-1");
    expect(await next.commit(next.view(), [write("state", "two")])).toBe("committed");
    expect(await next.view().read(at("state"))).toBe("two");
    await taken?.release();
    expect(await (await open()).leaseManager.take("T-1", "third")).toBeNull();
    await over?.release();
  });

  it("is renewed for as long as its holder lives, and lost with it", async () => {
    promise("database.fence");
    const [one, other] = [await open({ lasting: 600 }), await open({ lasting: 600 })];
    await one.leaseManager.take("T-1", "one");
    const first = await past("select until from pawl.lease where project = $1");
    await until(
      async () => (await past("select until from pawl.lease where project = $1"))[0].until > first[0].until,
    );
    expect(await other.leaseManager.take("T-1", "other")).toBeNull();
    expect((await one.inspect()).leases).toMatchObject([
      { what: "T-1", holder: expect.stringMatching(/^one /) },
    ]);
    await place.close();
    const third = await open();
    const over = await until(() => third.leaseManager.take("T-1", "third"));
    expect(over.abandoned).toBe(true);
    await over.release();
  });

  const wanted: Wanted = {
    ...{ repository: null, agent: "claude", usd: null },
    caps: { repository: null, agent: null, usd: null },
  };
  const taken = (lease: TakenLease | Cap | null | undefined) => {
    if (!lease || typeof lease === "string") throw new Error(`not taken: ${lease}`);
    return lease;
  };
  it.each<readonly [string, (leaseManager: LeaseManager) => Promise<TakenLease | Cap | null> | undefined]>([
    ["by its name", (leaseManager) => leaseManager.take("T-1", "one")],
    ["with its caps", (leaseManager) => leaseManager.reserve?.("T-1", "one", wanted)],
  ])("that its holder lost and takes again lasts as long as any other: %s", async (_, take) => {
    const { leaseManager } = await open();
    const left = async () =>
      (
        await past(
          "select extract(epoch from until - clock_timestamp())::float as left from pawl.lease where project = $1",
        )
      )[0].left;
    const lose = async ({ lost }: TakenLease, until: string) => {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
      try {
        await new Promise((done) => lost?.addEventListener("abort", done));
      } finally {
        vi.useRealTimers();
      }
      await past(`update pawl.lease set until = clock_timestamp() ${until} where project = $1`);
    };
    const first = taken(await take(leaseManager));
    await lose(first, "+ interval '2 s'");
    const second = taken(await take(leaseManager));
    expect(second).toMatchObject({ epoch: first.epoch, abandoned: false });
    expect(await left()).toBeGreaterThan(10);
    await lose(second, "- interval '1 s'");
    const third = taken(await take(leaseManager));
    expect(third.epoch).toBeGreaterThan(second.epoch ?? Number.POSITIVE_INFINITY);
    expect(third.abandoned).toBe(false);
    expect(await left()).toBeGreaterThan(10);
  });

  it("has a higher epoch with each take, also in a database that knows nothing of those before", async () => {
    promise("database.fence");
    const epochOf = async () => {
      const lease = await (await open()).leaseManager.take("T-1", "one");
      await lease?.release();
      return lease?.epoch ?? 0;
    };
    const [first, second] = [await epochOf(), await epochOf()];
    expect(second).toBeGreaterThan(first);
    await past("update pawl.lease set epoch = epoch + 1000000 where project = $1");
    expect(await epochOf()).toBe(second + 1_000_001);
    await past("delete from pawl.lease where project = $1");
    expect(await epochOf()).toBeGreaterThanOrEqual(first);
  });

  it("is not needed by a commit that names none", async () => {
    const { fenced, store } = await open();
    const other = fenced("T-9");
    await expect(other.commit(other.view(), [])).rejects.toMatchObject({ code: "lease-lost" });
    expect(await store.commit(store.view(), [write("a", "1")])).toBe("committed");
  });
});

describe("a commit in the database", () => {
  it("is known by its id: a second one with it changes nothing and says where the first was", async () => {
    promise("database.once");
    const { store } = await open();
    await store.commit(store.view(), [write("a", "1")]);
    const id = randomUUID();
    const call = (text: string) =>
      past(
        `select * from pawl.commit($1, '${id}', null, null, '{}', '{}', '[{"type":"append","path":"log","text":"${text}\\n"}]', false, '{}', null, null)`,
      );
    expect(await call("once")).toEqual([{ outcome: "committed", at_revision: "2" }]);
    await store.commit(store.view(), [write("a", "2")]);
    expect(await call("twice")).toEqual([{ outcome: "known", at_revision: "2" }]);
    expect(await store.view().read(at("log"))).toBe("once\n");
  });

  it("is sent again if the request was lost before the database had it", async () => {
    promise("database.once");
    const proxy = await openCutProxy(place.url);
    const { store } = await open({ url: proxy.url });
    proxy.cut("request", "pawl.commit(");
    expect(await store.commit(store.view(), [write("a", "1")])).toBe("committed");
    proxy.cut("reply", "from pawl.project p");
    expect(await store.view().read(at("a"))).toBe("1");
    expect(proxy.cuts).toBe(2);
    proxy.close();
  });

  it("says that the database cannot be reached, and not its address's password", async () => {
    promise("database.address");
    const url = Object.assign(new URL(place.url), { port: "1", password: "hush-hush-hush" }).href;
    const database = openDatabase({ url, limits: { reconnecting: 100 } });
    const failed = await database.faults().catch((error) => error);
    expect(failed).toMatchObject({
      code: "database-failed",
      message: expect.stringContaining("127.0.0.1:1/"),
    });
    expect(JSON.stringify([failed.message, failed.fix, String(failed.stack)])).not.toContain("hush");
    await database.close();
  });

  it("keeps every text but one with a NUL character, which it names", async () => {
    const { store } = await open();
    const texts = [
      "\\u0000 spelled out",
      '{"a":"\\\\u0000"}',
      "half a pair \ud800",
      "'quoted' \\ $1 {}",
      "{a,b}",
    ];
    await store.commit(
      store.view(),
      texts.map((text, n) => write(`t${n}`, text)),
    );
    const read = await Promise.all(texts.map((_, n) => store.view().read(at(`t${n}`))));
    expect(read).toEqual(texts.map((text) => text.toWellFormed()));
    await expect(store.commit(store.view(), [write("nul", "a\0b")])).rejects.toMatchObject({
      code: "state-unreadable",
      message: expect.stringContaining("nul contains a NUL character"),
    });
  });

  it("decides on what is there after a backup was restored under it", async () => {
    promise("database.history");
    const { inspect, store } = await open();
    await store.commit(store.view(), [write("a", "1")]);
    await store.commit(store.view(), [write("a", "2"), write("b", "2")]);
    const view = store.view();
    expect(await view.read(at("a"))).toBe("2");
    // As of the first commit, with another second one.
    await past(`
      delete from pawl.commit where project = $1 and revision = 2;
      delete from pawl.document where project = $1 and path = 'b';
      update pawl.document set text = '1', revision = 1 where project = $1 and path = 'a';
      update pawl.project set revision = 1, head = (select id from pawl.commit where project = $1) where id = $1`);
    await past(
      `select * from pawl.commit($1, '${randomUUID()}', null, null, '{}', '{}', '[{"type":"write","path":"c","text":"3"}]', false, '{}', null, null)`,
    );
    expect(await store.commit(view, [write("d", "x")])).toBe("changed");
    const after = store.view();
    expect([await after.read(at("a")), await after.read(at("b")), await after.read(at("c"))]).toEqual([
      "1",
      null,
      "3",
    ]);
    expect((await inspect()).faults).toEqual([]);
  });

  it("is part of a history of which a check sees each gap", async () => {
    promise("database.history");
    const { inspect, store } = await open();
    for (const text of ["1", "2", "3"]) await store.commit(store.view(), [write("a", text)]);
    expect(await inspect()).toMatchObject({ revision: 3, documents: 1, events: 0, faults: [] });
    await past("delete from pawl.commit where project = $1 and revision = 2");
    expect((await inspect()).faults).toMatchObject([{ message: expect.stringContaining("does not add up") }]);
  });

  it("reads from the database only what is newer than what is known", async () => {
    promise("database.newer");
    const { store } = await open();
    const many = Array.from({ length: 200 }, (_, n) => write(`tasks/${n}`, "x".repeat(500)));
    await store.commit(store.view(), many);
    const proxy = await openCutProxy(place.url);
    const mirror = (await open({ url: proxy.url })).store;
    await mirror.catchUp();
    const all = proxy.answered;
    await store.commit(store.view(), [write("tasks/7", "y")]);
    expect(await mirror.view().read(at("tasks/7"))).toBe("y");
    expect(all).toBeGreaterThan(100_000);
    expect(proxy.answered - all).toBeLessThan(1000);
    proxy.close();
  });
});

describe("changes in the database", () => {
  it("are heard again after the connection that listened was cut", async () => {
    promise("database.newer");
    const proxy = await openCutProxy(place.url);
    const [{ watch }, { store }] = [await open({ url: proxy.url }), await open()];
    let heard = 0;
    const watching = watch.onChange(() => {
      heard += 1;
    });
    const hears = async (text: string) => {
      const before = heard;
      await store.commit(store.view(), [write("a", text)]);
      await until(() => heard > before);
    };
    await hears("1");
    proxy.cutAll();
    await hears("2");
    watching.close();
    proxy.close();
  });
});

describe("the shape of a database", () => {
  it("is made once, however many make it at once", async () => {
    promise("database.shape");
    const url = await emptyDatabase();
    const all = Array.from({ length: 4 }, () => openDatabase({ url }));
    await expect(all[0]?.faults()).rejects.toMatchObject({
      code: "database-schema",
      fix: expect.stringContaining("init"),
    });
    const steps = await Promise.all(all.map((each) => each.migrate()));
    const own = steps.flat().filter((step) => !step.startsWith("the role "));
    expect(own).toEqual(MIGRATIONS.map(({ says }) => says));
    expect(await all[1]?.faults()).toEqual([]);
    for (const each of all) await each.close();
  });

  it("reads for each document of a large commit no more than a few, also if it has never been looked through", async () => {
    const url = await emptyDatabase();
    const database = openDatabase({ url });
    await database.migrate();
    await database.close();
    const documents = Array.from({ length: 1000 }, (_, n) => ({
      type: "write",
      path: `a/b/${n}`,
      text: "x",
    }));
    const read = await onDatabase(url, async (client) => {
      await client.query("begin");
      const { rows } = await client.query("insert into pawl.project (name) values ('one') returning id");
      await client.query("select pawl.apply($1, $2, 1)", [rows[0].id, JSON.stringify(documents)]);
      const counted = await client.query(
        "select seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_user_tables where relname = 'document'",
      );
      return Number(counted.rows[0].read);
    });
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(10 * documents.length);
  });

  it("grows by steps, each whole or not at all, and refuses a program that it has outgrown", async () => {
    promise("database.shape");
    const connections = openConnections(parseAddress(await emptyDatabase()));
    const [first] = MIGRATIONS as readonly [Migration];
    const more = {
      version: 2,
      says: "a column",
      readableFrom: 1,
      sql: "alter table pawl.project add more text;",
    };
    const broken = { ...more, version: 3, sql: "create table pawl.extra (a int); select 1 / 0;" };
    const contract = { ...more, version: 3, readableFrom: 2, sql: "create table pawl.extra (a int);" };
    await migrate(connections, [first]);
    await expect(checkShape(connections, [first, more])).rejects.toMatchObject({
      code: "database-schema",
      fix: expect.stringContaining("pawl database migrate"),
    });
    await expect(migrate(connections, [first, more, broken])).rejects.toMatchObject({
      code: "database-failed",
    });
    await checkShape(connections, [first, more]);
    await checkShape(connections, [first]);
    expect(await migrate(connections, [first, more, contract])).toEqual(["a column"]);
    await checkShape(connections, [first, more]);
    await expect(checkShape(connections, [first])).rejects.toMatchObject({
      fix: expect.stringContaining("Upgrade"),
    });
    await connections.close();
  });
});

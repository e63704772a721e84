/** The database through a real PgBouncer with its defaults, in the modes that teams use. */
import { describe, expect, it } from "vitest";
import { emptyDatabase, onDatabase, STARTING, throughPooler } from "../../../test/rig/postgres.ts";
import { promise } from "../../../test/rig/promise.ts";
import { until } from "../../../test/rig/until.ts";
import { projectPath } from "../../core/path.ts";
import type { Database } from "../../core/ports/database.ts";
import { openDatabase } from "./database.ts";

const PATH = projectPath("state");
const limits = { reconnecting: 2_000, holding: 4_000 };

async function opened(url: string, work: (one: Database, other: Database) => Promise<void>): Promise<void> {
  const both = [openDatabase({ url, limits }), openDatabase({ url, limits })] as const;
  try {
    await work(...both);
  } finally {
    await Promise.all(both.map((each) => each.close()));
  }
}

describe.each(["session", "transaction"] as const)("behind a pooler in %s mode", (mode) => {
  it("a project is set up, committed to, locked, leased and watched", { timeout: STARTING }, async () => {
    promise("database.pooler");
    const direct = await emptyDatabase();
    await opened(await throughPooler(direct, mode), async (one, other) => {
      expect(await one.migrate()).not.toEqual([]);
      expect(await other.migrate()).toEqual([]);
      expect(await one.addProject("shop")).toBe(true);
      const [mine, theirs] = [await one.project("shop"), await other.project("shop")];

      let heard = 0;
      const watch = theirs.watch.onChange(() => {
        heard += 1;
      });
      await until(() => heard > 0);
      const before = heard;
      const view = mine.store.view();
      await view.read(PATH);
      expect(await mine.store.commit(view, [{ type: "write", path: PATH, text: "one" }])).toBe("committed");
      await until(() => heard > before);
      expect(await theirs.store.view().read(PATH)).toBe("one");
      watch.close();

      const order: string[] = [];
      const held = await mine.store.hold("bloom:T-1");
      const waits = theirs.store.hold("bloom:T-1").then(async (next) => {
        order.push("theirs");
        await next[Symbol.asyncDispose]();
      });
      await (await theirs.store.hold("bloom:T-2"))[Symbol.asyncDispose]();
      order.push("mine");
      await held[Symbol.asyncDispose]();
      await waits;
      expect(order).toEqual(["mine", "theirs"]);

      const lease = await mine.leaseManager.take("T-1", "one");
      expect(lease).not.toBeNull();
      expect(await theirs.leaseManager.take("T-1", "other")).toBeNull();
      await lease?.release();
    });
    const left = await onDatabase(direct, (client) =>
      client.query("select count(*)::int as locks from pg_locks where locktype = 'advisory'"),
    );
    expect(left.rows[0].locks).toBe(0);
  });

  it("who holds a lock and is gone, or stands still, frees it for the others", {
    timeout: STARTING,
  }, async () => {
    promise("database.pooler");
    const pooled = await throughPooler(await emptyDatabase(), mode);
    await opened(pooled, async (one, other) => {
      await one.migrate();
      await one.addProject("shop");
      const [mine, theirs] = [await one.project("shop"), await other.project("shop")];
      const frozen = await mine.store.hold("bloom:T-1");
      // Longer than a waiter waits once, shorter than it waits in all: the frozen holder is ended meanwhile.
      await (await theirs.store.hold("bloom:T-1"))[Symbol.asyncDispose]();
      await frozen[Symbol.asyncDispose]();
    });
  });
});

describe("behind a pooler in statement mode", () => {
  it("is refused with what to do", { timeout: STARTING }, async () => {
    promise("database.pooler");
    const direct = await emptyDatabase();
    await opened(direct, (one) => one.migrate().then(() => {}));
    await opened(await throughPooler(direct, "statement"), async (one) => {
      await one.addProject("shop");
      const { store } = await one.project("shop");
      await expect(store.hold("bloom:T-1")).rejects.toMatchObject({
        code: "database-failed",
        message: expect.stringContaining("statement mode"),
        fix: expect.stringContaining("transaction or session mode"),
      });
    });
  });
});

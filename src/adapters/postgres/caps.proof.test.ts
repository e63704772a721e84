/** Caps over all machines, what agents spend, and workers: each connection here is a machine of its own. */
import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { databaseForEach } from "../../../test/rig/stores.ts";
import { until } from "../../../test/rig/until.ts";
import { projectPath as at } from "../../core/path.ts";
import type { DatabaseProject } from "../../core/ports/database.ts";
import type { TakenLease, Wanted } from "../../core/ports/leases.ts";
import type { WorkerEntry } from "../../core/ports/workers.ts";

const place = databaseForEach();

async function machine(lasting = 15_000): Promise<DatabaseProject> {
  const database = place.database({ lasting });
  return database.project(place.project);
}
const machines = (count: number) => Promise.all(Array.from({ length: count }, () => machine()));

const { past } = place;
const expire = () =>
  past("update pawl.lease set until = clock_timestamp() - interval '1 s' where project = $1");

interface WantedParts extends Partial<Omit<Wanted, "caps">> {
  readonly caps?: Partial<Wanted["caps"]>;
}
const wanted = ({ caps = {}, ...more }: WantedParts = {}): Wanted => ({
  ...{ repository: "api", agent: "claude", usd: null, ...more },
  caps: { repository: null, agent: null, usd: null, ...caps },
});
const reserve = ({ leaseManager }: DatabaseProject, task: string, how: WantedParts, worker = "w") =>
  leaseManager.reserve?.(task, worker, wanted(how)) ?? Promise.reject(new Error("no caps"));
const isTaken = (result: unknown): result is TakenLease => typeof result === "object" && result !== null;

/** A commit that tells of an agent's end, as the loop makes it. */
async function ends({ fenced }: DatabaseProject, task: string, usd: number | null, lastSign?: string) {
  const text = `${JSON.stringify({ id: "e", type: "agent:ended", taskId: task, usd, at: lastSign })}\n`;
  const store = fenced(task);
  return store.commit(store.view(), [{ type: "append", path: at(".pawl/events.jsonl"), id: "e", text }]);
}

describe("a cap over all machines", () => {
  const LONG = { timeout: 240_000 };
  const CONTESTS = 40;

  it.each<readonly [string, WantedParts, number]>([
    ["a repository's", { caps: { repository: 3 } }, 3],
    ["an agent's", { caps: { agent: 2 } }, 2],
    ["the day's dollars", { usd: 3, caps: { usd: 10 } }, 3],
  ])(
    "is reached and never passed by machines that take at the same moment: %s",
    LONG,
    async (_, how, most) => {
      promise("database.caps");
      const all = await machines(6);
      for (let contest = 0; contest < CONTESTS; contest++) {
        const results = await Promise.all(all.map((each, n) => reserve(each, `T-${contest}-${n}`, how)));
        const taken = results.filter(isTaken);
        expect(taken.length).toBe(most);
        expect(results.filter((each) => typeof each === "string").length).toBe(all.length - most);
        await Promise.all(taken.map((each) => each.release()));
      }
    },
  );

  it("keeps a worker that drains from taking anything, whatever it believes itself", async () => {
    promise("database.caps");
    const [one, other] = (await machines(2)) as [DatabaseProject, DatabaseProject];
    await one.workers.register(entry("w", 1));
    expect(isTaken(await reserve(one, "T-1", {}))).toBe(true);
    await other.workers.drain("w");
    expect(await reserve(one, "T-2", {})).toBe("draining");
    expect(isTaken(await reserve(other, "T-2", {}, "somebody-else"))).toBe(true);
  });

  it("shows what is reserved for work on tasks, and which of it a dead machine left", async () => {
    promise("machines.labels");
    const [one, other] = (await machines(2)) as [DatabaseProject, DatabaseProject];
    await reserve(one, "T-1", { usd: 6 });
    await expire();
    const second = await reserve(one, "T-2", { repository: null, agent: "codex" });
    expect(await other.workers.atWork()).toEqual([
      { what: "T-1", repository: "api", agent: "claude", usd: 6, alive: false },
      { what: "T-2", repository: null, agent: "codex", usd: null, alive: true },
    ]);
    if (isTaken(second)) await second.release();
    expect(await other.workers.atWork()).toHaveLength(1);
  });

  it("counts other repositories and agents apart, and no dead machine", async () => {
    promise("database.caps");
    const [one, other] = (await machines(2)) as [DatabaseProject, DatabaseProject];
    const how = { caps: { repository: 1, agent: 2 } };
    expect(isTaken(await reserve(one, "T-1", how))).toBe(true);
    expect(await reserve(other, "T-2", how)).toBe("repository");
    expect(isTaken(await reserve(other, "T-2", { ...how, repository: "web" }))).toBe(true);
    expect(await reserve(other, "T-3", { ...how, repository: "docs" })).toBe("agent");
    expect(isTaken(await reserve(other, "T-3", { ...how, repository: "docs", agent: "codex" }))).toBe(true);
    await expire();
    expect(isTaken(await reserve(other, "T-4", how))).toBe(true);
  });

  it("holds as much for a task as it may spend, and what it spent once it is known", async () => {
    promise("database.caps");
    const [one, other] = (await machines(2)) as [DatabaseProject, DatabaseProject];
    const how = { usd: 6, caps: { usd: 10 } };
    const first = await reserve(one, "T-1", how);
    expect(isTaken(first)).toBe(true);
    expect(await reserve(other, "T-2", how)).toBe("usd");
    await ends(one, "T-1", 1.5);
    await ends(one, "T-1", null);
    expect(await one.workers.spentToday()).toBe(1.5);
    // 4.5 are held still.
    expect(await reserve(other, "T-2", { ...how, usd: 4.01 })).toBe("usd");
    if (isTaken(first)) await first.release();
    expect(isTaken(await reserve(other, "T-2", how))).toBe(true);
    expect(await reserve(one, "T-3", { ...how, usd: 2.51 })).toBe("usd");
    expect(isTaken(await reserve(one, "T-3", { ...how, usd: 2.5 }))).toBe(true);
    expect(await other.workers.spentToday()).toBe(1.5);
    await past("update pawl.spend set day = day - 1 where project = $1");
    expect(await one.workers.spentToday()).toBe(0);
  });

  it("counts as spent what a dead machine may have spent, however it is taken over", async () => {
    promise("database.caps");
    const [one, other] = (await machines(2)) as [DatabaseProject, DatabaseProject];
    const how = { usd: 4, caps: { usd: 10 } };
    await reserve(one, "T-1", how);
    await reserve(one, "T-2", how);
    await ends(one, "T-1", 1);
    await expire();
    // Nobody has taken over yet.
    expect(await reserve(other, "T-3", how)).toBe("usd");
    const over = await other.leaseManager.take("T-1", "w");
    expect(over?.abandoned).toBe(true);
    expect(await other.workers.spentToday()).toBe(4);
    // Whoever takes over tells of the dead one's run: that is counted already.
    await ends(other, "T-1", 3, new Date().toISOString());
    expect(await other.workers.spentToday()).toBe(4);
    await over?.release();
    const again = await reserve(other, "T-2", { ...how, usd: 2 });
    expect(isTaken(again)).toBe(true);
    expect(await other.workers.spentToday()).toBe(8);
    if (isTaken(again)) await again.release();
    expect(await other.workers.spentToday()).toBe(8);
  });
});

describe("what live workers hold", () => {
  it("is known with the time that is left of it, and neither what was released nor what a dead one left", async () => {
    promise("machines.waits");
    const [one, other] = (await machines(2)) as [DatabaseProject, DatabaseProject];
    await one.leaseManager.take("T-1", "w");
    const second = await one.leaseManager.take("T-2", "w");
    await second?.release();
    const held = (await other.leaseManager.held?.()) ?? [];
    expect(held).toEqual([{ what: "T-1", left: expect.any(Number) }]);
    expect(held[0]?.left).toBeGreaterThan(0);
    expect(held[0]?.left).toBeLessThanOrEqual(15_000);
    await expire();
    expect(await other.leaseManager.held?.()).toEqual([]);
  });
});

describe("what a dead worker left", () => {
  const at = (place: string, isAlone = true) => ({ place, isAlone });
  const work = async (one: DatabaseProject, task: string, place = "here", worker = "w") =>
    isTaken(await reserve(one, task, { place }, worker));
  const leftFor = async ({ leaseManager }: DatabaseProject, place = "elsewhere") =>
    ((await leaseManager.held?.(place)) ?? []).map(({ left, ...held }) => held);
  const gpu = { what: "T-1", preferred: ["gpu"] };

  it("is left for a minute to a worker that is alive in the same place and has time", async () => {
    promise("machines.comes-back");
    const [one, two, other] = (await machines(3)) as [DatabaseProject, DatabaseProject, DatabaseProject];
    expect(await work(one, "T-1")).toBe(true);
    expect(await leftFor(other)).toEqual([{ what: "T-1" }]);
    await expire();
    expect(await leftFor(other)).toEqual([]);
    const survivor = await two.workers.register(entry("v"), at("here"));
    await other.workers.register(entry("x"), at("elsewhere"));
    expect(await leftFor(other)).toEqual([gpu]);
    expect((await other.leaseManager.held?.("elsewhere"))?.[0]?.left).toBeLessThanOrEqual(7500);
    expect(await leftFor(two, "here")).toEqual([]);
    await survivor?.beat({ atWork: 2, drains: false });
    expect(await leftFor(other)).toEqual([]);
    await survivor?.beat({ atWork: 1, drains: true });
    expect(await leftFor(other)).toEqual([]);
    await past("update pawl.worker set state = 'working' where project = $1");
    await past("update pawl.lease set until = clock_timestamp() - interval '61 s' where project = $1");
    expect(await leftFor(other)).toEqual([]);
    await expire();
    expect(await leftFor(other)).toEqual([gpu]);
    // Nothing is refused for it, and then it is held.
    expect(await work(two, "T-1", "here", "v")).toBe(true);
    expect(await leftFor(other)).toEqual([{ what: "T-1" }]);
  });

  it("is free at once if nobody there shows signs of life: a lease lasts twice as long as they count", async () => {
    promise("machines.comes-back");
    const [one, two, other] = (await machines(3)) as [DatabaseProject, DatabaseProject, DatabaseProject];
    await work(one, "T-1");
    await one.workers.register(entry("w"), at("here"));
    await two.workers.register(entry("v"), at("here"));
    // The whole machine dies, its last renewal before its last sign of life.
    await past("update pawl.lease set until = until - interval '13 s' where project = $1");
    await past("update pawl.worker set beat = beat - interval '8 s' where project = $1");
    expect(await leftFor(other)).toEqual([{ what: "T-1" }]);
    await expire();
    expect(await leftFor(other)).toEqual([]);
  });

  it("is nobody's in particular if its worker handed it back, or died of it twice in a row", async () => {
    promise("machines.comes-back");
    const [one, other] = (await machines(2)) as [DatabaseProject, DatabaseProject];
    await one.workers.register(entry("v"), at("here"));
    const first = await reserve(one, "T-1", { place: "here" });
    if (isTaken(first)) await first.release();
    expect(await leftFor(other)).toEqual([]);
    for (const seen of [[gpu], [], [gpu]]) {
      const [dying] = (await machines(1)) as [DatabaseProject];
      expect(await work(dying, "T-1")).toBe(true);
      await expire();
      expect(await leftFor(other)).toEqual(seen);
    }
  });

  it("is free at once for a worker of its name that is alone in its place, and its name with it", async () => {
    promise("machines.comes-back");
    const [one, two, other] = (await machines(3)) as [DatabaseProject, DatabaseProject, DatabaseProject];
    const first = await one.workers.register(entry("w"), at("here"));
    for (const task of ["T-1", "T-2"]) await work(one, task);
    await other.workers.register(entry("ww"), at("elsewhere"));
    await work(other, "T-3", "elsewhere", "ww");
    await past("update pawl.reservation set place = null where project = $1 and what = 'T-2'");
    expect(await two.workers.register(entry("w"), at("here", false))).toBeNull();
    expect(await two.workers.register(entry("w"), at("there"))).toBeNull();
    expect(await leftFor(other)).toHaveLength(3);
    const second = await two.workers.register(entry("w"), at("here"));
    expect(await second?.beat({ atWork: 0, drains: false })).toBe("go-on");
    expect(await first?.beat({ atWork: 0, drains: false })).toBe("replaced");
    // It died with T-2 there before.
    expect(await leftFor(other)).toEqual([{ what: "T-2" }, { what: "T-3" }, gpu]);
    expect(await work(two, "T-1")).toBe(true);
    expect(await leftFor(other)).toEqual([{ what: "T-1" }, { what: "T-2" }, { what: "T-3" }]);
  });
});

const entry = (name: string, capacity = 2): WorkerEntry => ({
  ...{ name, capacity, host: "h", version: "1.2.3", labels: ["gpu"] },
});

describe("a worker in the database", () => {
  it("has its name to itself for as long as it lives", async () => {
    const [one, other] = [await machine(600), await machine(600)];
    const first = await one.workers.register(entry("w"));
    expect(await first?.beat({ atWork: 1, drains: false })).toBe("go-on");
    expect(await other.workers.register(entry("w"))).toBeNull();
    expect(await other.workers.list()).toMatchObject([{ ...entry("w"), atWork: 1, state: "working" }]);
    // It shows no sign of life any more.
    const second = await until(() => other.workers.register(entry("w", 1)));
    expect(await second.beat({ atWork: 0, drains: false })).toBe("go-on");
    expect(await first?.beat({ atWork: 1, drains: false })).toBe("replaced");
    await first?.leave();
    expect(await one.workers.list()).toMatchObject([{ state: "working", capacity: 1 }]);
    await second.leave();
    expect(await one.workers.list()).toMatchObject([{ state: "drained", atWork: 0 }]);
    expect(await one.workers.register(entry("w"))).not.toBeNull();
  });

  it("is asked to drain, of which it hears by its watch, and is told if the database has outgrown it", async () => {
    const [one, person] = (await machines(2)) as [DatabaseProject, DatabaseProject];
    const own = await one.workers.register(entry("w"));
    let heard = 0;
    const watching = one.watch.onChange(() => {
      heard += 1;
    });
    await until(() => heard > 0);
    const before = heard;
    expect(await person.workers.drain("nobody")).toBeNull();
    expect(await person.workers.drain("w")).toBe("working");
    await until(() => heard > before);
    expect(await own?.beat({ atWork: 1, drains: false })).toBe("drain");
    expect(await person.workers.drain("w")).toBe("draining");
    expect(await person.workers.list()).toMatchObject([{ state: "draining", atWork: 1 }]);
    watching.close();
    await own?.leave();
    expect(await person.workers.drain("w")).toBe("drained");
    const again = await one.workers.register(entry("w"));
    await past("insert into pawl.migration (version, says, readable_from) values (9999, 'later', 9999)");
    expect(await again?.beat({ atWork: 0, drains: false })).toBe("outgrown");
    await past("delete from pawl.migration where version = 9999");
  });
});

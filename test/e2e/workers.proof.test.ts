/** Workers on several machines: real processes in folders of their own, one git remote, one database. */
import { type ChildProcess, execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ranOf } from "../rig/bloom-project.ts";
import { ask } from "../rig/board.ts";
import { openCutProxy } from "../rig/cut-proxy.ts";
import { heardFrom, json, type Machine, machines, sharedTasks } from "../rig/machines.ts";
import { emptyDatabase, onDatabase, STARTING, startPostgres } from "../rig/postgres.ts";
import { promise } from "../rig/promise.ts";
import { hangs, shellUntil, until } from "../rig/until.ts";

const LONG = { timeout: 240_000 };
beforeAll(emptyDatabase, STARTING);

/** The folder that holds both checkouts. */
const BOTH = '"$PAWL_PROJECT"/..';
/** On a machine with a file `hold`. */
const HOLDS = `touch "$PAWL_PROJECT"/begun-ID; ${shellUntil('! -e "$PAWL_PROJECT"/hold')}`;
const hold = ({ root }: Machine) => writeFileSync(join(root, "hold"), "");
const letGo = ({ root }: Machine) => rmSync(join(root, "hold"));
const begun = ({ root }: Machine, id: string) => until(() => existsSync(join(root, `begun-${id}`)));

const statusOf = async (machine: Machine, id: string): Promise<string> =>
  (await json(machine, "list")).data.tasks.find((each: { id: string }) => each.id === id).status;
const isDone = (machine: Machine, id: string) => until(async () => (await statusOf(machine, id)) === "done");
const workersOf = async (machine: Machine) =>
  (await json(machine, "workers")).data.workers.map(({ atWork, name, state }: Record<string, unknown>) => ({
    ...{ atWork, name, state },
  }));

/** A worker that got the name; null: another one has it still. */
async function named(
  machine: Machine,
  name: string,
  ...args: readonly string[]
): Promise<ChildProcess | null> {
  const child = machine.worker(name, ...args);
  const over = ranOf(child);
  const begins = new Promise((tell) =>
    child.stderr?.on("data", (text) => `${text}`.includes(`Worker ${name}`) && tell("begun")),
  );
  return (await Promise.race([begins, over])) === "begun" ? child : null;
}

async function end(...children: readonly ChildProcess[]): Promise<void> {
  for (const child of children) child.kill("SIGTERM");
  await until(() => children.every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null));
}

describe("Workers", () => {
  it("keep to a cap over all of them, and say that it lets tasks wait", LONG, async () => {
    promise("machines.workers");
    const at = `touch ${BOTH}/at-ID; ls ${BOTH} | grep -c '^at-' >> ${BOTH}/counts`;
    const ids = ["T1", "T2", "T3", "T4", "T5", "T6"];
    const tasks = sharedTasks(ids, at, shellUntil(`-e ${BOTH}/go`), `rm ${BOTH}/at-ID`);
    const settings = { caps: { agents: { scripted: 2 } } };
    using both = await machines({ tasks, settings });
    const { one, two } = both;
    const place = join(one.root, "..");
    const children = [one.worker("one", "--agents", "3"), two.worker("two", "--agents", "3")];
    const ran = children.map(ranOf);
    await until(() => ids.filter((id) => existsSync(join(place, `at-${id}`))).length === 2);
    const waiting = (await json(two, "status")).data.runs.find(
      (run: { state: string }) => run.state === "ready_for_agent",
    );
    expect(waiting.next).toContain("2 tasks are at work with scripted");
    writeFileSync(join(place, "go"), "");
    for (const id of ids) await isDone(two, id);
    await end(...children);
    const ended = await Promise.all(ran);
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    const counts = readFileSync(join(place, "counts"), "utf8").trim().split("\n").map(Number);
    expect(counts).toHaveLength(6);
    expect(Math.max(...counts)).toBe(2);
    expect(ended.flatMap((each) => each.of("loop:capped")).length).toBeGreaterThan(0);
  });

  it("take what their labels say, and status names what none of them serves", LONG, async () => {
    promise("machines.labels");
    using both = await machines({ tasks: sharedTasks(["T1"]), settings: { labels: { ".": ["gpu"] } } });
    const { one, two } = both;
    const next = async () => (await json(one, "status")).data.runs[0].next as string;
    await until(async () => (await next()).startsWith("there is no worker"));
    const first = one.worker("one", "--labels", "repo:.,fpga");
    const ran = ranOf(first);
    await until(async () =>
      (await next()).startsWith("no worker serves repo:. with agent:scripted with gpu"),
    );
    const second = two.worker("two", "--labels", "gpu");
    await isDone(one, "T1");
    const { out } = await one.pawl("workers");
    expect(out).toMatch(/^two .*working +\d of 1 +gpu, \w+ +just now$/m);
    await end(first, second);
    expect((await ran).of("task:claimed")).toEqual([]);
  });
});

describe("A worker that listens", () => {
  it.each(["worker", "run"])(
    "says to an autoscaler that it lives, and what waits: %s",
    LONG,
    async (kind) => {
      promise("board.queue");
      const sees = `echo "[$PAWL_METRICS_TOKEN]" > ${BOTH}/token`;
      using both = await machines({
        tasks: sharedTasks(["T1", "T2", "T3"], sees, HOLDS),
        environment: { PAWL_METRICS_TOKEN: "figures-only" },
      });
      const { one } = both;
      hold(one);
      const args = ["--agents", "1", "--listen", "0"];
      const child = kind === "worker" ? one.worker("one", ...args) : one.start(...args);
      const url = await new Promise<string>((tell) =>
        child.stderr?.on("data", (text) => {
          const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(`${text}`) ?? [];
          if (found) tell(found);
        }),
      );
      const figures = async (given: string) =>
        ask(`${url}/metrics`, { headers: { authorization: `Bearer ${given}` } });
      await begun(one, "T1");
      expect(await ask(`${url}/healthz`)).toMatchObject({ status: 200, text: "ok\n" });
      expect(await figures("another")).toMatchObject({
        status: 401,
        text: expect.stringContaining("PAWL_METRICS_TOKEN"),
      });
      expect((await ask(`${url}/`)).status).toBe(404);
      const { text } = await figures("figures-only");
      expect(text).toMatch(/^pawl_up\{[^}]+\} 1$/m);
      expect(text).toMatch(/^pawl_tasks_queued\{[^}]+\} 2$/m);
      if (kind === "worker") expect(text).toMatch(/^pawl_workers\{[^}]+,state="working"\} 1$/m);
      expect(readFileSync(join(one.root, "../token"), "utf8")).toBe("[]\n");
      letGo(one);
      await isDone(one, "T3");
      expect((await figures("figures-only")).text).toMatch(/^pawl_tasks_queued\{[^}]+\} 0$/m);
      await end(child);
      await expect(ask(`${url}/healthz`)).rejects.toThrow("ECONNREFUSED");
    },
  );
});

describe("A worker that drains", () => {
  it(
    "by a person's word takes nothing more, and ends when its tasks are done; others go on",
    LONG,
    async () => {
      promise("machines.workers");
      using both = await machines({
        // Longer than a lease counts as held without a renewal.
        tasks: sharedTasks(["T1", "T2", "T3"], `test ID != T1 || sleep 12`, HOLDS),
      });
      const { one, two } = both;
      hold(one);
      const first = one.worker("one");
      const ran = ranOf(first);
      await begun(one, "T1");
      const same = await two.pawl("worker", "--name", "one");
      expect(same.code).toBe(1);
      expect(same.err).toContain("[worker-name-taken]");
      expect((await two.agent("workers", "drain", "one")).err).toContain("[caller-not-allowed]");
      expect(await workersOf(two)).toContainEqual({ name: "one", state: "working", atWork: 1 });
      expect((await two.person("workers", "drain", "onee")).err).toContain("Use one;");
      expect((await two.person("workers", "drain", "one")).out).toContain("takes no new tasks");
      const second = two.worker("two");
      const other = ranOf(second);
      for (const id of ["T2", "T3"]) await isDone(two, id);
      expect(await workersOf(two)).toContainEqual({ name: "one", state: "draining", atWork: 1 });
      letGo(one);
      const { code, err } = await ran;
      expect(code).toBe(0);
      expect(err).toContain("A person asked for it.");
      expect(await statusOf(two, "T1")).toBe("done");
      expect(await workersOf(two)).toContainEqual({ name: "one", state: "drained", atWork: 0 });
      await end(second);
      expect((await other).code).toBe(0);
    },
  );

  it("by SIGTERM does so, too, and hands its tasks back by a second one", LONG, async () => {
    promise("machines.workers");
    using both = await machines({ tasks: sharedTasks(["T1", "T2"], HOLDS) });
    const { one, two } = both;
    hold(one);
    const first = one.worker("one");
    const ran = ranOf(first);
    await begun(one, "T1");
    first.kill("SIGTERM");
    await until(async () => (await workersOf(two))[0]?.state === "draining");
    first.kill("SIGTERM");
    const { code, err } = await ran;
    expect({ code, err }).toMatchObject({
      code: 130,
      err: expect.stringContaining("handing the tasks back"),
    });
    const second = two.worker("two");
    for (const id of ["T1", "T2"]) await isDone(two, id);
    await end(second);
    const log = both.remoteGit("log", "--format=%s", "main").split("\n");
    expect(log.filter((each) => each === "T1")).toHaveLength(1);
  });
});

describe("A worker that is killed", () => {
  it("leaves no agent, and its name and its task to the next", LONG, async () => {
    promise("machines.workers");
    const words = hangs();
    using both = await machines({
      tasks: sharedTasks(
        ["T1"],
        `touch "$PAWL_PROJECT"/begun-ID; test ! -e "$PAWL_PROJECT"/hold || ${words}`,
      ),
    });
    const { one, two } = both;
    hold(one);
    const first = one.worker("one");
    await begun(one, "T1");
    const agents = () =>
      execFileSync("ps", ["-eo", "args="], { encoding: "utf8" })
        .split("\n")
        .filter((each) => each === words);
    await until(() => agents().length > 0);
    first.kill("SIGKILL");
    await until(() => agents().length === 0);
    const next = await until(() => named(two, "one"));
    await isDone(two, "T1");
    await end(next);
  });
});

describe("A worker that stood still", () => {
  it("ends where another one has its name now, which goes on", LONG, async () => {
    using both = await machines({ tasks: sharedTasks(["T1"]), settings: { labels: { ".": ["gpu"] } } });
    const { one, two } = both;
    const first = one.worker("one");
    const ran = ranOf(first);
    const heard = heardFrom(first);
    await until(() => heard().includes('"loop:progress"'));
    first.kill("SIGSTOP");
    const next = await until(() => named(two, "one", "--labels", "gpu"));
    first.kill("SIGCONT");
    expect(await ran).toMatchObject({
      code: 1,
      err: expect.stringContaining("Another process works under the name one now."),
    });
    await isDone(two, "T1");
    expect(await workersOf(two)).toMatchObject([{ name: "one", state: "working" }]);
    await end(next);
  });
});

describe("A worker whose database is away", () => {
  it(
    "says what it waits for, and begins when it is there; what can never succeed ends it at once",
    LONG,
    async () => {
      promise("machines.waits-for-database");
      const server = await startPostgres();
      try {
        using both = await machines({ tasks: sharedTasks(["T1"]) }, server.url("postgres"));
        const { one, two } = both;
        const begun: ChildProcess[] = [];
        await server.crash(async () => {
          const child = one.worker("one");
          begun.push(child);
          const heard = heardFrom(child);
          await until(() => heard().includes('"loop:paused"'));
          const told = heard()
            .split("\n")
            .flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
          expect(told).toEqual([
            {
              ...{ type: "loop:paused", code: "database-failed" },
              reason: expect.stringContaining("cannot be reached"),
              fix: expect.stringContaining("Ctrl-C ends it"),
            },
          ]);
          expect((await two.pawl("list")).err).toContain("[database-failed]");
        });
        await isDone(two, "T1");
        await end(...begun);
        for (const [database, code] of [
          ["nowhere", "database-failed"],
          ["template1", "database-schema"],
        ] as const) {
          const child = two.workerBy(server.url(database), "two");
          const heard = heardFrom(child);
          await until(() => heard().includes(`"code": "${code}"`) && child.exitCode === 1);
          expect(heard()).not.toContain("loop:paused");
        }
      } finally {
        server.stop();
      }
    },
  );
});

describe("A worker whose database needs a newer Pawl", () => {
  it("says so, takes nothing more, and ends when its task is done", LONG, async () => {
    using both = await machines({ tasks: sharedTasks(["T1", "T2"], HOLDS) });
    const { one, url } = both;
    hold(one);
    const first = one.worker("one");
    const ran = ranOf(first);
    await begun(one, "T1");
    const later = "insert into pawl.migration (version, says, readable_from) values (9999, 'later', 9999)";
    await onDatabase(url, (client) => client.query(later));
    await until(async () => {
      const state = await onDatabase(url, (client) => client.query("select state from pawl.worker"));
      return state.rows[0]?.state === "draining";
    });
    letGo(one);
    const { code, err, of } = await ran;
    expect({ code, err }).toMatchObject({
      code: 0,
      err: expect.stringContaining("The database needs a newer Pawl."),
    });
    expect(of("task:completed")).toMatchObject([{ taskId: "T1" }]);
    expect((await one.pawl("list")).err).toContain("[database-schema]");
  });
});

describe("A worker that cannot renew its leases", () => {
  it.each([
    ["is cut off from the database", "cut"],
    ["stands still", "stop"],
  ])("because it %s has its agent ended before another one begins", LONG, async (_, how) => {
    promise("machines.workers");
    const alone = `for p in $(cat ${BOTH}/pids); do case "$(ps -o stat= -p $p)" in ""|Z*) ;; *) echo ID >> ${BOTH}/overlaps ;; esac; done; echo $$ >> ${BOTH}/pids`;
    using both = await machines({ tasks: sharedTasks(["T1"], `touch ${BOTH}/pids; ${alone}; ${HOLDS}`) });
    const { one, two, url } = both;
    const place = join(one.root, "..");
    const proxy = await openCutProxy(url);
    hold(one);
    const first = one.workerBy(proxy.url, "one");
    const ran = ranOf(first);
    await begun(one, "T1");
    const second = two.worker("two");
    if (how === "cut") proxy.close();
    else first.kill("SIGSTOP");
    await isDone(two, "T1");
    expect(existsSync(join(place, "overlaps"))).toBe(false);
    expect(readFileSync(join(place, "pids"), "utf8").trim().split("\n")).toHaveLength(2);
    if (how === "cut") first.kill("SIGKILL");
    else for (const signal of ["SIGCONT", "SIGTERM"] as const) first.kill(signal);
    const { code, of } = await ran;
    expect(of("task:lease_lost")).toMatchObject([{ taskId: "T1" }]);
    expect(code).toBe(how === "cut" ? null : 0);
    await end(second);
    proxy.close();
  });
});

describe("A worker that is started again where it died", () => {
  it("has its name at once, and goes on with its task in the same worktree", LONG, async () => {
    promise("machines.comes-back");
    const words = hangs();
    const kept = `test ! -e "$PAWL_PROJECT"/hold || { echo kept > ignored.txt; touch "$PAWL_PROJECT"/begun-ID; ${words}; }`;
    using both = await machines({
      tasks: sharedTasks(["T1"], kept, `mv ignored.txt "$PAWL_PROJECT"/found-ID || true`),
    });
    const { one, url } = both;
    writeFileSync(join(one.root, ".git/info/exclude"), "ignored.txt\n");
    hold(one);
    const first = one.worker("one");
    await begun(one, "T1");
    first.kill("SIGKILL");
    letGo(one);
    // Nothing of it runs out by itself, however long this takes.
    await onDatabase(url, async (client) => {
      await client.query("update pawl.worker set lasting = '1 hour'");
      await client.query("update pawl.lease set until = until + interval '1 hour'");
    });
    const again = one.worker("one");
    const ran = ranOf(again);
    await isDone(one, "T1");
    expect(readFileSync(join(one.root, "found-T1"), "utf8")).toBe("kept\n");
    await end(again);
    expect((await ran).of("task:claimed")).toMatchObject([{ taskId: "T1", takenOver: true }]);
  });

  it("frees no task before what its agent left is ended, also what ignores SIGTERM", LONG, async () => {
    promise("machines.ends-first");
    const words = hangs();
    const stays = `test ! -e "$PAWL_PROJECT"/hold || { trap '' TERM; touch "$PAWL_PROJECT"/begun-ID; ${words}; }`;
    using both = await machines({ tasks: sharedTasks(["T1"], stays) });
    const { one, url } = both;
    hold(one);
    const first = one.worker("one");
    await begun(one, "T1");
    await onDatabase(url, async (client) => {
      await client.query("update pawl.lease set until = until + interval '1 hour'");
      const { rows } = await client.query("select epoch from pawl.lease where what = 'T1'");
      first.kill("SIGKILL");
      letGo(one);
      const again = one.worker("one");
      const isFree =
        "select from pawl.lease where what = 'T1' and (until <= clock_timestamp() or epoch <> $1)";
      await until(async () => (await client.query(isFree, [rows[0].epoch])).rowCount === 1);
      expect(execFileSync("ps", ["-eo", "args="], { encoding: "utf8" }).split("\n")).not.toContain(words);
      await isDone(one, "T1");
      await end(again);
    });
  });
});

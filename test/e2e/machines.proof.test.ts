/** Several machines over one backlog: real loops in folders of their own, one git remote, one database. */
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ranOf } from "../rig/bloom-project.ts";
import { limitedAgent } from "../rig/limited-agent.ts";
import { heardFrom, json, type Machine, machines, sharedTasks } from "../rig/machines.ts";
import { backUp, emptyDatabase, onDatabase, STARTING, startPostgres } from "../rig/postgres.ts";
import { promise } from "../rig/promise.ts";
import { hangs, shellUntil, until } from "../rig/until.ts";

/** In place of an agent's last line: on a machine with a file `hangs`, it does not end by itself. */
const HANGS = `    RUN: if test -e "$PAWL_PROJECT/hangs"; then touch "$PAWL_PROJECT/begun"; ${hangs()}; fi\n    RUN: bloom`;
const LONG = { timeout: 240_000 };
beforeAll(emptyDatabase, STARTING);

const tasksText = (count: number) => sharedTasks(Array.from({ length: count }, (_, at) => `T${at + 1}`));

const statuses = async (machine: Machine) =>
  (await json(machine, "list")).data.tasks.map(({ id, status }: Record<string, string>) => `${id} ${status}`);

describe("Two machines", () => {
  it(
    "share a backlog: each task is done once, all is merged on the remote, both say the same",
    LONG,
    async () => {
      promise("machines.shared");
      using both = await machines({ tasks: tasksText(8), settings: { agents: 2 } });
      const { one, two } = both;
      const ran = await Promise.all([one.run(), two.run()]);
      for (const { code, err } of ran) expect({ code, err }).toEqual({ code: 0, err: "" });
      const names = both.remoteGit("ls-tree", "--name-only", "main").split("\n");
      expect(names.filter((name) => name.startsWith("T"))).toHaveLength(8);
      expect(both.remoteGit("for-each-ref", "refs/pawl/wip")).toBe("");

      const started = ran.map((each) => each.of("agent:started").map(({ taskId }) => taskId));
      expect(started.flat().sort()).toEqual(Array.from({ length: 8 }, (_, at) => `T${at + 1}`));
      for (const each of started) expect(each.length).toBeGreaterThan(0);
      // What their agents reported was taken, though they have no address of the database.
      for (const { events } of ran) expect(events.map(({ row }) => row)).not.toContain("step.assumed_done");

      expect(await statuses(one)).toEqual(Array.from({ length: 8 }, (_, at) => `T${at + 1} done`));
      expect(await statuses(two)).toEqual(await statuses(one));
      const seen = await Promise.all([one, two].map(async (each) => (await json(each, "status")).data.runs));
      expect(seen[0]).toEqual(seen[1]);
      // Nothing of it is in the files of either.
      for (const { root } of [one, two]) expect(existsSync(join(root, ".pawl/done"))).toBe(false);
      const log = await two.pawl("log", "T1", "--json");
      expect(log.out).toContain('"type":"agent:ended"');
      expect((await one.pawl("log", "T1", "--json")).out).toBe(log.out);
      expect((await one.pawl("database", "check")).out).toContain("Nothing is wrong.");
      const looks = [
        "show T1",
        "list",
        "stats",
        "trace bloom:T1",
        "questions",
        "next",
        "worktrees",
        "validate",
      ];
      for (const words of looks)
        expect({ words, ...(await two.pawl(...words.split(" "))) }).toMatchObject({
          words,
          code: 0,
          err: "",
        });
    },
  );

  it("take over from one that is killed, once its lease has run out", LONG, async () => {
    promise("machines.shared");
    const tasks = tasksText(2).replaceAll("    RUN: bloom", HANGS);
    using both = await machines({ tasks });
    const { one, two } = both;
    writeFileSync(join(one.root, "hangs"), "");
    const first = one.start();
    const died = ranOf(first);
    await until(() => existsSync(join(one.root, "begun")));
    const second = two.start();
    const other = ranOf(second);
    await until(async () => (await statuses(two)).includes("T2 done"));
    first.kill("SIGKILL");
    expect((await died).signal).toBe("SIGKILL");
    await until(async () => (await statuses(two)).every((each: string) => each.endsWith("done")));
    await stopped(second);
    const ran = await other;
    expect(ran.of("task:claimed")).toMatchObject([
      { taskId: "T2", takenOver: false },
      { taskId: "T1", takenOver: true },
    ]);
    expect(
      both
        .remoteGit("log", "--format=%s", "main")
        .split("\n")
        .filter((each) => each === "T1"),
    ).toHaveLength(1);
    // Whoever was killed comes back, and finds nothing to do.
    rmSync(join(one.root, "hangs"));
    const again = await one.run();
    expect({ code: again.code, started: again.of("agent:started") }).toEqual({ code: 0, started: [] });
  });

  it(
    "know of each other that an account is limited: the second does not ask, and says the same",
    LONG,
    async () => {
      promise("agents.one-record");
      const flags = mkdtempSync(join(tmpdir(), "pawl-limited-"));
      const flag = (name: string) => join(flags, name);
      const program = flag("claude");
      writeFileSync(program, limitedAgent(flags), { mode: 0o755 });
      writeFileSync(flag("limited"), "");
      using both = await machines({
        tasks: tasksText(3),
        settings: { agent: "limited" },
        project: { agents: { limited: { dialect: "claude", program } } },
        environment: { ANTHROPIC_API_KEY: "dummy" },
      });
      const { one, two } = both;
      const asked = () => (existsSync(flag("asked")) ? readFileSync(flag("asked"), "utf8").length : 0);
      expect((await one.run("--no-wait")).of("agent:rests")).toMatchObject([{ first: true }]);
      expect(asked()).toBe(1);
      const later = await two.run("--no-wait");
      expect({ asked: asked(), rests: later.of("agent:rests") }).toEqual({ asked: 1, rests: [] });
      expect(later.of("loop:progress").at(-1)).toMatchObject({
        blocked: [],
        resting: [{ agent: "limited", tasks: ["T1", "T2", "T3"] }],
      });
      const looks = () => Promise.all([one, two].map(async (each) => (await json(each, "status")).data));
      const [seen, same] = await looks();
      expect(seen.runs[0].rest.words).toMatch(/^limited rests until /);
      expect(seen.accounts).toMatchObject([{ agent: "limited", state: "limited", source: "event" }]);
      expect([same.runs[0], same.accounts]).toEqual([seen.runs[0], seen.accounts]);
      rmSync(flag("limited"));
      // A person knows better than the record, for all machines.
      expect((await two.person("ready", "T1")).code).toBe(0);
      expect((await one.run()).code).toBe(0);
      expect(await statuses(two)).toEqual(["T1 done", "T2 done", "T3 done"]);
      for (const { accounts } of await looks())
        expect(accounts).toMatchObject([{ state: "open", words: "limited is open" }]);
      rmSync(flags, { recursive: true });
    },
  );

  it("take away what a killed one had made for a task, once, before they make their own", LONG, async () => {
    promise("bloom.environment");
    const tasks = tasksText(1).replaceAll("    RUN: bloom", HANGS);
    const says = (word: string) => `echo "${word} $PAWL_NAME $(basename "$PWD")" >> ../made.txt`;
    using both = await machines({
      tasks,
      project: { environment: { ports: 1, up: says("up"), down: says("down") } },
    });
    const { one, two } = both;
    writeFileSync(join(one.root, "hangs"), "");
    const first = one.start();
    const died = ranOf(first);
    await until(() => existsSync(join(one.root, "begun")));
    const [held] = (await json(two, "status")).data.runs;
    expect(held.environment).toMatchObject({ slot: 0, ports: [expect.any(Number)] });
    first.kill("SIGKILL");
    await died;
    const second = two.start();
    const other = ranOf(second);
    await until(async () => (await statuses(two)).includes("T1 done"));
    await stopped(second);
    expect((await other).of("environment:down").map(({ abandoned }) => abandoned)).toEqual([true, false]);
    const made = readFileSync(join(one.root, "../made.txt"), "utf8").trim().split("\n");
    const [name] = made.map((line) => line.split(" ")[1]);
    expect(made.slice(0, 2)).toEqual([`up ${name} project`, `down ${name} two`]);
    expect(made.slice(2).map((line) => line.replace(/ pawl\S+/, ""))).toEqual(["up two", "down two"]);
  });

  it(
    "leave one that stood still and comes back with nothing to say: what it had begun is another's",
    LONG,
    async () => {
      promise("machines.shared");
      const tasks = tasksText(1).replace("    RUN: bloom", HANGS);
      using both = await machines({ tasks });
      const { one, two } = both;
      writeFileSync(join(one.root, "hangs"), "");
      const first = one.start();
      const heard = heardFrom(first);
      const ended = ranOf(first);
      await until(() => existsSync(join(one.root, "begun")));
      first.kill("SIGSTOP");
      const second = two.start();
      const other = ranOf(second);
      await until(async () => (await statuses(two)).includes("T1 done"));
      first.kill("SIGCONT");
      await until(() => heard().includes('"task:overtaken"'));
      await Promise.all([stopped(first), stopped(second)]);
      const [zombie, ran] = [await ended, await other];
      expect(zombie.of("task:overtaken")).toMatchObject([{ taskId: "T1" }]);
      expect([zombie.of("task:failed"), ran.of("task:failed")]).toEqual([[], []]);
      const stored = await one.pawl("log", "T1", "--json");
      const ends = stored.out.split("\n").filter((line) => line.includes('"type":"agent:ended"'));
      expect(ends).toHaveLength(ran.of("agent:ended").length);
      const subjects = both.remoteGit("log", "--format=%s", "main").split("\n");
      expect(subjects.filter((each) => each === "T1")).toHaveLength(1);
      expect((await one.pawl("database", "check")).out).toContain("Nothing is wrong.");
    },
  );

  it.each([
    ["nothing had begun", false],
    ["its first step was at work", true],
  ])(
    "look at the work that a restored backup has forgotten before they do it, and nothing is done twice: %s",
    LONG,
    async (_, hasBegun) => {
      promise("database.history");
      const waits = (step: string) =>
        `RUN: touch "$PAWL_PROJECT"/begun-${step}; ${shellUntil(`! -e "$PAWL_PROJECT"/hold-${step}`)}`;
      const step = (id: string) => `  - id: ${id}
    instruction: |
      ${waits(id)}
      RUN: test -e ${id}.txt || (echo > ${id}.txt; git add -A; git commit -qm ${id})
      RUN: bloom step done ${id}
`;
      const tasks = `tasks:\n- id: T1\n  title: T1\n  repo: .\n  merge_into: main\n  steps:\n${step("s1")}${step("s2")}`;
      using both = await machines({ tasks });
      const { one, two, url } = both;
      const hold = (id: string) => join(one.root, `hold-${id}`);
      const begun = (id: string) => until(() => existsSync(join(one.root, `begun-${id}`)));
      for (const id of ["s1", "s2"]) writeFileSync(hold(id), "");
      let backup = await backUp(url);
      const first = one.start();
      await begun("s1");
      if (hasBegun) {
        await onDatabase(url, (client) => client.query("drop schema kept cascade"));
        backup = await backUp(url);
      }
      const second = two.start();
      const ran = ranOf(second);
      rmSync(hold("s1"));
      await begun("s2");
      const took = async () => existsSync(join(two.root, "begun-s1"));
      first.kill("SIGKILL");
      await backup.restore();
      await until(async () => (await statuses(two)).includes("T1 done"));
      expect(await took()).toBe(true);
      await stopped(second);
      const starts = (await ran).of("agent:started");
      const prompt = readFileSync(join(two.root, `.pawl/agents/${starts[0]?.run}/prompt.md`), "utf8");
      expect(prompt).toContain("## Done before");
      expect(prompt).toContain("- s1\n");
      const subjects = both.remoteGit("log", "--format=%s", "main").split("\n");
      expect(subjects.filter((each) => /^s\d$/.test(each)).sort()).toEqual(["s1", "s2"]);
      expect((await two.pawl("database", "check")).out).toContain("Nothing is wrong.");
    },
  );

  it(
    "go on where the server ended in the middle of everything and came back, and nothing is done twice",
    LONG,
    async () => {
      promise("machines.shared");
      const server = await startPostgres();
      try {
        const tasks = tasksText(4).replaceAll(
          "    RUN: bloom",
          `    RUN: touch "$PAWL_PROJECT/begun"; ${shellUntil('-e "$PAWL_PROJECT"/../crashed')}\n    RUN: bloom`,
        );
        using both = await machines({ tasks, settings: { agents: 2 } }, server.url("postgres"));
        const { one, two } = both;
        const running = [one.start(), two.start()];
        const ended = running.map(ranOf);
        await until(() => existsSync(join(one.root, "begun")) || existsSync(join(two.root, "begun")));
        for (let times = 0; times < 2; times++) await server.crash();
        writeFileSync(join(one.root, "../crashed"), "");
        await until(() => /^T\d$/m.test(both.remoteGit("log", "--format=%s", "main")));
        await server.crash();
        await until(async () => (await statuses(two)).every((each: string) => each.endsWith("done")));
        await Promise.all(running.map(stopped));
        const ran = await Promise.all(ended);
        expect(ran.flatMap((each) => each.of("task:failed"))).toEqual([]);
        expect(ran.flatMap((each) => each.of("task:blocked"))).toEqual([]);
        const subjects = both.remoteGit("log", "--format=%s", "main").split("\n");
        expect(subjects.filter((each) => /^T\d$/.test(each)).sort()).toEqual(["T1", "T2", "T3", "T4"]);
        expect((await one.pawl("database", "check")).out).toContain("Nothing is wrong.");
      } finally {
        server.stop();
      }
    },
  );

  it(
    "wait out a database that is away for longer than their leases last: each task is begun again",
    LONG,
    async () => {
      const server = await startPostgres();
      try {
        using both = await machines(
          { tasks: tasksText(3).replaceAll("    RUN: bloom", HANGS) },
          server.url("postgres"),
        );
        const places = [both.one, both.two];
        for (const { root } of places) writeFileSync(join(root, "hangs"), "");
        const running = places.map((each) => each.start());
        const ended = running.map(ranOf);
        const heard = running.map(heardFrom);
        await until(() => places.every(({ root }) => existsSync(join(root, "begun"))));
        await server.crash(async () => {
          await until(() => heard.every((each) => each().includes('"task:lease_lost"')));
          for (const { root } of places) rmSync(join(root, "hangs"));
        });
        await until(async () => (await statuses(both.two)).every((each: string) => each.endsWith("done")));
        await Promise.all(running.map(stopped));
        const ran = await Promise.all(ended);
        expect(ran.flatMap((each) => each.of("task:failed"))).toEqual([]);
        expect(ran.flatMap((each) => each.of("task:blocked"))).toEqual([]);
        const subjects = both.remoteGit("log", "--format=%s", "main").split("\n");
        expect(subjects.filter((each) => /^T\d$/.test(each)).sort()).toEqual(["T1", "T2", "T3"]);
        expect((await both.one.pawl("database", "check")).out).toContain("Nothing is wrong.");
      } finally {
        server.stop();
      }
    },
  );

  it("have their gates and questions answered from either", LONG, async () => {
    promise("machines.shared", "database.verdict-login");
    const tasks = `tasks:
- id: T1
  title: t
  repo: .
  merge_into: main
  checkpoint: true
  instructions: |
    RUN: bloom ask T1 "Which colour?" --blocking
`;
    const work = "RUN: echo green > T1.txt; git add -A; git commit -qm T1; bloom done T1";
    const again = "RUN: echo greener > T1.txt; git commit -qam greener; bloom done T1";
    using both = await machines({ tasks, answers: { "The answer: green": work, "Greener.": again } });
    const login = `, as ${new URL(both.url).username} in the database`;
    const { one, two } = both;
    const first = await one.run();
    expect({ code: first.code, err: first.err }).toEqual({ code: 3, err: "" });
    expect((await two.pawl("status")).out).toContain("Which colour?");
    expect(await two.person("answer", "q1", "green")).toMatchObject({ code: 0 });
    const asking = await one.run();
    expect({ code: asking.code, err: asking.err }).toEqual({ code: 3, err: "" });
    // The work is on the other machine, and on the remote.
    expect((await two.pawl("review", "bloom:T1", "--diff")).out).toContain("+green");
    expect(await two.person("reject", "T1", "-m", "Greener.")).toMatchObject({ code: 0 });
    expect((await one.run()).code).toBe(3);
    expect((await one.pawl("review", "bloom:T1")).out.replaceAll(/\s+/g, " ")).toMatch(
      new RegExp(`rejected [^|]*, by \\S+${login} \\(`),
    );
    expect(await two.person("approve", "T1")).toMatchObject({ code: 0 });
    const shown = (await one.pawl("show", "bloom:T1")).out;
    expect(shown).toMatch(new RegExp(`waiting_for_human: sent_back, by \\S+${login} \\(`));
    expect(shown).toMatch(new RegExp(`waiting_for_human: approved, by \\S+${login} \\(`));
    expect((await one.person("approve", "T1")).out).toMatch(
      new RegExp(`${login} has decided already: approved`),
    );
    const { code, err } = await two.run();
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(await statuses(one)).toEqual(["T1 done"]);
    expect(both.remoteGit("ls-tree", "--name-only", "main")).toContain("T1.txt");
  });
});

async function stopped(child: ChildProcess): Promise<void> {
  child.kill("SIGINT");
  await until(() => child.exitCode !== null || child.signalCode !== null);
}

describe("A project whose work is in a database", () => {
  it("says what is missing: the address, the project there, what it holds", LONG, async () => {
    promise("machines.places");
    using both = await machines({ tasks: tasksText(1) });
    const { one, two, url } = both;
    const none = await runAt(two, { PAWL_DATABASE_URL: "" }, "list");
    expect(none.err).toContain("[database-unconfigured]");
    expect(none.err).toContain("pawl.yaml keeps Bloom's work in a database");
    expect((await runAt(two, { PAWL_DATABASE_URL: "" }, "doctor")).out).toMatch(
      /✗ database: pawl\.yaml keeps/,
    );
    expect((await one.pawl("doctor")).out).toMatch(
      /✓ database: \S+ has Bloom's work; postgres has\s+the\s+role owner/,
    );
    const other = { PAWL_DATABASE_URL: await emptyDatabase() };
    expect((await runAt(one, other, "list")).err).toContain("[database-schema]");
    await runAt(one, other, "database", "init");
    const empty = await runAt(one, other, "list");
    expect(empty.err).toContain("has nothing of this project yet");
    expect(empty.err).toContain("pawl database import");
    expect(url).not.toBe(other.PAWL_DATABASE_URL);
  });

  it("keeps Alfred's and other work in the files, which need no database", LONG, async () => {
    promise("machines.places");
    using both = await machines({ tasks: tasksText(1) });
    const { two } = both;
    writeFileSync(join(two.root, "pawl.yaml"), "stores: {bloom: postgres}\n");
    const { code, err, out } = await runAt(two, { PAWL_DATABASE_URL: "" }, "config");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("postgres");
  });
});

async function runAt({ root }: Machine, environment: Readonly<Record<string, string>>, ...words: string[]) {
  const { pawlInside } = await import("../rig/project.ts");
  return pawlInside(root, words, { DOOR_ONLY: "", ...environment });
}

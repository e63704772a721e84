/** `pawl database`: a project's state in a database, and back. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../src/adapters/postgres/database.ts";
import { emptyDatabase, loginTo, onDatabase, STARTING, startPostgres } from "../rig/postgres.ts";
import { MAIN, runPawl, temporaryProject, testEnvironment } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { until } from "../rig/until.ts";

const LONG = { timeout: 240_000 };
let url: string;
beforeAll(async () => {
  url = await emptyDatabase();
}, STARTING);

const EVENT = '{"id":"e1","time":"2026-01-01T00:00:00.000Z","type":"task:added","task":"T-1"}';
/** What is copied, with everything that could be lost on the way: a BOM, CRLF, an unfinished last line. */
const STATE: Readonly<Record<string, string>> = {
  "tasks.yaml": "\uFEFF# mine\r\ntasks:\r\n- id: T-1\r\n  title: ä 😀\r\n",
  ".pawl/done/T-1.json": "{}\n",
  ".pawl/questions/Q-1.json": "{}",
  ".pawl/log/bloom/T-1.jsonl": "{}\n",
  ".alfred/records/bloom/T-1/0001-0001-0123456789abcdef.jsonl": "{}\n",
  ".pawl/events.jsonl": `${EVENT}\n\n${EVENT.replace("e1", "e2")}\n{"half":`,
};

function project() {
  const made = temporaryProject({ environment: { PAWL_DATABASE_URL: url, DOOR_ONLY: "" } });
  for (const [path, text] of Object.entries(STATE)) made.write(path, text);
  made.write("pawl.yaml", "# ours\nbloom:\n  agent: scripted\n");
  made.write("src/index.ts", "not Pawl's\n");
  return made;
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !/^\.pawl\/(?:journal|\.gitignore|locks\/.*)$/.test(path))
    .sort();

describe("A project in a database", () => {
  it("says to an owner who may make no roles what an administrator has to do", LONG, async () => {
    promise("database.roles");
    // Roles are the server's, so it is one of the test's own.
    const server = await startPostgres();
    const owner = await loginTo(server.url("postgres"));
    await onDatabase(server.url("postgres"), (client) =>
      client.query(`create database own owner ${new URL(owner).username}`),
    );
    const PAWL_DATABASE_URL = Object.assign(new URL(owner), { pathname: "/own" }).href;
    using own = temporaryProject({ environment: { PAWL_DATABASE_URL } });
    const words = "An administrator makes them: create role pawl_";
    expect(await own.pawl("database", "init")).toMatchObject({
      code: 0,
      out: expect.stringContaining(words),
    });
    const check = await own.pawl("database", "check");
    expect(check).toMatchObject({ code: 0, out: expect.stringContaining(words) });
    expect(check.out).toContain("Nothing is wrong.");
    await onDatabase(server.url("postgres"), (client) =>
      client.query("create role pawl_person; create role pawl_worker; create role pawl_viewer"),
    );
    expect((await own.pawl("database", "check")).out).toContain("run `pawl database migrate` as the owner");
    expect((await own.pawl("database", "migrate")).code).toBe(0);
    expect((await own.pawl("database", "check")).out).not.toContain("missing");
    server.stop();
  });

  it("is set up once, imported whole, checked, and exported byte for byte", LONG, async () => {
    promise("database.copy");
    using own = project();
    expect((await own.pawl("database", "import")).err).toContain("[database-");
    const first = await own.pawl("database", "init");
    expect(first).toMatchObject({ code: 0, out: expect.stringContaining("added") });
    expect(own.read("pawl.yaml")).toMatch(/^# ours\nproject_id: [0-9a-f]{32}\nbloom:/);
    expect((await own.pawl("database", "init")).out).toContain("unchanged");

    expect((await own.pawl("database", "import")).out).toContain("now has 7 files");
    expect((await own.pawl("database", "import")).out).toContain("is the same already");
    const check = await runPawl(own.root, ["database", "check", "--json"], { PAWL_DATABASE_URL: url });
    expect(check).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(check.out)).toMatchObject({
      revision: 1,
      documents: 6,
      events: 4,
      faults: [],
      leases: [],
      access: { role: "owner", missing: [], ungranted: [] },
    });

    mkdirSync(join(own.root, "out"));
    const back = await own.pawl("database", "export", "out");
    expect(back).toMatchObject({ code: 0, out: expect.stringContaining("7 files") });
    const out = join(own.root, "out");
    const copies = [...Object.keys(STATE), "pawl.yaml"];
    expect(filesIn(out)).toEqual([...copies].sort());
    for (const path of copies) expect(readFileSync(join(out, path), "utf8"), path).toBe(own.read(path));
    const again = await own.pawl("database", "export", "out");
    expect(again).toMatchObject({ code: 2, err: expect.stringContaining("is not empty") });
  });

  it("has more tasks than a file holds, and they are worked on there", LONG, async () => {
    promise("bloom.limit");
    using own = project();
    const tasks = Array.from({ length: 3000 }, (_, at) => `- {id: N-${at + 1}, title: t}\n`).join("");
    own.write("tasks.yaml", `tasks:\n${tasks}`);
    expect(await own.pawl("list")).toMatchObject({
      code: 1,
      err: expect.stringContaining("[tasks-too-large]"),
    });
    for (const command of ["init", "import"])
      expect(await own.pawl("database", command)).toMatchObject({ code: 0, err: "" });
    own.write("pawl.yaml", `${own.read("pawl.yaml")}stores:\n  bloom: postgres\n`);
    rmSync(join(own.root, "tasks.yaml"));
    for (const command of [
      ["add", "One more"],
      ["start", "N-7"],
    ])
      expect(await own.pawl(...command)).toMatchObject({ code: 0, err: "" });
    const { out } = await own.pawl("list", "--json");
    const listed = (JSON.parse(out) as { tasks: readonly { id: string; status: string }[] }).tasks;
    expect(listed).toHaveLength(3001);
    expect([listed[6], listed[3000]]).toMatchObject([
      { id: "N-7", status: "in_progress" },
      { id: "N-3001", status: "todo" },
    ]);
    expect(own.read("tasks.yaml")).toBeNull();
  });

  it("has the whole event log, also what was put aside of it here because it was long", LONG, async () => {
    promise("log.parts");
    using own = project();
    const log = own.read(".pawl/events.jsonl") ?? "";
    const first = `${EVENT}\n`;
    own.write(".pawl/events-000001.jsonl", first);
    own.write(".pawl/events.jsonl", log.slice(first.length));
    await own.pawl("database", "init");
    await own.pawl("database", "import");
    mkdirSync(join(own.root, "out"));
    await own.pawl("database", "export", "out");
    expect(own.read("out/.pawl/events.jsonl")).toBe(log);
    expect(own.read("out/.pawl/events-000001.jsonl")).toBeNull();
  });

  it("is overwritten only where a person says so", LONG, async () => {
    promise("database.copy");
    using own = project();
    await own.pawl("database", "init");
    await own.pawl("database", "import");
    own.write("tasks.yaml", "tasks: []\n");
    own.write(".pawl/events.jsonl", `${EVENT}\n`);
    const refused = await own.pawl("database", "import");
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("[database-differs]") });
    const agent = { PAWL_DATABASE_URL: url, DOOR_ONLY: "", CLAUDECODE: "1" };
    for (const words of [["import", "--replace"], ["init"], ["migrate"]])
      expect((await runPawl(own.root, ["database", ...words], agent)).err).toContain("[caller-not-allowed]");
    expect((await own.pawl("database", "import", "--replace")).out).toContain("now has 7 files");
    const { out } = await own.pawl("database", "check");
    expect(out).toContain("6 documents and 1 event");
    expect(out).toContain("Nothing is wrong.");
  });

  it(
    "is not imported with a tasks file that has problems: they are named as elsewhere, and nothing is written",
    LONG,
    async () => {
      promise("database.copy");
      using own = project();
      await own.pawl("database", "init");
      own.write("tasks.yaml", "tasks:\n- id: T-1\n  title: t\n  depends_on: [T-9]\n- id: T-1\n");
      const elsewhere = await own.pawl("list");
      const refused = await own.pawl("database", "import");
      expect(refused).toMatchObject({ code: elsewhere.code, out: "", err: elsewhere.err });
      expect(refused.err).toContain("[tasks-invalid]");
      expect(refused.err).toContain("T-9");
      expect((await own.pawl("database", "check")).out).toMatch(
        /^revision {3}0\nholds {6}0 documents and 0 events$/m,
      );
      expect((await own.pawl("database", "import", "--replace")).err).toBe(refused.err);
    },
  );

  it("brings no file to where Pawl keeps no state, whoever wrote it there", LONG, async () => {
    promise("database.copy");
    using own = project();
    await own.pawl("database", "init");
    await own.pawl("database", "import");
    mkdirSync(join(own.root, "out"));
    for (const path of [
      ".claude/settings.json",
      "../../up.yaml",
      "/etc/x.yaml",
      ".github/workflows/x.yml",
      ".git/config",
    ]) {
      const [id] = /[0-9a-f]{32}/.exec(own.read("pawl.yaml") ?? "") ?? [];
      const where = "project = (select id from pawl.project where name = $1)";
      await onDatabase(url, (client) =>
        client.query(
          "insert into pawl.document (project, path, text, revision, since) select id, $2, 'x', 1, 1 from pawl.project where name = $1",
          [id, path],
        ),
      );
      const refused = await own.pawl("database", "export", "out");
      expect(refused, path).toMatchObject({
        code: 1,
        err: expect.stringContaining("[path-outside-project]"),
      });
      expect(readdirSync(join(own.root, "out"))).toEqual([]);
      await onDatabase(url, (client) =>
        client.query(`delete from pawl.document where ${where} and path = $2`, [id, path]),
      );
    }
  });

  it("is found by an address in the environment alone, whose password is never shown", LONG, async () => {
    promise("database.address");
    using own = project();
    const wrong = "postgres://ann:tiny@127.0.0.1:1/none";
    for (const words of [["init"], ["check"], ["import"], ["export", "."]]) {
      const { code, err, out } = await runPawl(own.root, ["database", ...words], {
        PAWL_DATABASE_URL: wrong,
      });
      expect(code, words.join(" ")).toBe(1);
      expect(`${out}${err}`).toMatch(/\[database-(?:failed|project-missing)\]/);
      expect(`${out}${err}`).not.toContain("tiny");
    }
    const none = await runPawl(own.root, ["database", "check"], {
      PGHOST: "127.0.0.1",
      PGDATABASE: "postgres",
    });
    expect(none.err).toContain("[database-unconfigured]");
  });
});

describe("Workers of a project in a database", () => {
  it("are drained, or gone; whoever drains one waits until it has no more work", LONG, async () => {
    promise("machines.drained");
    using own = project();
    await own.pawl("database", "init");
    await own.pawl("database", "import");
    const [id = ""] = /[0-9a-f]{32}/.exec(own.read("pawl.yaml") ?? "") ?? [];
    const [lasts, dies] = [openDatabase({ url }), openDatabase({ url, lasting: 500 })];
    const entry = { host: "here", version: "1", labels: ["linux", "-agent:codex"], capacity: 1 };
    const one = await (await lasts.project(id)).workers.register({ ...entry, name: "one" });
    await (await dies.project(id)).workers.register({ ...entry, name: "two" });
    const drained = own.pawl("worker", "drain", "one", "--wait");
    await until(async () => (await one?.beat({ atWork: 1, drains: false })) === "drain");
    expect(await one?.beat({ atWork: 1, drains: true })).toBe("drain");
    await one?.leave();
    expect(await drained).toMatchObject({ code: 0, out: "one has drained: it has no more work.\n" });
    expect((await own.pawl("worker", "drain", "one", "--wait")).code).toBe(0);
    expect(await own.pawl("worker", "drain", "two", "--wait")).toMatchObject({
      code: 1,
      out: expect.stringContaining("two is gone"),
    });
    const { out } = await own.pawl("worker", "list");
    expect(out).toMatch(/one +here +drained .*linux +\w+ \w+[\s\S]*two +here +gone /);
    await lasts.close();
    await dies.close();
  });
});

describe("Tasks in a database", () => {
  const TASKS = `# ours
tasks:
  - id: T-1
    title: one # short
  - id: T-2
    title: two
  - id: T-3
    title: three
`;

  const EDITOR = "sed -i.bak 's/title: two/title: zwei/'";

  /** Its tasks are in the database alone. */
  async function teamProject() {
    const own = temporaryProject({ environment: { PAWL_DATABASE_URL: url, DOOR_ONLY: "", EDITOR } });
    own.write("tasks.yaml", TASKS);
    await own.pawl("database", "init");
    own.write("pawl.yaml", `${own.read("pawl.yaml")}stores: {bloom: postgres}\n`);
    await own.pawl("database", "import");
    rmSync(join(own.root, "tasks.yaml"));
    const yaml = async () => (await own.pawl("export", "--format", "yaml")).out;
    return { own, yaml };
  }

  const WITH = { PAWL_DATABASE_URL: "", DOOR_ONLY: "" };

  it("are edited there key by key, and what the work wrote stays", LONG, async () => {
    promise("tasks.edit");
    const { own, yaml } = await teamProject();
    using _ = own;
    for (const words of [
      ["start", "T-1"],
      ["note", "T-1", "seen"],
    ])
      expect(await own.pawl(...words)).toMatchObject({ code: 0, err: "" });
    const edited = await own.pawl(
      ...[
        "task",
        "edit",
        "T-1",
        "--set",
        "verify=[npm test]",
        "--set",
        "checkpoint=true",
        "--set",
        "budget.usd=5",
      ],
    );
    expect(edited).toMatchObject({ code: 0, err: "" });
    expect(edited.out).toContain("+    verify:\n+      - npm test");
    expect(edited.out).toContain('! T-1 verify: none → ["npm test"]');
    const { out } = await own.pawl("task", "edit", "T-1", "--set", "checkpoint=", "--dry-run");
    expect(out).toContain("! T-1 checkpoint: true → none: no person approves it any more");
    expect(await yaml()).toMatch(
      /title: one # short\n {4}status: in_progress\n[\s\S]*- seen\n[\s\S]*npm test\n {4}checkpoint: true\n {4}budget:\n {6}usd: 5\n/,
    );
    expect((await own.pawl("log")).out).toContain("edited by");
    expect(own.read("tasks.yaml")).toBeNull();
    mkdirSync(join(own.root, "out"));
    expect(await own.pawl("database", "export", "out")).toMatchObject({ code: 0 });
    expect(readFileSync(join(own.root, "out/tasks.yaml"), "utf8")).toBe(await yaml());
    expect(filesIn(join(own.root, "out"))).not.toContain(".pawl/progress.json");
  });

  it("are edited in the person's editor, after they have seen the difference", LONG, async () => {
    promise("tasks.edit");
    const { own, yaml } = await teamProject();
    using _ = own;
    const env = { ...WITH, PAWL_DATABASE_URL: url, EDITOR };
    const none = await runPawl(own.root, ["task", "edit", "T-2"], env);
    expect(none.err).toMatch(/\[terminal-missing\][\s\S]*Your text is in \S+edit\.yaml/);
    expect(await yaml()).toContain("title: two");
    const saved = await own.person("task", "edit", "T-2");
    expect(saved).toMatchObject({ code: 0, err: "" });
    expect(saved.screen).toMatch(/- {4}title: two\n\+ {4}title: zwei\n[\s\S]*Save it\?/);
    expect(await yaml()).toContain("title: zwei");
    expect((await own.person("task", "edit", "T-2")).out).toContain("T-2 is as it was.");
  });

  it("are added with any of their keys, and from YAML on standard input", LONG, async () => {
    promise("tasks.edit");
    const { own, yaml } = await teamProject();
    using _ = own;
    expect(
      await own.pawl("add", "four", "--set", "checkpoint=true", "--set", "depends_on=[T-1]"),
    ).toMatchObject({ code: 0 });
    const added = "title: five\nsteps:\n  - {id: T-5.1, instruction: do}\n";
    const env = testEnvironment({ ...WITH, PAWL_DATABASE_URL: url });
    const piped = spawnSync(process.execPath, [MAIN, "task", "add", "-"], {
      cwd: own.root,
      env,
      input: added,
    });
    expect(`${piped.status} ${piped.stderr}`).toBe("0 ");
    expect(await yaml()).toContain(
      "  - id: T-4\n    title: four\n    checkpoint: true\n    depends_on:\n      - T-1\n",
    );
    expect(await yaml()).toContain("  - id: T-5\n    title: five\n");
    expect((await own.pawl("add", "six", "--set", "checkpiont=true")).err).toContain("Use checkpoint.");
    expect((await own.pawl("add", "six", "--set", "status=done")).err).toContain("[usage]");
  });

  it(
    "are brought in from a file one way: each stretch is shown, and each dangerous key is named",
    LONG,
    async () => {
      promise("tasks.import-own");
      const { own, yaml } = await teamProject();
      using _ = own;
      const many = Array.from({ length: 300 }, (_, at) => `  - id: M-${at}\n    title: t\n`).join("");
      own.write(
        "mine.yaml",
        `${TASKS.replace("two", "two\n    checkpoint: true\n    instructions: do it")}${many}`,
      );
      expect(await own.pawl("import", "mine.yaml")).toMatchObject({ code: 0, err: "" });
      await own.pawl("start", "T-1");
      const edited = (own.read("mine.yaml") ?? "")
        .replace("    checkpoint: true\n", "")
        .replace("do it", "do that")
        .replace("M-299\n    title: t", "M-299\n    title: last\n    verify: [sh x.sh]")
        .replace("  - id: T-3\n    title: three\n", "");
      own.write("mine.yaml", edited);
      const before = await yaml();
      const preview = await own.pawl("import", "mine.yaml", "--dry-run");
      expect(preview).toMatchObject({ code: 0, err: "" });
      expect(preview.out.split("\n").length).toBeLessThan(50);
      expect(preview.out.match(/^@@ /gm)).toHaveLength(2);
      for (const words of [
        "T-2 checkpoint: true → none",
        "T-2 instructions: changed",
        'M-299 verify: none → ["sh x.sh"]',
      ])
        expect(preview.out).toContain(`! ${words}`);
      expect(preview.out).toContain("Not in mine.yaml, and left as they are: T-3.");
      expect(await yaml()).toBe(before);
      expect(
        (
          await runPawl(own.root, ["import", "mine.yaml"], {
            ...WITH,
            PAWL_DATABASE_URL: url,
            CLAUDECODE: "1",
          })
        ).err,
      ).toContain("[caller-not-allowed]");
      expect((await own.pawl("import", "mine.yaml")).out).toContain("0 new, 2 updated, 300 unchanged");
      expect(await yaml()).toMatch(
        /title: one # short\n {4}status: in_progress[\s\S]*do that[\s\S]*id: T-3[\s\S]*title: last/,
      );
    },
  );

  it("are a person's: a worker's login changes no key of them, by no command", LONG, async () => {
    promise("database.task-keys");
    const { own, yaml } = await teamProject();
    using _ = own;
    const before = await yaml();
    own.write("mine.yaml", TASKS.replace("two", "zwei"));
    for (const role of ["pawl_worker", "pawl_viewer"]) {
      const login = await loginTo(url, role);
      for (const words of [
        ...[
          ["checkpoint="],
          ["verify=['true']"],
          ["instructions=x"],
          ["budget.usd=99"],
          ["agent=codex"],
          ["title=x"],
        ].map(([set = ""]) => ["task", "edit", "T-2", "--set", set]),
        ["import", "mine.yaml"],
        ["add", "more"],
        ["assign", "T-1", "bob"],
      ]) {
        // It is there, and so its removal is a change.
        if (words.includes("checkpoint=")) await own.pawl("task", "edit", "T-2", "--set", "checkpoint=true");
        const { code, err } = await runPawl(own.root, words, { ...WITH, PAWL_DATABASE_URL: login });
        expect(`${code} ${err}`, words.join(" ")).toMatch(/^1 [\s\S]*\[database-forbidden\]/);
      }
    }
    await own.pawl("task", "edit", "T-2", "--set", "checkpoint=");
    expect(await yaml()).toBe(before);
  });

  it("are not in a tasks file of the checkout, and one that is there says so", LONG, async () => {
    promise("tasks.no-file");
    const { own } = await teamProject();
    using _ = own;
    expect((await own.pawl("status")).err).toBe("");
    own.write("tasks.yaml", TASKS);
    for (const words of [["status"], ["list"], ["run", "--once", "--dry-run"]]) {
      const { err } = await own.pawl(...words);
      expect(err, words.join(" ")).toContain("tasks.yaml here does not count");
    }
  });
});

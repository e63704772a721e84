/** `pawl database`: a project's state in a database, and back. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { emptyDatabase, loginTo, onDatabase, STARTING } from "../rig/postgres.ts";
import { runPawl, temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

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
    expect(filesIn(out)).toEqual([...copies, ".pawl/exported/tasks.yaml"].sort());
    for (const path of copies) expect(readFileSync(join(out, path), "utf8"), path).toBe(own.read(path));
    expect(readFileSync(join(out, ".pawl/exported/tasks.yaml"), "utf8")).toBe(own.read("tasks.yaml"));
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
    expect(own.read("tasks.yaml")).toBe(`tasks:\n${tasks}`);
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

  async function teamProject() {
    const own = temporaryProject({ environment: { PAWL_DATABASE_URL: url, DOOR_ONLY: "" } });
    own.write("tasks.yaml", TASKS);
    await own.pawl("database", "init");
    own.write("pawl.yaml", `${own.read("pawl.yaml")}stores: {bloom: postgres}\n`);
    await own.pawl("database", "import");
    const exported = async (name: string) => {
      const folder = join(own.root, name);
      mkdirSync(folder);
      expect(await own.pawl("database", "export", name)).toMatchObject({ code: 0 });
      return folder;
    };
    return { own, exported };
  }

  function edit(folder: string, from: string, to: string): void {
    const path = join(folder, "tasks.yaml");
    const before = readFileSync(path, "utf8");
    expect(before).toContain(from);
    writeFileSync(path, before.replace(from, to));
  }

  it(
    "are edited in an exported folder and pushed from there, unless they changed meanwhile",
    LONG,
    async () => {
      promise("backlog.push");
      const { own, exported } = await teamProject();
      using _ = own;
      const [first, second] = [await exported("first"), await exported("second")];
      edit(first, "title: one", "title: uno");
      const pushed = await own.pawl("push", "--project", first);
      expect(pushed).toMatchObject({ code: 0, out: expect.stringContaining("1 task changed (T-1)") });
      expect((await own.pawl("push", "--project", first)).out).toContain("already");
      expect((await own.pawl("list")).out).toContain("uno");
      expect(own.read("tasks.yaml")).toBe(TASKS);
      expect((await own.pawl("log")).out).toMatch(/ pushed tasks\.yaml: 0 new, 1 changed, 0 removed/);

      expect(await own.pawl("add", "four")).toMatchObject({ code: 0 });
      edit(second, "title: two", "title: dos");
      const refused = await own.pawl("push", "--project", second);
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("[database-differs]") });
      expect(refused.err).toContain("1 task new (T-4), 1 task changed (T-1)");
      expect((await own.pawl("list")).out).not.toContain("dos");

      const third = await exported("third");
      const files = [third, join(second, ".pawl/exported"), second].map((folder) =>
        join(folder, "tasks.yaml"),
      );
      expect(spawnSync("git", ["merge-file", ...files]).status).toBe(0);
      expect(await own.pawl("push", "--project", third)).toMatchObject({ code: 0 });
      const { out } = await own.pawl("list");
      expect(out).toMatch(/uno[\s\S]*dos[\s\S]*three[\s\S]*four/);
    },
  );

  it(
    "are pushed by a person with a login that may work, and from a folder that has tasks",
    LONG,
    async () => {
      promise("backlog.push");
      const { own, exported } = await teamProject();
      using _ = own;
      const folder = await exported("first");
      edit(folder, "title: one", "title: uno");
      const push = (environment: Readonly<Record<string, string>>) =>
        runPawl(folder, ["push"], { PAWL_DATABASE_URL: url, DOOR_ONLY: "", ...environment });
      expect((await push({ CLAUDECODE: "1" })).err).toContain("[caller-not-allowed]");
      const viewer = await loginTo(url, "pawl_viewer");
      expect((await push({ PAWL_DATABASE_URL: viewer })).err).toContain("[database-forbidden]");
      expect((await push({ BLOOM_TASKS_FILE: "none.yaml" })).err).toContain("[tasks-missing]");
      expect((await own.pawl("list")).out).not.toContain("uno");
      const worker = await loginTo(url, "pawl_worker");
      expect(await push({ PAWL_DATABASE_URL: worker })).toMatchObject({ code: 0, err: "" });
      expect((await own.pawl("list")).out).toContain("uno");
    },
  );
});

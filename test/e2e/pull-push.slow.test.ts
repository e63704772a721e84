/** `pawl pull` and `pawl push`: two people's checkouts and one database. */
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { emptyDatabase, loginTo, onDatabase, STARTING } from "../rig/postgres.ts";
import {
  end,
  MAIN,
  runPawl,
  type TemporaryProject,
  temporaryProject,
  testEnvironment,
} from "../rig/project.ts";
import { until } from "../rig/until.ts";

const LONG = { timeout: 240_000 };
const TASKS = `# ours
tasks:
  # the first
  - id: T-1
    title: one # short
    status: todo
    steps:
      - id: T-1.1
        instruction: do it
  - id: T-2
    title: two
  - id: T-3
    title: three
`;
let url: string;
beforeAll(async () => {
  url = await emptyDatabase();
}, STARTING);

let ann: TemporaryProject;
let bob: TemporaryProject;
beforeEach(async () => {
  const environment = { PAWL_DATABASE_URL: url, DOOR_ONLY: "" };
  ann = temporaryProject({ environment });
  bob = temporaryProject({ environment });
  ann.write("tasks.yaml", TASKS);
  expect(await ann.pawl("database", "init")).toMatchObject({ code: 0 });
  bob.write("pawl.yaml", ann.read("pawl.yaml") ?? "");
  return () => {
    ann[Symbol.dispose]();
    bob[Symbol.dispose]();
  };
});

/** Both have the tasks, and nothing of their own. */
async function shared(): Promise<void> {
  expect(await ann.pawl("push")).toMatchObject({ code: 0, out: expect.stringContaining("3 tasks new") });
  expect(await bob.pawl("pull")).toMatchObject({ code: 0, out: expect.stringContaining("3 tasks new") });
  expect(bob.read("tasks.yaml")).toBe(TASKS);
}

function edit(project: TemporaryProject, from: string | RegExp, to: string): void {
  const before = project.read("tasks.yaml") ?? "";
  const after = before.replace(from, () => to);
  expect(after).not.toBe(before);
  project.write("tasks.yaml", after);
}

/** How much the database has of the project. */
function shareds(project: TemporaryProject): Promise<number | null> {
  const query =
    "select from pawl.document join pawl.project on project.id = document.project where project.name = $1";
  return onDatabase(url, async (client) => (await client.query(query, [idOf(project)])).rowCount);
}

function idOf(project: TemporaryProject): string | undefined {
  return /project_id: (\w+)/.exec(project.read("pawl.yaml") ?? "")?.[1];
}

const both = (text: string) => {
  expect(ann.read("tasks.yaml")).toBe(text);
  expect(bob.read("tasks.yaml")).toBe(text);
};

describe("Two people's tasks over one database", () => {
  it("go to the database and to the other checkout, byte for byte, and twice is once", LONG, async () => {
    await shared();
    expect((await ann.pawl("push")).out).toContain("has everything of tasks.yaml already");
    expect((await bob.pawl("pull")).out).toContain("tasks.yaml has everything of");
    expect((await bob.pawl("push")).out).toContain("already");
  });

  it("are merged where they changed different things, with comments and layout", LONG, async () => {
    await shared();
    edit(ann, "title: one", "title: 'One'");
    edit(bob, "# the first", "# the very first");
    edit(bob, "title: three\n", "title: three\n  - id: T-4\n    title: four\n");
    const [first, second] = await Promise.all([
      runPawl(ann.root, ["push"], { PAWL_DATABASE_URL: url, DOOR_ONLY: "" }),
      runPawl(bob.root, ["push"], { PAWL_DATABASE_URL: url, DOOR_ONLY: "" }),
    ]);
    expect([first, second]).toMatchObject([
      { code: 0, err: "" },
      { code: 0, err: "" },
    ]);
    await ann.pawl("pull");
    await bob.pawl("pull");
    both(
      TASKS.replace("title: one", "title: 'One'")
        .replace("# the first", "# the very first")
        .replace("title: three\n", "title: three\n  - id: T-4\n    title: four\n"),
    );
  });

  it(
    "are in conflict where both changed one value: it is named, and nothing changes until a person chooses",
    LONG,
    async () => {
      await shared();
      edit(ann, "title: two", "title: Ann's");
      await ann.pawl("push");
      edit(bob, "title: two", "title: Bob's");
      edit(bob, "title: three", "title: tres");
      const mine = bob.read("tasks.yaml");
      for (const direction of ["push", "pull"]) {
        const { code, out } = await bob.pawl(direction);
        expect(code).toBe(1);
        expect(out).toContain("1 conflict between tasks.yaml here and the one in");
        expect(out).toContain(
          "T-2 title\n  before  title: two\n  mine    title: Bob's\n  theirs  title: Ann's\n",
        );
        expect(out).toContain(`pawl ${direction} --mine T-2`);
        expect(bob.read("tasks.yaml")).toBe(mine);
      }
      const { out } = await bob.pawl("push", "--json");
      expect(JSON.parse(out)).toMatchObject({
        conflicts: [{ name: "T-2", key: "title", mine: "title: Bob's" }],
      });
      expect((await ann.pawl("pull")).out).toContain("already");

      expect(await bob.pawl("push", "--theirs", "T-2")).toMatchObject({ code: 0 });
      expect(await bob.pawl("pull")).toMatchObject({ code: 0 });
      await ann.pawl("pull");
      both(TASKS.replace("title: two", "title: Ann's").replace("title: three", "title: tres"));

      edit(ann, "Ann's", "A");
      edit(bob, "Ann's", "B");
      await ann.pawl("push");
      expect(await bob.pawl("pull", "--mine", "T-2")).toMatchObject({ code: 0 });
      expect(bob.read("tasks.yaml")).toContain("title: B");
      await bob.pawl("push");
      await ann.pawl("pull");
      expect(ann.read("tasks.yaml")).toBe(bob.read("tasks.yaml"));
      expect(ann.read("tasks.yaml")).toContain("title: B");
    },
  );

  it(
    "are in conflict where one removed what the other changed, and lose what nobody else touched",
    LONG,
    async () => {
      await shared();
      edit(ann, "  - id: T-2\n    title: two\n", "");
      edit(ann, "  - id: T-3\n    title: three\n", "");
      await ann.pawl("push");
      edit(bob, "title: two", "title: dos");
      const { code, out } = await bob.pawl("push");
      expect(code).toBe(1);
      expect(out).toContain("T-2\n  before  - id: T-2\n            title: two\n");
      expect(out).toContain("theirs  (not there)");
      expect(out).not.toContain("T-3");
      await bob.pawl("push", "--mine", "T-2");
      await bob.pawl("pull");
      await ann.pawl("pull");
      both(TASKS.replace("title: two", "title: dos").replace("  - id: T-3\n    title: three\n", ""));
    },
  );

  it("do not undo what the loop did meanwhile", LONG, async () => {
    await shared();
    // As a loop that works on the database does.
    edit(ann, "status: todo", "status: done\n    completed_at: 2026-01-01T00:00:00.000Z");
    edit(ann, "instruction: do it", "status: done\n        instruction: do it");
    await ann.pawl("push");
    edit(bob, "title: one", "title: uno");
    await bob.pawl("push");
    await ann.pawl("pull");
    expect(ann.read("tasks.yaml")).toMatch(/title: uno # short\n {4}status: done\n {4}completed_at/);
    // Without a base, too.
    mkdirSync(join(bob.root, "other"));
    bob.write("other/pawl.yaml", bob.read("pawl.yaml") ?? "");
    bob.write("other/tasks.yaml", TASKS.replace("title: one", "title: uno"));
    const other = join(bob.root, "other");
    const environment = { PAWL_DATABASE_URL: url, DOOR_ONLY: "" };
    expect(await runPawl(other, ["push"], environment)).toMatchObject({ code: 0 });
    expect((await ann.pawl("pull")).out).toContain("already");
  });

  it("are what Bloom works with where its work is in the database", LONG, async () => {
    for (const project of [ann, bob])
      project.write("pawl.yaml", `${project.read("pawl.yaml")}stores: {bloom: postgres}\n`);
    expect(await ann.pawl("database", "import")).toMatchObject({ code: 0 });
    await bob.pawl("pull");
    edit(bob, "title: two", "title: dos");
    expect((await ann.pawl("list")).out).not.toContain("dos");
    await bob.pawl("push");
    expect((await ann.pawl("list")).out).toContain("dos");
    expect((await ann.pawl("log")).out).toMatch(/ pushed tasks\.yaml: 0 new, 1 changed, 0 removed/);
    expect(await ann.pawl("add", "One more")).toMatchObject({ code: 0 });
    expect(ann.read("tasks.yaml")).toBe(TASKS);
    edit(bob, "title: three", "title: tres");
    await bob.pawl("push");
    await bob.pawl("pull");
    await ann.pawl("pull");
    expect(ann.read("tasks.yaml")).toBe(bob.read("tasks.yaml"));
    expect(bob.read("tasks.yaml")).toMatch(/title: dos[\s\S]*title: tres[\s\S]*title: One more/);
  });

  it("show with --dry-run what would change, and change nothing", LONG, async () => {
    await shared();
    edit(bob, "title: two", "title: dos");
    const dry = await bob.pawl("push", "--dry-run");
    expect(dry).toMatchObject({
      code: 0,
      out: expect.stringContaining("-    title: two\n+    title: dos\n"),
    });
    expect(dry.out).toContain("would be updated: 1 task changed.");
    expect((await ann.pawl("pull")).out).toContain("already");
    await bob.pawl("push");
    expect((await ann.pawl("pull", "--dry-run")).out).toContain("+    title: dos");
    expect(ann.read("tasks.yaml")).toBe(TASKS);
  });

  it("are pushed once where a push was killed before it noted what it pushed", LONG, async () => {
    await shared();
    const base = `.pawl/pulled/${idOf(bob)}/tasks.yaml`;
    expect(bob.read(base)).toBe(TASKS);
    edit(bob, "title: two", "title: dos");
    edit(ann, "title: one", "title: uno");
    await ann.pawl("push");
    await bob.pawl("push");
    bob.write(base, TASKS);
    expect((await bob.pawl("push")).out).toContain("already");
    expect(bob.read(base)).toBe(bob.read("tasks.yaml"));
    bob.write(base, TASKS);
    await bob.pawl("pull");
    await ann.pawl("pull");
    both(TASKS.replace("title: two", "title: dos").replace("title: one", "title: uno"));
  });

  it(
    "are refused where they are no valid tasks, there is nothing, or the login may only read",
    LONG,
    async () => {
      expect((await bob.pawl("pull")).err).toContain("[tasks-missing]");
      expect((await bob.pawl("push")).err).toContain("There is no tasks.yaml here to push");
      await shared();
      edit(bob, "id: T-2", "id: T-1");
      expect((await bob.pawl("push")).err).toMatch(/used twice[\s\S]*\[tasks-invalid\]/);
      bob.write("tasks.yaml", TASKS.replace("title: two", "title: two\n    depends_on: [T-3]"));
      edit(ann, "  - id: T-3\n    title: three\n", "");
      await ann.pawl("push");
      expect((await bob.pawl("push")).err).toMatch(/put together[\s\S]*depends on T-3/);
      expect((await bob.pawl("push", "--follow", "--mine", "T-1")).err).toContain("[usage]");
      expect((await bob.pawl("push", "--theirs", "T-1", "--mine", "T-1")).err).toContain("[usage]");
      const viewer = { PAWL_DATABASE_URL: await loginTo(url, "pawl_viewer"), DOOR_ONLY: "" };
      bob.write("tasks.yaml", TASKS.replace("title: two", "title: dos"));
      expect((await runPawl(bob.root, ["push"], viewer)).err).toContain("[database-forbidden]");
    },
  );

  it("lose nothing of a person's to a restored backup", LONG, async () => {
    await shared();
    edit(bob, "title: two", "title: dos");
    edit(bob, "title: three\n", "title: three\n  - id: T-4\n    title: four\n");
    const mine = bob.read("tasks.yaml");
    await bob.pawl("push");
    // The tasks of an earlier time, in a database that has had fewer commits.
    await ann.pawl("pull");
    ann.write("tasks.yaml", TASKS);
    await ann.pawl("push");
    bob.write(`.pawl/pulled/${idOf(bob)}/revision.json`, "1000\n");
    const { code, out } = await bob.pawl("pull");
    expect(code).toBe(1);
    expect(out).toContain("The database is in an earlier state");
    expect(out).toContain("T-2 title\n  before  (not there)\n  mine    title: dos\n");
    expect(out).not.toContain("T-4");
    expect(bob.read("tasks.yaml")).toBe(mine);
    expect(await bob.pawl("push", "--mine", "T-2")).toMatchObject({ code: 0 });
    await ann.pawl("pull");
    both(mine ?? "");
  });

  it("are a person's to pull and push", LONG, async () => {
    const agent = { PAWL_DATABASE_URL: url, DOOR_ONLY: "", CLAUDECODE: "1" };
    for (const direction of ["pull", "push"])
      expect((await runPawl(ann.root, [direction], agent)).err).toContain("[caller-not-allowed]");
    expect(await shareds(ann)).toBe(0);
  });

  it(
    "are kept in step by --follow, whichever side changes, past a file that is half written",
    LONG,
    async () => {
      await shared();
      const environment = testEnvironment({ PAWL_DATABASE_URL: url, DOOR_ONLY: "" });
      const child = spawn(process.execPath, [MAIN, "push", "--follow"], { cwd: ann.root, env: environment });
      let said = "";
      child.stderr.on("data", (bytes) => {
        said += bytes;
      });
      const ended = end(child);
      await until(() => said.includes("follows"));
      edit(bob, "title: two", "title: dos");
      await bob.pawl("push");
      await until(() => ann.read("tasks.yaml")?.includes("title: dos"));

      edit(ann, "title: one", "title: uno");
      await until(async () => {
        await bob.pawl("pull");
        return bob.read("tasks.yaml")?.includes("title: uno");
      });

      const whole = ann.read("tasks.yaml") ?? "";
      ann.write("tasks.yaml", `${whole}  - id: T-1\n`);
      await until(() => said.includes("[tasks-invalid]"));
      ann.write("tasks.yaml", `${whole}  - id: T-9\n    title: nine\n`);
      await until(async () => {
        await bob.pawl("pull");
        return bob.read("tasks.yaml")?.includes("title: nine");
      });
      both(`${whole}  - id: T-9\n    title: nine\n`);

      // What both changed is said once, and waits for a person; then it goes on.
      const before = said;
      child.kill("SIGSTOP");
      edit(bob, "title: nine", "title: neun");
      await bob.pawl("push");
      edit(ann, "title: nine", "title: neuf");
      child.kill("SIGCONT");
      await until(() => said.slice(before.length).includes("T-9"));
      expect(ann.read("tasks.yaml")).toContain("title: neuf");
      expect((await bob.pawl("pull")).code).toBe(0);
      expect(bob.read("tasks.yaml")).toContain("title: neun");
      expect(await ann.pawl("push", "--theirs", "T-9")).toMatchObject({ code: 0 });
      await until(() => ann.read("tasks.yaml")?.includes("title: neun"));
      edit(ann, "title: neun", "title: novem");
      await until(async () => {
        await bob.pawl("pull");
        return bob.read("tasks.yaml")?.includes("title: novem");
      });
      child.kill("SIGINT");
      expect(await ended).toMatchObject({ code: 130, out: expect.stringContaining("1 task new") });
    },
  );
});

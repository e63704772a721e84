/** `pawl task add`: a task from the terminal. */
import { expect, it } from "vitest";
import { bloomProject } from "../rig/bloom-project.ts";
import { temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

const LONG = { timeout: 60_000 };

it("adds a task at the end, keeps what is there, and counts ids on", LONG, async () => {
  promise("bloom.add");
  const before = "# ours\ntasks:\n  - id: API-08 # first\n    title: a\n\n# the end\n";
  using project = bloomProject({ tasks: before });
  expect((await project.bloom("add", "Second: # one", "--after", "API-08", "--repo", ".")).out).toBe(
    "API-09 is in tasks.yaml, after API-08: Second: # one\n",
  );
  expect(project.read("tasks.yaml")).toBe(
    before.replace(
      "title: a\n",
      'title: a\n  - id: API-09\n    title: "Second: # one"\n    repo: .\n    depends_on:\n      - API-08\n',
    ),
  );
  expect((await project.bloom("add", "x", "--after", "nope")).code).toBe(2);
  expect((await project.bloom("add", "x", "--id", "API-09")).code).toBe(2);
  expect((await project.bloom("add", " ")).code).toBe(2);
  expect(project.stored().filter(({ type }) => type === "task:added")).toHaveLength(1);
});

it("makes the file where there is none, and loses no task of several at once", LONG, async () => {
  promise("bloom.add");
  using project = temporaryProject({ marked: false, environment: { DOOR_ONLY: "" } });
  await project.pawl("add", "First");
  await Promise.all([1, 2, 3, 4].map((each) => project.pawl("add", `More ${each}`)));
  const { out } = await project.pawl("list", "--json");
  const tasks = JSON.parse(out).tasks as { id: string; title: string }[];
  expect(tasks.map(({ id }) => id).sort()).toEqual(["T1", "T2", "T3", "T4", "T5"]);
  expect(new Set(tasks.map(({ title }) => title)).size).toBe(5);
});

it("refuses an agent of the loop: what it proposes is not written unseen", LONG, async () => {
  promise("bloom.add");
  using project = bloomProject({
    tasks: `tasks:\n- id: T1\n  title: t\n  instructions: |\n    RUN: bloom add more > "$PAWL_PROJECT/said.txt" 2>&1 || true\n    RUN: bloom done T1\n`,
  });
  await project.run();
  expect(project.read("said.txt")).toContain("[caller-not-allowed]");
  expect(project.tasks()).toHaveLength(1);
});

it("numbers a task as its kind, and takes no title for one", async () => {
  promise("bloom.add");
  using project = bloomProject({
    tasks:
      "tasks:\n  - { id: T-7, title: a }\n  - { id: support-node-24, title: b }\n  - { id: row-8c6c8d92, title: c }\n",
  });
  expect((await project.bloom("add", "d")).out).toContain("T-8 is in tasks.yaml");
});

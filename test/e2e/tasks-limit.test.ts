import { describe, expect, it } from "vitest";
import { bloomProject } from "../rig/bloom-project.ts";
import { promise } from "../rig/promise.ts";

const list = (count: number) =>
  `tasks:\n${Array.from({ length: count }, (_, at) => `- {id: T${at + 1}, title: t}\n`).join("")}`;

/** So many tasks that one more has bytes too many. */
const long = (bytes: number) => {
  const text = "tasks:\n- id: T1\n  title: t\n  instructions: ";
  return `${text}${"x".repeat(bytes - text.length - 1)}\n`;
};

const FIX =
  "fix:  Keep the tasks in PostgreSQL: `pawl database init`, `pawl database import`, then `stores: {bloom: postgres}` in pawl.yaml (docs/several-machines.md).";

describe("A tasks.yaml", () => {
  it("that holds as many tasks as it may is worked on, and takes no more", async () => {
    promise("bloom.limit");
    using project = bloomProject({ tasks: list(2000) });
    project.write("more.csv", "title\nOne more\n");
    for (const command of [
      ["add", "One more"],
      ["import", "more.csv"],
    ]) {
      const { code, err } = await project.bloom(...command);
      expect({ code, err }).toMatchObject({
        code: 1,
        err: expect.stringContaining(
          "pawl: tasks.yaml would have 2,001 tasks: a file holds at most 2,000 tasks and 1,000,000 bytes. Nothing was changed. [tasks-too-large]\n",
        ),
      });
      expect(err).toContain(FIX);
      expect(project.read("tasks.yaml")).toBe(list(2000));
    }
    expect(await project.bloom("start", "T7")).toMatchObject({ code: 0 });
    expect(project.read("tasks.yaml")).toContain("- {id: T7, title: t, status: in_progress");
  });

  it.each([
    [
      "tasks, subtasks included,",
      `${list(2000)}  # the last has a subtask\n`.replace(
        "T2000, title: t",
        "T2000, title: t, subtasks: [{id: S, title: s}]",
      ),
      "2,001 tasks",
    ],
    ["bytes", long(1_000_001), "1,000,001 bytes"],
  ])("with too many %s is read by no command", async (_, text, found) => {
    promise("bloom.limit");
    using project = bloomProject({ tasks: text });
    for (const command of [["list"], ["add", "One more"]]) {
      const { code, err } = await project.bloom(...command);
      expect({ code, err }).toMatchObject({
        code: 1,
        err: expect.stringContaining(
          `pawl: tasks.yaml has ${found}: a file holds at most 2,000 tasks and 1,000,000 bytes. [tasks-too-large]\n`,
        ),
      });
      expect(err).toContain(FIX);
    }
    expect(project.read("tasks.yaml")).toBe(text);
  });

  it("that is full to the byte is left as it is by a change that makes it longer", async () => {
    promise("bloom.limit");
    using project = bloomProject({ tasks: long(1_000_000) });
    const { code, err } = await project.bloom("start", "T1");
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /^pawl: tasks\.yaml would have 1,000,0\d\d bytes: .* Nothing was changed\. \[tasks-too-large\]\n/,
      ),
    });
    expect(project.read("tasks.yaml")).toBe(long(1_000_000));
  });
});

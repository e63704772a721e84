/** What a person cancels: how they are asked, what shows it, and that no agent does it for them. */
import { expect, it } from "vitest";
import { bloomProject } from "../rig/bloom-project.ts";
import { promise } from "../rig/promise.ts";

const LONG = { timeout: 60_000 };
const TASKS = `tasks:
  - id: A # ours
    title: Begin
    steps:
      - {id: A.1, instruction: one}
  - id: B
    title: Go on
    depends_on: [A]
`;

it(
  "asks the person, writes the reason beside the status, and shows it wherever tasks are shown",
  LONG,
  async () => {
    promise("bloom.cancelled");
    using project = bloomProject({ tasks: TASKS });
    const script = await project.bloom("cancel", "A", "--reason", "no");
    expect(script.code).not.toBe(0);
    expect(project.read("tasks.yaml")).toBe(TASKS);
    const step = await project.person("step", "cancel", "A.1", "--reason", "too much");
    expect(step.code).toBe(0);
    const { code, screen } = await project.person("cancel", "A", "--reason", "nobody: wants it");
    expect(code).toBe(0);
    expect(screen).toContain("Cancel A (Begin)?");
    expect(screen).toContain("These tasks depend on it and now wait for you: B.");
    expect(project.read("tasks.yaml")).toBe(
      TASKS.replace(
        "title: Begin\n",
        'title: Begin\n    status: cancelled\n    cancel_reason: "nobody: wants it"\n',
      ).replace(
        "{id: A.1, instruction: one}",
        '{id: A.1, status: cancelled, cancel_reason: "too much", instruction: one}',
      ),
    );
    expect((await project.bloom("list", "cancelled")).out).toMatch(
      /^cancelled +A {2}Begin {2}\[0\/0\] {2}\(nobody/,
    );
    const { out } = await project.bloom("status", "--json");
    expect(JSON.parse(out).runs).toMatchObject([
      {
        run: "bloom:B",
        awaits: "human",
        waitsFor: "blocked",
        next: expect.stringContaining("it depends on A, which is cancelled"),
      },
    ]);
    expect((await project.bloom("review")).out).toContain("B");
    const run = await project.run();
    expect(run.code).toBe(1);
    expect(run.of("loop:ended")).toEqual([
      expect.objectContaining({ cancelled: ["A"], open: ["B"], blocked: ["B"] }),
    ]);
    expect(project.stored().filter(({ type }) => type === "task:cancelled")).toHaveLength(1);
  },
);

it("refuses an agent of the loop", LONG, async () => {
  promise("bloom.cancelled-by-persons");
  using project = bloomProject({
    tasks: `tasks:
- id: T1
  title: t
  instructions: |
    RUN: bloom cancel T2 --reason x > "$PAWL_PROJECT/said.txt" 2>&1 || true
    RUN: bloom step cancel T1 --reason x >> "$PAWL_PROJECT/said.txt" 2>&1 || true
    RUN: bloom done T1
- {id: T2, title: u, status: blocked}
`,
  });
  await project.run();
  expect(project.read("said.txt")?.match(/\[caller-not-allowed\]/g)).toHaveLength(2);
  expect(project.tasks()[1]?.status).toBe("blocked");
});

/** `pawl status` over tasks.yaml: what no run has begun is there too, in the words of every other run. */
import { expect, it } from "vitest";
import { temporaryProject } from "../rig/project.ts";

const TASKS = `tasks:
  - {id: A, title: Begin}
  - {id: B, title: Go on, depends_on: [A]}
  - {id: C, title: Later, phase: 2}
  - {id: D, title: First, phase: 1, status: ready_for_agent}
  - {id: E, title: By hand, status: in_progress}
  - {id: F, title: Stuck, status: blocked}
  - {id: G, title: Over, status: done}
  - {id: H, title: For one, status: assigned, agent_name: night}
  - id: P
    title: Above
    subtasks: [{id: Q, title: Below}]
`;

const open = () => temporaryProject({ environment: { DOOR_ONLY: "" } });

it("lists every open task with what it waits for, and cheaply again", async () => {
  using project = open();
  project.write("tasks.yaml", TASKS);
  const { code, out } = await project.pawl("status", "--json");
  expect(code).toBe(0);
  const runs = JSON.parse(out).runs as { run: string; state: string; awaits: string; next: string }[];
  expect(runs.map(({ run, state, awaits, next }) => [run, state, awaits, next].join(" | "))).toEqual([
    "bloom:A | todo | agent | `pawl run` gives it to one",
    "bloom:B | todo | nobody | it depends on A",
    "bloom:C | todo | nobody | phase 1 comes first",
    "bloom:D | ready_for_agent | agent | `pawl run` gives it to one",
    "bloom:E | in_progress | human | a person works on it",
    "bloom:F | blocked | human | see its notes, then let it go on",
    "bloom:H | assigned | agent | `pawl run --agent night` gives it to one",
    "bloom:P | todo | nobody | its subtasks Q are not done",
    "bloom:Q | todo | agent | `pawl run` gives it to one",
  ]);
  expect(project.read(".pawl/cache/tasks-2.json")).toContain("By hand");
  expect(JSON.parse((await project.pawl("status", "--json")).out).runs).toEqual(runs);
});

it("lets a run that has begun elsewhere keep the bare id", async () => {
  using project = open();
  project.write("tasks.yaml", "tasks: [{id: front, title: The same id}]\n");
  expect((await project.pawl("approve", "front")).out).toContain("front waits for no approval");
  await project.pawl("door", "knock", "front");
  expect((await project.pawl("approve", "front")).out).toContain("The door front is open.");
});

it("says what is wrong with tasks.yaml, and goes on with the other workflows", async () => {
  using project = open();
  project.write("tasks.yaml", "tasks:\n  - {id: A}\n");
  await project.pawl("cast", "accio");
  const { code, out } = await project.pawl("status");
  expect(code).toBe(1);
  expect(out).toMatch(/tasks\.yaml:2:5: .*title/);
  expect(out).toContain("spells:main");
});

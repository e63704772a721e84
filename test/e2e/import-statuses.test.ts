/** What a person says that a word of their tracker means holds for this import and the next ones. */
import { expect, it } from "vitest";
import { temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

const TABLE = "ID,Title,Status\nA-1,One,Erledigt\nA-2,Two,Open\n";
const statusOf = (tasks: string | null, id: string) =>
  new RegExp(`id: ${id}[\\s\\S]*?status: (\\w+)`).exec(tasks ?? "")?.[1];

it("an unknown word blocks its task and is named; what a person says of it is kept", async () => {
  promise("import.states");
  using project = temporaryProject();
  project.write("jira.csv", TABLE);
  const first = await project.pawl("import", "jira.csv");
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining("Erledigt (1, taken as blocked)") });
  expect(statusOf(project.read("tasks.yaml"), "A-1")).toBe("blocked");
  expect(project.read("tasks.yaml")).toContain("Its status in the source: Erledigt");

  const dry = await project.pawl("import", "jira.csv", "--status", "Erledigt=done", "--dry-run");
  expect(dry.code).toBe(0);
  expect(project.read(".pawl/import.json")).toBeNull();

  expect((await project.pawl("import", "jira.csv", "--status", "Erledigt=done")).code).toBe(0);
  expect(statusOf(project.read("tasks.yaml"), "A-1")).toBe("done");
  expect(JSON.parse(project.read(".pawl/import.json") ?? "")).toEqual({ statuses: { Erledigt: "done" } });

  project.write("jira.csv", `${TABLE}A-3,Three,erledigt\n`);
  const next = await project.pawl("import", "jira.csv");
  expect(next.out).not.toContain("taken as blocked");
  expect(statusOf(project.read("tasks.yaml"), "A-3")).toBe("done");
});

it("a word without a status, and a kept file that is broken, are refused by name", async () => {
  promise("import.states");
  using project = temporaryProject();
  project.write("jira.csv", TABLE);
  expect(await project.pawl("import", "jira.csv", "--status", "Erledigt")).toMatchObject({
    code: 2,
    err: expect.stringContaining("expected WORD=STATUS"),
  });
  project.write(".pawl/import.json", "{");
  const { code, err } = await project.pawl("import", "jira.csv");
  expect(code).not.toBe(0);
  expect(err).toContain(".pawl/import.json cannot be imported: expected");
});

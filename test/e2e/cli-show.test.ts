import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AlfredProject, projectWithTask } from "../rig/alfred-project.ts";

const MAIN = join(import.meta.dirname, "../../src/main.ts");

function pawl(root: string, ...args: string[]): { readonly code: number; readonly text: string } {
  try {
    const text = execFileSync(process.execPath, [MAIN, ...args], {
      cwd: root,
      encoding: "utf8",
      stdio: "pipe",
    });
    return { code: 0, text };
  } catch (thrown) {
    const { status, stderr } = thrown as { status: number; stderr: string };
    return { code: status, text: stderr };
  }
}

test("a story is told by the workflow that knows the id, and asked for by its whole name where two do", async () => {
  using project = await projectWithTask("TS-01", { withoutGit: true });
  project.write(
    "tasks.yaml",
    "tasks:\n  - id: B-1\n    title: Bloom's\n  - id: TS-01\n    title: Bloom's too\n",
  );
  expect(pawl(project.root, "show", "B-1").text).toContain("Bloom's");
  expect(pawl(project.root, "show", "alfred:TS-01").text).toContain("# TS-01: Limit the rate");
  expect(pawl(project.root, "show", "TS-01")).toMatchObject({ code: 2 });
  expect(pawl(project.root, "show", "TS-01").text).toContain("alfred:TS-01, bloom:TS-01");
  expect(pawl(project.root, "show", "nope")).toMatchObject({ code: 2 });
  expect(JSON.parse(pawl(project.root, "show", "alfred:TS-01", "--json").text)).toMatchObject({
    task_id: "TS-01",
  });
});

test("a person who approves what is not under review is told what a person can do, not a model's tools", async () => {
  using project = await projectWithTask("TS-01", { withoutGit: true });
  const approve = () =>
    execFileSync("sh", ["-c", `'${process.execPath}' '${MAIN}' approve alfred:TS-01 2>&1 || true`], {
      cwd: project.root,
      encoding: "utf8",
    });
  const isPersons = (state: string) => {
    const said = approve();
    expect(said).toContain(
      `Nothing of task 'TS-01' is under review: ${state}, and what comes next is the assistant's`,
    );
    expect(said).toContain("Tell your assistant to continue with TS-01");
    expect(said).not.toMatch(/submit_work|work_on_task|task_id|Call /);
  };
  isPersons("its status is 'new'");
  await project.call("start_task", { task_id: "TS-01" });
  isPersons("the git status report is to be handed in");
});

test("`pawl init` tells a person to have a task created, and a model to call the tool", async () => {
  using project = new AlfredProject({ withoutGit: true });
  const { text } = pawl(project.root, "init");
  expect(text).toContain("Tell your assistant to create a task.");
  expect(text).not.toContain("Call create_task");
  using other = new AlfredProject({ withoutGit: true });
  const answer = await other.call("initialize_project", { provider: "local" });
  expect(answer.message).toContain("Call create_task to add a task.");
});

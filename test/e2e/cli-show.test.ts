import { expect, test } from "vitest";
import { AlfredProject, projectWithTask } from "../rig/alfred-project.ts";
import { pawlInside } from "../rig/project.ts";

/** `text`: what it printed, or said of its failure. */
async function pawl(
  root: string,
  ...args: string[]
): Promise<{ readonly code: number | null; readonly text: string }> {
  const { code, out, err } = await pawlInside(root, args, { DOOR_ONLY: "" });
  return { code, text: code === 0 ? out : err };
}

test("a story is told by the workflow that knows the id, and asked for by its whole name if two do", async () => {
  using project = await projectWithTask("TS-01", { withoutGit: true });
  project.write(
    "tasks.yaml",
    "tasks:\n  - id: B-1\n    title: Bloom's\n  - id: TS-01\n    title: Bloom's too\n",
  );
  expect((await pawl(project.root, "show", "B-1")).text).toContain("Bloom's");
  expect((await pawl(project.root, "show", "alfred:TS-01")).text).toContain("# TS-01: Limit the rate");
  expect(await pawl(project.root, "show", "TS-01")).toMatchObject({ code: 2 });
  expect((await pawl(project.root, "show", "TS-01")).text).toContain("alfred:TS-01, bloom:TS-01");
  expect(await pawl(project.root, "show", "nope")).toMatchObject({ code: 2 });
  expect(JSON.parse((await pawl(project.root, "show", "alfred:TS-01", "--json")).text)).toMatchObject({
    task_id: "TS-01",
  });
});

test("a person who approves what is not under review is told what a person can do, not a model's tools", async () => {
  using project = await projectWithTask("TS-01", { withoutGit: true });
  const isPersons = async (state: string) => {
    const { out, err } = await pawlInside(project.root, ["approve", "alfred:TS-01"], { DOOR_ONLY: "" });
    const said = out + err;
    expect(said).toContain(
      `Nothing of task 'TS-01' is under review: ${state}, and what comes next is the assistant's`,
    );
    expect(said).toContain("Tell your assistant to continue with TS-01");
    expect(said).not.toMatch(/submit_work|work_on_task|task_id|Call /);
  };
  await isPersons("its status is 'new'");
  await project.call("start_task", { task_id: "TS-01" });
  await isPersons("the git status report is to be handed in");
});

test("`pawl init` tells a person to have a task created, and a model to call the tool", async () => {
  using project = new AlfredProject({ withoutGit: true });
  const { text } = await pawl(project.root, "init");
  expect(text).toContain("Tell your assistant to create a task.");
  expect(text).not.toContain("Call create_task");
  using other = new AlfredProject({ withoutGit: true });
  const answer = await other.call("initialize_project", { provider: "local" });
  expect(answer.message).toContain("Call create_task to add a task.");
});

test("`pawl init` says in one sentence if no project should be made", async () => {
  using plain = new AlfredProject({ withoutGit: true });
  const { err } = await pawlInside(plain.root, ["init"], { DOOR_ONLY: "" });
  expect(err).toBe(
    `pawl: warning: ${plain.root} is in no git repository, so Pawl cannot tell what a task changed; \`git init\` makes one.\n`,
  );
  using home = new AlfredProject();
  const atHome = await pawlInside(home.root, ["init"], { DOOR_ONLY: "", HOME: home.root });
  expect(atHome.err).toBe(
    `pawl: warning: ${home.root} is your home folder, and becomes the project of every folder in it; \`pawl uninstall\` takes it back.\n`,
  );
  using usual = new AlfredProject();
  expect((await pawlInside(usual.root, ["init"], { DOOR_ONLY: "" })).err).toBe("");
});

/** The sizes of a task, each walked by an assistant that does literally what it reads. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { SIZED_REVIEWS, type Size } from "../../src/core/settings.ts";
import { AlfredProject, type ToolAnswer, taskMarkdown } from "../rig/alfred-project.ts";
import { follow, type Hands, type Heard } from "../rig/literal-client.ts";
import { promise } from "../rig/promise.ts";

const ID = "TS-01";

function project(size: Size | null): AlfredProject {
  const settings = size === null ? {} : { size, reviews: SIZED_REVIEWS[size] };
  const made = new AlfredProject({ settings });
  made.write(".gitignore", "");
  made.write("src/server.txt", "server\n");
  made.commit("Begin");
  return made;
}

async function walk(made: AlfredProject, markdown: string) {
  const human: string[] = [];
  const hands: Hands = {
    file: "src/server.txt",
    approves(prompt, who) {
      if (who === "human") human.push(/^# TOOL: `(\w+)`/m.exec(prompt)?.[1] ?? "");
      return true;
    },
    run: (command) => execFileSync("sh", ["-c", command], { cwd: made.root, encoding: "utf8" }),
    decides: async () => {},
    builds: async () => made.write("src/server.txt", `${made.read("src/server.txt")}more\n`),
  };
  const call = async (tool: string, input: Record<string, unknown>): Promise<Heard> => {
    const answer: ToolAnswer = await made.call(tool, input);
    const text = answer.status === "error" ? answer.message : answer.next_prompt || answer.message;
    return { text, isError: answer.status === "error" };
  };
  await made.call("create_task", { task_content: markdown });
  const calls = await follow(call, hands, await call("start_task", { task_id: ID }));
  return { calls: ["create_task", "start_task", ...calls], human };
}

const LIGHT: readonly (readonly [string, Size | null, string])[] = [
  ["the project's setting", "light", taskMarkdown(ID)],
  ["its own section", null, `${taskMarkdown(ID)}\n## Size\nlight\n`],
];

test.each(LIGHT)(
  "a light task by %s is done in nine calls with one human verdict, before the delivery",
  async (_, size, markdown) => {
    promise("alfred.sizes");
    using made = project(size);
    const { calls, human } = await walk(made, markdown);
    expect(made.state(ID)).toMatchObject({ task_status: "done", active_tool_state: null });
    expect(calls).toEqual([
      "create_task",
      "start_task",
      ...["submit_work", "submit_work"],
      ...["implement_task", "submit_work", "provide_review"],
      ...["finalize_task", "submit_work"],
    ]);
    expect(human).toEqual(["implement_task"]);
  },
);

test("a report that nobody reviews is not accepted if git differs from it", async () => {
  promise("alfred.sizes");
  using made = project("light");
  await made.call("create_task", { task_content: taskMarkdown(ID) });
  await made.call("start_task", { task_id: ID });
  const says = async (artifact: object) => {
    const { data, message, status } = await made.call("submit_work", { task_id: ID, artifact });
    return status === "error" ? `${data.code}: ${message}` : made.state(ID).task_status;
  };
  made.write("left.txt", "a person's own\n");
  const clean = { is_clean: true, current_branch: "main", uncommitted_files: [] };
  expect(await says(clean)).toMatch(/^evidence-differs: .*1 uncommitted file \(left\.txt\)/);
  expect(await says({ ...clean, is_clean: false, uncommitted_files: ["left.txt"] })).toBe("new");
  const branch = { branch_name: "feature/TS-01", success: true, details: "" };
  expect(await says(branch)).toMatch(/^evidence-differs: .*sees the branch 'main'/);
  made.git("checkout", "-q", "-b", "feature/TS-01");
  expect(await says(branch)).toBe("ready_for_development");
  await made.call("implement_task", { task_id: ID });
  made.write("src/server.txt", "more\n");
  made.write("src/new/part.txt", "part\n");
  await says({ summary: "s", completed_subtasks: [], testing_notes: "t" });
  await made.review(ID, true);
  await made.call("finalize_task", { task_id: ID });
  const head = () => ({ commit_hash: made.git("rev-parse", "HEAD").trim(), pr_url: "" });
  expect(await says(head())).toMatch(/^evidence-differs: .*not everything is committed/);
  made.git("commit", "-qm", "More", "src/server.txt");
  expect(await says(head())).toMatch(
    /^evidence-differs: .* lacks a part of the work that was approved: src\/new\/part\.txt/,
  );
  made.git("add", "src/new");
  made.git("commit", "-qm", "The rest");
  expect(await says({ ...head(), commit_hash: "HEAD" })).toMatch(/^evidence-differs: /);
  // What a person left there stays there.
  expect(await says(head())).toBe("done");
});

test("a light task may be planned, in one step that a person approves", async () => {
  promise("alfred.sizes");
  using made = project("light");
  await made.call("create_task", { task_content: taskMarkdown(ID) });
  const start = [
    ["start_task", {}],
    ["submit_work", { artifact: { is_clean: true, current_branch: "feature/TS-01", uncommitted_files: [] } }],
    ["submit_work", { artifact: { branch_name: "feature/TS-01", success: true, details: "" } }],
  ] as const;
  made.git("checkout", "-q", "-b", "feature/TS-01");
  for (const [tool, input] of start) await made.call(tool, { task_id: ID, ...input });
  const opened = await made.call("plan_task", { task_id: ID });
  expect(opened.data.current_state).toBe("generate_slots");
  expect(opened.next_prompt).not.toContain("### **Design**");
});

test("a standard task goes through all tools with two human verdicts, on its plan and on its work", async () => {
  promise("alfred.sizes");
  using made = project("standard");
  const { calls, human } = await walk(made, taskMarkdown(ID));
  expect(made.state(ID).task_status).toBe("done");
  expect(human).toEqual(["plan_task", "implement_task"]);
  expect(calls.filter((tool) => tool.endsWith("_task") && tool !== "create_task")).toEqual([
    ...["start_task", "plan_task", "implement_task", "review_task", "test_task", "finalize_task"],
  ]);
});

test("a careful task is reviewed by both at each step, and delivered after the last gate", async () => {
  promise("alfred.sizes");
  using made = project("careful");
  const { calls, human } = await walk(made, taskMarkdown(ID));
  expect(made.state(ID).task_status).toBe("done");
  expect(human.length).toBe(9);
  expect(calls.slice(-2)).toEqual(["finalize_task", "submit_work"]);
});

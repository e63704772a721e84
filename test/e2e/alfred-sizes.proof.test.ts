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

test("a light task may be planned, in one step that a person approves", async () => {
  promise("alfred.sizes");
  using made = project("light");
  await made.call("create_task", { task_content: taskMarkdown(ID) });
  const start = [
    ["start_task", {}],
    ["submit_work", { artifact: { is_clean: true, current_branch: "main", uncommitted_files: [] } }],
    ["submit_work", { artifact: { branch_name: "feature/TS-01", success: true, details: "" } }],
  ] as const;
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

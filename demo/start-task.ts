/** Chapter one: a task is created and set up through its gates, with a real server and a real repository. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Answer, type Assistant, connect, type Stage, section } from "./stage.ts";

const TASK = `# TASK: TS-01

## Title
Greet by name

## Context
greet.js greets the world. Our users have names.

## Implementation Details
Let the greeting take a name and fall back to "world".

## Acceptance Criteria
- \`node greet.js Ada\` prints "Hello, Ada!"
- \`node greet.js\` still prints "Hello, world!"
`;

export async function startTask(stage: Stage): Promise<void> {
  stage.chapter("1. A task goes through its gates: start_task");
  let assistant = await connect(stage, "alfred");
  await assistant.call("initialize_project", { provider: "local" });
  await show(stage, "create_task", await assistant.call("create_task", { task_content: TASK }));

  const begun = await assistant.call("start_task", { task_id: "TS-01" });
  await show(stage, "start_task", begun, section(begun.next_prompt ?? "", "Check Git Status"));

  await stage.tell("git", "git status --porcelain; git rev-parse --abbrev-ref HEAD");
  const report = {
    is_clean: stage.git("status", "--porcelain") === "",
    current_branch: stage.git("rev-parse", "--abbrev-ref", "HEAD").trim(),
    uncommitted_files: [],
  };
  await show(
    stage,
    "submit_work",
    await assistant.call("submit_work", { task_id: "TS-01", artifact: report }),
  );
  await show(stage, "provide_review (ai)", await approve(assistant));

  await stage.tell("pawl", "the server is stopped here and started anew: nothing lives in memory alone");
  await assistant.close();
  assistant = await connect(stage, "alfred");

  await stage.tell("pawl", "pawl status", (await stage.pawl("status")).output);
  await stage.tell(
    "human",
    "pawl approve TS-01",
    (await stage.person("approve", "TS-01", "--notes", "Looks right.")).output,
  );

  await stage.tell("git", "git checkout -b feature/TS-01");
  stage.git("checkout", "-q", "-b", "feature/TS-01");
  const made = {
    branch_name: "feature/TS-01",
    success: true,
    details: "Switched to a new branch 'feature/TS-01'",
  };
  await show(stage, "submit_work", await assistant.call("submit_work", { task_id: "TS-01", artifact: made }));
  await show(stage, "provide_review (ai)", await approve(assistant));
  const done = await approve(assistant);
  await stage.tell("human", "approves through the assistant", done.next_prompt ?? done.message);
  await assistant.close();

  const state = JSON.parse(
    readFileSync(join(stage.folder, ".alfred/workspace/TS-01/task_state.json"), "utf8"),
  );
  if (state.task_status !== "planning" || state.active_tool_state !== null) {
    throw new Error(`The task should be in 'planning' with no active tool, but is: ${JSON.stringify(state)}`);
  }
  const branch = stage.git("branch", "--show-current").trim();
  if (branch !== "feature/TS-01") throw new Error(`The branch should be feature/TS-01, but is ${branch}`);
}

const approve = (assistant: Assistant): Promise<Answer> =>
  assistant.call("provide_review", { task_id: "TS-01", is_approved: true });

async function show(stage: Stage, tool: string, answer: Answer, beneath?: string): Promise<void> {
  await stage.tell("assistant", tool);
  await stage.tell("pawl", answer.message, beneath);
}

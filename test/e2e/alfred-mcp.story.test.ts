import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { CONTEXT, DESIGN, MANIFEST, PLAN, REVIEW, STRATEGY, TESTED } from "../rig/alfred-artifacts.ts";
import { AlfredProject, CLEAN, type ToolAnswer, taskMarkdown } from "../rig/alfred-project.ts";
import { MAIN, testEnvironment } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

const ID = "TS-01";

/** One call of a tool by a server that is started for it and ended after it. */
async function callFresh(root: string, name: string, input: Record<string, unknown>): Promise<ToolAnswer> {
  const server = spawn(process.execPath, [MAIN, "mcp", "alfred"], {
    cwd: root,
    env: testEnvironment({ DOOR_ONLY: "" }),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const messages = [
    {
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "0" } },
    },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: { name, arguments: input } },
  ];
  for (const message of messages) server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  for await (const line of createInterface({ input: server.stdout })) {
    const { id, result } = JSON.parse(line);
    if (id !== 2) continue;
    server.stdin.end();
    await once(server, "exit");
    // Which part this client shows its model is not known: the prompt is in both.
    expect(result.content[0].text).toBe(
      result.structuredContent.next_prompt ?? result.structuredContent.message,
    );
    return { ...result.structuredContent, next_prompt: result.content[0].text };
  }
  throw new Error("The server ended without an answer.");
}

test("a task goes from created to done over MCP, with a new server for every call", {
  timeout: 180_000,
}, async () => {
  promise("alfred.life");
  using project = new AlfredProject();
  project.write("pawl.yaml", "alfred:\n  reviews:\n    default: []\n    start_task: [ai, human]\n");
  project.write("src/server.txt", "server\n");
  project.commit("Begin");
  const call = async (name: string, input: Record<string, unknown>) => {
    const answer = await callFresh(project.root, name, input);
    expect(answer.status, `${name}: ${answer.message}`).toBe("success");
    return answer;
  };
  const submit = (artifact: unknown) => call("submit_work", { task_id: ID, artifact });
  const review = () => call("provide_review", { task_id: ID, is_approved: true });

  await call("create_task", { task_content: taskMarkdown(ID) });
  await call("start_task", { task_id: ID });
  await submit(CLEAN);
  await review();
  await review();
  project.git("checkout", "-q", "-b", `feature/${ID}`);
  await submit({ branch_name: `feature/${ID}`, success: true, details: "" });
  await review();
  expect((await review()).next_prompt).toBe(
    `Setup for task ${ID} is complete. The task is now 'planning'. Call 'plan_task' to begin planning.`,
  );
  await call("plan_task", { task_id: ID });
  for (const artifact of [CONTEXT, STRATEGY, DESIGN, PLAN]) await submit(artifact);
  await call("implement_task", { task_id: ID });
  for (const subtask_id of ["S-1", "S-2"]) await call("mark_subtask_complete", { task_id: ID, subtask_id });
  await submit(MANIFEST);
  await call("review_task", { task_id: ID });
  await submit(REVIEW);
  await call("test_task", { task_id: ID });
  await submit(TESTED);
  await call("finalize_task", { task_id: ID });
  await submit({ commit_hash: project.git("rev-parse", "HEAD").trim(), pr_url: "" });
  expect(project.state(ID)).toMatchObject({ task_status: "done", active_tool_state: null });
  expect(project.read(".pawl/events.jsonl").trimEnd().split("\n").length).toBeGreaterThan(18);
});

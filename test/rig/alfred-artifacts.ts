/** Artifacts as an assistant would hand them in, and the whole road that they pave. */
import { type AlfredProject, CLEAN, type ToolAnswer } from "./alfred-project.ts";

export const CONTEXT = {
  context_summary: "The service answers every request.",
  affected_files: ["src/server.txt"],
  questions_for_developer: ["Per client or for all?"],
};

export const STRATEGY = {
  high_level_strategy: "A token bucket before the handler.",
  key_components: ["bucket", "handler"],
};

export const DESIGN = {
  design_summary: "One new file and a call.",
  file_breakdown: [
    { file_path: "src/bucket.txt", change_summary: "the bucket", operation: "create" },
    { file_path: "src/server.txt", change_summary: "ask the bucket", operation: "Modify" },
  ],
};

const flow = { procedural_steps: ["write it"], verification_steps: ["`cat` shows it"] };

export const PLAN = {
  slots: [
    {
      slot_id: "S-1",
      title: "Bucket",
      spec: "Write it.",
      location: "src/bucket.txt",
      operation: "CREATE",
      taskflow: flow,
    },
    {
      slot_id: "S-2",
      title: "Call",
      spec: "Call it.",
      location: "src/server.txt",
      operation: "modify",
      taskflow: flow,
      depends_on: ["S-1"],
    },
  ],
};

export const MANIFEST = {
  summary: "A bucket, and a call of it.",
  completed_subtasks: ["S-1", "S-2"],
  testing_notes: "By hand.",
};

export const REVIEW = { summary: "Good.", approved: true, feedback: [] };
export const TESTED = { command: "npm test", exit_code: 0, output: "1 passed" };

/** Hands in and gives every approval that the policy asks for. */
export async function through(project: AlfredProject, id: string, artifact: unknown): Promise<ToolAnswer> {
  let answer = await project.submit(id, artifact);
  if (answer.status !== "success") throw new Error(answer.message);
  const { review_policy } = project.state(id).active_tool_state?.context_store ?? { review_policy: [] };
  for (const _ of review_policy) {
    answer = await project.review(id, true);
    if (answer.status !== "success") throw new Error(answer.message);
  }
  return answer;
}

export async function start(project: AlfredProject, id: string): Promise<ToolAnswer> {
  await project.call("start_task", { task_id: id });
  await through(project, id, CLEAN);
  project.git("checkout", "-q", "-b", `feature/${id}`);
  return through(project, id, { branch_name: `feature/${id}`, success: true, details: "ok" });
}

export async function plan(project: AlfredProject, id: string, slots: unknown = PLAN): Promise<ToolAnswer> {
  await project.call("plan_task", { task_id: id });
  await through(project, id, CONTEXT);
  await through(project, id, STRATEGY);
  await through(project, id, DESIGN);
  return through(project, id, slots);
}

export async function implement(project: AlfredProject, id: string): Promise<ToolAnswer> {
  await project.call("implement_task", { task_id: id });
  project.write("src/bucket.txt", "bucket\n");
  project.write("src/server.txt", "server with bucket\n");
  for (const subtask_id of ["S-1", "S-2"])
    await project.call("mark_subtask_complete", { task_id: id, subtask_id });
  return through(project, id, MANIFEST);
}

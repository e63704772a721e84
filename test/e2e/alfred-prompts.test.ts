import { expect, test } from "vitest";
import { implement, MANIFEST, plan, REVIEW, start, TESTED, through } from "../rig/alfred-artifacts.ts";
import { AlfredProject, type ToolAnswer, taskMarkdown } from "../rig/alfred-project.ts";
import { promise } from "../rig/promise.ts";

const ID = "TS-01";
const CAP = 6_000;

/** Keeps every prompt that a call of a tool brings. */
class Listening extends AlfredProject {
  readonly prompts = new Map<string, string>();

  override async call(...given: Parameters<AlfredProject["call"]>): Promise<ToolAnswer> {
    const answer = await super.call(...given);
    const { active_tool, current_state, review_source, review_stage } = answer.data;
    if (active_tool) {
      const name = [active_tool, current_state, review_source ?? review_stage].filter(Boolean).join(" ");
      this.prompts.set(name, answer.next_prompt);
    }
    return answer;
  }
}

test("every prompt stays within its size, with one state line, one directive and one required action", async () => {
  promise("alfred.prompts");
  using project = new Listening({ settings: { checks: { test: "echo ok" } } });
  const text = taskMarkdown(ID, "\n## Dev Notes\nCareful.\n");
  await project.call("create_task", { task_content: text });
  project.write("src/server.txt", "server\n");
  project.commit("Add the server");
  await start(project, ID);
  await plan(project, ID);
  await implement(project, ID);
  await project.call("review_task", { task_id: ID });
  await through(project, ID, { ...REVIEW, approved: false, feedback: ["more"] });
  await project.call("implement_task", { task_id: ID });
  await through(project, ID, MANIFEST);
  await project.call("review_task", { task_id: ID });
  await through(project, ID, REVIEW);
  await project.call("test_task", { task_id: ID });
  await through(project, ID, TESTED);
  await project.call("finalize_task", { task_id: ID });
  await through(project, ID, { commit_hash: "0".repeat(40), pr_url: "" });
  await project.call("create_task", { task_content: taskMarkdown("TS-02") });
  await project.call("create_spec", { task_id: "TS-02", prd_content: "Limit them." });
  const spec = { title: "", overview: "", requirements: [], design_decisions: [], out_of_scope: [] };
  await through(project, "TS-02", spec);
  await project.call("create_tasks_from_spec", { task_id: "TS-02" });

  const sizes = [...project.prompts].map(([name, prompt]) => [name, prompt.length] as const);
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  const largest = sizes.reduce((one, other) => (other[1] > one[1] ? other : one));
  process.stdout.write(
    `prompts: ${sizes.length}, ${total} characters in all, the largest ${largest[1]} (${largest[0]})\n`,
  );
  expect(sizes.length).toBeGreaterThan(25);
  for (const [name, prompt] of project.prompts) {
    expect(prompt.length, name).toBeLessThanOrEqual(CAP + text.length);
    for (const heading of ["# ROLE:", "# TOOL:", "# TASK:", "# STATE:"])
      expect(linesWith(prompt, heading), `${name}: ${heading}`).toBe(1);
    expect(linesWith(prompt, "### **Directive: "), name).toBe(1);
    expect(linesWith(prompt, "### **Required Action**"), name).toBe(1);
    expect(prompt, name).not.toMatch(/\n{3,}|\{\{|\{%/);
  }
});

function linesWith(prompt: string, start: string): number {
  return prompt.split("\n").filter((line) => line.startsWith(start)).length;
}

import type { WorkflowModule } from "../../runtime/module.ts";
import { required, verb } from "../../runtime/verb.ts";
import { overview } from "./overview.ts";
import { runOfCall } from "./tools/run-of-call.ts";

const alfred: WorkflowModule = {
  name: "alfred",
  title: "Alfred",
  summary: "One task through gates: start, plan, implement, review, test, finalize.",
  begin: "ask your assistant to create a task, then to start it",
  async tables() {
    const [{ DEFINITIONS }, { tableOf }] = await Promise.all([
      import("./tools/definitions.ts"),
      import("./tools/machine.ts"),
    ]);
    return DEFINITIONS.map(tableOf);
  },
  overview,
  scopes: {
    runIds: async (view) => (await import("./state/run-ids.ts")).runIds(view),
    scopeOf: async (view, id) => (await import("./scope.ts")).scopeOf(view, id),
    runOfCall,
  },
  mcp: {
    guidance:
      "Call get_next_task or work_on_task to see what a task needs, then the tool that they name. Each tool returns a prompt: do what it says, hand in the artifact with submit_work, and in a human review pass on the human's own verdict with provide_review.",
    tools: async () => (await import("./tools/tools.ts")).TOOLS,
    prompts: async () => (await import("./texts/user-prompts.ts")).USER_PROMPTS,
    resources: async () => (await import("./texts/resources.ts")).RESOURCES,
  },
  verbs: [
    verb(
      "plan export",
      "write a task's accepted plan into tasks.yaml, for the loop to do; after a rejection, add a step for what was asked",
      [required("id", "the task's id")],
      async () => (await import("./loop/hand-over.ts")).exportPlan,
    ),
    verb(
      "plan take-back",
      "hand in what the loop did of an exported plan, with the loop's own evidence",
      [required("id", "the task's id")],
      async () => (await import("./loop/take-back.ts")).takeBack,
    ),
    verb(
      "sync",
      "bring the tracker up to date on a task: its status, and where its plan is",
      [required("id", "the task's id")],
      async () => (await import("./tools/sync.ts")).sync,
    ),
  ],
  gate: {
    verdict: async () => (await import("./tools/provide-review.ts")).gate,
    review: async () => (await import("./gate/review.ts")).review,
  },
  samples: async (view) => (await import("./texts/samples.ts")).promptSamples(view),
  policy: {
    present: async (view, settings, id) => (await import("./gate/govern.ts")).policyIn(view, settings, id),
    proof: async () => (await import("./state/proof.ts")).openProof(),
  },
  story: async () => (await import("./gate/story.ts")).story,
  log: { kind: async () => (await import("./state/run-kind.ts")).TASK_RUNS },
  records: async () => (await import("./state/adopt.ts")).RECORDS,
  files: async () => (await import("./files.ts")).FILES,
};

export default alfred;

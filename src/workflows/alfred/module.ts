import type { WorkflowModule } from "../../runtime/module.ts";

const alfred: WorkflowModule = {
  name: "alfred",
  title: "Alfred",
  summary: "One task through gates: start, plan, implement, review, test, finalize.",
  guidance:
    "Call get_next_task or work_on_task to see what a task needs, then the tool that they name. Each tool returns a prompt: do what it says, hand in the artifact with submit_work, and in a human review pass on the human's own verdict with provide_review.",
  begin: "ask your assistant to create a task, then to start it",
  async tables() {
    const [{ DEFINITIONS }, { tableOf }] = await Promise.all([
      import("./definitions.ts"),
      import("./machine.ts"),
    ]);
    return DEFINITIONS.map(tableOf);
  },
  async overview(view) {
    const { overview } = await import("./overview.ts");
    return overview(view);
  },
  async tools() {
    const { TOOLS } = await import("./tools.ts");
    return TOOLS;
  },
  async prompts() {
    const { USER_PROMPTS } = await import("./user-prompts.ts");
    return USER_PROMPTS;
  },
  async resources() {
    const { RESOURCES } = await import("./resources.ts");
    return RESOURCES;
  },
  verbs: [
    {
      name: "plan export",
      summary:
        "write the accepted plan of a task as steps of tasks.yaml, for the loop to run; after a rejection, what was asked for since as one step more",
      arguments: [{ name: "id", description: "the task's id", required: true }],
      options: [],
      advance: async () => (await import("./hand-over.ts")).exportPlan,
    },
    {
      name: "plan take-back",
      summary:
        "hand in what the loop did of an exported plan: the manifest is made from the loop's own evidence",
      arguments: [{ name: "id", description: "the task's id", required: true }],
      options: [],
      advance: async () => (await import("./take-back.ts")).takeBack,
    },
    {
      name: "sync",
      summary: "tell the tracker what it does not know yet of a task: its status, and where its plan is",
      arguments: [{ name: "id", description: "the task's id", required: true }],
      options: [],
      advance: async () => (await import("./sync.ts")).sync,
    },
  ],
  acceptEdit: async () => (await import("./accept-edit.ts")).acceptEdit,
  samples: async (view) => (await import("./samples.ts")).promptSamples(view),
  policy: async (view, settings, id) => (await import("./govern.ts")).policyIn(view, settings, id),
  story: async () => (await import("./story.ts")).story,
  async gate() {
    const [{ atTheEdge }, { humanGate }] = await Promise.all([
      import("./response.ts"),
      import("./provide-review.ts"),
    ]);
    return atTheEdge(humanGate);
  },
  async init() {
    const [{ atTheEdge }, { initializeProject }] = await Promise.all([
      import("./response.ts"),
      import("./initialize-project.ts"),
    ]);
    const { propose } = initializeProject;
    const plan: typeof initializeProject = {
      ...initializeProject,
      propose: (seen, gathered, _, context) =>
        propose(seen, gathered, { provider: context.settings.alfred.provider }, context),
    };
    return atTheEdge(plan);
  },
};

export default alfred;

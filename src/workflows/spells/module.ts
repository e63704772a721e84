import type { WorkflowModule } from "../module.ts";
import { SPELLS } from "./events.ts";

const spells: WorkflowModule = {
  name: "spells",
  title: "Spells",
  summary:
    "One developer and one assistant, guided: context, plan, tasks and pull request reviews by six spells.",
  guidance:
    "The developer casts the spells (accio, expecto, reparo, reverto, finite); cast one only when they ask for it, do what its reply tells the AI, and show them what it tells the developer. lumos shows where the work stands.",
  async tables() {
    const [{ SPELLS_WORKFLOW }, { REPLY_NAMES }] = await Promise.all([
      import("./table.ts"),
      import("./reply-names.ts"),
    ]);
    return [{ workflow: SPELLS_WORKFLOW, replies: REPLY_NAMES }];
  },
  async overview(view) {
    const { overview } = await import("./overview.ts");
    return overview(view);
  },
  async tools() {
    const { TOOLS } = await import("./tools.ts");
    return TOOLS;
  },
  prompts: async () => [],
  async resources() {
    const { RESOURCES } = await import("./tools.ts");
    return RESOURCES;
  },
  verbs: [
    {
      name: "cast",
      summary: "Cast a spell",
      arguments: [{ name: "spell", description: "which", required: true, choices: SPELLS }],
      options: [],
      async advance() {
        const { castNamed } = await import("./cast.ts");
        return castNamed;
      },
    },
    {
      name: "lumos",
      summary: "Show where the guided work stands and which spells can be cast",
      arguments: [],
      options: [],
      async advance() {
        const { castOf } = await import("./cast.ts");
        return castOf("lumos");
      },
    },
    {
      name: "spells mend",
      summary: "Replace a state.json that cannot be read by the state that the files suggest",
      arguments: [],
      options: [],
      async advance() {
        const { mendState } = await import("./mend.ts");
        return mendState;
      },
    },
  ],
};

export default spells;

import type { WorkflowModule } from "../../runtime/module.ts";
import { required, verb } from "../../runtime/verb.ts";
import { SPELLS } from "./events.ts";
import { RUN_ID } from "./files.ts";
import { overview } from "./overview.ts";

const spells: WorkflowModule = {
  name: "spells",
  title: "Spells",
  summary:
    "One developer and one assistant, guided: context, plan, tasks and pull request reviews by six spells.",
  begin: "pawl cast accio",
  async tables() {
    const [{ SPELLS_WORKFLOW }, { REPLY_NAMES }] = await Promise.all([
      import("./table.ts"),
      import("./reply-names.ts"),
    ]);
    return [{ workflow: SPELLS_WORKFLOW, replies: REPLY_NAMES }];
  },
  overview,
  scopes: {
    runIds: async () => [RUN_ID],
    scopeOf: async (view, id) => (id === RUN_ID ? (await import("./scope.ts")).scopeOf(view) : null),
    runOfCall: (tool) => ((SPELLS as readonly string[]).includes(tool) ? RUN_ID : null),
  },
  mcp: {
    guidance:
      "The developer casts the spells (accio, expecto, reparo, reverto, finite); cast one only when they ask for it, do what its reply tells the AI, and show them what it tells the developer. lumos shows where the work stands.",
    tools: async () => (await import("./tools.ts")).TOOLS,
    prompts: async () => (await import("./tools.ts")).PROMPTS,
    resources: async () => (await import("./tools.ts")).RESOURCES,
  },
  log: {
    kind: async () => (await import("./run-kind.ts")).SPELLS_RUNS,
    acceptEdit: async () => (await import("./accept-state.ts")).acceptState,
  },
  files: async () => ({ written: {}, state: [], work: [".ai"] }),
  samples: async (view) => (await import("./samples.ts")).replySamples(view),
  verbs: [
    verb(
      "cast",
      "cast a spell: take the next step, start a review, return to the plan",
      [required("spell", "which spell", SPELLS)],
      async () => (await import("./cast.ts")).castNamed,
      { create: true, prose: true },
    ),
    verb(
      "lumos",
      "show where the guided work stands and which spells can be cast",
      [],
      async () => (await import("./cast.ts")).castOf("lumos"),
      { create: true, prose: true },
    ),
  ],
};

export default spells;

import type { WorkflowModule } from "../../runtime/module.ts";
import { SPELLS } from "./events.ts";

const spells: WorkflowModule = {
  name: "spells",
  title: "Spells",
  summary:
    "One developer and one assistant, guided: context, plan, tasks and pull request reviews by six spells.",
  guidance:
    "The developer casts the spells (accio, expecto, reparo, reverto, finite); cast one only when they ask for it, do what its reply tells the AI, and show them what it tells the developer. lumos shows where the work stands.",
  begin: "pawl cast accio",
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
  async prompts() {
    const { PROMPTS } = await import("./tools.ts");
    return PROMPTS;
  },
  async resources() {
    const { RESOURCES } = await import("./tools.ts");
    return RESOURCES;
  },
  async acceptEdit() {
    const [{ acceptEditOf }, { SPELLS_STATES }, { RUN, STATE_FILE }] = await Promise.all([
      import("../../runtime/accept-edit.ts"),
      import("./recorded.ts"),
      import("./files.ts"),
    ]);
    return acceptEditOf({ states: SPELLS_STATES, lock: RUN, paths: () => [STATE_FILE] });
  },
  samples: async (view) => (await import("./samples.ts")).replySamples(view),
  verbs: [
    {
      name: "cast",
      summary: "cast a spell: take the next step, start a review, return to the plan",
      arguments: [{ name: "spell", description: "which spell", required: true, choices: SPELLS }],
      options: [],
      create: true,
      prose: true,
      async advance() {
        const { castNamed } = await import("./cast.ts");
        return castNamed;
      },
    },
    {
      name: "lumos",
      summary: "show where the guided work stands and which spells can be cast",
      arguments: [],
      options: [],
      create: true,
      prose: true,
      async advance() {
        const { castOf } = await import("./cast.ts");
        return castOf("lumos");
      },
    },
    {
      name: "spells demo",
      summary: "lay out a sample project at any state, in an empty folder",
      arguments: [
        { name: "action", description: "what to do", required: true, choices: ["list", "set", "reset"] },
        { name: "name", description: "the demo to set, as the list names it", required: false },
      ],
      options: [],
      create: true,
      async advance() {
        const { demo } = await import("./demo.ts");
        return demo;
      },
    },
    {
      name: "spells backup",
      summary: "copy .ai/ to .ai-backups/",
      arguments: [],
      options: [],
      async advance() {
        const { backUp } = await import("./backup.ts");
        return backUp;
      },
    },
    {
      name: "spells restore",
      summary: "bring a copy of .ai/ back, and copy what is there first",
      arguments: [
        {
          name: "name",
          description: "the copy's name in .ai-backups/; default: the latest",
          required: false,
        },
      ],
      options: [],
      async advance() {
        const { restore } = await import("./backup.ts");
        return restore;
      },
    },
    {
      name: "spells mend",
      summary: "replace a state.json that cannot be read by the state that the files suggest",
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

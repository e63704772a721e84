import { z } from "zod";
import type { Resource, Tool, UserPrompt } from "../../runtime/module.ts";
import { castOf } from "./cast.ts";
import { EVENTS, SPELLS, type Spell, titleOf } from "./events.ts";

const CAST = "Cast only when the developer asks.";

const DESCRIPTIONS: Readonly<Record<Spell, string>> = {
  accio: `Take the next step of the guided workflow: context, plan, task, results, review. ${CAST}`,
  expecto: `Add linked Jira issues and Confluence pages to the context or plan being edited. ${CAST}`,
  reparo: `Start a review of the pull request's comments, fetch those still missing, or confirm starting over. ${CAST}`,
  reverto: `Leave the pull request review. ${CAST}`,
  finite: `Return to editing the plan. ${CAST}`,
  lumos:
    "Show where the work stands and which spells can be cast. Changes nothing: use it whenever you are unsure.",
};

/** The spells that may query Jira, Confluence or GitHub. */
const REACHING: readonly Spell[] = ["accio", "expecto", "reparo"];

/** The six spells, without parameters. */
export const TOOLS: readonly Tool[] = SPELLS.map((spell) => ({
  name: spell,
  title: titleOf(spell),
  description: DESCRIPTIONS[spell],
  input: z.strictObject({}),
  readOnly: spell === "lumos",
  idempotent: spell === "lumos",
  ...(REACHING.includes(spell) ? { openWorld: true as const } : {}),
  transaction: castOf(spell),
}));

/** For a developer who casts from the menu of a client that shows prompts. */
export const PROMPTS: readonly UserPrompt[] = SPELLS.map((spell) => ({
  name: spell,
  title: titleOf(spell),
  description: `${EVENTS[spell].description}.`,
  arguments: [],
  render: () =>
    spell === "lumos"
      ? "Call the tool lumos and show me its reply."
      : `I cast ${titleOf(spell)}: call the tool ${spell}, show me what its reply says to the developer, and do what it says to the AI.`,
}));

export const RESOURCES: readonly Resource[] = [
  {
    name: "lumos",
    uri: "pawl://spells/lumos",
    title: "Lumos",
    description: "Where the guided work of this project stands, and which spells can be cast.",
    mimeType: "text/markdown",
    transaction: castOf("lumos"),
  },
];

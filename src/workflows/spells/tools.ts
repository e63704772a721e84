import { z } from "zod";
import type { Resource, Tool } from "../module.ts";
import { castOf } from "./cast.ts";
import { SPELLS, type Spell, titleOf } from "./events.ts";

const DESCRIPTIONS: Readonly<Record<Spell, string>> = {
  accio:
    "Take the next step of the guided workflow. Cast only when the developer asks; then follow the reply.",
  expecto: "Add the linked Jira issues and Confluence pages to the context or plan being edited.",
  reparo: "Start a review of the pull request's comments, or confirm starting it over.",
  reverto: "Leave the pull request review.",
  finite: "Return to editing the plan.",
  lumos: "Show where the work stands and which spells can be cast. Changes nothing.",
};

/** Short, since it is repeated for each of the six. */
const OUTPUT = z.looseObject({ message: z.string(), state: z.string() });

/** The six spells, without parameters. */
export const TOOLS: readonly Tool[] = SPELLS.map((spell) => ({
  name: spell,
  title: titleOf(spell),
  description: DESCRIPTIONS[spell],
  input: z.object({}),
  output: OUTPUT,
  readOnly: spell === "lumos",
  idempotent: spell === "lumos",
  advance: castOf(spell),
}));

export const RESOURCES: readonly Resource[] = [
  {
    name: "lumos",
    uri: "pawl://spells/lumos",
    title: "Lumos",
    description: "Where the guided work of this project stands, and which spells can be cast.",
    mimeType: "text/markdown",
    advance: castOf("lumos"),
  },
];

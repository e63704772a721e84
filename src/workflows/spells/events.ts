import { capital } from "../../core/text/lines.ts";
import type { EventDefinition } from "../../engine/workflow.ts";

/** The six spells, in the order in which every list names them. */
export const SPELLS = ["accio", "expecto", "reparo", "reverto", "finite", "lumos"] as const;

export type Spell = (typeof SPELLS)[number];

export const EVENTS: Readonly<Record<Spell, EventDefinition>> = {
  accio: { description: "Take the next step of the workflow" },
  expecto: { description: "Enrich the context or the plan from the Jira and Confluence links in it" },
  reparo: { description: "Start a review of the pull request's comments, or start it over" },
  reverto: { description: "Leave the pull request review" },
  finite: { description: "Return to editing the plan" },
  lumos: { description: "Show where the work stands and which spells can be cast" },
};

/** As people write it, and as `history` records it: `Accio`. */
export function titleOf(spell: Spell): string {
  return capital(spell);
}

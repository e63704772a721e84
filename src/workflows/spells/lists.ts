import { capital } from "../../core/text/lines.ts";
import { decide } from "../../engine/decide.ts";
import type { Configuration, Facts, Rule } from "../../engine/workflow.ts";
import { EFFECTS } from "./effects.ts";
import { SPELLS, type Spell, titleOf } from "./events.ts";
import type { Texts } from "./facts.ts";
import { FILE_KEYS, type FileKey, pathOf } from "./files.ts";
import { SPELLS_WORKFLOW } from "./table.ts";

/** The spells in the lists: not Lumos, because it can always be cast. */
const LISTED = SPELLS.filter((spell) => spell !== "lumos");

export interface Prospect {
  readonly spell: Spell;
  readonly rule: Rule;
  /** Whether casting it would change something. */
  readonly available: boolean;
  /** Its effect, as a sentence; or why it has none, as a clause. */
  readonly words: string;
}

/** What each spell would do in a configuration with these facts, according to the table. */
export function prospectsOf(configuration: Configuration, facts: Facts): readonly Prospect[] {
  return LISTED.map((spell) => {
    const { rule } = decide(SPELLS_WORKFLOW, configuration, spell, facts);
    return { spell, rule, available: rule.outcome === "moved", words: effectOf(rule.id, facts) };
  });
}

/** The rule's effect, or why it has none. */
export function effectOf(row: string, facts: Facts): string {
  const effect = EFFECTS[row] ?? "";
  if (typeof effect === "string") return effect;
  return effect.texts[String(facts[effect.by])] ?? "";
}

export function renderAvailable(prospects: readonly Prospect[]): string {
  return prospects
    .filter(({ available }) => available)
    .map(({ spell, words }) => `- **${titleOf(spell)}**: ${words}`)
    .join("\n");
}

export function renderUnavailable(prospects: readonly Prospect[]): string {
  return prospects
    .filter(({ available }) => !available)
    .map(({ spell, words }) => `- **${titleOf(spell)}**: ${capital(words)}.`)
    .join("\n");
}

const KEY_FILES: Readonly<Record<FileKey, string>> = {
  context: "what is known about the work",
  plan: "what is to be done, with its acceptance criteria",
  task: "the task at hand",
  results: "what was done in the task",
  comments: "the collected comments on the pull request",
  review_task: "which comments are addressed, and how",
  review_results: "what was done in the review",
};

/** The existing working files, each with its content in a few words. */
export function renderKeyFiles(texts: Texts): string {
  const existing = FILE_KEYS.filter((key) => texts[key] !== null);
  if (existing.length === 0) return "- none yet";
  return existing.map((key) => `- \`${pathOf(key)}\`: ${KEY_FILES[key]}`).join("\n");
}

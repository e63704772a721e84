/** The run, read from the project's files: its state, and the texts of the work. */

import { PawlError } from "../../core/error.ts";
import type { View } from "../../core/ports/store.ts";
import { openByText } from "../../core/text/by-text.ts";
import type { Facts } from "../../engine/workflow.ts";
import type { TableRun } from "../../runtime/transaction/run-event.ts";
import { type CriteriaReader, factsIn, mayHoldCriteria, type Texts } from "./facts.ts";
import { FILE_KEYS, type FileKey, pathOf, REFS_FILE, RUN } from "./files.ts";
import { checkState } from "./run-kind.ts";
import { configurationOf, loadState, type StateFile } from "./state-file.ts";
import { SPELLS_WORKFLOW } from "./table.ts";

export interface SpellsRun extends TableRun {
  readonly state: StateFile;
  readonly texts: Texts;
  /** The text of `.atlassian-refs`; empty if it does not exist. */
  readonly refs: string;
  /** Each is computed when it is first needed. */
  readonly facts: Facts;
  readonly criteriaOf: CriteriaReader;
}

export async function loadRun(view: View): Promise<SpellsRun> {
  const state = await loadState(view);
  await checkState(view);
  const texts = await loadTexts(view);
  const refs = (await view.read(REFS_FILE)) ?? "";
  const may = mayHoldCriteria(texts.plan) || mayHoldCriteria(texts.context);
  const criteriaOf = may ? await loadCriteria(view) : () => [];
  const facts = factsIn(texts, refs, criteriaOf);
  const configuration = configurationOf(state);
  return { run: RUN, workflow: SPELLS_WORKFLOW, configuration, state, texts, refs, facts, criteriaOf };
}

/** The present working files. */
export async function loadTexts(view: View): Promise<Texts> {
  const texts = {} as Record<FileKey, string | null>;
  for (const key of FILE_KEYS) texts[key] = await view.read(pathOf(key));
  return texts;
}

const remembered = openByText<ReturnType<CriteriaReader>>(8);

/** Reads the criteria, not counting the template's own lines. Caches an unchanged plan. */
export async function loadCriteria(view: View): Promise<CriteriaReader> {
  const { parseCriteria } = await import("./criteria.ts");
  const template = await shippedText(view, "templates/plan.md");
  const unfilled = new Set(remembered(template, () => parseCriteria(template)).map(({ text }) => text));
  return (plan) => (plan === template ? [] : remembered(plan, () => parseCriteria(plan, unfilled)));
}

/** Throws `internal` if the package is incomplete. */
export async function shippedText(view: View, name: string): Promise<string> {
  const text = await view.packaged(`spells/${name}`);
  if (text !== null) return text;
  throw new PawlError(
    "internal",
    `The packaged text spells/${name} is missing.`,
    "Install Pawl again: its package is not complete.",
  );
}

import { mayHoldCheckbox } from "../../core/text/checkbox.ts";
import type { Facts, FactValue } from "../../engine/workflow.ts";
import { parseAtlassianUrls, unprocessedUrls } from "./atlassian.ts";
import { isIncomplete } from "./comments-file.ts";
import type { Criterion } from "./criteria.ts";
import { FILE_KEYS, type FileKey } from "./files.ts";

/** The texts of the working files; null: the file does not exist. */
export type Texts = Readonly<Record<FileKey, string | null>>;

export type CriteriaReader = (plan: string) => readonly Criterion[];

/**
 * The inputs from the files. Lazy, because a decision needs few of them; `criteriaOf` is called only for a
 * plan that may contain criteria.
 */
export function factsIn(texts: Texts, refs: string, criteriaOf: CriteriaReader): Facts {
  const facts: Record<string, FactValue> = {};
  for (const key of FILE_KEYS) facts[key] = texts[key] === null ? "missing" : "present";
  defineLazy(facts, "context_urls", () => linksOf(texts.context, refs));
  defineLazy(facts, "plan_urls", () => linksOf(texts.plan, refs));
  defineLazy(facts, "criteria", () => criteriaFact(texts.plan, criteriaOf));
  defineLazy(facts, "comments_fetch", () =>
    texts.comments !== null && isIncomplete(texts.comments) ? "incomplete" : "complete",
  );
  return facts;
}

/** Whether the text can contain a task-list item at all, so that the parser is needed. */
export function mayHoldCriteria(plan: string | null): plan is string {
  return plan !== null && mayHoldCheckbox(plan);
}

function defineLazy(facts: Record<string, FactValue>, name: string, read: () => FactValue): void {
  let value: FactValue | undefined;
  Object.defineProperty(facts, name, {
    enumerable: true,
    get: () => {
      value ??= read();
      return value;
    },
  });
}

function linksOf(text: string | null, refs: string): FactValue {
  if (text === null || parseAtlassianUrls(text).length === 0) return "none";
  return unprocessedUrls(text, refs).length === 0 ? "all-processed" : "some-unprocessed";
}

function criteriaFact(plan: string | null, criteriaOf: CriteriaReader): FactValue {
  if (!mayHoldCriteria(plan)) return "none";
  const criteria = criteriaOf(plan);
  if (criteria.length === 0) return "none";
  return criteria.every((criterion) => criterion.checked) ? "all-checked" : "open";
}

/**
 * The first screen of a review, for the terminal, the board and the app: what speaks for and against the work,
 * in the same words and with the same counts everywhere. Texts of agents and files are unchanged.
 */
import { isObject } from "../../core/json.ts";
import { fileName } from "../../core/path.ts";
import { oneLine } from "../../core/text/lines.ts";
import type {
  Brief,
  BriefCriterion,
  Chip,
  Request,
  ReviewCheck,
  ReviewCriterion,
  ReviewFacts,
  ReviewFile,
  Statement,
} from "./model.ts";
import { type Point, renderPlace } from "./points.ts";
import { NO_REPOSITORY } from "./work-changes.ts";

export function briefOf(review: ReviewFacts): Brief {
  const statements = statementsIn(review);
  const last = requestsIn(review);
  const { criteria = [] } = review;
  // A claim that differs has a chip of its own.
  const isClaim = ({ title }: Statement) => review.claims.some(({ about }) => about === title);
  const chips = [
    ...review.checks.map(checkChip),
    ...criteriaChips(criteria),
    ...(statements.some((each) => each.differs !== null && !isClaim(each)) ? [DIFFERING] : []),
    ...claimChips(review),
    ...fileChips(review),
    ...lastChips(last),
  ].filter((chip, at, all) => all.findIndex(({ words }) => words === chip.words) === at);
  const sorted = TONES.flatMap((tone) => chips.filter((chip) => chip.tone === tone));
  return {
    chips: sorted,
    criteria: criteria.map(({ check, text }) => {
      const speaks = speaksFor(text, review, statements);
      return { text, check: check === null ? uncheckedWords(speaks) : checkWords(check), speaks };
    }),
    ...{ said: statements, last },
    files: filesLine(review),
    against: sorted.filter(({ tone }) => tone === "bad" || tone === "open").map(({ words }) => words),
  };
}

const TONES: readonly Chip["tone"][] = ["bad", "open", "warn", "good"];
const DIFFERING: Chip = { tone: "bad", words: "the agent says otherwise", place: "said" };

// ── Chips ──────────────────────────────────────────────────────────────────────────────────────────────────

function checkChip({ empty, exit, name, state }: ReviewCheck): Chip {
  const target = { place: "checks" };
  if (empty) return { ...target, tone: state === "passed" ? "warn" : "bad", words: `${name} ran no test` };
  if (state === "failed") return { ...target, tone: "bad", words: `${name} failed${exitWords(exit)}` };
  if (state === "running") return { ...target, tone: "open", words: `${name} is still running` };
  if (state === "unknown") return { ...target, tone: "open", words: `${name} was not run` };
  return { ...target, tone: "good", words: `${name} passed` };
}

/** What the checks' own chips do not say: which criteria they leave open. */
function criteriaChips(criteria: readonly ReviewCriterion[]): readonly Chip[] {
  const checked = criteria.filter(({ check }) => check !== null);
  const open = checked.filter(({ check }) => check?.state !== "passed");
  if (open.length === 0) return [];
  const tone = open.every(({ check }) => check?.state === "not-run") ? "open" : "bad";
  const words = `${open.length} of ${checked.length} checked criteria not shown to be met`;
  return [{ tone, words, place: "criteria" }];
}

function exitWords(exit: number | null): string {
  return exit === null ? "" : ` (exit ${exit})`;
}

/** What the list of files shows is not said again. */
export const SHOWN_BY_FILES: readonly string[] = ["diff", "process files"];

function claimChips({ changes, claims }: ReviewFacts): readonly Chip[] {
  const isListed = changes?.kind === "changes" && changes.files.length > 0;
  return claims
    .filter(({ about, verdict }) => verdict === "differs" && !(isListed && SHOWN_BY_FILES.includes(about)))
    .map(({ about }) => ({ tone: "bad", words: `${about} differs from what was reported`, place: "claims" }));
}

function fileChips({ changes }: ReviewFacts): readonly Chip[] {
  if (changes === null) return [];
  if (changes.kind === "unavailable") {
    const tone = changes.reason === NO_REPOSITORY ? "warn" : "open";
    return [{ tone, words: "the changes are not known", place: "changes" }];
  }
  const { files, untouched } = changes;
  const judging = files.filter(({ group }) => group === "process");
  const kinds = [...new Set(judging.map(({ item }) => item))];
  const outside = files.filter(({ isOutside }) => isOutside);
  const firstIn = (group: readonly ReviewFile[]) => `file ${group[0]?.path ?? ""}`;
  return [
    ...kinds.map((kind): Chip => {
      const ofKind = judging.filter(({ item }) => item === kind);
      const weak = ofKind.filter(({ weakens }) => weakens !== undefined);
      return weak.length > 0
        ? { tone: "bad", words: `${kind} weakened`, place: firstIn(weak) }
        : { tone: "warn", words: `${kind} changed`, place: firstIn(ofKind) };
    }),
    ...(outside.length === 0
      ? []
      : [{ tone: "open" as const, words: `${outside.length} outside the plan`, place: firstIn(outside) }]),
    ...(untouched.length === 0
      ? []
      : [{ tone: "open" as const, words: `${untouched.length} planned, not changed`, place: "changes" }]),
  ];
}

function lastChips(last: readonly Request[]): readonly Chip[] {
  const open = last.filter(({ is }) => is === "open").length;
  return open === 0
    ? []
    : [{ tone: "bad", words: `${open} of ${last.length} requests as before`, place: "last" }];
}

// ── The agent's words ──────────────────────────────────────────────────────────────────────────────────────

const PASSES =
  /(?:\b(?:(?:not|no|never)\s+)?(?:tests?|checks?|suite|lint|build|everything|all)\b[^.;\n]{0,60}?\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|clean)\b|\b[1-9]\d*\s+pass(?:ed|ing)?\b)(?![^.;\n]{0,60}\b[1-9]\d*\s+fail)/gi;
const NOT = /\b(?:not|no|never|cannot|fails?|failed|failing)\b|n['’]t\b/i;

function statementsIn(review: ReviewFacts): readonly Statement[] {
  const { artifact, checks, choices, claims, notes } = review;
  const contrary = checks.filter(({ empty, state }) => empty || state === "failed");
  const failures = contrary.map((check) => checkChip(check).words).join(", ");
  const against = (text: string) => {
    const successes = (text.match(PASSES) ?? []).filter((claim) => !NOT.test(claim));
    return contrary.length > 0 && successes.length > 0 ? failures : null;
  };
  const value = artifact?.value;
  const fields = isObject(value) ? Object.entries(value) : [];
  const isChoice = (field: string) => choices.some((choice) => choice.field === field);
  return [
    ...fields.flatMap(([field, text]): readonly Statement[] =>
      typeof text === "string" && text.trim() !== "" && !isChoice(field)
        ? [{ title: fieldWords(field), text, differs: against(text) }]
        : [],
    ),
    ...claims.flatMap(({ about, claim, found: fact, verdict }): readonly Statement[] =>
      claim !== undefined && verdict === "differs" ? [{ title: about, text: claim, differs: fact }] : [],
    ),
    ...notes.map(({ by, text }) => ({ title: by, text, differs: against(text) })),
  ];
}

/** `testing_notes`: Testing notes */
export function fieldWords(field: string): string {
  const words = field.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// ── Criteria ───────────────────────────────────────────────────────────────────────────────────────────────

const CHECKS = {
  passed: ["good", "passed"],
  failed: ["bad", "failed"],
  empty: ["bad", "ran no test"],
  "not-run": ["open", "was not run on this work"],
} as const;

function uncheckedWords(speaks: readonly string[]): BriefCriterion["check"] {
  return { tone: "warn", words: speaks.length === 0 ? "no check: read it yourself" : "no check" };
}

function checkWords(check: NonNullable<ReviewCriterion["check"]>): BriefCriterion["check"] {
  const [tone, ended] = CHECKS[check.state];
  return { tone, words: `\`${oneLine(check.command)}\` ${ended}` };
}

const MAX_SPEAKING = 4;
const MAX_QUOTED = 160;

/** The statements that name the criterion's own words; it may still not hold. */
function speaksFor(
  criterion: string,
  review: ReviewFacts,
  statements: readonly Statement[],
): readonly string[] {
  const criterionTerms = termsIn(criterion);
  const names = (text: string) => {
    const terms = termsIn(text);
    const shared = [...criterionTerms].filter(([term]) => terms.has(term));
    return shared.reduce((sum, [, weight]) => sum + weight, 0) >= 2;
  };
  const files = review.changes?.kind === "changes" ? review.changes.files : [];
  const sentences = statements
    .filter(({ differs }) => differs === null)
    .flatMap(({ text }) => text.slice(0, 20_000).split(/(?<=[.!?;])\s+|\n+/))
    .filter(names);
  const [quoted] = sentences;
  return [
    ...(review.deeds ?? []).filter(({ words }) => names(words)).map(({ id }) => `plan ${id}`),
    ...files.filter(({ item, path }) => item === "tests" && names(path)).map(({ path }) => path),
    ...(quoted === undefined ? [] : [`the agent: "${quoted.trim().slice(0, MAX_QUOTED)}"`]),
  ].slice(0, MAX_SPEAKING);
}

const COMMON = new Set(
  "after also another because before each from have into more must only other over same shall should than that their them then there these they this those when where which will with without your".split(
    " ",
  ),
);

/** Numbers and names in code weigh 2, other words 1; words by their beginning. */
function termsIn(text: string): ReadonlyMap<string, number> {
  const terms = new Map<string, number>();
  for (const word of text
    .toLowerCase()
    .slice(0, 20_000)
    .match(/[\p{L}\p{N}_/-]+/gu) ?? []) {
    const isName = /\d|_|^\/./.test(word) && word.length > 1;
    if (isName) terms.set(word, 2);
    for (const part of word.split(/[/_-]/))
      if (/^\d{2,}$/.test(part)) terms.set(part, 2);
      else if (part.length >= 4 && !COMMON.has(part)) terms.set(part.slice(0, 5), 1);
  }
  return terms;
}

// ── The last round ─────────────────────────────────────────────────────────────────────────────────────────

function requestsIn({ artifact, changes, history, points }: ReviewFacts): readonly Request[] {
  const last = history.findLast(({ stage }) => stage === "human");
  if (last === undefined || last.approved) return [];
  const now = changes?.kind === "changes" ? changes : null;
  const changed = new Set(now?.since.flatMap(({ path, was = path }) => [path, was]));
  const present = new Set(now?.files.flatMap(({ path, was = path }) => [path, was]));
  const isKnown = now !== null && now.lastJudged !== null;
  // Without git, too: what was rejected, to the letter.
  const isSame =
    last.artifact !== null &&
    last.artifact === artifact?.sha256 &&
    (now === null || (isKnown && now.since.length === 0));
  const became = (path: string) =>
    `${fileName(path)} ${!changed.has(path) ? "as before" : present.has(path) ? "changed" : "put back"}`;
  const of = (text: string, paths: readonly string[]): Request => {
    if (isSame) return { text, is: "open", became: HANDED_IN_AGAIN };
    if (!isKnown || paths.length === 0) return { text, is: "unknown", became: "look yourself" };
    const is = paths.every((path) => changed.has(path)) ? "dealt" : "open";
    return { text, is, became: paths.map(became).join(", ") };
  };
  const mentioned = (text: string) =>
    [...new Set([...changed, ...present])].filter((path) => names(text, fileName(path))).slice(0, 8);
  return [
    ...points.map((point): Request => {
      const text = pointText(point);
      if (isSame || point.at === undefined) return of(text, mentioned(point.text));
      if ("file" in point.at && isKnown) return of(text, [point.at.file]);
      const { since } = point;
      const is = since === "changed" ? "dealt" : since === "same" ? "open" : "unknown";
      return { text, is, became: { dealt: "changed", open: "as before", unknown: "look yourself" }[is] };
    }),
    ...(last.notes.trim() === "" ? [] : [of(last.notes.trim(), mentioned(last.notes))]),
  ];
}

const HANDED_IN_AGAIN = "the same was handed in again";

function pointText({ at, text }: Point): string {
  return at === undefined ? text : `${renderPlace(at)}: ${text}`;
}

function names(text: string, name: string): boolean {
  const parts = text.split(name);
  return parts.slice(1).some((after, at) => !/[\w-]$/.test(parts[at] ?? "") && !/^[\w-]/.test(after));
}

// ── Files ──────────────────────────────────────────────────────────────────────────────────────────────────

const NOUNS: readonly string[] = ["image", "lock file"];

function filesLine({ changes, size }: ReviewFacts): string | null {
  if (changes?.kind !== "changes") return null;
  if (changes.files.length === 0) return `none changed against ${changes.base}`;
  const { files, toRead } = size;
  const folded = files - toRead;
  const why = new Map<string, number>();
  for (const { folded: reason } of changes.files)
    if (reason !== null) {
      const kind = /^\d/.test(reason) ? "long" : (reason.split(":")[0] ?? reason);
      why.set(kind, (why.get(kind) ?? 0) + 1);
    }
  const many = (reason: string) => (NOUNS.includes(reason) ? `${reason}s` : reason);
  const reasons = [...why]
    .map(([reason, count]) => `${count} ${count === 1 ? reason : many(reason)}`)
    .join(", ");
  const count = `${files} ${files === 1 ? "file" : "files"}: ${toRead} to read (${size.minutes} min)`;
  return folded === 0 ? count : `${count}, ${folded} folded (${reasons})`;
}

/** What a reader should know of a file in the list, in the words of all surfaces. */
export function fileMarks(file: ReviewFile): readonly string[] {
  const { folded, group, isOutside, item, leads, was, weakens } = file;
  return [
    ...(was === undefined ? [] : [`was ${was}`]),
    ...(group === "folded" || item === null ? [] : [item]),
    ...(isOutside && group !== "outside-plan" ? ["outside the plan"] : []),
    ...(leads === undefined ? [] : [leads]),
    ...(weakens === undefined ? [] : [`weakened: ${weakens}`]),
    ...(folded === null ? [] : [`folded: ${folded}`]),
  ];
}

// ── In lines ───────────────────────────────────────────────────────────────────────────────────────────────

/** A line of the brief for a terminal or a form. `head`: `TASK`, in the first line of its kind; else empty. */
export interface BriefLine {
  readonly head: string;
  readonly tone: Chip["tone"] | null;
  readonly text: string;
}

const MARKS: Readonly<Record<Chip["tone"], string>> = { bad: "x", open: "!", warn: "!", good: "v" };

export function briefLines({ chips, criteria, files, last, said: saidTexts }: Brief): readonly BriefLine[] {
  const under = (head: string, lines: readonly Omit<BriefLine, "head">[]): readonly BriefLine[] =>
    lines.map((line, at) => ({ ...line, head: at === 0 ? head : "" }));
  return [
    ...chips.map(({ tone, words }) => ({ head: "", tone, text: `${MARKS[tone]} ${words}` })),
    ...under(
      "TASK",
      criteria.map(({ check: { tone, words }, speaks, text }) => ({
        tone: tone === "warn" ? null : tone,
        text: `${text} (${[words, ...namedBy(speaks)].join("; ")})`,
      })),
    ),
    ...under(
      "AGENT",
      saidTexts.flatMap(({ differs, text, title }) => [
        { tone: null, text: `${title}: ${text}` },
        ...(differs === null ? [] : [{ tone: "bad" as const, text: `DIFFERS: ${differs}` }]),
      ]),
    ),
    ...under(
      "LAST",
      last.map(({ became, is, text }) => ({ tone: REQUESTS[is], text: `${text} (${became})` })),
    ),
    ...(files === null ? [] : [{ head: "FILES", tone: null, text: files }]),
  ];
}

export function namedBy(speaks: readonly string[]): readonly string[] {
  return speaks.length === 0 ? [] : [`named by ${speaks.join(", ")}`];
}

export const REQUESTS: Readonly<Record<Request["is"], Chip["tone"]>> = {
  dealt: "good",
  open: "bad",
  unknown: "open",
};

/** The claims that neither the list of files nor the agent's words show already. */
export function restOfClaims({ changes, claims }: Pick<ReviewFacts, "changes" | "claims">) {
  const isListed = changes?.kind === "changes" && changes.files.length > 0;
  return claims.filter(
    ({ about, claim, verdict }) =>
      !(isListed && SHOWN_BY_FILES.includes(about)) && !(claim !== undefined && verdict === "differs"),
  );
}

const MAX_DEPTH = 6;

/** Any value for a person: labels and texts, not JSON. */
export function valueLines(value: unknown, depth = 0): readonly string[] {
  if (typeof value === "string") return value.trimEnd().split("\n");
  if (typeof value !== "object" || value === null) return [String(value)];
  if (depth >= MAX_DEPTH) return [JSON.stringify(value)];
  if (Array.isArray(value)) return value.flatMap((each) => hang("- ", valueLines(each, depth + 1)));
  return Object.entries(value).flatMap(([field, entry]) => {
    const lines = valueLines(entry, depth + 1);
    const isShort = lines.length === 1 && (typeof entry !== "object" || entry === null);
    if (isShort) return [`${fieldWords(field)}: ${lines[0]}`];
    return lines.length === 0 ? [] : [`${fieldWords(field)}:`, ...lines.map((line) => `  ${line}`)];
  });
}

function hang(mark: string, lines: readonly string[]): readonly string[] {
  return lines.map((line, at) => `${at === 0 ? mark : " ".repeat(mark.length)}${line}`);
}

/** The fields of what was handed in that the brief and the decisions do not show in full; null: none. */
export function restOfArtifact({
  artifact,
  choices,
  deeds = [],
}: Pick<ReviewFacts, "artifact" | "choices" | "deeds">): unknown {
  const value = artifact?.value ?? null;
  if (!isObject(value)) return value;
  const done = deeds.map(({ id }) => id);
  // The claims name the items of the plan that are said to be done.
  const isDeeds = (entry: unknown) =>
    Array.isArray(entry) && entry.length > 0 && entry.every((id) => done.includes(id));
  const isShown = (field: string, entry: unknown) =>
    typeof entry === "string" || isDeeds(entry)
      ? true
      : choices.some(
          ({ field: shown, words }) =>
            shown === field &&
            Array.isArray(entry) &&
            entry.length === words.length &&
            entry.every((text, at) => text === words[at]),
        );
  const rest = Object.entries(value).filter(([field, entry]) => !isShown(field, entry));
  return rest.length === 0 ? null : Object.fromEntries(rest);
}

/**
 * The text that a person reads before their verdict, for all workflows and surfaces. Pawl's own findings come
 * first; an agent's words about its own work come last, quoted and cleaned.
 */

import type { ChangedFile } from "../../core/ports/git.ts";
import { clean, cleanLine } from "../../core/text/clean.ts";
import { briefLines, fileMarks, valueLines } from "./brief.ts";
import type { Brief, ReviewChanges, ReviewFile } from "./model.ts";

export interface ReviewQuestion {
  /** One sentence that can be answered by yes or no. */
  readonly question: string;
  /** The results of yes and no, or more that the person must know; one per line. */
  readonly facts?: readonly string[];
  /** The first screen of the review; absent: it has none. */
  readonly brief?: Brief;
  /** Claims beside Pawl's findings. */
  readonly findings?: readonly ReviewFinding[];
  /** The changed files; null: this step changes no files. */
  readonly changes?: ReviewChanges | null;
  /** The artifact under review. */
  readonly artifact?: { readonly name: string; readonly value: unknown; readonly sha256?: string };
  /** Texts of agents, or of files that they wrote. */
  readonly notes?: readonly { readonly by: string; readonly text: string }[];
  /** A command that shows all of it. */
  readonly whole?: string;
}

export interface ReviewFinding {
  readonly about: string;
  readonly verdict: "agrees" | "differs" | "unknown" | "running";
  readonly words: string;
}

const MAX_FILES = 30;
const MAX_ARTIFACT_LINES = 60;
const MAX_NOTE_LINES = 40;
const MAX_LINE = 400;

/**
 * The review in words. Every line of other authors is cleaned, and none can pass for a line of Pawl's own.
 */
export function renderReview(review: ReviewQuestion): string {
  const { artifact, brief, changes, facts = [], findings = [], notes = [], question, whole } = review;
  const changed = changes ? renderChanges(changes) : "";
  const findingLines = renderFindings(findings);
  const parts = [
    shortLine(question),
    facts.map(shortLine).join("\n"),
    brief ? renderBrief(brief) : "",
    // The brief has said already what differs.
    ...(brief ? [changed, findingLines] : [findingLines, changed]),
    artifact ? renderArtifact(artifact) : "",
    ...notes.filter(({ text }) => text.trim() !== "").map(renderNote),
    whole ? `All of it: ${shortLine(whole)}` : "",
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function renderBrief(brief: Brief): string {
  return briefLines(brief)
    .map(({ head, text }) => `${head.padEnd(6)}${shortLine(text)}`.trimEnd())
    .join("\n");
}

const ORDER: readonly ReviewFinding["verdict"][] = ["differs", "running", "unknown", "agrees"];
const WORDS: Readonly<Record<ReviewFinding["verdict"], string>> = {
  differs: "DIFFERS",
  running: "still running",
  unknown: "not known",
  agrees: "agrees",
};

function renderFindings(findings: readonly ReviewFinding[]): string {
  if (findings.length === 0) return "";
  const sorted = [...findings].sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict));
  const lines = sorted.map(
    ({ about, verdict, words }) => `- ${WORDS[verdict]}: ${shortLine(about)}: ${shortLine(words)}`,
  );
  return ["What Pawl found beside what was reported:", ...lines].join("\n");
}

/** The number of files and lines, and the files in the review's order. */
function renderChanges(changes: ReviewChanges): string {
  if (changes.kind === "unavailable") return `Changes: not known (${shortLine(changes.reason)}).`;
  const { files, repo } = changes;
  const base = repo === null ? changes.base : `${changes.base} in ${repo}`;
  if (files.length === 0) return `Changes against ${shortLine(base)}: none.`;
  const count = `${files.length} file${files.length === 1 ? "" : "s"}`;
  const head = `Changes against ${shortLine(base)}: ${count}, ${linesOf(files)}.`;
  const rest = files.length > MAX_FILES ? [`  - and ${files.length - MAX_FILES} more`] : [];
  return [head, ...files.slice(0, MAX_FILES).map(placedLine), ...rest].join("\n");
}

function linesOf(files: readonly ChangedFile[]): string {
  const sum = (pick: (file: ChangedFile) => number | null) =>
    files.reduce((total, file) => total + (pick(file) ?? 0), 0);
  return `+${sum(({ added }) => added)} -${sum(({ deleted }) => deleted)} lines`;
}

function fileLine({ added, deleted, path }: ChangedFile): string {
  const lines = added === null || deleted === null ? "new or binary" : `+${added} -${deleted}`;
  return `${shortLine(path)} (${lines})`;
}

function placedLine(file: ReviewFile): string {
  return `- ${[fileLine(file), ...fileMarks(file).map(shortLine)].join(", ")}`;
}

function renderArtifact({ name, sha256, value }: NonNullable<ReviewQuestion["artifact"]>): string {
  const hash = sha256 === undefined ? "" : `, sha256 ${sha256.slice(0, 12)}`;
  const text = valueLines(value).join("\n");
  return [`What is reviewed (${shortLine(name)}${hash}):`, ...quoted(text, MAX_ARTIFACT_LINES)].join("\n");
}

function renderNote({ by, text }: { readonly by: string; readonly text: string }): string {
  return [
    `${shortLine(by)} says (its own words, which nobody checked):`,
    ...quoted(text, MAX_NOTE_LINES),
  ].join("\n");
}

/** Quotes each line with a mark, and says how much is left out. */
function quoted(text: string, most: number): readonly string[] {
  const lines = clean(text).trimEnd().split("\n");
  const shown = lines.slice(0, most).map((line) => `> ${cut(line)}`.trimEnd());
  return lines.length > most ? [...shown, `(${lines.length - most} more lines)`] : shown;
}

function shortLine(text: string): string {
  return cut(cleanLine(text));
}

function cut(line: string): string {
  return line.length > MAX_LINE
    ? `${line.slice(0, MAX_LINE)}… (${line.length - MAX_LINE} more characters)`
    : line;
}

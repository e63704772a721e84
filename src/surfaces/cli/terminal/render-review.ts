/**
 * Renders a review for a terminal. Every text from agents and files is cut and cleaned here. None can pass
 * for a line of Pawl's own: it is indented below a heading, and quoted if it has several lines.
 */
import type { FileDiff, GitDiff } from "../../../core/ports/git.ts";
import { loginWords, strengthWords } from "../../../core/strength.ts";
import { cleanLine } from "../../../core/text/clean.ts";
import { codeSpans } from "../../../core/text/code-spans.ts";
import {
  type BriefLine,
  briefLines,
  fileMarks,
  restOfArtifact,
  restOfClaims,
  valueLines,
} from "../../../runtime/review/brief.ts";
import type {
  Chip,
  Claim,
  Review,
  ReviewChanges,
  ReviewCheck,
  ReviewCost,
  ReviewFile,
  Round,
} from "../../../runtime/review/model.ts";
import { type Point, renderPlace } from "../../../runtime/review/points.ts";
import { ago, costWords, counted } from "./amounts.ts";
import { TONES } from "./state-colour.ts";
import { clean, type Paint, type Terminal } from "./terminal.ts";
import { cut, hung, pad, widthOf, wrap } from "./text-width.ts";

export interface Shown {
  /** Only what is new since the last verdict. */
  readonly since: boolean;
  readonly differences: GitDiff | null;
}

interface Page extends Pick<Terminal, "columns" | "paint"> {
  readonly now: Date;
}

/** Limits of untrusted text: characters, lines, and items of a list. */
const MAX_CHARACTERS = 1_000;
const MAX_LINES = 60;
const MAX_TAIL = 15;
const MAX_ITEMS = 20;
const MAX_FILES = 200;

export function renderReview(
  review: Review,
  { differences, since }: Shown,
  terminal: Pick<Terminal, "columns" | "paint">,
  now: Date,
): string {
  const page: Page = { columns: terminal.columns, paint: terminal.paint, now };
  const choices = since ? review.choices.filter((each) => each.since !== "same") : review.choices;
  const parts = [
    questionLine(review, page),
    briefPart(review.brief, page),
    section("Claims beside what Pawl found", claimLines(restOfClaims(review), page), page),
    section(
      "Decisions that it makes",
      choices.flatMap((each) => [
        `${page.paint.bold(fitted(each.title, page.columns - 14))}${mark(each.since, page)}`,
        ...items(each.words, page),
      ]),
      page,
    ),
    ...(since ? [] : [artifactPart(review, page)]),
    changesPart(review.changes, since, page),
    ...(differences ? [renderDifferences(review.run, differences, page)] : []),
    section(
      "Checks",
      review.checks.flatMap((each) => checkLines(each, page)),
      page,
    ),
    section("Cost so far", costLines(review.cost, page), page),
    ...(since
      ? []
      : [
          section(
            "History",
            review.history.flatMap((round) => roundLines(round, review, page)),
            page,
          ),
        ]),
    decide(review, page),
  ];
  return `${parts.filter((part) => part !== "").join("\n")}`;
}

/** Empty if it has no lines. */
function section(title: string, lines: readonly string[], { columns, paint }: Page): string {
  if (lines.length === 0) return "";
  return [paint.bold(paint.underline(fitted(title, columns))), ...lines.map((line) => `  ${line}`), ""].join(
    "\n",
  );
}

// ── The question ───────────────────────────────────────────────────────────────────────────────────────────

function questionLine(review: Review, page: Page): string {
  const { columns, paint } = page;
  const { facts, leads, question, round, run, since, size } = review;
  const waits = since === null ? [] : [`asked ${ago(since, page.now)}`];
  const about = [
    `round ${round}`,
    ...waits,
    ...(size.files === 0 ? [] : [counted(size.lines, "line")]),
    `about ${counted(size.minutes, "minute")}`,
  ].join(" · ");
  const led = (word: string, text: string) =>
    hung(`  ${pad(word, 4)}`, short(text), columns).map((line) => withCode(line, page));
  return [
    paint.cyan(fitted(run, columns)),
    paint.dim(fitted(about, columns)),
    "",
    ...wrap(short(question), columns).map(paint.bold),
    ...led("yes", leads.approve),
    ...led("no", leads.reject),
    ...items(facts, page).map((line) => `  ${line}`),
    ...(review.level === "any" ? [] : [`  A verdict here must be: ${review.level}.`]),
    "",
  ].join("\n");
}

function decide({ changes, level, run }: Review, { paint }: Page): string {
  const name = oneLine(run).slice(0, 200);
  const sign = level === "signed" || level === "touch" ? "  (you sign it)" : "";
  return [
    paint.dim(`pawl approve ${name}${sign}`),
    paint.dim(`pawl reject ${name} -m "…" --at FILE:LINE "…"`),
    ...(changes?.kind === "changes" && changes.files.length > 0
      ? [paint.dim(`pawl review ${name} --diff`)]
      : []),
    "",
  ].join("\n");
}

/** The chips in a row, then what was asked, said and done. */
function briefPart(brief: Review["brief"], page: Page): string {
  const { columns, paint } = page;
  const painted = (tone: Chip["tone"] | null, text: string) =>
    tone === null ? text : paint[TONES[tone]](text);
  const all = briefLines(brief);
  const chips = all.slice(0, brief.chips.length);
  const rows: (readonly BriefLine[])[] = [];
  for (const chip of chips.map((each) => ({ ...each, text: oneLine(each.text).slice(0, 200) }))) {
    const row = rows.at(-1);
    const width = (group: readonly BriefLine[]) =>
      group.reduce((sum, { text }) => sum + widthOf(text) + 3, 0);
    if (row && width([...row, chip]) <= columns) rows[rows.length - 1] = [...row, chip];
    else rows.push([chip]);
  }
  const lines = all.slice(chips.length).flatMap(({ head, text, tone }) => {
    const most = wrap(short(text), columns - 8);
    const shown = (line: string) => (tone === null ? withCode(line, page) : painted(tone, line));
    return most.map((line, at) => `${paint.bold(pad(at === 0 ? head : "", 6))}  ${shown(line)}`);
  });
  const shown = rows.map((row) => row.map(({ text, tone }) => painted(tone, text)).join("   "));
  return [...shown, ...(shown.length > 0 && lines.length > 0 ? [""] : []), ...lines, ""].join("\n");
}

/** Code in its colour, without its backticks; they stay where there are no colours. */
function withCode(line: string, { paint }: Page): string {
  if (paint.cyan("`") === "`") return line;
  return codeSpans(line)
    .map(({ isCode, text }) => (isCode ? paint.cyan(text) : text))
    .join("");
}

// ── Claims and decisions ─────────────────────────────────────────────────────────────────────────────────────────

const CLAIMS: readonly Claim["verdict"][] = ["differs", "running", "unknown", "agrees"];

function claimLines(claims: readonly Claim[], page: Page): readonly string[] {
  const { paint } = page;
  const words = {
    differs: paint.red("DIFFERS    "),
    running: paint.yellow("running    "),
    unknown: paint.yellow("not checked"),
    agrees: paint.green("agrees     "),
  };
  const sorted = [...claims].sort(
    (one, other) => CLAIMS.indexOf(one.verdict) - CLAIMS.indexOf(other.verdict),
  );
  return sorted.flatMap(({ about, claim, found, verdict }) => {
    const name = oneLine(about);
    if (claim === undefined) return beside(words[verdict], `${name}: ${found}`, page);
    return [
      ...beside(words[verdict], `${name}: claimed: ${claim}`, page),
      ...beside(" ".repeat(11), `found: ${found}`, page),
    ];
  });
}

function mark(since: "new" | "changed" | "same" | null, { paint }: Page): string {
  if (since === null || since === "same") return "";
  return ` ${paint.yellow(`(${since})`)}`;
}

function items(words: readonly string[], page: Page): readonly string[] {
  const shown = words.slice(0, MAX_ITEMS).flatMap((text) => hung("- ", short(text), page.columns - 2));
  return words.length > MAX_ITEMS ? [...shown, `- and ${words.length - MAX_ITEMS} more`] : shown;
}

function artifactPart(review: Review, page: Page): string {
  const { artifact } = review;
  const rest = restOfArtifact(review);
  if (artifact === null || rest === null) return "";
  const title = `The rest of what is handed in: ${artifact.name}, sha256 ${artifact.sha256.slice(0, 12)}`;
  return section(title, quoted(valueLines(rest).join("\n"), MAX_LINES, page), page);
}

// ── Changes ──────────────────────────────────────────────────────────────────────────────────────────────────────

const GROUPS: Readonly<Record<ReviewFile["group"], string>> = {
  process: "Read first: they decide how the work is judged",
  plan: "As planned",
  "outside-plan": "Outside the plan",
  other: "Other files",
  folded: "Folded",
};

function changesPart(changes: ReviewChanges | null, since: boolean, page: Page): string {
  if (changes === null) return "";
  if (changes.kind === "unavailable")
    return section("Changes", wrap(`Not known: ${short(changes.reason)}`, page.columns - 2), page);
  const isSince = since && changes.lastJudged !== null;
  const files = isSince ? changes.since : changes.files;
  const where = changes.repo === null ? "" : ` in ${oneLine(changes.repo)}`;
  const against = `${isSince ? "since the last verdict" : `against ${changes.base}`}${where}`;
  const total = `${counted(files.length, "file")}, ${stat(sum(files, "added"), sum(files, "deleted"))}`;
  const title = files.length === 0 ? `Changes ${against}: none` : `Changes ${against}: ${total}`;
  const shown = files.slice(0, MAX_FILES);
  const isGrouped = shown.some(({ group }) => group !== "other");
  const lines = shown.flatMap((file, at) => [
    ...(!isGrouped || shown[at - 1]?.group === file.group ? [] : [page.paint.dim(`${GROUPS[file.group]}:`)]),
    `${isGrouped ? "  " : ""}${fileLine(file, isSince, page)}`,
  ]);
  const more = files.length - shown.length;
  const none = [isSince ? "Nothing is new." : "No file is changed."];
  return section(
    title,
    files.length === 0 ? none : [...lines, ...(more > 0 ? [`and ${more} more`] : [])],
    page,
  );
}

function sum(files: readonly ReviewFile[], key: "added" | "deleted"): number {
  return files.reduce((total, file) => total + (file[key] ?? 0), 0);
}

function stat(added: number, deleted: number): string {
  return `+${added} -${deleted}`;
}

function fileLine(file: ReviewFile, isSince: boolean, page: Page): string {
  const { added, deleted, isNew, path } = file;
  const count = added === null || deleted === null ? "binary" : stat(added, deleted);
  const news = isNew && !isSince ? ["new since your verdict"] : [];
  const notes = cut(
    [count, ...fileMarks(file).map((each) => oneLine(each).slice(0, 80)), ...news].join("  "),
    page.columns - 24,
  );
  const room = Math.max(10, page.columns - 8 - widthOf(notes));
  const name = fitted(path, room);
  const gap = " ".repeat(Math.max(2, Math.min(40, room) - widthOf(name) + 2));
  return `${name}${gap}${page.paint.dim(notes)}`;
}

/** The differences file by file, and what was left out of them. */
export function renderDifferences(
  run: string,
  differences: GitDiff,
  { columns, paint }: Pick<Terminal, "columns" | "paint">,
): string {
  if (differences.kind === "unavailable")
    return `${wrap(`The differences are not known: ${short(differences.reason)}`, columns).join("\n")}\n`;
  if (differences.files.length === 0) return "Nothing differs.\n";
  return `${differences.files.map((file) => fileDifference(run, file, paint)).join("\n\n")}\n`;
}

/** Longer lines are cut. */
const LONGEST_LINE = 1_000;

function fileDifference(run: string, { leftOut, path, text }: FileDiff, paint: Paint): string {
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const shown = lines.map((line, at) => diffLine(line, at < 6, paint));
  const bytes = leftOut === null ? "an unknown amount" : `${leftOut} bytes`;
  const rest =
    leftOut === 0
      ? []
      : [
          paint.yellow(
            `(${bytes} of ${oneLine(path)} left out: pawl review ${oneLine(run)} --path "${oneLine(path)}")`,
          ),
        ];
  return [...shown, ...rest].join("\n");
}

function diffLine(line: string, isHead: boolean, paint: Paint): string {
  const whole = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
  const text = clean(whole).replaceAll("\n", " ");
  if (isHead && /^(?:diff --git|index|---|\+\+\+|new file|deleted file|old mode|new mode) /.test(line))
    return paint.bold(text);
  if (line.startsWith("@@")) return paint.cyan(text);
  if (line.startsWith("+")) return paint.green(text);
  return line.startsWith("-") ? paint.red(text) : text;
}

// ── Checks, cost, history ────────────────────────────────────────────────────────────────────────────────────────

function checkLines(
  { command, duration_ms, empty, exit, log, name, on, state, tail }: ReviewCheck,
  page: Page,
): string[] {
  const { paint } = page;
  const word = {
    passed: paint.green("passed "),
    failed: paint.red("FAILED "),
    running: paint.yellow("running"),
    unknown: paint.yellow("not run"),
  }[state];
  const how = [
    ...(empty ? ["ran no test"] : []),
    ...(exit === null ? [] : [`exit ${exit}`]),
    ...(duration_ms === null ? [] : [`${(duration_ms / 1000).toFixed(1)} s`]),
    ...(on === null ? [] : [`on ${on.slice(0, 12)}`]),
  ].join(", ");
  const what = command === null || command === name ? name : `${name}: ${command}`;
  const isLong = state !== "passed" && tail.trim() !== "";
  return [
    ...beside(word, `${short(oneLine(what))}${how === "" ? "" : ` (${how})`}`, page),
    ...(isLong ? quoted(lastLines(tail), MAX_TAIL, page).map((line) => `        ${line}`) : []),
    ...(log === null || state === "passed" ? [] : [paint.dim(`        all of it: ${oneLine(log)}`)]),
  ];
}

function lastLines(text: string): string {
  return text.trimEnd().slice(-MAX_CHARACTERS).split("\n").slice(-MAX_TAIL).join("\n");
}

function costLines({ steps, ...all }: ReviewCost, page: Page): readonly string[] {
  const total = costWords(all);
  if (total === "") return [];
  const costs = steps.map((step) => [oneLine(step.name).slice(0, 40), costWords(step)] as const);
  const shown = costs.filter(([, words]) => words !== "");
  const width = Math.max(0, ...shown.slice(0, MAX_ITEMS).map(([name]) => widthOf(name)));
  const more = shown.length - MAX_ITEMS;
  return [
    total,
    ...shown.slice(0, MAX_ITEMS).map(([name, words]) => page.paint.dim(`${pad(name, width)}  ${words}`)),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

function roundLines(
  { approved, by, login, notes, points, stage, strength, time }: Round,
  review: Review,
  page: Page,
): readonly string[] {
  const { paint } = page;
  const isShownBelow = review.notes.some(({ text }) => text === notes);
  const word = approved ? paint.green("approved") : paint.red("rejected");
  const who = stage === "ai" ? "the assistant's own review" : (by ?? "a person");
  const worth = stage === "ai" ? "" : ` (${strengthWords(strength)})`;
  return [
    ...beside(word, `${ago(time, page.now)}, by ${oneLine(`${who}${loginWords(login)}`)}${worth}`, page),
    ...(isShownBelow ? [] : quoted(notes, MAX_TAIL, page).map((line) => `          ${line}`)),
    ...items(points.map(pointWords), { ...page, columns: page.columns - 10 }).map(
      (line) => `          ${line}`,
    ),
  ];
}

function pointWords({ at, text }: Point): string {
  return at === undefined ? text : `${renderPlace(at)}: ${text}`;
}

// ── Texts by others ──────────────────────────────────────────────────────────────────────────────────────────────

/** A text beside a painted word, in a section. */
function beside(word: string, text: string, { columns }: Page): readonly string[] {
  return hung(`${word}  `, short(text), columns - 2);
}

/** Each line after a bar; nothing for a blank text. */
function quoted(text: string, most: number, { columns, paint }: Page): readonly string[] {
  if (text.trim() === "") return [];
  const all = clean(text.slice(0, MAX_QUOTED)).trimEnd().split("\n");
  const rows: string[] = [];
  let taken = 0;
  for (; taken < all.length && rows.length < most; taken++)
    rows.push(...broken(all[taken] ?? "", columns - 12));
  const left = text.length - MAX_QUOTED;
  const rest = [
    ...(taken < all.length ? [counted(all.length - taken, "more line")] : []),
    ...(left > 0 ? [`${left} more characters`] : []),
  ];
  const shown = rows.map((row) => `${paint.dim("│")} ${row}`.trimEnd());
  return rest.length > 0 ? [...shown, `(${rest.join(", ")})`] : shown;
}

const MAX_QUOTED = 100_000;

/** A line in rows of that width, below its own indentation. */
function broken(line: string, width: number): readonly string[] {
  const [indent = ""] = /^[ \t]{0,40}/.exec(line) ?? [];
  const blanks = " ".repeat(Math.min(width >> 2, indent.replaceAll("\t", "  ").length));
  const rows = wrap(short(line), width - blanks.length);
  return rows.length === 0 ? [""] : rows.map((row) => blanks + row);
}

/** One line of at most that width, from a text of any length. */
function fitted(text: string, width: number): string {
  return cut(text.slice(0, MAX_CHARACTERS), width);
}

/** Cleaned, and cut to what a person reads of it. */
function short(text: string): string {
  const shown = clean(text.slice(0, MAX_CHARACTERS));
  const left = text.length - MAX_CHARACTERS;
  const cutOff = shown.length > MAX_CHARACTERS ? `${shown.slice(0, MAX_CHARACTERS)}…` : shown;
  return left > 0 ? `${cutOff}… (${left} more characters)` : cutOff;
}

function oneLine(text: string): string {
  return cleanLine(text.slice(0, MAX_CHARACTERS));
}

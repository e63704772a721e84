/** The detail of a row of `pawl watch`: all that one needs to decide, in lines that fit. */
import { clean, cleanLine } from "../../../core/text/clean.ts";
import { briefLines } from "../../../runtime/review/brief.ts";
import type { Review } from "../../../runtime/review/model.ts";
import { TONES } from "../terminal/state-colour.ts";
import type { Paint } from "../terminal/terminal.ts";
import { wrapPainted } from "../terminal/text-width.ts";
import { ageOf, deedsOf, type Row } from "./rows.ts";

export interface Findings {
  /** Null: it is no gate, or its review is not there yet. */
  readonly review: Pick<Review, "brief" | "question"> | null;
  /** Why there is no review, in words; null: there is one, or none belongs to it. */
  readonly missing: string | null;
  /** What its agent said last. */
  readonly said: readonly string[];
  /** Its latest events. */
  readonly events: readonly string[];
}

/** Of one text by an agent: characters. */
const MAX_CHARACTERS = 20_000;
const MAX_TAIL = 20;

export function detailOf(
  row: Row,
  { events, missing, review, said }: Findings,
  { now, paint, width }: { readonly width: number; readonly paint: Paint; readonly now: number },
): readonly string[] {
  const { command, cost, kind, minutes, next, run, since, state, task, title } = row;
  const wrapped = (text: string) => rowsIn(text, width);
  const block = (lines: readonly string[]) => (lines.length === 0 ? [] : ["", ...lines]);
  const age = ageOf(since, now);
  const about = [
    state,
    ...(age === "" ? [] : [`for ${age}`]),
    ...(minutes === null ? [] : [`${minutes} min to read`]),
    ...(title === run ? [] : [run]),
  ];
  const isAsked = kind === "gate" || kind === "question";
  const reason = task?.reason && !isAsked && !next.includes(task.reason) ? task.reason : "";
  const failed = task?.failed;
  const step = task?.step;
  return [
    ...wrapped(title).map(paint.bold),
    ...wrapped(about.join(" · ")).map(paint.dim),
    ...block(wrapped(review ? review.question : next)),
    ...block(review ? brief(review, width, paint) : missing === null ? [] : wrapped(missing).map(paint.dim)),
    ...block(reason === "" ? [] : wrapped(reason)),
    ...block(
      failed
        ? [
            ...wrapped(
              `failed${failed.exit === null ? "" : ` (exit ${failed.exit})`}: ${failed.command}`,
            ).map(paint.red),
            ...quoted(failed.tail, width, paint),
          ]
        : [],
    ),
    ...block(step ? wrapped(`step ${step.index + 1} of ${step.of}: ${step.title}`) : []),
    ...block(headed("Its agent's last words", quoted(said.join("\n"), width, paint), paint)),
    ...block(cost === "" ? [] : wrapped(`Cost so far: ${cost}`)),
    ...block(
      headed(
        "What you can do",
        [
          ...deedsOf(row).flatMap(({ key, label }) => wrapped(`${key} ${label}`)),
          ...(command === null ? [] : wrapped(`or type: ${command}`).map(paint.dim)),
        ],
        paint,
      ),
    ),
    ...block(headed("What happened", events.flatMap(wrapped), paint)),
  ];
}

function brief({ brief: own }: NonNullable<Findings["review"]>, width: number, paint: Paint): string[] {
  return briefLines(own).flatMap(({ head, text, tone }, index) => {
    const name = index < own.chips.length ? "" : head.padEnd(6);
    const lines = rowsIn(text, Math.max(10, width - name.length));
    return lines.map((line, at) => {
      const shown = tone === null ? line : paint[TONES[tone]](line);
      return `${at === 0 ? paint.bold(name) : " ".repeat(name.length)}${shown}`;
    });
  });
}

function headed(head: string, lines: readonly string[], paint: Paint): readonly string[] {
  return lines.length === 0 ? [] : [paint.bold(head), ...lines];
}

/** The end of what a program printed, after a bar. */
function quoted(text: string, width: number, paint: Paint): readonly string[] {
  const lines = text.trim() === "" ? [] : clean(text.slice(-MAX_CHARACTERS)).trimEnd().split("\n");
  return lines
    .slice(-MAX_TAIL)
    .flatMap((line) => rowsIn(line, width - 2))
    .map((line) => `${paint.dim("│")} ${line}`);
}

/** Cleaned, with its own lines, wrapped at words; a word that is too wide is broken. */
function rowsIn(text: string, width: number): readonly string[] {
  const cut =
    text.length > MAX_CHARACTERS
      ? `${text.slice(0, MAX_CHARACTERS)}… (${text.length - MAX_CHARACTERS} more characters)`
      : text;
  return clean(cut)
    .split("\n")
    .flatMap((line) => wrapPainted(cleanLine(line), width, { hard: true }));
}

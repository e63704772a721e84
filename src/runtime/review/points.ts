/**
 * Points of feedback, each with an optional place. They are part of the verdict's notes, one line each, so
 * they are kept, signed and passed on to the agent with the notes:
 *
 * - [src/server.ts:12] The limit is never reset.
 * - [field risk_analysis] What happens on a restart?
 * - Name the unit.
 */
import { cleanLine } from "../../core/text/clean.ts";

export interface Point {
  readonly text: string;
  readonly at?: PointTarget;
}

export type PointTarget =
  | {
      readonly file: string;
      readonly line: number | null;
      /** The last line of a range. Absent: it is one line. */
      readonly to?: number;
    }
  /** A field of the artifact. */
  | { readonly field: string };

/** A point of the last rejection, in the next round. */
export interface AnsweredPoint extends Point {
  /** `changed`: its place has changed since then. `same`: it has not. `unknown`: it names no place. */
  readonly since: "changed" | "same" | "unknown";
}

const FIELD = "field ";
const POINT = /^- (?:\[([^\]\n]+)\] )?(.+)$/;

/** The notes with the points under them. */
export function withPoints(notes: string, points: readonly Point[]): string {
  const lines = points.map((point) => `- ${placeWords(point)}${cleanLine(point.text)}`);
  const words = notes.trim();
  if (lines.length === 0) return words;
  return words === "" ? lines.join("\n") : `${words}\n\n${lines.join("\n")}`;
}

/** The points at the end of the notes, and the notes without them. Never throws. */
export function pointsIn(notes: string): { readonly notes: string; readonly points: readonly Point[] } {
  const lines = notes.trimEnd().split("\n");
  const points: Point[] = [];
  while (lines.length > 0) {
    const point = pointOf(lines.at(-1) ?? "");
    if (point === null) break;
    points.unshift(point);
    lines.pop();
  }
  return { notes: lines.join("\n").trimEnd(), points };
}

/** `src/server.ts:12`, `src/server.ts:12-15`, `src/server.ts` or `field risk_analysis`. */
export function parsePlace(text: string): PointTarget {
  if (text.startsWith(FIELD)) return { field: text.slice(FIELD.length).trim() };
  const [, file = text, line, to] = /^(.*?):(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  if (line === undefined) return { file, line: null };
  return { file, line: Number(line), ...(to !== undefined && { to: Number(to) }) };
}

export function renderPlace(place: PointTarget): string {
  if ("field" in place) return `${FIELD}${place.field}`;
  if (place.line === null) return place.file;
  return `${place.file}:${place.line}${place.to === undefined ? "" : `-${place.to}`}`;
}

function placeWords({ at }: Point): string {
  return at ? `[${cleanLine(renderPlace(at)).replaceAll("]", ")")}] ` : "";
}

function pointOf(line: string): Point | null {
  const match = POINT.exec(line);
  if (!match) return null;
  const [, place, text = ""] = match;
  return place === undefined ? { text } : { text, at: parsePlace(place) };
}

/** A person's unsent notes and marks, by run. They survive a reload, a restart and another's verdict. */
import { type Signal, signal } from "@preact/signals";
import { jsonOf, keep, keptValue, onKept, tidy } from "../keep.ts";

export interface DraftPoint {
  readonly id: number;
  readonly text: string;
  /** `FILE:LINE`, `FILE:FROM-TO`, `FILE` or `field NAME`; empty: the whole work. */
  readonly at: string;
  /** The text of the line, which the agent gets with the point. */
  readonly quote?: string;
}

export interface Draft {
  /** The review's version on which it was written; empty: nothing is written. */
  readonly version: string;
  readonly notes: string;
  readonly points: readonly DraftPoint[];
  /** Files marked as viewed, with the version at that time. */
  readonly viewed: Readonly<Record<string, string>>;
}

/** The draft, and the version of the review on which a person writes now. */
export interface Drafted {
  readonly draft: Signal<Draft>;
  readonly version: string;
}

const NOTHING: Draft = { version: "", notes: "", points: [], viewed: {} };
const MAX_KEPT = 100;
const drafts = new Map<string, Signal<Draft>>();

export function draftOf(project: string, run: string): Signal<Draft> {
  const key = `draft:${project}:${run}`;
  const known = drafts.get(key);
  if (known) return known;
  const made = signal(parseDraft(keptValue(key)));
  drafts.set(key, made);
  made.subscribe((draft) => {
    const isNothing = isUnwritten(draft) && Object.keys(draft.viewed).length === 0;
    keep(key, isNothing ? null : JSON.stringify({ ...draft, saved: Date.now() }));
  });
  // Discards this tab's copy of a draft that another tab has sent. Text written only here stays.
  onKept(key, (now, before) => {
    const isSent = isUnwritten(parseDraft(jsonOf(now))) && isSame(parseDraft(jsonOf(before)), made.value);
    if (isSent) discard(made);
  });
  tidy("draft:", MAX_KEPT);
  return made;
}

export function isUnwritten({ notes, points }: Draft): boolean {
  return notes.trim() === "" && points.length === 0;
}

export function change({ draft, version }: Drafted, part: Partial<Draft>): void {
  const next = { ...draft.value, ...part };
  // Notes on an earlier version keep that version until a person confirms that they still apply.
  const isFirst = isUnwritten(draft.value) || draft.value.version === "";
  draft.value = { ...next, version: isUnwritten(next) ? "" : isFirst ? version : next.version };
}

export function addPoint(drafted: Drafted, point: Omit<DraftPoint, "id">): void {
  change(drafted, { points: [...drafted.draft.value.points, { ...point, id: Date.now() }] });
}

/** Clears the draft once it is sent. Files stay marked as viewed until they change. */
export function discard(draft: Signal<Draft>): void {
  // If nothing is written here, another tab's text may be stored under the same key, so do not overwrite it.
  if (isUnwritten(draft.value)) return;
  draft.value = { ...NOTHING, viewed: draft.value.viewed };
}

function isSame(one: Draft, other: Draft): boolean {
  return one.notes === other.notes && JSON.stringify(one.points) === JSON.stringify(other.points);
}

function parseDraft(kept: unknown): Draft {
  if (typeof kept !== "object" || kept === null) return NOTHING;
  const { notes, points, version, viewed } = kept as Partial<Record<keyof Draft, unknown>>;
  return {
    version: typeof version === "string" ? version : "",
    notes: typeof notes === "string" ? notes : "",
    points: Array.isArray(points) ? points.filter(isPoint) : [],
    viewed: typeof viewed === "object" && viewed !== null ? (viewed as Draft["viewed"]) : {},
  };
}

function isPoint(point: Partial<DraftPoint> | null): point is DraftPoint {
  return typeof point?.text === "string" && typeof point.at === "string" && typeof point.id === "number";
}

/** What a person has written and not yet decided, of each run. It survives a reload, a restart and another's verdict. */
import { type Signal, signal } from "@preact/signals";
import { jsonOf, keep, keptValue, onKept, tidy } from "../keep.ts";

export interface DraftPoint {
  readonly id: number;
  readonly text: string;
  /** `FILE:LINE`, `FILE` or `field NAME`; empty: on the whole. */
  readonly at: string;
}

export interface Draft {
  /** The review's version that it was written on; empty: nothing is written. */
  readonly version: string;
  readonly notes: string;
  readonly points: readonly DraftPoint[];
  /** Files that were marked as viewed, with the version in which they were. */
  readonly viewed: Readonly<Record<string, string>>;
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
  // What another tab has sent is not unsent here. What was written here alone stays.
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

export function change(draft: Signal<Draft>, version: string, part: Partial<Draft>): void {
  const next = { ...draft.value, ...part };
  // Notes on an earlier version stay so until a person says that they still hold.
  const isFirst = isUnwritten(draft.value) || draft.value.version === "";
  draft.value = { ...next, version: isUnwritten(next) ? "" : isFirst ? version : next.version };
}

/** Once it is sent. What was viewed stays viewed until it changes. */
export function discard(draft: Signal<Draft>): void {
  // Another tab's words may be kept under the same name.
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

/**
 * Two versions of a slot that were made from a third, as one. Where one side changed nothing, the other's text is taken as
 * it is; where both did, their parts are merged; where both changed one value, that is a conflict.
 */
import { meaning } from "../insert.ts";
import { orderOf } from "./order.ts";
import { type Inner, moved, NONE, type Slot, shiftedLines, textIn } from "./slot.ts";

export type Side = "mine" | "theirs";

/** What both sides changed, each in another way. */
export interface Conflict {
  /** The task or step, and those around it, outermost first; empty: it is about the file. */
  readonly ids: readonly string[];
  /** Null: the whole task or step. */
  readonly key: string | null;
  /** As they are written; null: it is not there. */
  readonly base: string | null;
  readonly mine: string | null;
  readonly theirs: string | null;
}

/** Which side a conflict is settled for; null: it stays one. */
export type Settle = (conflict: Conflict) => Side | null;

export interface Merging {
  readonly settle: Settle;
  readonly conflicts: Conflict[];
}

interface Three<T> {
  readonly base: T | null;
  readonly mine: T;
  readonly theirs: T;
}

/** Where in the file: the ids around, and the key. */
interface Place {
  readonly ids: readonly string[];
  readonly key: string | null;
}

/** What the loop writes. Without a version that both came from, nobody else knows better. */
const OF_THE_LOOP: ReadonlySet<string> = new Set([
  "status",
  "started_at",
  "completed_at",
  "session_id",
  "session_provider",
]);

/** What is chosen, or theirs as long as nobody did. */
export function decide<T>(
  { conflicts, settle }: Merging,
  place: Place,
  shown: Omit<Conflict, "ids" | "key">,
  { mine, theirs }: { readonly mine: T; readonly theirs: T },
): T {
  const conflict = { ...place, ...shown };
  const side = settle(conflict);
  if (side === null) conflicts.push(conflict);
  return side === "mine" ? mine : theirs;
}

// ── What a slot consists of ──────────────────────────────────────────────────────────────────────────────────────

/** `column`: where the slot of theirs begins. */
export function mergeInner(
  { base, mine, theirs }: Three<Inner>,
  ids: readonly string[],
  column: number,
  merging: Merging,
): Inner {
  const [inBase, inMine, inTheirs] = [byName(base), byName(mine), byName(theirs)];
  const names = new Set([...inTheirs.keys(), ...inMine.keys()]);
  const merged = new Map<string, Slot>();
  for (const name of names) {
    const at = theirs.kind === "list" ? { ids: [...ids, name], key: null } : { ids, key: name };
    const versions = {
      base: inBase.get(name) ?? null,
      mine: inMine.get(name) ?? null,
      theirs: inTheirs.get(name) ?? null,
    };
    const slot = mergeSlot(versions, at, merging);
    if (slot !== null) merged.set(name, slot);
  }
  const kept = new Set(merged.keys());
  const order = orderIn({ base, mine, theirs }, kept, ids, merging);
  const { inline, open } = opening({ base, mine, theirs }, kept.size === 0, ids, merging);
  const target = inline ? column + open.length : column + insetOf({ base, mine, theirs }, column);
  const slots = order.map((name) => {
    const slot = merged.get(name) as Slot;
    return theirs.layout === "brackets" ? slot : moved(slot, target - slot.column);
  });
  const place = { ids, key: "comment at the end" };
  const closes = {
    base: base && closeAt(base, target),
    mine: closeAt(mine, target),
    theirs: closeAt(theirs, target),
  };
  const close = mergeRemark(closes, place, merging);
  return { layout: theirs.layout, kind: theirs.kind, open, slots, close, inline };
}

function byName(inner: Inner | null): ReadonlyMap<string, Slot> {
  return new Map(inner?.slots.map((slot) => [slot.name, slot]));
}

function namesIn({ slots }: Inner): readonly string[] {
  return slots.map(({ name }) => name);
}

function orderIn(
  { base, mine, theirs }: Three<Inner>,
  kept: ReadonlySet<string>,
  ids: readonly string[],
  merging: Merging,
): readonly string[] {
  const [ofMine, ofTheirs] = [namesIn(mine), namesIn(theirs)];
  const before = base === null ? ofTheirs : namesIn(base);
  const order = orderOf(before, ofMine, ofTheirs, kept);
  if (order !== null) return order;
  // The order of keys means nothing.
  const shown = { base: before.join(", "), mine: ofMine.join(", "), theirs: ofTheirs.join(", ") };
  const both = { mine: ofMine, theirs: ofTheirs };
  const frame = theirs.kind === "map" ? ofMine : decide(merging, { ids, key: "order" }, shown, both);
  const other = frame === ofMine ? ofTheirs : ofMine;
  return orderOf(other, frame, other, kept) ?? frame;
}

/** How it begins. A list that has no items begins as one (`tasks: []`), and the other way round. */
function opening(
  { base, mine, theirs }: Three<Inner>,
  isEmpty: boolean,
  ids: readonly string[],
  merging: Merging,
): Pick<Inner, "open" | "inline"> {
  const fits = (inner: Inner | null) => inner !== null && (inner.slots.length === 0) === isEmpty;
  if (!fits(mine)) return theirs;
  if (!fits(theirs)) return mine;
  const from = base !== null && fits(base) ? base.open : null;
  const side = sideOf(from, mine.open, theirs.open);
  if (side !== null) return side === "mine" ? mine : theirs;
  if (mine.open.trim() === theirs.open.trim()) return theirs;
  const shown = { base: from, mine: mine.open.trim(), theirs: theirs.open.trim() };
  return decide(merging, { ids, key: "comment" }, shown, { mine, theirs });
}

/** How much deeper than what it is in. */
function insetOf({ base, mine, theirs }: Three<Inner>, column: number): number {
  const [b, m, t] = [base, mine, theirs].map((inner) => inner?.slots[0]?.column);
  if (t === undefined || m === undefined) return (t ?? m ?? column) - column;
  return (m === b || b === undefined ? t : t === b ? m : t) - column;
}

/** Its comments at the end, at the column of the slots that they are below. */
function closeAt({ close, layout, slots }: Inner, column: number): string {
  const [first] = slots;
  return layout === "brackets" || first === undefined ? close : shiftedLines(close, column - first.column);
}

// ── One slot ─────────────────────────────────────────────────────────────────────────────────────────────────────

function mergeSlot({ base, mine, theirs }: Three<Slot | null>, place: Place, merging: Merging): Slot | null {
  if (mine === null || theirs === null) {
    const kept = mine ?? theirs;
    if (kept === null || base === null) return kept;
    if (isUnchanged(base, kept)) return null;
    const shown = { base: shownAs(base), mine: shownAs(mine), theirs: shownAs(theirs) };
    return decide(merging, place, shown, { mine, theirs });
  }
  const here = theirs.column;
  const versions = {
    base: base && moved(base, here - base.column),
    mine: moved(mine, here - mine.column),
    theirs,
  };
  const merged = mergeText(versions, place, merging);
  const leads = { base: versions.base?.lead ?? null, mine: versions.mine.lead, theirs: theirs.lead };
  const key = `comment above ${place.key ?? place.ids.at(-1)}`;
  const lead = mergeRemark(leads, { ids: place.ids, key }, merging);
  return lead === merged.lead ? merged : { ...merged, lead };
}

function shownAs(slot: Slot | null): string | null {
  return slot === null ? null : moved(slot, -slot.column).text.trimEnd();
}

function isUnchanged(base: Slot, kept: Slot): boolean {
  const same = moved(kept, base.column - kept.column);
  if (remarksIn(same.lead) !== remarksIn(base.lead)) return false;
  return same.text === base.text || (!hasRemark(same.text) && isSameValue(same, base));
}

/** A remark that was written there must not go with what it is about. */
function hasRemark(text: string): boolean {
  return text.includes("#");
}

function mergeText({ base, mine, theirs }: Three<Slot>, place: Place, merging: Merging): Slot {
  const side = sideOf(base?.text ?? null, mine.text, theirs.text);
  if (side !== null) return side === "mine" ? mine : theirs;
  const inner = innerOf({ base, mine, theirs });
  if (inner !== null) {
    const merged = mergeInner(inner, place.ids, theirs.column, merging);
    return composed(theirs, merged);
  }
  return mergeValue({ base, mine, theirs }, place, merging);
}

/** The parts of all, where they are written in one layout. */
function innerOf({ base, mine, theirs }: Three<Slot>): Three<Inner> | null {
  const [m, t] = [mine.inner(), theirs.inner()];
  if (m === null || t === null) return null;
  const isAlike = m.layout === t.layout || m.slots.length === 0 || t.slots.length === 0;
  if (!isAlike || m.kind !== t.kind) return null;
  if (base === null) return { base: null, mine: m, theirs: t };
  const b = base.inner();
  return b === null ? null : { base: b, mine: m, theirs: t };
}

function composed(slot: Slot, inner: Inner): Slot {
  const { pieces: _, ...kept } = slot;
  const value = () => {
    const values = inner.slots.map((each) => [each.name, each.value()] as const);
    return inner.kind === "list" ? values.map(([, each]) => each) : Object.fromEntries(values);
  };
  return { ...kept, text: textIn(inner), value, inner: () => inner };
}

function mergeValue({ base, mine, theirs }: Three<Slot>, place: Place, merging: Merging): Slot {
  const isMine = base === null || !isSameValue(base, mine);
  const isTheirs = base === null || !isSameValue(base, theirs);
  const isOfLoop = base === null && OF_THE_LOOP.has(theirs.name);
  const shown = { base: shownAs(base), mine: shownAs(mine), theirs: shownAs(theirs) };
  const isConflict = isMine && isTheirs && !isSameValue(mine, theirs) && !isOfLoop;
  if (isConflict) return decide(merging, place, shown, { mine, theirs });
  // The value is one side's; what is written around it may be the other's.
  const source = isMine && !isTheirs ? mine : theirs;
  const around = aroundOf({ base, mine, theirs });
  if (around === null && [mine, theirs].some(({ text }) => hasRemark(text)))
    return decide(merging, place, shown, { mine, theirs });
  if (around === null || source.pieces === undefined) return source;
  const text = around[0] + source.pieces[1] + around[1];
  return { ...source, text, inner: NONE };
}

/** What stands before the value and behind it. */
function aroundOf({ base, mine, theirs }: Three<Slot>): readonly [string, string] | null {
  const [b, m, t] = [base?.pieces, mine.pieces, theirs.pieces];
  if (m === undefined || t === undefined) return null;
  const [first, last] = [sideOf(b?.[0] ?? null, m[0], t[0]), sideOf(b?.[2] ?? null, m[2], t[2])];
  if (first === null || last === null) return null;
  return [first === "mine" ? m[0] : t[0], last === "mine" ? m[2] : t[2]];
}

function isSameValue(one: Slot, other: Slot): boolean {
  return meaning(one.value()) === meaning(other.value());
}

/** Whose text is taken: that of the side that changed it; theirs where both did alike. Null: they differ. */
function sideOf(base: string | null, mine: string, theirs: string): Side | null {
  if (mine === theirs || mine === base) return "theirs";
  return theirs === base ? "mine" : null;
}

// ── Comments and blank lines ─────────────────────────────────────────────────────────────────────────────────────

function mergeRemark({ base, mine, theirs }: Three<string>, place: Place, merging: Merging): string {
  const remarks = [base ?? "", mine, theirs].map(remarksIn) as [string, string, string];
  const side = sideOf(base, mine, theirs) ?? sideOf(...remarks);
  if (side !== null) return side === "mine" ? mine : theirs;
  const shown = { base: base?.trim() ?? null, mine: mine.trim(), theirs: theirs.trim() };
  return decide(merging, place, shown, { mine, theirs });
}

/** The lines that say something. */
function remarksIn(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n");
}

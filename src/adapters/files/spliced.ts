/**
 * A long text that changes in one place or two is journalled as that change: a splice of the text that an earlier record of the
 * same journal gave the file, or two of them. So a commit to a file of 10,000 tasks writes and syncs what one task takes.
 *
 * T1  Only a process that knows the journal to its last record writes a splice: else nobody could tell its base.
 * T2  A splice names its base by its hash. If no record has that text, the splice is not applied.
 * T3  A text is written whole after so many splices at most. No journal can make a reader put together more.
 * T4  Of two splices, the first makes a text that no file ever had. It names it by its hash, as any other.
 */
import { bytesOf, contentOf } from "./content.ts";
import { hashOf } from "./hash.ts";
import type { Put, Splice, Step, Written } from "./steps.ts";

/** Shorter texts are written whole: a record has other parts too. */
const LONG = 8 * 1024;
/** A reader puts together so many splices of a text: each of them costs its length. */
const MOST = 1000;
/** After so many versions, of a splice or two each, a text is written whole again. */
const MOST_VERSIONS = MOST / 2;

/** The journal's end, or its beginning. */
interface End {
  readonly mac: string;
  readonly length: number;
}

interface Text {
  readonly hash: string;
  readonly bytes: Uint8Array;
}

interface Kept extends Text {
  /** The record that has it. */
  readonly record: string;
  /** How many versions the journal has had before it. */
  readonly versions: number;
}

/** The long texts that the journal gives files, as far as this process wrote them. */
export class JournalTexts {
  /** The last record. It is known, and with it all before it. */
  #mac: string | null = null;
  readonly #texts = new Map<string, Kept>();

  /** How many bytes of them it pays to leave in the journal: of those that change, and of those that the last record has. */
  get worthKeeping(): number {
    let sum = 0;
    for (const { bytes, record, versions } of this.#texts.values())
      if (versions > 0 || record === this.#mac) sum += bytes.length;
    return sum;
  }

  /** The journal is empty. */
  clear(): void {
    this.#mac = null;
    this.#texts.clear();
  }

  /** What a record behind `at` must hold for these steps. */
  shorten(at: End, steps: readonly Step[]): readonly Written[] {
    if (!this.#knows(at)) return steps;
    return steps.flatMap((step) => (step.type === "put" ? this.#shortened(step) : [step]));
  }

  /** The record behind `at` that does these steps is in the journal. */
  add(at: End, mac: string, steps: readonly Step[]): void {
    if (!this.#knows(at)) this.#texts.clear();
    this.#mac = mac;
    for (const step of steps) {
      const bytes = isText(step) ? bytesOf(step) : null;
      const earlier = this.#texts.get(step.path);
      if (!isText(step) || bytes === null || bytes.length < LONG) this.#texts.delete(step.path);
      else {
        const versions = earlier?.hash === step.before ? earlier.versions + 1 : 0;
        this.#texts.set(step.path, { hash: step.after, bytes, record: mac, versions });
      }
    }
  }

  #knows({ mac, length }: End): boolean {
    return length > 0 && mac === this.#mac;
  }

  #shortened(put: Put): readonly Written[] {
    const base = this.#texts.get(put.path);
    if (base === undefined || base.hash !== put.before || !isText(put)) return [put];
    if (base.versions % MOST_VERSIONS === MOST_VERSIONS - 1) return [put];
    const bytes = bytesOf(put);
    const whole = differenceOf(base.bytes, bytes);
    if (whole.added.length <= bytes.length / 2) return [spliceOf(put, base.hash, whole)];
    return inTwo(put, base, bytes, whole.start) ?? [put];
  }
}

/**
 * A state says at its beginning where its run stands, and has the latest move at its end. So once the first line that differs is
 * replaced, the rest may differ in one place. Null: it does not.
 */
function inTwo(put: Put, base: Text, bytes: Uint8Array, start: number): readonly Splice[] | null {
  // An edit that is redone on a person's text is one change.
  if (put.redo !== undefined || put.redone) return null;
  const [end, from] = [lineEnd(base.bytes, start), lineEnd(bytes, start)];
  const first = { start, end, added: bytes.subarray(start, from) };
  const between = Buffer.concat([bytes.subarray(0, from), base.bytes.subarray(end)]);
  const second = differenceOf(between, bytes);
  if (first.added.length + second.added.length > bytes.length / 2) return null;
  const hash = hashOf(between);
  return [
    spliceOf({ type: "put", path: put.path, before: base.hash, after: hash }, base.hash, first),
    spliceOf(put, hash, second),
  ];
}

/** Behind the line break that ends the line at `at`; the text's end if there is none. */
function lineEnd(bytes: Uint8Array, at: number): number {
  const found = bytes.indexOf(0x0a, at);
  return found < 0 ? bytes.length : found + 1;
}

function spliceOf(put: Put, before: string, { start, end, added }: Difference): Splice {
  const { type: _, text: _whole, ...rest } = put;
  return { ...rest, type: "splice", before, start, end, text: Buffer.from(added).toString() };
}

function isText(step: Step): step is Put & { readonly text: string } {
  return step.type === "put" && step.text !== undefined;
}

const MANY = 4096;

/** Between these offsets of a text, another one has `added`. */
interface Difference {
  readonly start: number;
  readonly end: number;
  readonly added: Uint8Array;
}

/** Where the other text has something else, and what. Both are UTF-8, and no letter is cut. */
export function differenceOf(one: Uint8Array, other: Uint8Array): Difference {
  const least = Math.min(one.length, other.length);
  const isSame = (from: number, to: number, length: number) =>
    Buffer.compare(one.subarray(from, from + length), other.subarray(to, to + length)) === 0;
  let start = 0;
  while (start + MANY <= least && isSame(start, start, MANY)) start += MANY;
  while (start < least && one[start] === other[start]) start++;
  while (isWithinLetter(one[start]) || isWithinLetter(other[start])) start--;
  const most = least - start;
  let rest = 0;
  while (rest + MANY <= most && isSame(one.length - rest - MANY, other.length - rest - MANY, MANY))
    rest += MANY;
  while (rest < most && one[one.length - rest - 1] === other[other.length - rest - 1]) rest++;
  while (rest > 0 && isWithinLetter(other[other.length - rest])) rest--;
  return { start, end: one.length - rest, added: other.subarray(start, other.length - rest) };
}

/** Whether the byte continues a letter in UTF-8. */
function isWithinLetter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Finds a file's present text. */
export type LookFor = (path: string) => Text | null;

/** What a record does, and the paths whose text cannot be told because its base is nowhere. */
export interface Resolved {
  readonly steps: readonly Step[];
  readonly missing: readonly string[];
}

/**
 * Makes steps of what the records of one journal hold, one record after the other. A text is put together only where
 * it is asked for: many records change the same long one.
 */
export function openResolver(lookFor: LookFor = () => null): (record: readonly Written[]) => Resolved {
  const last = new Map<string, Put>();
  /** How many splices in a row have made it. */
  const counts = new Map<string, number>();
  const texts = new PutTogether();

  const resolve = (splice: Splice): Put | null => {
    const base = last.get(splice.path);
    if (base?.after === splice.before) return texts.put(splice, base);
    const found = lookFor(splice.path);
    if (found === null) return null;
    const content = contentOf(found.bytes);
    if (found.hash === splice.after) return { ...putOf(splice), ...content };
    if (found.hash !== splice.before) return null;
    const { path, before } = splice;
    return texts.put(splice, { type: "put", path, before: null, after: before, ...content });
  };

  return (record) => {
    const steps: Step[] = [];
    const missing = new Set<string>();
    for (const one of record) {
      const count = one.type === "splice" ? (counts.get(one.path) ?? 0) + 1 : 0;
      counts.set(one.path, count);
      const step = one.type !== "splice" ? one : count > MOST ? null : resolve(one);
      // Of two splices, the second alone tells the text where the file has it already.
      if (step?.type === "put") missing.delete(one.path);
      if (step === null) missing.add(one.path);
      else steps.push(step);
      if (step?.type === "put") last.set(one.path, step);
      else last.delete(one.path);
    }
    return { steps, missing: [...missing] };
  };
}

function putOf({ type: _, start: _start, end: _end, text: _added, ...rest }: Splice): Put {
  return { ...rest, type: "put" };
}

/** Puts whose text is put together when it is asked for. The last one is kept: the next is often asked for next. */
class PutTogether {
  readonly #made = new WeakMap<Put, { readonly base: Put; readonly splice: Splice }>();
  #last: { readonly put: Put; readonly bytes: Uint8Array } | null = null;

  put(splice: Splice, base: Put): Put {
    const text = (): string => Buffer.from(this.#bytesOf(put)).toString();
    const put: Put = Object.defineProperty(putOf(splice), "text", { enumerable: true, get: text });
    this.#made.set(put, { base, splice });
    return put;
  }

  #bytesOf(put: Put): Uint8Array {
    const splices: Splice[] = [];
    let from = put;
    for (let made = this.#made.get(from); made !== undefined && from !== this.#last?.put; ) {
      splices.push(made.splice);
      from = made.base;
      made = this.#made.get(from);
    }
    let bytes = from === this.#last?.put ? this.#last.bytes : bytesOf(from);
    for (const { start, end, text } of splices.toReversed())
      bytes = Buffer.concat([bytes.subarray(0, start), Buffer.from(text), bytes.subarray(end)]);
    this.#last = { put, bytes };
    return bytes;
  }
}

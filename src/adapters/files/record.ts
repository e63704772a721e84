/**
 * The journal's records as bytes: a header line `pawl-commit 1 SEQUENCE BYTES SHA256`, the body as one line of JSON.
 * The checksum covers the sequence and the body. The body holds no raw line break, so that a header can be looked for
 * behind damage.
 */
import { hashOf } from "./hash.ts";
import { tryTextOf } from "./look.ts";

/** One step of a record; each is about one path. Hashes are sha-256 in hexadecimal; null: there is no file. */
export type Step = Put | Drop | Append | Known;

/** The file is to hold exactly this. */
export interface Put extends Content {
  readonly type: "put";
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
  /** Permission bits of a new file, where not 0644. */
  readonly mode?: number;
  /** How to redo it on a text that a person changed. */
  readonly redo?: { readonly editor: string; readonly edits: readonly unknown[] };
  /** The result of such a redo: what it replaces was a person's text, and is in it. */
  readonly redone?: true;
}

/** Text where the bytes are UTF-8, else base64. */
export interface Content {
  readonly text?: string;
  readonly base64?: string;
}

/** The file is to be absent. */
export interface Drop {
  readonly type: "drop";
  readonly path: string;
  readonly before: string | null;
}

export interface Append {
  readonly type: "append";
  readonly path: string;
  readonly id: string;
  /** The file's size when the commit was made. */
  readonly offset: number;
  readonly text: string;
}

/** A person's text that was found in the way and is kept aside by now: it may be replaced. */
export interface Known {
  readonly type: "known";
  readonly path: string;
  readonly hash: string;
}

export interface JournalRecord {
  readonly sequence: number;
  readonly steps: readonly Step[];
  /** Where the record ends in the journal. */
  readonly end: number;
}

export interface Parsed {
  /** Good ones from the beginning. */
  readonly records: readonly JournalRecord[];
  /** Where the last of them ends. */
  readonly goodLength: number;
  /** Good records behind bytes that are none: the journal is damaged. Empty otherwise. */
  readonly stranded: readonly JournalRecord[];
}

const HEADER = /^pawl-commit 1 (\d{1,15}) (\d{1,15}) ([0-9a-f]{64})$/;
const MARK = "pawl-commit ";
const MAX_HEADER = 120;

export function contentOf(bytes: Uint8Array): Content {
  const text = tryTextOf(bytes);
  return text === null ? { base64: Buffer.from(bytes).toString("base64") } : { text };
}

/** The bytes of steps that were made of bytes: to encode a long text again and again takes longer than to write it. */
const known = new WeakMap<Content, Uint8Array>();

export function withBytes<C extends Content>(content: C, bytes: Uint8Array): C {
  known.set(content, bytes);
  return content;
}

export function bytesOf(content: Content): Uint8Array {
  const bytes = known.get(content);
  if (bytes !== undefined) return bytes;
  return content.text === undefined
    ? Buffer.from(content.base64 ?? "", "base64")
    : Buffer.from(content.text, "utf8");
}

export function renderRecord(sequence: number, steps: readonly Step[]): Buffer {
  const body = Buffer.from(JSON.stringify({ steps }));
  return Buffer.concat([
    Buffer.from(`pawl-commit 1 ${sequence} ${body.length} ${checksum(sequence, body)}\n`),
    body,
    Buffer.from("\n"),
  ]);
}

/**
 * Reads good records until the first byte that belongs to none. What follows was never committed (its writer died), or
 * the journal is damaged: then a good record with a higher sequence lies behind.
 */
export function parseJournal(bytes: Uint8Array): Parsed {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records: JournalRecord[] = [];
  let position = 0;
  for (;;) {
    const record = parseRecord(buffer, position);
    const expected = records.at(-1)?.sequence;
    if (record === null || (expected !== undefined && record.sequence !== expected + 1)) break;
    records.push(record);
    position = record.end;
  }
  return { records, goodLength: position, stranded: findStranded(buffer, position, records.at(-1)) };
}

function findStranded(
  buffer: Buffer,
  from: number,
  last: JournalRecord | undefined,
): readonly JournalRecord[] {
  const stranded: JournalRecord[] = [];
  let highest = last?.sequence ?? -1;
  let position = from;
  while (position < buffer.length) {
    const record = parseRecord(buffer, position);
    // A lower sequence is an old record whose place is being used again.
    if (record !== null && record.sequence > highest) {
      stranded.push(record);
      highest = record.sequence;
      position = record.end;
      continue;
    }
    // The line break before a header may be what is damaged: a record is known by its checksum, not by its place.
    const mark = buffer.indexOf(MARK, position + 1);
    if (mark === -1) break;
    position = mark;
  }
  return stranded;
}

function parseRecord(buffer: Buffer, position: number): JournalRecord | null {
  const headerEnd = buffer.subarray(position, position + MAX_HEADER).indexOf("\n");
  if (headerEnd === -1) return null;
  const header = HEADER.exec(buffer.toString("latin1", position, position + headerEnd));
  if (header === null) return null;
  const sequence = Number(header[1]);
  const start = position + headerEnd + 1;
  const end = start + Number(header[2]) + 1;
  if (end > buffer.length || buffer[end - 1] !== 0x0a) return null;
  const body = buffer.subarray(start, end - 1);
  if (checksum(sequence, body) !== header[3]) return null;
  const { steps } = JSON.parse(body.toString("utf8")) as { steps: readonly Step[] };
  return { sequence, steps, end };
}

function checksum(sequence: number, body: Buffer): string {
  return hashOf(Buffer.concat([Buffer.from(`${sequence}\n`), body]));
}

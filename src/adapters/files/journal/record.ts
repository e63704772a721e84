/**
 * The journal's records as bytes: a header line `pawl-commit 2 EPOCH SEQUENCE BYTES SHA256 PREVIOUS MAC`,
 * then the body as one line of JSON. The body has no raw line break, so that headers can be found after
 * damage.
 *
 * M1  The checksum covers epoch, sequence, previous MAC and body. The MAC covers the header, and so all of
 *     them. A record with a right checksum and a wrong MAC has another author: it is foreign, not damaged.
 * M2  PREVIOUS is the MAC of the previous record, zeros for the first: records of one journal cannot be left
 *     out, reordered or mixed with others.
 * M3  Each journal, from its first record to its trimming, has its own epoch, higher than all earlier ones.
 *     The lowest epoch that counts is kept outside the project: an earlier journal cannot come back.
 */
import { createHmac } from "node:crypto";
import { hashOf } from "../../../core/hash.ts";
import { parseSteps, type Step } from "./steps.ts";

/** The end of a journal, on which the next record builds. */
export interface Head {
  readonly epoch: number;
  /** The sequence of the last record, or of the last one ever if the journal is empty. */
  readonly sequence: number;
  /** The last record's MAC, or zeros. */
  readonly mac: string;
}

export interface JournalRecord extends Head {
  readonly steps: readonly Step[];
  /** The offset at which the record ends in the journal. */
  readonly end: number;
}

/** Intact records that must not be trusted. */
export interface Foreign {
  readonly records: number;
  readonly reason: ForeignReason;
}

/**
 * `another-key`: not made with this project's key. `earlier`: from an earlier journal of this project, since
 * trimmed. `unusable`: it contains something that Pawl never writes.
 */
type ForeignReason = "another-key" | "earlier" | "unusable";

export interface Parsed {
  /** The good records from the beginning. */
  readonly records: readonly JournalRecord[];
  /** The offset at which the last good record ends. */
  readonly goodLength: number;
  /** Good records after other bytes: the journal is damaged. Empty otherwise. */
  readonly stranded: readonly JournalRecord[];
  /** Records of other authors after the good ones. */
  readonly foreign: Foreign | null;
}

export interface Trust {
  /** The project's key. Null: there is none yet, and no record is the project's own. */
  readonly key: Uint8Array | null;
  /** The lowest epoch that counts: journals of earlier ones were trimmed. */
  readonly floor: number;
}

export const FIRST = "0".repeat(64);

const HEADER =
  /^(pawl-commit 2 (\d{1,15}) (\d{1,15}) (\d{1,15}) ([0-9a-f]{64}) ([0-9a-f]{64})) ([0-9a-f]{64})$/;
const MARK = "pawl-commit ";
const MAX_HEADER = 300;

/** HMAC-SHA256 in hexadecimal. */
function macOf(key: Uint8Array, text: string): string {
  return createHmac("sha256", key).update(text).digest("hex");
}

/** The record that follows `after`. */
export function renderRecord(
  key: Uint8Array,
  after: Head,
  steps: readonly Step[],
): { readonly bytes: Buffer; readonly head: Head } {
  const { epoch, mac: previous } = after;
  const sequence = after.sequence + 1;
  const body = Buffer.from(JSON.stringify({ steps }));
  const checksum = hashOf(Buffer.concat([Buffer.from(`${epoch} ${sequence} ${previous}\n`), body]));
  const header = `pawl-commit 2 ${epoch} ${sequence} ${body.length} ${checksum} ${previous}`;
  const mac = macOf(key, header);
  const bytes = Buffer.concat([Buffer.from(`${header} ${mac}\n`), body, Buffer.from("\n")]);
  return { bytes, head: { epoch, sequence, mac } };
}

/**
 * Reads good records up to the first byte that belongs to none. The rest was never committed (its writer
 * died), or has another author, or the journal is damaged: then a good record with a higher sequence follows.
 */
export function parseJournal(bytes: Uint8Array, trust: Trust): Parsed {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records: JournalRecord[] = [];
  let position = 0;
  for (;;) {
    const whole = wholeAt(buffer, position);
    const judged = whole === null ? null : judge(whole, trust);
    if (judged?.type !== "own" || !follows(judged, records.at(-1))) break;
    records.push(judged.record);
    position = judged.record.end;
  }
  return { records, goodLength: position, ...searchBehind(buffer, position, trust, records.at(-1)) };
}

/**
 * Every intact record, of any author, for a person to inspect. Null: it contains something that Pawl never
 * writes.
 */
export function parseUntrusted(bytes: Uint8Array): readonly (readonly Step[] | null)[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return [...wholesFrom(buffer, 0)].map(({ body }) => {
    const steps = parseSteps(body.toString("utf8"));
    return "fault" in steps ? null : steps;
  });
}

function follows({ record, previous }: Own, last: JournalRecord | undefined): boolean {
  if (last === undefined) return previous === FIRST;
  return record.epoch === last.epoch && record.sequence === last.sequence + 1 && previous === last.mac;
}

function searchBehind(
  buffer: Buffer,
  from: number,
  trust: Trust,
  last: JournalRecord | undefined,
): Pick<Parsed, "stranded" | "foreign"> {
  const stranded: JournalRecord[] = [];
  const others: ForeignReason[] = [];
  let highest = last?.sequence ?? -1;
  for (const whole of wholesFrom(buffer, from)) {
    const judged = judge(whole, trust);
    if (judged.type === "foreign") {
      // After a good record, an earlier record of the project is the previous content of that place.
      if (judged.reason !== "earlier" || last === undefined) others.push(judged.reason);
    } else if (judged.record.sequence > highest && judged.record.epoch >= (last?.epoch ?? 0)) {
      stranded.push(judged.record);
      highest = judged.record.sequence;
    }
  }
  const [reason] = others;
  return { stranded, foreign: reason === undefined ? null : { records: others.length, reason } };
}

/** Bytes in the form of a record, with the right checksum. */
interface Whole {
  readonly epoch: number;
  readonly sequence: number;
  readonly previous: string;
  readonly header: string;
  readonly mac: string;
  readonly body: Buffer;
  readonly end: number;
}

interface Own {
  readonly type: "own";
  readonly record: JournalRecord;
  readonly previous: string;
}

function judge(whole: Whole, { key, floor }: Trust): Own | { type: "foreign"; reason: ForeignReason } {
  const { epoch, sequence, previous, header, mac, body, end } = whole;
  if (key === null || macOf(key, header) !== mac) return { type: "foreign", reason: "another-key" };
  if (epoch < floor) return { type: "foreign", reason: "earlier" };
  const steps = parseSteps(body.toString("utf8"));
  if ("fault" in steps) return { type: "foreign", reason: "unusable" };
  return { type: "own", record: { epoch, sequence, mac, steps, end }, previous };
}

function* wholesFrom(buffer: Buffer, from: number): Generator<Whole> {
  for (let position = from; position < buffer.length; ) {
    const whole = wholeAt(buffer, position);
    if (whole !== null) {
      yield whole;
      position = whole.end;
      continue;
    }
    // The line break before a header may be damaged: the checksum identifies a record, not its place.
    const mark = buffer.indexOf(MARK, position + 1);
    if (mark === -1) return;
    position = mark;
  }
}

function wholeAt(buffer: Buffer, position: number): Whole | null {
  const headerEnd = buffer.subarray(position, position + MAX_HEADER).indexOf("\n");
  if (headerEnd === -1) return null;
  const match = HEADER.exec(buffer.toString("latin1", position, position + headerEnd));
  if (match === null) return null;
  const [, header = "", epoch, sequence, length, checksum, previous = "", mac = ""] = match;
  const start = position + headerEnd + 1;
  const end = start + Number(length) + 1;
  // A body is one line, so each byte is hashed only once, however many headers the file has.
  if (end > buffer.length || buffer.indexOf("\n", start) !== end - 1) return null;
  const body = buffer.subarray(start, end - 1);
  const covered = Buffer.from(`${epoch} ${sequence} ${previous}\n`);
  if (hashOf(Buffer.concat([covered, body])) !== checksum) return null;
  return {
    epoch: Number(epoch),
    sequence: Number(sequence),
    previous,
    header,
    mac,
    body,
    end,
  };
}

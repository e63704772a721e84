/**
 * Combines the steps of one path, in order, into one aim. Replaying a path needs only its last content,
 * whatever happened to other paths, and can be repeated at any point.
 */
import { hashOf } from "../../../core/hash.ts";
import type { FileOnDisk } from "../read-at.ts";
import { type Append, bytesOf, type Put, type Step } from "./steps.ts";

export interface Aim {
  /** The file's final content. Null: no file; undefined: its present content plus the appends. */
  readonly content: Uint8Array | null | undefined;
  /** The content's hash. Null: no file; undefined: as for the content. */
  readonly hash: string | null | undefined;
  /** Permission bits of a new file. */
  readonly mode: number | undefined;
  /** Appends to content that the journal does not hold. */
  readonly appends: readonly Append[];
}

export function chainsOf(steps: readonly Step[]): ReadonlyMap<string, readonly Step[]> {
  const chains = new Map<string, Step[]>();
  for (const step of steps) {
    const chain = chains.get(step.path);
    if (chain === undefined) chains.set(step.path, [step]);
    else chain.push(step);
  }
  return chains;
}

export function aimOf(chain: readonly Step[]): Aim {
  let content: Uint8Array | null | undefined;
  let hash: string | null | undefined;
  let mode: number | undefined;
  let appends: Append[] = [];
  for (const step of chain) {
    if (step.type === "put") {
      content = bytesOf(step);
      hash = step.after;
      mode = step.mode;
      appends = [];
    } else if (step.type === "drop") {
      content = null;
      hash = null;
      mode = undefined;
      appends = [];
    } else if (step.type === "append") {
      const before = appends.length === 0 ? content : undefined;
      if (before !== undefined && (before?.length ?? 0) === step.offset) {
        content = Buffer.concat([before ?? new Uint8Array(), Buffer.from(step.text)]);
        hash = hashOf(content);
      } else appends.push(step);
    }
  }
  return { content, hash, mode, appends };
}

/**
 * Whether the journal explains these bytes: they are the state before or after a step or, after a power cut,
 * an unsynced part of such a state. Other bytes are a person's.
 */
export function isAccounted(chain: readonly Step[], { bytes, hash }: FileOnDisk, torn: boolean): boolean {
  if (statedHashes(chain).has(hash)) return true;
  let earlier: readonly Append[] = [];
  let content: Uint8Array | null = null;
  for (const step of chain) {
    if (step.type === "append") {
      earlier = [...earlier, step];
      if (content !== null && content.length === step.offset) {
        content = Buffer.concat([content, Buffer.from(step.text)]);
        if (hashOf(content) === hash) return true;
        if (torn && isPieceOf(bytes, content)) return true;
      }
      continue;
    }
    if (step.type === "known") continue;
    if (isBeforeAppends(bytes, earlier, step.before, torn)) return true;
    earlier = [];
    content = step.type === "put" ? bytesOf(step) : null;
    if (torn && content !== null && isPieceOf(bytes, content)) return true;
  }
  return false;
}

/** The edits to redo on a person's text; null if the chain has anything but edits. */
export function redosOf(chain: readonly Step[]): readonly NonNullable<Put["redo"]>[] | null {
  const redos: NonNullable<Put["redo"]>[] = [];
  for (const step of chain) {
    if (step.type === "put" && step.redo !== undefined) redos.push(step.redo);
    else if (!(step.type === "known" || (step.type === "put" && step.redone))) return null;
  }
  return redos.length === 0 ? null : redos;
}

function statedHashes(chain: readonly Step[]): ReadonlySet<string | null> {
  const hashes = new Set<string | null>();
  for (const step of chain) {
    if (step.type === "known") hashes.add(step.hash);
    if (step.type === "put") hashes.add(step.after);
    if (step.type === "put" || step.type === "drop") hashes.add(step.before);
  }
  return hashes;
}

/** Appends have no hash, but a later step has the hash of their result. */
function isBeforeAppends(
  bytes: Uint8Array,
  appends: readonly Append[],
  after: string | null,
  torn: boolean,
): boolean {
  return appends.some(({ offset }, index) => {
    if (bytes.length < offset) return false;
    const rest = Buffer.concat(appends.slice(index).map(({ text }) => Buffer.from(text)));
    const tail = bytes.subarray(offset);
    const isOurs = tail.length === 0 || (torn && isPieceOf(tail, rest));
    return isOurs && hashOf(Buffer.concat([bytes.subarray(0, offset), rest])) === after;
  });
}

/** Whether these are the first bytes of the whole, possibly with some still zero, as after a power cut. */
export function isPieceOf(bytes: Uint8Array, whole: Uint8Array): boolean {
  return bytes.length <= whole.length && bytes.every((byte, index) => byte === 0 || byte === whole[index]);
}

/**
 * tasks.yaml as a person has it and as others have it, merged by task and key from the version that both came from.
 *
 * M1  What one side changed is in the result as that side wrote it; what nobody changed keeps its bytes.
 * M2  What both changed differently is a conflict with a name, never a mixture.
 * M3  The result is a valid tasks.yaml and says what was taken from each side, or there is none.
 */
import { readYaml } from "../../core/yaml.ts";
import { meaning } from "../insert.ts";
import { fileOf, type Part, type Parts } from "../parts.ts";
import type { Problem } from "../problem.ts";
import { readTasks } from "../read.ts";
import { type Conflict, decide, type Merging, mergeInner, type Settle } from "./merge-slots.ts";
import { EMPTY, type Inner, type Slot, textIn } from "./slot.ts";
import { treeOf } from "./tree.ts";

/** Texts of the whole file. `base`: what both were made from; null: nobody knows. */
export interface Versions {
  readonly base: string | null;
  readonly mine: string;
  readonly theirs: string;
}

export type MergedTasks =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly conflicts: readonly Conflict[] }
  /** `in`: which version is no valid tasks.yaml; `together`: each is one, but what they make together is not. */
  | {
      readonly ok: false;
      readonly in: "base" | "mine" | "theirs" | "together";
      readonly problems: readonly Problem[];
    };

/** `known`: parts of any earlier text, so that only what is new is parsed. */
export function mergeTasks(
  { base, mine, theirs }: Versions,
  settle: Settle = () => null,
  known: Parts | null = null,
): MergedTasks {
  if (mine === base || mine === theirs) return { ok: true, text: theirs };
  if (theirs === base) return { ok: true, text: mine };
  const merging = { settle, conflicts: [] };
  const parts: Part[] = [...(known?.entries ?? [])];
  const trees: (Inner | null)[] = [];
  for (const [name, text] of Object.entries({ base, mine, theirs })) {
    if (text === null) {
      trees.push(EMPTY);
      continue;
    }
    const { body } = formOf(text);
    const read = readTasks(body, partsOf(parts));
    if (!read.ok) return { ok: false, in: name as "base", problems: read.problems };
    parts.push(...read.parts.entries);
    const ids = fileOf(read.parts).tasks.map(({ id }) => id);
    trees.push(treeOf(body, ids));
  }
  const [b, m, t] = trees as [Inner | null, Inner | null, Inner | null];
  const root =
    b && m && t ? mergeInner({ base: base === null ? null : b, mine: m, theirs: t }, [], 0, merging) : null;
  if (merging.conflicts.length > 0) return { ok: false, conflicts: merging.conflicts };
  const text = root && textIn(root);
  const result = text === null ? null : readTasks(text, partsOf(parts));
  if (result?.ok === false) return { ok: false, in: "together", problems: result.problems };
  const taken = new Set([...tasksIn(m), ...tasksIn(t)]);
  if (root === null || text === null || !result || !isMeant(root, text, result.parts, taken))
    return oneOf({ base, mine, theirs }, merging);
  return { ok: true, text: inForm(text, result.parts, [base ?? theirs, mine, theirs]) };
}

function partsOf(entries: readonly Part[]): Parts {
  return { head: "", tail: "", git: { push_to_remote: false, auto_cleanup_merged: false }, entries };
}

/** It can be merged only as a whole. */
function oneOf(versions: Versions, merging: Merging): MergedTasks {
  const { mine, theirs } = versions;
  const shown = { base: null, mine: null, theirs: null };
  const text = decide(merging, { ids: [], key: "layout" }, shown, { mine, theirs });
  return merging.conflicts.length > 0 ? { ok: false, conflicts: merging.conflicts } : { ok: true, text };
}

// ── What the result says ─────────────────────────────────────────────────────────────────────────────────────────

function tasksIn(root: Inner | null): readonly Slot[] {
  return root?.slots.find(({ name }) => name === "tasks")?.inner()?.slots ?? [];
}

/** Whether it says what its slots say. `taken`: tasks as one side has them, which say what they said there. */
function isMeant(root: Inner, text: string, parts: Parts, taken: ReadonlySet<Slot>): boolean {
  const slots = tasksIn(root);
  const isCut = parts.head !== "" && parts.entries.length === slots.length;
  if (!isCut) return isSame(text, () => valuesOf(root.slots));
  const others = root.slots.filter(({ name }) => name !== "tasks");
  const around = { ...valuesOf(others), tasks: null };
  if (!isSame(parts.head + parts.tail, () => around)) return false;
  return slots.every((slot, at) => {
    const part = parts.entries[at] as Part;
    if (part.tasks[0]?.id !== slot.name) return false;
    return taken.has(slot) || isSame(part.text, () => [slot.value()]);
  });
}

function valuesOf(slots: readonly Slot[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(slots.map(({ name, value }) => [name, value()]));
}

function isSame(text: string, value: () => unknown): boolean {
  const { data, faults } = readYaml(text, { merge: true });
  return faults.length === 0 && meaning(data) === meaning(value());
}

// ── The bytes around the lines ───────────────────────────────────────────────────────────────────────────────────

const BOM = "\uFEFF";

interface Form {
  readonly bom: boolean;
  /** Every line ends with CRLF. */
  readonly crlf: boolean;
  /** The last line has no end. */
  readonly open: boolean;
}

function formOf(text: string): Form & { readonly body: string } {
  const bom = text.startsWith(BOM);
  const plain = bom ? text.slice(1) : text;
  const crlf = plain.includes("\r\n") && !/(?:^|[^\r])\n/.test(plain);
  const lines = crlf ? plain.replaceAll("\r\n", "\n") : plain;
  const open = lines !== "" && !lines.endsWith("\n");
  return { bom, crlf, open, body: open ? `${lines}\n` : lines };
}

/** Each of its properties as the side has it that changed it. */
function inForm(text: string, parts: Parts, versions: readonly [string, string, string]): string {
  const [b, m, t] = versions.map((version): Form => formOf(version)) as [Form, Form, Form];
  const of = (key: keyof Form) => (m[key] === b[key] ? t[key] : m[key]);
  const ended = of("open") && !isEndMeant(parts) ? text.replace(LAST_END, "") : text;
  const lines = of("crlf") ? ended.replace(/\r?\n/g, "\r\n") : ended;
  return (of("bom") ? BOM : "") + lines;
}

const LAST_END = /\r?\n$/;

/** Whether the last line's end belongs to a value, as in a text behind `|`. */
function isEndMeant({ entries, tail }: Parts): boolean {
  const last = tail || (entries.at(-1)?.text ?? "");
  return !isSame(last, () => readYaml(last.replace(LAST_END, ""), { merge: true }).data);
}

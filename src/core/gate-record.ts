/**
 * What a person signs at a gate: `.alfred/gates/<workflow>/<run>/<seq>.json`, with its signature beside it. It holds hashes
 * and ids, and the steps that the run came by since the gate before, so that the files alone can be replayed.
 *
 * G1  There is one text for a record: JSON with sorted keys and one line break at its end. Another text is not read.
 * G2  `prev` is the hash of the record before; `seq` counts from 1 without gaps.
 * G3  A record speaks of one project, run, gate, round, tree, base, policy and table. It proves nothing of another.
 */
import { hashOf } from "./hash.ts";
import { isId } from "./id.ts";
import { type ProjectPath, projectPath } from "./path.ts";
import { accepts, type Check, fields, listOf, object, orNull, text } from "./state-json.ts";
import { canonical } from "./trust.ts";

/** What a signature is for: one of another namespace is none. */
export const GATE_NAMESPACE = "pawl-gate-v1";
export const GATES_FOLDER = ".alfred/gates";
/** OpenSSH's file of the keys that may sign, tracked by git. */
export const ALLOWED_SIGNERS = projectPath(".alfred/allowed_signers");

export interface GateRecord {
  readonly v: 1;
  /** The project's random id, as pawl.yaml has it. */
  readonly project: string;
  /** `workflow:id` */
  readonly run: string;
  /** `workflow.gate` */
  readonly gate: string;
  /** Which verdict at this gate of the run it is, from 1. */
  readonly round: number;
  readonly verdict: "approve" | "reject";
  /** The move that the verdict is: of the table `machine`, by its rule. */
  readonly machine: string;
  readonly event: string;
  readonly rule: string;
  readonly from: string;
  readonly to: string;
  /** The sha-256 of what was handed in; null: the gate is about the work alone. */
  readonly artifact: string | null;
  /** The id of the work's tree, without Pawl's bookkeeping (`BOOKKEEPING`). */
  readonly tree: string;
  /** The commit that the work was compared with. */
  readonly base_commit: string;
  /** The work's changed files that decide how work is judged, sorted: the person was shown them by name. */
  readonly process_files: readonly string[];
  /** The sha-256 of what governs the run. */
  readonly policy: string;
  /** The sha-256 of the tables that it goes by. */
  readonly workflow: string;
  /** What ran and how it ended. */
  readonly checks: readonly { readonly about: string; readonly verdict: string }[];
  /** The sha-256 of all that Pawl found. */
  readonly evidence: string;
  readonly notes: string;
  /** The run's steps since the record before, the oldest first; its workflow knows their shape. */
  readonly steps: readonly Readonly<Record<string, unknown>>[];
  /** Where the run began: the table's variables. Null in all records but the first. */
  readonly start: Readonly<Record<string, unknown>> | null;
  readonly seq: number;
  /** The sha-256 of the record before; null: this is the first. */
  readonly prev: string | null;
  readonly time: string;
  /** As `.alfred/allowed_signers` names them. */
  readonly signer: string;
}

/** Files of the project that change with every step and are no part of the work that a tree stands for. */
export const BOOKKEEPING: readonly string[] = [".pawl", GATES_FOLDER, ".alfred/records"];

export function gatesFolder(run: string): ProjectPath {
  const [workflow = "", id = ""] = run.split(/:(.*)/s);
  return projectPath(GATES_FOLDER, workflow, id);
}

export function recordName(seq: number): string {
  return String(seq).padStart(4, "0");
}

/** The run and the number that a path below `.alfred/gates` says; null: it is no place for a record or a signature. */
export function placeOfRecord(path: string): { run: string; seq: number; isSignature: boolean } | null {
  const [, workflow, id, seq, end] =
    /^\.alfred\/gates\/([^/]+)\/([^/]+)\/(\d{4,9})\.(json|sig)$/.exec(path) ?? [];
  if (!isId(workflow) || !isId(id) || seq === undefined) return null;
  if (recordName(Number(seq)) !== seq) return null;
  return { run: `${workflow}:${id}`, seq: Number(seq), isSignature: end === "sig" };
}

/** The one text of a record. */
export function renderRecord(record: GateRecord): string {
  return `${JSON.stringify(JSON.parse(canonical(record)), null, 2)}\n`;
}

const hash = accepts(
  (value) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value),
  "a sha-256 in hexadecimal",
);
const object_id = accepts(
  (value) => typeof value === "string" && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value),
  "the id of a git object",
);
const count = accepts((value) => Number.isSafeInteger(value) && Number(value) > 0, "a whole number from 1");
const line = accepts(
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  (value) => typeof value === "string" && value !== "" && !/[\u0000-\u001f\u007f]/.test(value),
  "a text of one line",
);

const FIELDS: Readonly<Record<keyof GateRecord, Check<unknown>>> = {
  v: accepts((value) => value === 1, "1"),
  project: line,
  run: line,
  gate: line,
  round: count,
  verdict: accepts((value) => value === "approve" || value === "reject", "approve or reject"),
  machine: text,
  event: text,
  rule: text,
  from: text,
  to: text,
  artifact: orNull(hash),
  tree: object_id,
  base_commit: object_id,
  process_files: listOf(text),
  policy: hash,
  workflow: hash,
  checks: listOf(fields({ about: text, verdict: text })),
  evidence: hash,
  notes: text,
  steps: listOf(object),
  start: orNull(object),
  seq: count,
  prev: orNull(hash),
  time: accepts(
    (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
    "a time",
  ),
  signer: line,
};
const RECORD = fields(FIELDS);

/** The record of a text, or in a few words why it is none. */
export function parseRecord(json: string): GateRecord | string {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return "it is no JSON";
  }
  const fault = RECORD(value, []);
  if (fault) return `${fault.at.join(".")}: ${fault.problem}`;
  const unknown = Object.keys(value as object).find((key) => !Object.hasOwn(FIELDS, key));
  if (unknown !== undefined) return `it has a field that no record has: ${JSON.stringify(unknown)}`;
  const record = value as GateRecord;
  return renderRecord(record) === json ? record : "it is not in its canonical form";
}

/** What a signed record is known by: the person types its first eight digits, and the next record is made on it. */
export function hashOfRecord(json: string): Promise<string> {
  return hashOf(json);
}

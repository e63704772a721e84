/**
 * The record that a person signs at a gate: `.alfred/gates/<workflow>/<run>/<seq>.json`, with its signature
 * beside it. It holds hashes and ids, and the steps that the run took since the previous gate, so the files
 * alone are enough to replay the run.
 *
 * G1  A record has exactly one text: JSON with sorted keys and one line break at its end. Any other text is
 *     rejected.
 * G2  `prev` is the hash of the previous record; `seq` counts from 1 without gaps.
 * G3  A record belongs to one project, run, gate, round, tree, base, policy and table. It proves nothing
 *     about another.
 */
import { hashOf } from "./hash.ts";
import { isId, isObjectId } from "./id.ts";
import { canonical } from "./json.ts";
import { type ProjectPath, projectPath } from "./path.ts";
import { accepts, type Check, fields, listOf, object, orNull, sha256, text } from "./state-json.ts";

/** The purpose of a signature. A signature with another namespace does not count. */
export const GATE_NAMESPACE = "pawl-gate-v1";
export const GATES_FOLDER = ".alfred/gates";
/** The keys that may sign, in OpenSSH's format. Git tracks this file. */
export const ALLOWED_SIGNERS = projectPath(".alfred/allowed_signers");

export interface GateRecord {
  readonly v: 1;
  /** The project's random id from pawl.yaml. */
  readonly project: string;
  /** `workflow:id` */
  readonly run: string;
  /** `workflow.gate` */
  readonly gate: string;
  /** The number of this verdict at this gate of the run, from 1. */
  readonly round: number;
  readonly verdict: "approve" | "reject";
  /** The move that the verdict made: the rule, and its table `machine`. */
  readonly machine: string;
  readonly event: string;
  readonly rule: string;
  readonly from: string;
  readonly to: string;
  /** The sha-256 of the artifact; null if the gate is about the work alone. */
  readonly artifact: string | null;
  /** The id of the work's tree, without Pawl's bookkeeping (`BOOKKEEPING`). */
  readonly tree: string;
  /** The commit that the work was compared with. */
  readonly base_commit: string;
  /** The changed files that decide how work is judged, sorted. The person saw them by name. */
  readonly process_files: readonly string[];
  /** The sha-256 of the run's policy. */
  readonly policy: string;
  /** The sha-256 of the workflow's tables. */
  readonly workflow: string;
  /** The checks that ran, with their results. */
  readonly checks: readonly { readonly about: string; readonly verdict: string }[];
  /** The sha-256 of all the evidence. */
  readonly evidence: string;
  readonly notes: string;
  /** The steps of the run's log since the previous record, oldest first. */
  readonly steps: readonly Readonly<Record<string, unknown>>[];
  /** The table's variables when the run began. Null in every record except the first. */
  readonly start: Readonly<Record<string, unknown>> | null;
  readonly seq: number;
  /** The sha-256 of the previous record; null for the first. */
  readonly prev: string | null;
  readonly time: string;
  /** The signer's name in `.alfred/allowed_signers`. */
  readonly signer: string;
}

/** Files of the project that change with every step. A tree of the work does not include them. */
export const BOOKKEEPING: readonly string[] = [".pawl", GATES_FOLDER, ".alfred/records"];

export function isBookkeeping(path: string): boolean {
  return BOOKKEEPING.some((kept) => path === kept || path.startsWith(`${kept}/`));
}

export function gatesFolder(run: string): ProjectPath {
  const [workflow = "", id = ""] = run.split(/:(.*)/s);
  return projectPath(GATES_FOLDER, workflow, id);
}

export function recordName(seq: number): string {
  return String(seq).padStart(4, "0");
}

/** The path of the record or of its signature. */
export function recordPath(run: string, seq: number, end: "json" | "sig"): ProjectPath {
  return projectPath(gatesFolder(run), `${recordName(seq)}.${end}`);
}

/**
 * The run and the number in a path below `.alfred/gates`; null if no record or signature may be at that path.
 */
export function placeOfRecord(path: string): { run: string; seq: number; isSignature: boolean } | null {
  const [, workflow, id, seq, end] =
    /^\.alfred\/gates\/([^/]+)\/([^/]+)\/(\d{4,9})\.(json|sig)$/.exec(path) ?? [];
  if (!isId(workflow) || !isId(id) || seq === undefined) return null;
  if (recordName(Number(seq)) !== seq) return null;
  return { run: `${workflow}:${id}`, seq: Number(seq), isSignature: end === "sig" };
}

/** Renders the one valid text of a record. */
export function renderRecord(record: GateRecord): string {
  return `${JSON.stringify(JSON.parse(canonical(record)), null, 2)}\n`;
}

const object_id = accepts(
  (value) => typeof value === "string" && isObjectId(value),
  "the id of a git object",
);
const count = accepts((value) => Number.isSafeInteger(value) && Number(value) > 0, "a whole number from 1");
const line = accepts(
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  (value) => typeof value === "string" && value !== "" && !/[\u0000-\u001f\u007f]/.test(value),
  "a string of one line",
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
  artifact: orNull(sha256),
  tree: object_id,
  base_commit: object_id,
  process_files: listOf(text),
  policy: sha256,
  workflow: sha256,
  checks: listOf(fields({ about: text, verdict: text })),
  evidence: sha256,
  notes: text,
  steps: listOf(object),
  start: orNull(object),
  seq: count,
  prev: orNull(sha256),
  time: accepts(
    (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
    "a time",
  ),
  signer: line,
};
const RECORD = fields(FIELDS);

/** Parses a record. Returns a few words if the text is not one. */
export function parseRecord(json: string): GateRecord | string {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return "it is not valid JSON";
  }
  const fault = RECORD(value, []);
  if (fault) return `${fault.at.join(".")}: ${fault.problem}`;
  const unknown = Object.keys(value as object).find((key) => !Object.hasOwn(FIELDS, key));
  if (unknown !== undefined) return `it has an unknown field: ${JSON.stringify(unknown)}`;
  const record = value as GateRecord;
  return renderRecord(record) === json ? record : "it is not in its canonical form";
}

/** Identifies a signed record: the person types its first eight digits, and the next record refers to it. */
export function hashOfRecord(json: string): string {
  return hashOf(json);
}

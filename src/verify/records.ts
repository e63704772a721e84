/**
 * Checks the gate records that a range adds, by the rules of its base.
 *
 * V1  Signers, project, policy and tables come from the base. HEAD only contains the records.
 * V2  For a record that the base already has, the base's version counts: the range may add records, never
 *     change or remove one.
 * V3  A record with a fault covers nothing.
 */
import {
  ALLOWED_SIGNERS,
  GATES_FOLDER,
  type GateRecord,
  hashOfRecord,
  parseRecord,
  placeOfRecord,
  recordPath,
} from "../core/gate-record.ts";
import type { RangeHistory } from "../core/ports/history.ts";
import type { Signatures } from "../core/ports/signatures.ts";
import type { View } from "../core/ports/store.ts";
import type { Settings } from "../core/settings.ts";
import { strengthOfSignature } from "../core/ssh-signature.ts";
import { isSignedLevel, isStrongEnough, levelOf, type Strength } from "../core/strength.ts";
import type { GateProof } from "../runtime/module.ts";
import type { Fault, Rule } from "./report.ts";

export interface Base {
  readonly settings: Settings;
  /** Null: the base has no such workflow. */
  proof(workflow: string): Promise<GateProof | null>;
}

interface ParsedRecord {
  readonly seq: number;
  readonly path: string;
  readonly text: string;
  readonly record: GateRecord;
}

export interface FoundRecord extends ParsedRecord {
  readonly strength: Strength;
  /** The base does not have the record. */
  readonly isNew: boolean;
  /** After this record, the run can reach its goal without another signed gate. */
  readonly isFinal: boolean;
  readonly isSound: boolean;
}

export interface FoundRun {
  readonly run: string;
  /** In order. */
  readonly records: readonly FoundRecord[];
}

export interface JudgedRecords {
  readonly runs: readonly FoundRun[];
  readonly faults: readonly Fault[];
}

interface RecordsContext {
  readonly history: RangeHistory;
  readonly base: Base;
  readonly signatures: Signatures;
  /** The base's file of allowed signers. */
  readonly allowed: string;
  readonly head: View;
}

export async function judgeRecords(
  history: RangeHistory,
  base: Base,
  signatures: Signatures,
): Promise<JudgedRecords> {
  const [before, now] = await Promise.all(
    [history.base, history.head].map((commit) => history.list(commit, GATES_FOLDER)),
  );
  const knownBefore = new Set(before);
  const allowed = (await history.view(history.base).read(ALLOWED_SIGNERS)) ?? "";
  const context = { history, base, signatures, allowed, head: history.view(history.head) };
  const faults: Fault[] = [...changedFaults(history)];
  const touched = new Set<string>();
  const records = new Map<string, number[]>();
  for (const path of now ?? []) {
    const at = placeOfRecord(path);
    if (at === null) {
      faults.push(fault("record-form", path, "is not a valid path for a gate record"));
      continue;
    }
    if (!knownBefore.has(path)) touched.add(at.run);
    const seqs = records.get(at.run) ?? [];
    if (!at.isSignature) seqs.push(at.seq);
    records.set(at.run, seqs);
  }
  const runs: FoundRun[] = [];
  for (const run of touched) {
    const seqs = (records.get(run) ?? []).sort((one, other) => one - other);
    const judged = await judgeRun(context, run, seqs, knownBefore);
    faults.push(...judged.faults);
    runs.push({ run, records: judged.records });
  }
  return { runs, faults };
}

function fault(rule: Rule, path: string, what: string): Fault {
  return { rule, path, message: `${path} ${what}.` };
}

/** Records are only ever added, including those of finished tools. */
function changedFaults({ commits }: RangeHistory): readonly Fault[] {
  const kept = [`${GATES_FOLDER}/`, ".alfred/records/"];
  return commits.flatMap(({ changes, id }) =>
    changes
      .filter(({ path, what }) => what !== "added" && kept.some((folder) => path.startsWith(folder)))
      .map(({ path, what }) => ({
        ...fault("record-changed", path, `is ${what} by the commit ${id.slice(0, 12)}`),
        commit: id,
      })),
  );
}

async function judgeRun(
  context: RecordsContext,
  run: string,
  seqs: readonly number[],
  knownBefore: ReadonlySet<string>,
) {
  const faults: Fault[] = [];
  const read: ParsedRecord[] = [];
  // A run with signatures alone lacks its first record.
  const missing = seqs.length === 0 ? 0 : seqs.findIndex((seq, index) => seq !== index + 1);
  if (missing >= 0)
    faults.push(
      fault(
        "record-missing",
        recordPath(run, missing + 1, "json"),
        "is missing, although the run continues after it",
      ),
    );
  const texts = await Promise.all(
    seqs.map(async (seq) => [seq, await context.head.read(recordPath(run, seq, "json"))] as const),
  );
  for (const [seq, text] of texts) {
    const path = recordPath(run, seq, "json");
    const record = parseRecord(text ?? "");
    if (typeof record === "string")
      faults.push(fault("record-form", path, `is not a gate record: ${record}`));
    else read.push({ seq, path, text: text ?? "", record });
  }
  if (faults.length > 0) return { faults, records: [] };
  const added = read.filter(({ path }) => !knownBefore.has(path));
  const addedFaults = await Promise.all(added.map((each) => recordFaults(context, run, each)));
  const chain = await chainFaults(read);
  const replay = await replayFaults(context, read, added.length);
  const all = [...addedFaults.flat(), ...chain, ...replay.faults];
  const isSound = (path: string) =>
    chain.length === 0 && replay.faults.length === 0 && !all.some((each) => each.path === path);
  const strengths = await Promise.all(read.map(({ record }) => strengthOf(context, record)));
  return {
    faults: all,
    records: read.map((each, index) => ({
      ...each,
      strength: strengths[index] ?? "signed",
      isNew: !knownBefore.has(each.path),
      isFinal: replay.isFinal[index] ?? false,
      isSound: isSound(each.path),
    })),
  };
}

async function strengthOf({ head }: RecordsContext, { run, seq }: GateRecord): Promise<Strength> {
  return strengthOfSignature((await head.read(recordPath(run, seq, "sig"))) ?? "");
}

/** Checks one record: its run, its rules, and its signer. */
async function recordFaults(
  context: RecordsContext,
  run: string,
  { path, record, seq, text }: ParsedRecord,
): Promise<readonly Fault[]> {
  const { allowed, base, head, signatures } = context;
  const { settings } = base;
  const [workflow = ""] = run.split(":");
  const proof = await base.proof(workflow);
  const faults: Fault[] = [];
  const addFault = (rule: Rule, what: string) => faults.push(fault(rule, path, what));
  if (record.run !== run || record.seq !== seq)
    addFault("record-form", `is the record ${record.seq} of ${record.run}`);
  if (record.project !== settings.project_id)
    addFault(
      "record-project",
      `is of the project ${record.project}, not of this one (${settings.project_id})`,
    );
  if (!record.gate.startsWith(`${workflow}.`)) addFault("record-form", `is of the gate ${record.gate}`);
  if (proof === null)
    addFault("record-workflow", `is of the workflow ${workflow}, which the base does not have`);
  else {
    if (!proof.tables.includes(record.workflow))
      addFault("record-workflow", `uses other tables of ${workflow} than the base has`);
    const policy = proof.policy(settings);
    if (record.policy !== policy)
      addFault(
        "record-policy",
        `uses another policy than the base's (${record.policy.slice(0, 12)}, not ${policy.slice(0, 12)})`,
      );
  }
  const signature = (await head.read(recordPath(run, seq, "sig"))) ?? "";
  const { signer: principal, time } = record;
  const wrong = await signatures.verify({ text, signature, principal, allowed, time });
  if (wrong !== null)
    addFault(
      "record-signature",
      `has no valid signature of ${principal} under the base's ${ALLOWED_SIGNERS}: ${wrong}`,
    );
  const level = levelOf(settings.gates, record.gate);
  const strength = strengthOfSignature(signature);
  if (isSignedLevel(level) && !isStrongEnough(strength, level))
    addFault("record-strength", `is ${strength}; the gate ${record.gate} requires ${level}`);
  return faults;
}

/** Checks that each record refers to the one before. */
async function chainFaults(read: readonly ParsedRecord[]): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for (const [index, { path, record }] of read.entries()) {
    const before = read[index - 1];
    const prev = before ? hashOfRecord(before.text) : null;
    if (record.prev !== prev)
      faults.push(fault("record-chain", path, "does not refer to the record before it"));
    if (before && before.record.time > record.time)
      faults.push(fault("record-chain", path, "is older than the record before it"));
    const round = read.slice(0, index).filter((each) => each.record.gate === record.gate).length + 1;
    if (record.round !== round)
      faults.push(
        fault(
          "record-chain",
          path,
          `says that it is round ${record.round} at ${record.gate}, and is round ${round}`,
        ),
      );
    if (!before && record.start === null)
      faults.push(fault("record-chain", path, "does not say where the run began"));
  }
  return faults;
}

/**
 * Replays the steps of every life of a run with a new record, by the base's tables, and compares artifacts
 * with those in git.
 */
async function replayFaults({ base, head }: RecordsContext, read: readonly ParsedRecord[], added: number) {
  const [{ record: { run = "" } = {} } = {}] = read as readonly Partial<ParsedRecord>[];
  const [workflow = "", id = ""] = run.split(/:(.*)/s);
  const proof = await base.proof(workflow);
  const none = { faults: [] as Fault[], isFinal: read.map(() => false) };
  if (proof === null) return none;
  const begins = read.findLastIndex(
    ({ record }, index) => record.start !== null && index <= read.length - added,
  );
  const lives: ParsedRecord[][] = [];
  for (const [index, each] of read.entries()) {
    if (index < Math.max(0, begins)) continue;
    if (each.record.start !== null || lives.length === 0) lives.push([]);
    lives.at(-1)?.push(each);
  }
  const faults: Fault[] = [];
  const isFinal: boolean[] = read.slice(0, Math.max(0, begins)).map(() => false);
  for (const life of lives) {
    const replayed = await proof.replay(
      life.map(({ record }) => record),
      base.settings,
    );
    const { path = "" } = life.at(-1) ?? {};
    faults.push(
      ...replayed.faults.map((each) =>
        fault("record-steps", path, `does not follow from its steps: ${each}`),
      ),
    );
    isFinal.push(...replayed.isFinal);
  }
  faults.push(...(await artifactFaults(proof, head, base, read, id)));
  return { faults, isFinal };
}

/** Checks that the artifacts in git are those that a person approved at a signed gate. */
async function artifactFaults(
  proof: GateProof,
  head: View,
  { settings }: Base,
  read: readonly ParsedRecord[],
  id: string,
): Promise<readonly Fault[]> {
  const path = read.at(-1)?.path ?? "";
  try {
    const tracked = await proof.artifacts(head, id);
    const approved = read.filter(({ record }) => record.verdict === "approve");
    return tracked
      .filter(({ gate }) => isSignedLevel(levelOf(settings.gates, gate)))
      .filter(
        ({ gate, sha256 }) =>
          !approved.some(({ record }) => record.gate === gate && record.artifact === sha256),
      )
      .map(({ gate, sha256 }) =>
        fault(
          "record-artifact",
          path,
          `approves another artifact at ${gate} than git has (${sha256.slice(0, 12)})`,
        ),
      );
  } catch (thrown) {
    return [
      fault(
        "record-artifact",
        path,
        `has artifacts that cannot be read: ${thrown instanceof Error ? thrown.message : thrown}`,
      ),
    ];
  }
}

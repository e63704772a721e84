/**
 * A person's verdict at the commit: whether it is strong enough for its gate, and the record of a signed one.
 * The one place for every workflow.
 *
 * S1  A gate requires the stricter of the files' level and the one pinned when the run began.
 * S2  A record is made again for the commit, and must match the signed one to the letter: if tree, base,
 *     artifact, evidence, policy, steps or an earlier record have changed meanwhile, the person is asked
 *     again.
 * S3  A signature is verified before the commit; record and signature are in the commit of the move.
 */
import { PawlError } from "../../core/error.ts";
import type { Caller, RunAdvanced } from "../../core/event.ts";
import {
  ALLOWED_SIGNERS,
  BOOKKEEPING,
  type GateRecord,
  gatesFolder,
  hashOfRecord,
  parseRecord,
  recordName,
  recordPath,
  renderRecord,
} from "../../core/gate-record.ts";
import { hashOf } from "../../core/hash.ts";
import { canonical } from "../../core/json.ts";
import { projectPath } from "../../core/path.ts";
import type { Outside } from "../../core/ports/outside.ts";
import type { SignatureOrder } from "../../core/ports/signatures.ts";
import type { Change, View } from "../../core/ports/store.ts";
import { judgingFiles } from "../../core/process-files.ts";
import type { Settings } from "../../core/settings.ts";
import { type GateLevel, isSignedLevel, isStrongEnough, levelOf, stricter } from "../../core/strength.ts";
import { wholeLogFaults } from "../run-log/accept.ts";
import { kindOf, type Runs } from "../run-log/kind.ts";
import { loadSteps } from "../run-log/read.ts";
import type { Step } from "../run-log/step.ts";
import { atDeviceGate } from "./device-gate.ts";
import { isPersonHere } from "./person.ts";
import { askedIn, type Context, type Proposal, type SignedRecord, type Verdict } from "./transaction.ts";

export interface GateContext extends Pick<Context, "caller" | "answered"> {
  readonly settings: Settings;
  readonly view: View;
  readonly outside: Outside;
  readonly time: string;
  /** The run to lock. */
  readonly lock: string | null;
  /** The run's kind, if its steps are in its log. */
  readonly runs?: Runs | undefined;
}

/** Proposes once more, as if the question had been answered this way. */
type Again<R> = (withSigning: Pick<Context, "caller" | "answered">) => Promise<Proposal<R>>;

/** The proposal ready to commit, or the question instead. Throws `verdict-too-weak` and errors of signing. */
export async function atGate<R>(
  proposal: Proposal<R>,
  gate: GateContext,
  again: Again<R>,
): Promise<Proposal<R>> {
  if (gate.caller.device !== undefined)
    return atDeviceGate(proposal, gate, {
      foresee: (to) => again({ caller: gate.caller, answered: { to } }),
      level: (verdict) => levelAt(verdict, gate),
    });
  if (proposal.ask) return withSigning(proposal, gate, again);
  const { verdict } = proposal;
  if (!verdict) return proposal;
  const level = await levelAt(verdict, gate);
  const signed = typeof gate.answered === "object" ? gate.answered.signed : undefined;
  if (!isSignedLevel(level) && !signed) {
    checkStrength(verdict, level);
    return proposal;
  }
  if (!signed) {
    if (!isPersonHere(gate)) throw weakVerdictError(verdict, level);
    return { ...proposal, ask: { message: messageOf(gate), sign: await toSign(proposal, verdict, gate) } };
  }
  const record = parseRecord(signed.record);
  const present = typeof record === "string" ? null : await recordOf(proposal, verdict, gate, record);
  if (present !== signed.record)
    return { ...proposal, ask: { message: messageOf(gate), sign: await toSign(proposal, verdict, gate) } };
  await checkSignature(signed, record as GateRecord, gate);
  checkStrength(verdict, level);
  return {
    ...proposal,
    changes: [...(proposal.changes ?? []), ...recordChanges(record as GateRecord, signed)],
  };
}

/** The question that the person was just asked. */
function messageOf({ answered }: GateContext): string {
  return typeof answered === "object" ? answered.to.message : "";
}

/** Changes the question if a yes is not enough: shows what to sign instead, or where that is possible. */
async function withSigning<R>(
  proposal: Proposal<R>,
  gate: GateContext,
  again: Again<R>,
): Promise<Proposal<R>> {
  const { ask } = proposal;
  if (!ask || !(await asksMuch(gate))) return proposal;
  const isHere = isPersonHere(gate);
  const caller: Caller = isHere ? gate.caller : { ...gate.caller, channel: "elicitation" };
  const foreseen = await again({ caller, answered: { to: askedIn(ask) } });
  if (!foreseen.verdict) return proposal;
  const level = await levelAt(foreseen.verdict, gate);
  if (!isHere) checkStrength(foreseen.verdict, level);
  if (!isHere || !isSignedLevel(level)) return proposal;
  return { ...proposal, ask: { ...ask, sign: await toSign(foreseen, foreseen.verdict, gate) } };
}

/** Whether any gate may require more than a yes from any caller. If not, one proposal is enough. */
async function asksMuch({ lock, outside, settings }: GateContext): Promise<boolean> {
  if (Object.values(settings.gates).some((level) => level !== "any")) return true;
  const pinned = lock === null ? [] : await pinnedFor(lock, outside);
  return pinned.some((policy) => Object.keys(policy ?? {}).some((path) => path.startsWith("gates.")));
}

/** The pinned policies of the run, and of all runs of its workflow. */
function pinnedFor(run: string, { policies }: Outside) {
  const [workflow = ""] = run.split(":");
  return Promise.all([run, workflow].map(async (name) => (await policies?.find(name)) ?? null));
}

/** The required strength of a verdict at the gate: the stricter of the files' level and the pinned one. */
export async function levelAt(
  { gate, run }: Pick<Verdict, "gate" | "run">,
  { outside, settings }: Pick<GateContext, "outside" | "settings">,
): Promise<GateLevel> {
  const pinned = await pinnedFor(run, outside);
  const levels = pinned.map((policy) => policy?.[`gates.${gate}`] as GateLevel | undefined);
  return levels.reduce<GateLevel>(
    (level, each) => stricter(level, each ?? "any"),
    levelOf(settings.gates, gate),
  );
}

function checkStrength(verdict: Verdict, level: GateLevel): void {
  if (!isStrongEnough(verdict.strength, level)) throw weakVerdictError(verdict, level);
}

const WANTED: Readonly<Record<GateLevel, string>> = {
  any: "any",
  terminal: "one given at a terminal or on the board",
  signed: "one signed with an allowed key",
  touch: "one signed with a hardware key that is touched",
};

function weakVerdictError({ approve, gate, run, strength }: Verdict, level: GateLevel): PawlError {
  return new PawlError(
    "verdict-too-weak",
    `The gate ${gate} of ${run} wants a stronger verdict (\`gates\`: ${level}): expected ${WANTED[level]}, found one that is ${strength}. Nothing was changed.`,
    `A person runs \`pawl ${approve ? "approve" : "reject"} ${run}\` in a terminal${level === "touch" ? ", with a hardware key (`pawl keys add`)" : ""}.`,
  );
}

// ── The record ───────────────────────────────────────────────────────────────────────────────────────────────────

async function toSign<R>(proposal: Proposal<R>, verdict: Verdict, gate: GateContext) {
  const { signatures } = gate.outside;
  if (!signatures) throw unsignableGateError(verdict, "this program has no signatures");
  const { principal } = await signatures.signer();
  const record = await recordOf(proposal, verdict, gate, { signer: principal, time: gate.time });
  const { base_commit, process_files, tree } = JSON.parse(record) as GateRecord;
  const files = process_files.length === 0 ? "none" : process_files.join(", ");
  const words = [
    `You sign, as ${principal}:`,
    `- ${verdict.gate} of ${verdict.run}: ${verdict.approve ? "approve" : "reject"}`,
    `- the tree ${tree}, against the commit ${base_commit}`,
    `- changed files that decide how the work is judged: ${files}`,
  ].join("\n");
  return { record, hash: hashOfRecord(record), words };
}

/** The text of this verdict's record, from the present state of everything. */
async function recordOf<R>(
  proposal: Proposal<R>,
  verdict: Verdict,
  context: GateContext,
  { signer, time }: Pick<GateRecord, "signer" | "time">,
): Promise<string> {
  const { settings } = context;
  const move = proposal.events?.find(
    (event): event is RunAdvanced & { id: string; time: string } =>
      event.type === "run:advanced" && event.run === verdict.run,
  );
  if (!move) throw unsignableGateError(verdict, "it moves nothing");
  if (settings.project_id === null) throw unsignableGateError(verdict, "pawl.yaml has no project_id");
  const earlier = await loadEarlier(context, verdict);
  const life = earlier.slice(
    Math.max(
      0,
      earlier.findLastIndex(({ record }) => record.start !== null),
    ),
  );
  const knownSteps = life.flatMap(({ record }) => record.steps);
  const steps = await loadProvenSteps(context, verdict);
  const continues =
    knownSteps.every((step, at) => canonical(step) === canonical(steps[at])) && life.length > 0;
  const last = earlier.at(-1);
  const { approve, artifact, evidence, gate, notes, policy, run, workflow } = verdict;
  return renderRecord({
    v: 1,
    project: settings.project_id,
    ...{ run, gate, artifact, policy, workflow, notes, signer, time },
    round: earlier.filter(({ record }) => record.gate === gate).length + 1,
    verdict: approve ? "approve" : "reject",
    ...{ machine: move.machine, event: move.event, rule: move.row, from: move.from, to: move.to },
    ...(await workOf(verdict, context)),
    checks: evidence.map(({ about, verdict: found }) => ({ about, verdict: found })),
    evidence: hashOf(canonical(evidence)),
    steps: (continues ? steps.slice(knownSteps.length) : steps) as unknown as GateRecord["steps"],
    start: continues ? null : (steps[0]?.set ?? {}),
    seq: earlier.length + 1,
    prev: last ? hashOfRecord(last.text) : null,
  });
}

/** The steps of the run's log, all of which is checked: a move trusts its last line alone. */
async function loadProvenSteps({ runs, view }: GateContext, verdict: Verdict): Promise<readonly Step[]> {
  const kind = runs && (await kindOf(runs, view, verdict.run));
  const faults = kind ? await wholeLogFaults(view, kind, verdict.run) : ["it has no log"];
  if (faults.length > 0) throw unsignableGateError(verdict, `the steps of the run: ${faults.join("; ")}`);
  return loadSteps(view, verdict.run);
}

interface Earlier {
  readonly text: string;
  readonly record: GateRecord;
}

/** The run's records, in order. */
async function loadEarlier(gate: GateContext, verdict: Verdict): Promise<readonly Earlier[]> {
  const { view } = gate;
  const folder = gatesFolder(verdict.run);
  const names = (await view.list(folder)).filter(({ name }) => name.endsWith(".json"));
  const records: Earlier[] = [];
  for (const { name } of names) {
    const path = projectPath(folder, name);
    const text = (await view.read(path)) ?? "";
    const record = parseRecord(text);
    if (typeof record === "string")
      throw unsignableGateError(verdict, `${path} is not a gate record: ${record}`);
    if (name !== `${recordName(records.length + 1)}.json`)
      throw unsignableGateError(verdict, `${folder} lacks the record ${recordName(records.length + 1)}.json`);
    records.push({ text, record });
  }
  const faults = await Promise.all(records.map(async (each) => earlierFault(gate, each)));
  const at = faults.findIndex((fault) => fault !== null);
  if (at >= 0)
    throw unsignableGateError(
      verdict,
      `${folder}/${recordName(at + 1)}.json is not what was signed: ${faults[at]}`,
    );
  return records;
}

async function workOf(
  verdict: Verdict,
  { outside: { git }, settings }: GateContext,
): Promise<Pick<GateRecord, "tree" | "base_commit" | "process_files">> {
  const { work } = verdict;
  if (work.in === "elsewhere") throw unsignableGateError(verdict, work.reason);
  if (work.in === "commit") {
    const committed = await git.committed?.({ ...work, own: BOOKKEEPING });
    if (committed?.kind !== "tree")
      throw unsignableGateError(verdict, committed?.reason ?? "this git port gives no tree of a commit");
    const { base: base_commit, files, tree } = committed;
    return { tree, base_commit, process_files: judgingFiles(files, settings.workflows) };
  }
  const snapshot = await git.snapshot({ base: work.base, own: BOOKKEEPING });
  if (snapshot.kind !== "tree")
    throw unsignableGateError(
      verdict,
      snapshot.kind === "unavailable" ? snapshot.reason : "the project is in no git repository",
    );
  if (snapshot.base === null)
    throw unsignableGateError(verdict, "there is no base branch (main, master) to compare with");
  const paths = snapshot.files.map(({ path }) => path);
  return {
    tree: snapshot.tree,
    base_commit: snapshot.base.commit,
    process_files: judgingFiles(paths, settings.workflows),
  };
}

function unsignableGateError({ gate, run }: Verdict, why: string): PawlError {
  return new PawlError(
    "gate-unsignable",
    `The gate ${gate} of ${run} wants a signed verdict, but nothing can be signed: ${why}. Nothing was changed.`,
    "Fix that, then give your verdict again; `pawl keys add` makes a project ready for signed gates.",
  );
}

async function earlierFault(gate: GateContext, { record, text }: Earlier): Promise<string | null> {
  const signature = (await gate.view.read(recordPath(record.run, record.seq, "sig"))) ?? "";
  return signatureFault(gate, { text, signature, principal: record.signer, time: record.time });
}

async function signatureFault(
  { outside: { signatures }, view }: GateContext,
  order: Omit<SignatureOrder, "allowed">,
): Promise<string | null> {
  const allowed = (await view.read(ALLOWED_SIGNERS)) ?? "";
  return signatures ? signatures.verify({ ...order, allowed }) : "this program cannot verify it";
}

async function checkSignature(
  { record, signature }: SignedRecord,
  { signer, time }: GateRecord,
  gate: GateContext,
) {
  const fault = await signatureFault(gate, { text: record, signature, principal: signer, time });
  if (fault === null) return;
  throw new PawlError(
    "signature-failed",
    `The signature of ${signer} does not count by ${ALLOWED_SIGNERS}: ${fault}. Nothing was changed.`,
    "Run `pawl keys list`; `pawl keys add` names your key there, for a reviewer to see.",
  );
}

function recordChanges({ run, seq }: GateRecord, { record, signature }: SignedRecord): readonly Change[] {
  return [
    { type: "write", path: recordPath(run, seq, "json"), text: record },
    { type: "write", path: recordPath(run, seq, "sig"), text: signature },
  ];
}

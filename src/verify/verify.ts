/**
 * Decides whether everything in a range of commits was approved, by the rules of its base. Pure: all input
 * comes through ports, and the result depends only on the repository's objects.
 */
import { PawlError } from "../core/error.ts";
import type { RangeHistory } from "../core/ports/history.ts";
import type { Signatures } from "../core/ports/signatures.ts";
import type { Settings } from "../core/settings.ts";
import { object } from "../core/state-json.ts";
import { isSignedLevel } from "../core/strength.ts";
import { loadBranches } from "../runtime/run-log/log-records.ts";
import {
  forkedWords,
  isRecord,
  RECORDS,
  recordsFolder,
  runOfRecord,
} from "../runtime/run-log/team-records.ts";
import { coverRange } from "./coverage.ts";
import { type Base, type FoundRun, judgeRecords } from "./records.ts";
import type { Fault, Report } from "./report.ts";
import { type Forge, judgeReviews, type Reviewed } from "./reviews.ts";

export async function verifyRange(
  history: RangeHistory,
  base: Base,
  signatures: Signatures,
  forge: Forge | null,
): Promise<Report> {
  const { commits, head, planted } = history;
  const judged = await judgeRecords(history, base, signatures);
  const isReviewed = forge !== null && !wantsSignatures(base.settings);
  const covered = isReviewed
    ? { ...(await reviewed(history, base, forge)), covers: new Map<string, string>() }
    : await signed(history, base, judged.runs, forge);
  const records = judged.runs.flatMap(({ records }) => records.filter(({ isNew }) => isNew));
  return {
    base: history.base,
    head,
    commits: commits.length,
    records: records.map(({ path, record, strength }) => {
      const { gate, run, seq, signer, verdict } = record;
      return { run, gate, seq, verdict, signer, strength, covers: covered.covers.get(path) ?? null };
    }),
    approval: covered.approval,
    faults: [
      ...(isReviewed ? [] : unsignedFaults(base)),
      ...(planted === null
        ? []
        : [{ rule: "pawl-folder" as const, message: `The range is rejected: ${planted}.` }]),
      ...judged.faults,
      ...(await forkedRuns(history)),
      // The reviewer of HEAD saw the records of finished tools, too.
      ...(isReviewed ? [] : await foreignRecords(history, judged.runs)),
      ...covered.faults,
    ],
  };
}

function wantsSignatures({ gates }: Settings): boolean {
  return Object.values(gates).some(isSignedLevel);
}

async function signed(
  history: RangeHistory,
  { settings }: Base,
  runs: readonly FoundRun[],
  forge: Forge | null,
) {
  const { covers, faults } = await coverRange(history, runs, settings);
  const isLacking = forge !== null && faults.some(({ rule }) => rule === "commit-uncovered");
  const message = "The base wants signatures (`gates`): a review on GitHub does not stand for one.";
  const weak: readonly Fault[] = isLacking ? [{ rule: "review-too-weak", path: "pawl.yaml", message }] : [];
  return { covers, approval: null, faults: [...faults, ...weak] };
}

async function reviewed(history: RangeHistory, { settings }: Base, forge: Forge): Promise<Reviewed> {
  if (settings.verify.reviewers.length > 0)
    return history.commits.length === 0
      ? { approval: null, faults: [] }
      : judgeReviews(history, settings, forge);
  const message =
    "The base's pawl.yaml has neither a signed gate (`gates`) nor reviewers (`verify.reviewers`): nothing says who may approve.";
  return { approval: null, faults: [{ rule: "gates-unsigned", path: "pawl.yaml", message }] };
}

/** Nothing can be verified if the base requires no signature. */
function unsignedFaults({ settings }: Base): readonly Fault[] {
  const isAsked = wantsSignatures(settings);
  if (isAsked && settings.project_id !== null) return [];
  const lacks = isAsked ? "no project_id" : "no signed gate (`gates`)";
  return [
    {
      rule: "gates-unsigned",
      path: "pawl.yaml",
      message: `The base's pawl.yaml has ${lacks}: nothing says who may approve.`,
    },
  ];
}

function recordsIn(commits: RangeHistory["commits"]): ReadonlySet<string> {
  const changed = commits.flatMap(({ changes }) => changes.map(({ path }) => path));
  return new Set(changed.filter((path) => path.startsWith(`${RECORDS}/`)));
}

/** Faults of runs that continued on several branches, of which no person has chosen one. */
async function forkedRuns({ commits, head, view }: RangeHistory): Promise<readonly Fault[]> {
  const runs = new Set([...recordsIn(commits)].flatMap((path) => runOfRecord(path) ?? []));
  const faults: Fault[] = [];
  for (const run of runs) {
    const branches = await loadBranches(view(head), run, object, false).catch(noneIfInvalid);
    if (branches.length < 2) continue;
    const message = `${forkedWords(run, branches)}. A person chooses one: \`pawl adopt ${run} --branch BRANCH\`.`;
    faults.push({ rule: "record-branches", path: recordsFolder(run), message });
  }
  return faults;
}

/** Other rules report invalid records. */
function noneIfInvalid(thrown: unknown): readonly never[] {
  if (thrown instanceof PawlError) return [];
  throw thrown;
}

/**
 * Faults of records without their gate. Records are bookkeeping, which no tree includes. Those of Alfred's
 * tasks contain the artifacts from which a clone resumes, so they must come with the gates of their task;
 * those of other runs prove nothing, so they may come at any time.
 */
async function foreignRecords(
  { commits, head, view }: RangeHistory,
  runs: readonly FoundRun[],
): Promise<readonly Fault[]> {
  const approved = new Set(runs.map(({ run }) => run));
  const faults: Fault[] = [];
  for (const path of recordsIn(commits)) {
    const run = runOfRecord(path);
    const needsGate = run?.startsWith("alfred:") === true;
    if (needsGate ? approved.has(run) : await isRecord(view(head), path)) continue;
    const message = `${path} belongs to a task that no gate of the range is about.`;
    faults.push({ rule: "record-artifact", path, message });
  }
  return faults;
}

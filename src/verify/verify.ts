/**
 * Decides whether what a range of commits adds was approved, by the rules of its base. Pure: everything comes through
 * ports, and the answer depends on the repository's objects alone.
 */
import type { RangeHistory } from "../core/ports/history.ts";
import type { Signatures } from "../core/ports/signatures.ts";
import { isSignedLevel } from "../core/strength.ts";
import { coverRange } from "./coverage.ts";
import { type Base, type FoundRun, judgeRecords } from "./records.ts";
import type { Fault, Report } from "./report.ts";

export async function verifyRange(
  history: RangeHistory,
  base: Base,
  signatures: Signatures,
): Promise<Report> {
  const { commits, head, planted } = history;
  const found = await judgeRecords(history, base, signatures);
  const covered = await coverRange(history, found.runs, base.settings);
  const records = found.runs.flatMap(({ records }) => records.filter(({ isNew }) => isNew));
  return {
    base: history.base,
    head,
    commits: commits.length,
    records: records.map(({ path, record, strength }) => {
      const { gate, run, seq, signer, verdict } = record;
      return { run, gate, seq, verdict, signer, strength, covers: covered.covers.get(path) ?? null };
    }),
    faults: [
      ...unsignedFaults(base),
      ...(planted === null
        ? []
        : [{ rule: "pawl-folder" as const, message: `The range is rejected: ${planted}.` }]),
      ...found.faults,
      ...(await strayRecords(history, found.runs)),
      ...covered.faults,
    ],
  };
}

/** Nothing can be verified if the base demands no signature. */
function unsignedFaults({ settings }: Base): readonly Fault[] {
  const isAsked = Object.values(settings.gates).some(isSignedLevel);
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

/** Records of finished tools are bookkeeping, which no tree includes: they come with the gates of their task. */
async function strayRecords({ commits }: RangeHistory, runs: readonly FoundRun[]): Promise<readonly Fault[]> {
  const approved = new Set(runs.map(({ run }) => run));
  const added = new Set(commits.flatMap(({ changes }) => changes.map(({ path }) => path)));
  return [...added].flatMap((path) => {
    const [, id] = /^\.alfred\/records\/([^/]+)\/\d+-[a-z_]+-\d{8}T\d{9}Z\.json$/.exec(path) ?? [];
    if (!path.startsWith(".alfred/records/")) return [];
    if (id !== undefined && approved.has(`alfred:${id}`)) return [];
    return [
      {
        rule: "record-artifact" as const,
        path,
        message: `${path} belongs to a task that no gate of the range is about.`,
      },
    ];
  });
}

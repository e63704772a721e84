/**
 * Gathers what the server observes itself, outside every lock; the findings are stored with the submission.
 */
import type { GitState, Snapshot } from "../../../core/ports/git.ts";
import type { Outside } from "../../../core/ports/outside.ts";
import type { Context } from "../../../runtime/module.ts";
import type { LoadedRun } from "../state/load.ts";
import type { Artifact, Submission } from "../state/state-file.ts";
import type { ArtifactOf } from "../tools/artifacts.ts";
import type { EvidenceKind, WorkStep } from "../tools/definition.ts";
import { type AskCheck, refreshChecks, runChecks, storedOutcomes } from "./check-evidence.ts";
import { findDiff } from "./diff-evidence.ts";
import type { Evidence, Finding } from "./evidence.ts";
import { branchFinding, commitFinding, statusFinding } from "./git-evidence.ts";
import { affectedFinding, designFinding, slotFindings, subtaskFinding } from "./plan-evidence.ts";
import { changedIn, changedSince, inspectWork, warningsOf } from "./work-evidence.ts";

interface GatherContext {
  readonly run: LoadedRun;
  readonly artifact: Artifact;
  readonly outside: Outside;
  readonly context: Context;
  /** The present work; absent if the step does not concern it. */
  readonly work?: Snapshot;
}

type Gatherer = (context: GatherContext) => Promise<readonly Finding[]>;

const withGit =
  (find: (artifact: Artifact, git: GitState, id: string) => Finding): Gatherer =>
  async ({ artifact, outside, run }) => [find(artifact, await outside.git.state(), run.id)];

const GATHERERS: Readonly<Record<EvidenceKind, Gatherer>> = {
  "git-status": withGit((artifact, git) => statusFinding(artifact as ArtifactOf<"GitStatusArtifact">, git)),
  "git-branch": withGit((artifact, git, id) =>
    branchFinding(artifact as ArtifactOf<"BranchCreationArtifact">, git, id),
  ),
  commit: withGit((artifact, git) => commitFinding(artifact as ArtifactOf<"FinalizeArtifact">, git)),
  "affected-files": ({ artifact, outside }) =>
    affectedFinding(artifact as ArtifactOf<"ContextAnalysisArtifact">, outside.files),
  "designed-files": ({ artifact, outside }) =>
    designFinding(artifact as ArtifactOf<"DesignArtifact">, outside.files),
  slots: ({ artifact, outside, run }) =>
    slotFindings(run, artifact as ArtifactOf<"ExecutionPlanArtifact">, outside.files),
  subtasks: async ({ artifact, run }) =>
    subtaskFinding(run, artifact as ArtifactOf<"ImplementationManifestArtifact">),
  diff: async ({ context, run, work = NO_WORK }) => [findDiff(run, work, changedIn(work, context))],
  checks: async ({ context, outside, run, work = NO_WORK }) => {
    const { checks, checks_in } = context.settings.alfred;
    const tree = work.kind === "tree" && checks_in === "checkout" ? work.tree : null;
    const checkFindings = await runChecks(checks, `${run.id}-${context.now.id}`, { tree }, outside.checks);
    return tree === null && work.kind === "tree" && checkFindings.length > 0
      ? [IN_WORKTREE, ...checkFindings]
      : checkFindings;
  },
};

const NO_WORK: Snapshot = { kind: "not-a-repository" };
const IN_WORKTREE: Finding = {
  about: "checks",
  verdict: "unknown",
  words:
    "The checks run in the working folder (checks_in: worktree): files that git ignores, and whoever writes there meanwhile, can change how they end.",
};
/** These kinds concern the work itself, so its tree is stored with the submission and observed again. */
const OF_WORK: readonly EvidenceKind[] = ["diff", "checks"];

export interface Gathered {
  readonly evidence: Evidence;
  /** The tree that was observed. */
  readonly tree?: string;
}

export async function gatherEvidence(
  run: LoadedRun,
  step: WorkStep,
  artifact: Artifact,
  outside: Outside,
  context: Context,
): Promise<Gathered> {
  const work = isOfWork(step) ? await inspectWork(run, outside, context) : undefined;
  const gathering = { run, artifact, outside, context, ...(work && { work }) };
  const warnings = work ? [...warningsOf(work, run, context)] : [];
  for (const kind of step.evidence) warnings.push(...(await GATHERERS[kind](gathering)));
  return { evidence: warnings, ...(work?.kind === "tree" && { tree: work.tree }) };
}

export interface Refreshed {
  readonly evidence: Evidence;
  /** The present work; absent if the step does not concern it. */
  readonly work?: Snapshot;
}

/**
 * Repeats the observations behind the submission's findings. Checks ran on what was submitted, so they keep
 * their outcome. `waits`: waits for checks that still run. `decides` (an approval): also reruns checks that
 * failed a while ago. `looks`: starts nothing, and waits for nothing.
 */
export async function refreshEvidence(
  run: LoadedRun,
  outside: Outside,
  context: Context,
  how: "waits" | "decides" | "looks",
): Promise<Refreshed> {
  const { submitted } = run.active.context_store;
  const step = run.definition.steps.find(({ state }) => state === submitted?.state);
  if (!submitted || !step) return { evidence: submitted?.evidence ?? [] };
  const { checks } = context.settings.alfred;
  const isCheck = ({ about }: Finding) => about === "checks" || about.startsWith("check ");
  const kept = submitted.evidence.filter(({ about }) => about === "loop");
  const others = { ...step, evidence: step.evidence.filter((kind) => kind !== "checks") };
  const place = { tree: placeOfChecks(submitted), retry: how === "decides" };
  const ask: AskCheck =
    how === "looks"
      ? storedOutcomes(outside.checks)
      : (key, command, on) => outside.checks.run(key, command, on);
  const [work, ran] = await Promise.all([
    isOfWork(step) ? inspectWork(run, outside, context) : undefined,
    refreshChecks(submitted.evidence.filter(isCheck), checks, place, ask),
  ]);
  const gathering = { run, artifact: submitted.artifact, outside, context, ...(work && { work }) };
  const findings: Finding[] = [];
  for (const kind of others.evidence) findings.push(...(await GATHERERS[kind](gathering)));
  const before = work
    ? [...(await changedSince(submitted.tree, work, outside)), ...warningsOf(work, run, context)]
    : [];
  return { evidence: [...before, ...kept, ...findings, ...ran], ...(work && { work }) };
}

/** The tree on which the submission's checks run; null: they run in the project's folder. */
export function placeOfChecks({ evidence, tree }: Submission): string | null {
  return evidence.some(({ about }) => about === IN_WORKTREE.about) ? null : (tree ?? null);
}

/** Whether the step judges the work itself. */
export function isOfWork({ evidence }: WorkStep): boolean {
  return evidence.some((kind) => OF_WORK.includes(kind));
}

/** What the server looks at for itself. It runs outside every lock; its findings are kept with the submission. */
import type { GitLook, Outside } from "../../base/ports.ts";
import type { Context } from "../module.ts";
import type { ArtifactOf } from "./artifacts.ts";
import { lookAgain, runChecks } from "./check-evidence.ts";
import type { EvidenceKind, WorkStep } from "./definition.ts";
import { findDiff } from "./diff-evidence.ts";
import type { Evidence, Finding } from "./evidence.ts";
import { branchFinding, commitFinding, statusFinding } from "./git-evidence.ts";
import type { LoadedRun } from "./load.ts";
import { affectedFinding, designFinding, slotFindings, subtaskFinding } from "./plan-evidence.ts";
import type { Artifact } from "./state-file.ts";

export interface Scene {
  readonly run: LoadedRun;
  readonly artifact: Artifact;
  readonly outside: Outside;
  readonly context: Context;
}

type Gatherer = (scene: Scene) => Promise<readonly Finding[]>;

const withLook =
  (find: (artifact: Artifact, look: GitLook, id: string) => Finding): Gatherer =>
  async ({ artifact, outside, run }) => [find(artifact, await outside.git.look(), run.id)];

const GATHERERS: Readonly<Record<EvidenceKind, Gatherer>> = {
  "git-status": withLook((artifact, look) =>
    statusFinding(artifact as ArtifactOf<"GitStatusArtifact">, look),
  ),
  "git-branch": withLook((artifact, look, id) =>
    branchFinding(artifact as ArtifactOf<"BranchCreationArtifact">, look, id),
  ),
  commit: withLook((artifact, look) => commitFinding(artifact as ArtifactOf<"FinalizeArtifact">, look)),
  "affected-files": ({ artifact, outside }) =>
    affectedFinding(artifact as ArtifactOf<"ContextAnalysisArtifact">, outside.files),
  "designed-files": ({ artifact, outside }) =>
    designFinding(artifact as ArtifactOf<"DesignArtifact">, outside.files),
  slots: ({ artifact, outside, run }) =>
    slotFindings(run, artifact as ArtifactOf<"ExecutionPlanArtifact">, outside.files),
  subtasks: async ({ artifact, run }) =>
    subtaskFinding(run, artifact as ArtifactOf<"ImplementationManifestArtifact">),
  diff: ({ context, outside, run }) => findDiff(run, outside.git, context.settings.bloom.tasks_file),
  checks: ({ context, outside, run }) =>
    runChecks(context.settings.alfred.checks, `${run.id}-${context.moment.id}`, outside.checks),
};

export async function gatherEvidence(
  run: LoadedRun,
  step: WorkStep,
  artifact: Artifact,
  outside: Outside,
  context: Context,
): Promise<Evidence> {
  const scene = { run, artifact, outside, context };
  const found: Finding[] = [];
  for (const kind of step.evidence) found.push(...(await GATHERERS[kind](scene)));
  return found;
}

/** The submission's findings, with those that were still running looked at again. */
export async function refreshEvidence(
  run: LoadedRun,
  outside: Outside,
  { settings }: Context,
): Promise<Evidence> {
  const evidence = run.active.context_store.submitted?.evidence ?? [];
  return evidence.some(({ verdict }) => verdict === "running")
    ? lookAgain(evidence, settings.alfred.checks, outside.checks)
    : evidence;
}

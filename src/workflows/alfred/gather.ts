/** What the server looks at for itself. It runs outside every lock; its findings are kept with the submission. */
import type { GitLook, Outside } from "../../base/ports.ts";
import type { Context } from "../module.ts";
import type { ArtifactOf } from "./artifacts.ts";
import type { EvidenceKind, WorkStep } from "./definition.ts";
import type { Evidence, Finding } from "./evidence.ts";
import { branchFinding, statusFinding } from "./git-evidence.ts";
import type { LoadedRun } from "./load.ts";
import type { Artifact } from "./state-file.ts";

interface Scene {
  readonly run: LoadedRun;
  readonly artifact: Artifact;
  readonly outside: Outside;
  readonly context: Context;
}

type Gatherer = (scene: Scene) => Promise<readonly Finding[]>;

const withLook =
  (find: (artifact: Artifact, look: GitLook, id: string) => Finding): Gatherer =>
  async ({ artifact, outside, run }) => [find(artifact, await outside.git.look(), run.id)];

const GATHERERS: Partial<Readonly<Record<EvidenceKind, Gatherer>>> = {
  "git-status": withLook((artifact, look) =>
    statusFinding(artifact as ArtifactOf<"GitStatusArtifact">, look),
  ),
  "git-branch": withLook((artifact, look, id) =>
    branchFinding(artifact as ArtifactOf<"BranchCreationArtifact">, look, id),
  ),
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
  for (const kind of step.evidence) found.push(...((await GATHERERS[kind]?.(scene)) ?? []));
  return found;
}

/** The submission's findings, with those that were still running looked at again. */
export async function refreshEvidence(
  run: LoadedRun,
  _outside: Outside,
  _context: Context,
): Promise<Evidence> {
  return run.active.context_store.submitted?.evidence ?? [];
}

import type { GitLook } from "../../../core/ports/git.ts";
import type { ArtifactOf } from "../tools/artifacts.ts";
import type { Finding } from "./evidence.ts";

/** The subject of these findings. */
export const GIT = "git";
const MAX_NAMED = 10;

/** Compares the reported status with the repository's. Pawl's own files never make a tree unclean. */
export function statusFinding(reported: ArtifactOf<"GitStatusArtifact">, look: GitLook): Finding {
  if (look.kind !== "repository") return withoutRepository(look);
  const others = look.uncommitted.filter((path) => !isOwn(path));
  const isClean = others.length === 0;
  const found = `The server sees the branch ${branchOf(look.branch)} and ${countOf(others)}.`;
  const differences = [
    ...(reported.is_clean === isClean || reported.is_clean === (look.uncommitted.length === 0)
      ? []
      : [`reported as ${reported.is_clean ? "clean" : "not clean"}`]),
    ...(sameBranch(reported.current_branch, look.branch)
      ? []
      : [`the branch was reported as ${branchOf(reported.current_branch)}`]),
  ];
  return verdictOn(differences, found);
}

/** Compares the reported branch with the one that is checked out. */
export function branchFinding(
  reported: ArtifactOf<"BranchCreationArtifact">,
  look: GitLook,
  id: string,
): Finding {
  if (look.kind !== "repository") return withoutRepository(look);
  const expected = `feature/${id}`;
  const isOn = sameBranch(reported.branch_name, look.branch);
  const aside = look.branch === expected ? "" : ` The proposed branch was ${expected}.`;
  const found = `The server sees the branch ${branchOf(look.branch)}.${aside}`;
  if (reported.success === isOn) return verdictOn([], found);
  return verdictOn(
    [
      reported.success
        ? `the branch was reported as ${branchOf(reported.branch_name)}`
        : "the command was reported as failed",
    ],
    found,
  );
}

/** Compares the reported commit with the one that is checked out. */
export function commitFinding(reported: ArtifactOf<"FinalizeArtifact">, look: GitLook): Finding {
  if (look.kind !== "repository") return withoutRepository(look);
  const hash = reported.commit_hash.trim().toLowerCase();
  const isHead = look.head !== null && hash.length >= 7 && look.head.startsWith(hash);
  const left = look.uncommitted.filter((path) => !isOwn(path));
  const found = `The server sees the commit ${look.head ?? "(none)"} and ${countOf(left)}.`;
  return verdictOn(
    [
      ...(isHead ? [] : [`the commit was reported as '${reported.commit_hash}'`]),
      ...(left.length > 0 ? ["not everything is committed"] : []),
    ],
    found,
  );
}

function verdictOn(differences: readonly string[], found: string): Finding {
  if (differences.length === 0)
    return { about: GIT, verdict: "agrees", words: `${found} It agrees with the report.` };
  return {
    about: GIT,
    verdict: "differs",
    words: `${found} It differs from the report: ${differences.join("; ")}.`,
  };
}

function withoutRepository(look: Exclude<GitLook, { kind: "repository" }>): Finding {
  if (look.kind === "not-a-repository")
    return {
      about: GIT,
      verdict: "unknown",
      words: "The project's folder is not a git repository, so the report cannot be compared with anything.",
    };
  return { about: GIT, verdict: "unknown", words: `git could not be asked: ${look.reason}` };
}

/** A detached head has no branch; `git rev-parse --abbrev-ref HEAD` calls it HEAD. */
function sameBranch(reported: string, found: string): boolean {
  return reported.trim() === (found === "" ? "HEAD" : found);
}

const branchOf = (name: string): string => (name === "" ? "(none: detached HEAD)" : `'${name}'`);

function countOf(files: readonly string[]): string {
  if (files.length === 0) return "no uncommitted files";
  const named = files.slice(0, MAX_NAMED).join(", ");
  const more = files.length > MAX_NAMED ? ", …" : "";
  return `${files.length} uncommitted file${files.length === 1 ? "" : "s"} (${named}${more})`;
}

/** Pawl's and Alfred's own files. */
export function isOwn(path: string): boolean {
  return /^\.(?:alfred|pawl)(?:\/|$)/.test(path);
}

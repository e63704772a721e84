import type { GitState } from "../../../core/ports/git.ts";
import type { ArtifactOf } from "../tools/artifacts.ts";
import type { Finding } from "./evidence.ts";

/** The subject of these findings. */
export const GIT = "git";
const MAX_NAMED = 10;

/** Compares the reported status with the repository's. Pawl's own files never make a tree unclean. */
export function statusFinding(reported: ArtifactOf<"GitStatusArtifact">, git: GitState): Finding {
  if (git.kind !== "repository") return withoutRepository(git);
  const others = git.uncommitted.filter((path) => !isOwn(path));
  const isClean = others.length === 0;
  const found = `The server sees the branch ${branchWords(git.branch)} and ${countOf(others)}.`;
  const differences = [
    ...(reported.is_clean === isClean || reported.is_clean === (git.uncommitted.length === 0)
      ? []
      : [`reported as ${reported.is_clean ? "clean" : "not clean"}`]),
    ...(sameBranch(reported.current_branch, git.branch)
      ? []
      : [`the branch was reported as ${branchWords(reported.current_branch)}`]),
  ];
  return verdictOn(differences, found);
}

/** Compares the reported branch with the one that is checked out. */
export function branchFinding(
  reported: ArtifactOf<"BranchCreationArtifact">,
  git: GitState,
  id: string,
): Finding {
  if (git.kind !== "repository") return withoutRepository(git);
  const expected = `feature/${id}`;
  const isOn = sameBranch(reported.branch_name, git.branch);
  const aside = git.branch === expected ? "" : ` The proposed branch was ${expected}.`;
  const found = `The server sees the branch ${branchWords(git.branch)}.${aside}`;
  if (reported.success === isOn) return verdictOn([], found);
  return verdictOn(
    [
      reported.success
        ? `the branch was reported as ${branchWords(reported.branch_name)}`
        : "the command was reported as failed",
    ],
    found,
  );
}

/** Compares the reported commit with the one that is checked out. */
export function commitFinding(reported: ArtifactOf<"FinalizeArtifact">, git: GitState): Finding {
  if (git.kind !== "repository") return withoutRepository(git);
  const isHead = isCheckedOut(reported, git.head);
  const left = git.uncommitted.filter((path) => !isOwn(path));
  const found = `The server sees the commit ${git.head ?? "(none)"} and ${countOf(left)}.`;
  return verdictOn(
    [
      ...(isHead ? [] : [`the commit was reported as '${reported.commit_hash}'`]),
      ...(left.length > 0 ? ["not everything is committed"] : []),
    ],
    found,
  );
}

export function isCheckedOut({ commit_hash }: ArtifactOf<"FinalizeArtifact">, head: string | null): boolean {
  const hash = commit_hash.trim().toLowerCase();
  return head !== null && hash.length >= 7 && head.startsWith(hash);
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

function withoutRepository(git: Exclude<GitState, { kind: "repository" }>): Finding {
  if (git.kind === "not-a-repository")
    return {
      about: GIT,
      verdict: "unknown",
      words: "The project's folder is not a git repository, so the report cannot be compared with anything.",
    };
  return { about: GIT, verdict: "unknown", words: `git could not be asked: ${git.reason}` };
}

/** A detached head has no branch; `git rev-parse --abbrev-ref HEAD` calls it HEAD. */
export function sameBranch(reported: string, found: string): boolean {
  return reported.trim() === (found === "" ? "HEAD" : found);
}

export const branchWords = (name: string): string => (name === "" ? "(none: detached HEAD)" : `'${name}'`);

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

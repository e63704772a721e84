/** The repositories of the project, and what their remotes have. */
import type { ProjectPath } from "../path.ts";
import type { Repo } from "./worktrees.ts";

export interface Repositories {
  /** Those inside the project, its own first; links, hidden folders and packages are not looked into. */
  find(): Promise<readonly Repo[]>;
  /** Never throws. */
  look(repo: Repo): Promise<RepositoryLook>;
  /** The path (from the project's root, or absolute) as a repository; throws where it is none, or not inside the project. */
  check(path: string): Promise<Repo>;
  /**
   * Clones into the project: aside, then moved into place whole. Throws `usage` where something is there already, and
   * `git-failed`. `isSeen`: the repository around it would take it for files of its own.
   */
  clone(url: string, into: ProjectPath): Promise<{ readonly repo: Repo; readonly isSeen: boolean }>;
  /** Fetches, and moves forward the branches that only lag behind. What a person has edits in stays as it is. */
  sync(repo: Repo): Promise<Synced>;
}

export type RepositoryLook =
  | {
      readonly kind: "repository";
      /** Null where HEAD is detached. */
      readonly branch: string | null;
      readonly uncommitted: number;
      /** Without a password. */
      readonly remote: string | null;
    }
  | { readonly kind: "unusable"; readonly reason: string };

export type Synced =
  | {
      readonly kind: "fetched";
      readonly remote: string;
      /** The remote's branches that are new (`commits` is null) or moved. */
      readonly came: readonly { readonly branch: string; readonly commits: number | null }[];
      readonly forwarded: readonly { readonly branch: string; readonly commits: number }[];
      readonly left: readonly { readonly branch: string; readonly reason: string }[];
    }
  | { readonly kind: "no-remote" }
  | { readonly kind: "failed"; readonly reason: string };

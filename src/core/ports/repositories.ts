/** The repositories of the project, and the state of their remotes. */
import type { ProjectPath } from "../path.ts";
import type { Repo } from "./worktrees.ts";

export interface Repositories {
  /**
   * The repositories inside the project, its own first. Links, hidden folders and packages are not searched.
   */
  find(): Promise<readonly Repo[]>;
  /** Never throws. */
  inspect(repo: Repo): Promise<RepositoryState>;
  /**
   * Returns the repository at the path (from the project's root, or absolute). Throws if there is none, or if
   * it is outside the project.
   */
  check(path: string): Promise<Repo>;
  /**
   * Clones into the project: into a side folder first, then renamed into place. Throws `usage` if the path
   * exists already, and `git-failed`. `isSeen`: the surrounding repository would treat the clone as files of
   * its own.
   */
  clone(url: string, into: ProjectPath): Promise<{ readonly repo: Repo; readonly isSeen: boolean }>;
  /**
   * Fetches, and fast-forwards branches that are behind. A checkout with a person's edits stays unchanged.
   */
  sync(repo: Repo): Promise<Synced>;
}

export type RepositoryState =
  | {
      readonly kind: "repository";
      /** Null: HEAD is detached. */
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
      /** The remote's branches that are new (`commits` is null) or have moved. */
      readonly came: readonly { readonly branch: string; readonly commits: number | null }[];
      readonly forwarded: readonly { readonly branch: string; readonly commits: number }[];
      readonly left: readonly { readonly branch: string; readonly reason: string }[];
    }
  | { readonly kind: "no-remote" }
  | { readonly kind: "failed"; readonly reason: string };

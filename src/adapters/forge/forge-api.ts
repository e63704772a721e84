/** A forge's own way to open, watch and read pull requests; GitLab calls them merge requests. */
import type { RequestedChanges } from "../../core/ports/pull-requests.ts";
import type { Remark, ReviewPart } from "../../core/ports/reviews.ts";
import type { RestAccess } from "./rest.ts";
import type { ForgeServer } from "./servers.ts";

/** All methods reject with the errors of the forge's client. */
export interface ForgeApi {
  /** The repository under its present name, if it was renamed or moved. */
  repository(path: string): Promise<Repository>;
  /** Pull requests of this branch into that one, or into any, the newest first. */
  list(ways: Branch, state: "open" | "over"): Promise<readonly Pull[]>;
  open(ways: Ways, text: { readonly title: string; readonly body: string }): Promise<Pull>;
  get(target: Named, number: number): Promise<Pull>;
  /** The checks of the pull request's head. */
  checks(target: Repository, pull: Pull): Promise<readonly ForgeCheck[]>;
  /** The last verdict of each person who may write in the repository. `handledIds`: ids of verdicts to skip. */
  requested(
    target: Repository,
    pull: Pull,
    handledIds: readonly string[],
  ): Promise<readonly RequestedChanges[]>;
  /** The comments of a kind, page by page. `path`: the repository's. */
  remarks(part: ReviewPart, path: string, number: number, page: number): Promise<RemarksPage>;
  /** Reports which threads are resolved, by `root`; absent: the remarks have it. */
  resolved?(path: string, number: number): Promise<ReadonlyMap<number, boolean>>;
}

export interface RemarksPage {
  /** `root`: the first comment of its thread. */
  readonly remarks: readonly (Remark & { readonly root?: number })[];
  readonly more: boolean;
}

export interface Repository {
  readonly id: number;
  /** `acme/app` */
  readonly path: string;
}

/** A repository of which the path is known, at least. */
export type Named = Omit<Repository, "id"> & Partial<Repository>;

export interface Ways {
  /** Where pull requests are opened. */
  readonly target: Repository;
  /** Where the branch is pushed: the same repository, or a fork. */
  readonly from: Repository;
  readonly branch: string;
  readonly into: string;
}

export type Branch = Omit<Ways, "into"> & Partial<Ways>;

export interface Pull {
  readonly number: number;
  readonly title: string;
  readonly url: string;
  readonly state: "open" | "merged" | "closed";
  /** Its last commit. */
  readonly head: string;
  /** False also while the forge is computing it. */
  readonly isConflicting: boolean;
}

export interface ForgeCheck {
  readonly name: string;
  readonly url: string | null;
  readonly summary: string;
  readonly state: "running" | "passed" | "failed";
  /** Fetches its log; absent: the forge has none. */
  readonly log?: () => Promise<string | null>;
}

export interface ApiSetup extends RestAccess {
  readonly server: ForgeServer & { readonly token: string };
  /**
   * Pull requests that were unmergeable at the last query, for a forge that also reports this while it is computing.
   */
  readonly unmergeable: Set<string>;
}

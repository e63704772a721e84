/** A forge's own way to fetch the comments on a pull request. */
import type { PullRequest, Remark, ReviewPart } from "../../core/ports/reviews.ts";
import type { Repository } from "./forge-api.ts";

/** All methods reject with the errors of the forge's client. Repositories are named by their paths. */
export interface RemarksApi {
  /** The repository under its present name, if it was renamed or moved. */
  repository(path: string): Promise<Repository>;
  /** The open pull requests into `target` from this branch of `from`. */
  pulls(target: Repository, from: Repository, branch: string): Promise<readonly PullHead[]>;
  pull(repository: string, number: number): Promise<PullHead>;
  remarks(part: ReviewPart, repository: string, number: number, page: number): Promise<RemarksPage>;
  /** Reports which threads are resolved, by `root`; absent: the remarks have it. */
  resolved?(repository: string, number: number): Promise<ReadonlyMap<number, boolean>>;
}

export type PullHead = Pick<PullRequest, "number" | "title" | "url">;

export interface RemarksPage {
  /** `root`: the first comment of its thread. */
  readonly remarks: readonly (Remark & { readonly root?: number })[];
  readonly more: boolean;
}

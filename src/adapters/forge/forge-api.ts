/** A forge's own way to open and watch pull requests; GitLab calls them merge requests. */
import type { RequestedChanges } from "../../core/ports/pull-requests.ts";
import type { Environment } from "../process/environment.ts";
import type { ForgeServer } from "./servers.ts";

/** All methods reject with the errors of the forge's client. */
export interface ForgeApi {
  /** The repository under its present name, if it was renamed or moved. */
  repository(path: string): Promise<Repository>;
  /** Pull requests of this branch into that one, the newest first. */
  list(ways: Ways, state: "open" | "over"): Promise<readonly Pull[]>;
  open(ways: Ways, text: { readonly title: string; readonly body: string }): Promise<Pull>;
  get(target: Repository, number: number): Promise<Pull>;
  /** The checks of the pull request's head. */
  checks(target: Repository, pull: Pull): Promise<readonly ForgeCheck[]>;
  /** The last verdict of each person who may write in the repository. `known`: ids of verdicts to skip. */
  requested(target: Repository, pull: Pull, known: readonly string[]): Promise<readonly RequestedChanges[]>;
}

export interface Repository {
  readonly id: number;
  /** `acme/app` */
  readonly path: string;
}

export interface Ways {
  /** Where pull requests are opened. */
  readonly target: Repository;
  /** Where the branch is pushed: the same repository, or a fork. */
  readonly from: Repository;
  readonly branch: string;
  readonly into: string;
}

export interface Pull {
  readonly number: number;
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

/** Shared by all requests. */
export interface RequestSetup {
  readonly server: ForgeServer & { readonly token: string };
  readonly environment: Environment;
  /** A signal for one request. */
  request(): AbortSignal;
}

export interface ApiSetup extends RequestSetup {
  /**
   * Pull requests found unmergeable by the last look, for a forge that also reports this while it is
   * computing.
   */
  readonly unmergeable: Set<string>;
}

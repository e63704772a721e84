/** What each forge does in its own way to open and watch pull requests; GitLab calls them merge requests. */
import type { RequestedChanges } from "../../core/ports/pull-requests.ts";
import type { Environment } from "../process/environment.ts";
import type { ForgeServer } from "./servers.ts";

/** All methods reject with what the forge's client throws. */
export interface ForgeApi {
  /** Under its present name, if it was renamed or moved. */
  repository(path: string): Promise<Repository>;
  /** Of this branch into that one, the newest first. */
  list(ways: Ways, state: "open" | "over"): Promise<readonly Pull[]>;
  open(ways: Ways, text: { readonly title: string; readonly body: string }): Promise<Pull>;
  get(target: Repository, number: number): Promise<Pull>;
  /** Of the pull request's head. */
  checks(target: Repository, pull: Pull): Promise<readonly ForgeCheck[]>;
  /** Of people who may write in the repository, each one's last verdict. `known`: the ids that count no more. */
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
  /** Where the branch is pushed to: the same, or a fork. */
  readonly from: Repository;
  readonly branch: string;
  readonly into: string;
}

export interface Pull {
  readonly number: number;
  readonly url: string;
  readonly state: "open" | "merged" | "closed";
  /** Its commit; once it is over, the last one that it had. */
  readonly head: string;
  /** False also while the forge is finding out. */
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

/** What every request needs. */
export interface RequestSetup {
  readonly server: ForgeServer & { readonly token: string };
  readonly environment: Environment;
  /** A signal for one request. */
  request(): AbortSignal;
}

export interface ApiSetup extends RequestSetup {
  /** What could not be merged when it was last looked at, for a forge that says the same while it is finding out. */
  readonly unmergeable: Set<string>;
}

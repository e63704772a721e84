/** A database that holds the state of projects, for several machines. */

import type { EventLog } from "./event-log.ts";
import type { LeaseManager, Leases } from "./leases.ts";
import type { Store } from "./store.ts";
import type { Watch } from "./watch.ts";
import type { Workers } from "./workers.ts";

/** The variable with its address. */
export const DATABASE_URL = "PAWL_DATABASE_URL";

/**
 * Methods throw `database-failed` if it cannot be reached, `database-schema` if it was made for another
 * version of Pawl.
 */
export interface Database {
  /** `host:port/database`: its address without secrets. */
  readonly shown: string;
  /** Migrates it to the schema of this version. Concurrent callers wait. Returns the steps that it took. */
  migrate(): Promise<readonly string[]>;
  /** This login's rights in the project, or in all of them, and what an administrator must do before other logins get theirs. */
  access(project?: string): Promise<DatabaseAccess>;
  /** Faults of the database as a whole; empty: none. */
  faults(): Promise<readonly DatabaseFault[]>;
  /** False: it has the project already. */
  addProject(name: string): Promise<boolean>;
  /** Throws `database-project-missing`. */
  project(name: string): Promise<DatabaseProject>;
  close(): Promise<void>;
}

/**
 * `owner`: everything. `person`: reads and writes. `worker`: the same without a person's verdicts and
 * settings. `viewer`: reads.
 */
export type DatabaseRole = "owner" | "person" | "worker" | "viewer" | "none";

export interface DatabaseAccess {
  /** The name with which this process logged in. */
  readonly login: string;
  readonly role: DatabaseRole;
  /** Groups that the server lacks: only the owner has any rights. */
  readonly missing: readonly string[];
  /** Groups that lack their rights. */
  readonly ungranted: readonly string[];
}

export interface DatabaseFault {
  readonly message: string;
  readonly fix: string;
}

/** One project in the database. */
export interface DatabaseProject {
  readonly store: Store;
  readonly eventLog: EventLog;
  readonly watch: Watch;
  readonly leaseManager: LeaseManager;
  readonly leases: Leases;
  readonly workers: Workers;
  /** A store whose commits all require that this holder still has the lease. */
  fenced(lease: string): Store;
  inspect(): Promise<DatabaseInspection>;
}

export interface DatabaseInspection {
  /** The number of commits. */
  readonly revision: number;
  readonly documents: number;
  readonly events: number;
  /** The last commit: ISO 8601, and the role that made it; null: there is none. */
  readonly last: { readonly time: string; readonly who: string } | null;
  readonly leases: readonly { readonly what: string; readonly holder: string; readonly until: string }[];
  readonly faults: readonly DatabaseFault[];
}

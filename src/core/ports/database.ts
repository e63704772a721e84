/** A database that holds the state of projects, for several machines. */

import type { EventLog } from "./event-log.ts";
import type { LeaseManager, Leases } from "./leases.ts";
import type { Store } from "./store.ts";
import type { Watch } from "./watch.ts";
import type { Workers } from "./workers.ts";

/** The variable with its address. */
export const DATABASE_URL = "PAWL_DATABASE_URL";

/** Methods throw `database-failed` if it cannot be reached, `database-schema` if it was made for another version of Pawl. */
export interface Database {
  /** `host:port/database`: its address without anything secret. */
  readonly shown: string;
  /** Gives it the shape that this version needs. Whoever does so at the same time waits. Returns the steps that it took. */
  migrate(): Promise<readonly string[]>;
  /** What this login may do there, and what there is to do before others may. */
  access(): Promise<DatabaseAccess>;
  /** What is wrong with the database as a whole; empty: nothing. */
  faults(): Promise<readonly DatabaseFault[]>;
  /** False: it has the project already. */
  addProject(name: string): Promise<boolean>;
  /** Throws `database-project-missing`. */
  project(name: string): Promise<DatabaseProject>;
  close(): Promise<void>;
}

/**
 * `owner`: everything. `person`: reads and writes. `worker`: the same without a person's verdicts and settings. `viewer`: reads.
 */
export type DatabaseRole = "owner" | "person" | "worker" | "viewer" | "none";

export interface DatabaseAccess {
  /** The name by which this process logged in. */
  readonly login: string;
  readonly role: DatabaseRole;
  /** Groups that the server does not have: nobody but the owner can do anything. */
  readonly missing: readonly string[];
  /** Groups that may not do what they are for. */
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
  /** A store whose every commit counts only while the lease is still its holder's. */
  fenced(lease: string): Store;
  inspect(): Promise<DatabaseInspection>;
}

export interface DatabaseInspection {
  /** How many commits there were. */
  readonly revision: number;
  readonly documents: number;
  readonly events: number;
  /** The last commit: ISO 8601, and the role that made it; null: there is none. */
  readonly last: { readonly time: string; readonly who: string } | null;
  readonly leases: readonly { readonly what: string; readonly holder: string; readonly until: string }[];
  readonly faults: readonly DatabaseFault[];
}

import type { Connections } from "./connections.ts";

/** A project in the database. */
export interface StoredProject {
  readonly connections: Connections;
  /** The project's number there. */
  readonly project: string;
}

/** The lease under which a commit counts. */
export interface Fence {
  readonly what: string;
  readonly epoch: number;
}

/** The channel on which commits are notified, each with its project's number. */
export const CHANNEL = "pawl";

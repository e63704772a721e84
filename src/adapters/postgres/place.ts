import type { Connections } from "./connections.ts";

/** A project in the database. */
export interface StoredProject {
  readonly connections: Connections;
  /** The project's number there. */
  readonly project: string;
}

/** Under which lease a commit counts. */
export interface Fence {
  readonly what: string;
  readonly epoch: number;
}

/** Where commits are told of, each with its project's number. */
export const CHANNEL = "pawl";

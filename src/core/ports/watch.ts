/** Changes of the project's files, as they happen. */

/** Tells that something in the project may have changed: by Pawl, or by a person's edit. */
export interface Watch {
  /** Calls back soon after a change, never twice at once; may call back without one. */
  onChange(heard: () => void): { close(): void };
}

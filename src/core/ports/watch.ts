/** Reports that something in the project may have changed, by Pawl or a person's edit. */
export interface Watch {
  /** Calls back soon after a change, never twice at once. May also call back without one. */
  onChange(listener: () => void): { close(): void };
}

/**
 * JSON results computed from texts, by the texts' content. Disposable, and never the truth: a miss costs only
 * time.
 */
export interface Cache {
  /** The value last put for exactly this source, or null. Never throws. */
  get(kind: string, source: string): Promise<unknown>;
  /**
   * Best effort, and soon. Of several calls in a row, only the last value is computed and kept. Replaces the
   * kind's earlier value.
   */
  put(kind: string, source: string, value: () => unknown): void;
}

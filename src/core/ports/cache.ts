/** What was worked out of a text, kept by the text's content. */

/**
 * What was worked out of a text, as JSON, kept by the text's content: disposable, and never the truth. A miss costs time
 * only.
 */
export interface Cache {
  /** What was last put for exactly this source, or null. Never throws. */
  get(kind: string, source: string): Promise<unknown>;
  /** Best effort, and soon: of several in a row only the last is worked out and kept. Replaces what the kind held before. */
  put(kind: string, source: string, value: () => unknown): void;
}

import type { View } from "./store.ts";

/**
 * Results that a long-lived program computed from files, kept while the file system shows these unchanged.
 * For display only; decisions read the files.
 */
export interface Memory {
  /** `make` reads only through the given view, and computes the same from the same files. */
  recall<T>(key: string, view: View, make: (view: View) => Promise<T>): Promise<T>;
}

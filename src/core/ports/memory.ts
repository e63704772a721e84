import type { View } from "./store.ts";

/**
 * What a program that lives long has computed from files, kept while these stay as they are by what the file system says of
 * them. For what is shown; what is decided is read.
 */
export interface Memory {
  /** `make` reads through the view that it is given, and computes the same from the same files. */
  recall<T>(key: string, view: View, make: (view: View) => Promise<T>): Promise<T>;
}

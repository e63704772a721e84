/** The page's own files. Only what was listed at the start is served, by its exact name: no path is ever built from a request. */
import type { Context } from "hono";

export interface PageFile {
  readonly type: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** By name: `index.html`, `assets/main-3F9A.js`. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** Null: there is no such file. */
export function pageAnswer(context: Context, files: PageFiles, name: string): Response | null {
  const file = files.get(name);
  if (file === undefined) return null;
  context.header("content-type", file.type);
  // The names of assets change with what they hold.
  context.header(
    "cache-control",
    name === "index.html" ? "no-store" : "private, max-age=31536000, immutable",
  );
  return context.body(file.body);
}

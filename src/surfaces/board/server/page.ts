/**
 * The page's own files. Serves only files that were listed at the start, by their exact names: no path is
 * ever built from a request.
 */
import type { Context } from "hono";

export interface PageFile {
  readonly type: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** By name: `index.html`, `assets/main-3F9A.js`. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** The place in the page's markup for the log positions from which its stream starts. */
const SINCE = 'name="pawl-since" content=""';

/** The page itself. `since`: the logs' positions before the page's first request. Null: there is no page. */
export function pageAnswer(context: Context, files: PageFiles, since: string): Response | null {
  const file = files.get("index.html");
  if (file === undefined) return null;
  const text = new TextDecoder().decode(file.body);
  const body = new TextEncoder().encode(text.replace(SINCE, () => SINCE.replace('""', `"${since}"`)));
  return answerWith(context, { ...file, body }, "no-store");
}

/** The page on which a device comes in. Null: there is none. */
export function entranceAnswer(context: Context, files: PageFiles): Response | null {
  const file = files.get("enter.html");
  return file === undefined ? null : answerWith(context, file, "no-store");
}

/** A file that the page loads. Null: there is no such file. */
export function assetAnswer(context: Context, files: PageFiles, name: string): Response | null {
  const file = files.get(name);
  // An asset's name changes with its content.
  return file === undefined ? null : answerWith(context, file, "private, max-age=31536000, immutable");
}

function answerWith(context: Context, { body, type }: PageFile, caching: string): Response {
  context.header("content-type", type);
  context.header("cache-control", caching);
  return context.body(body);
}

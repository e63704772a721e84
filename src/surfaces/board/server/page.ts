/**
 * The page's own files. Serves only files that were listed at the start, by their exact names: no path is
 * ever built from a request.
 */
import type { Context, Hono } from "hono";

export interface PageFile {
  readonly type: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** By name: `index.html`, `assets/main-3F9A.js`. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** The place in the page's markup for the log positions from which its stream starts. */
const SINCE = 'name="pawl-since" content=""';

type Answered = Response | Promise<Response>;

/** The page itself. `since`: the logs' positions before the page's first request. */
export function pageAnswer(context: Context, files: PageFiles, since: string): Answered {
  const index = files.get("index.html");
  const text = new TextDecoder().decode(index?.body).replace(SINCE, () => SINCE.replace('""', `"${since}"`));
  return answerWith(context, index && { ...index, body: new TextEncoder().encode(text) }, "no-store");
}

/** The page on which a device signs in. */
export function entranceAnswer(context: Context, files: PageFiles): Answered {
  return answerWith(context, files.get("enter.html"), "no-store");
}

/** Adds the files that the pages load. */
export function addAssets(app: Hono, files: PageFiles): void {
  // An asset's name changes with its content.
  const caching = "private, max-age=31536000, immutable";
  app.get("/assets/*", (context) => answerWith(context, files.get(context.req.path.slice(1)), caching));
}

function answerWith(context: Context, file: PageFile | undefined, caching: string): Answered {
  if (file === undefined) return context.notFound();
  context.header("content-type", file.type);
  context.header("cache-control", caching);
  return context.body(file.body);
}

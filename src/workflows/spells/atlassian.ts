import { attempt } from "../../core/attempt.ts";
import { longestRun } from "../../core/text/fence.ts";

/** The target of a link to Atlassian's cloud or to a Data Center, as far as the URL shows it. */
export type AtlassianLink =
  | { readonly kind: "issue"; readonly url: string; readonly site: string; readonly key: string }
  | { readonly kind: "page"; readonly url: string; readonly site: string; readonly page: string }
  /** A board, a space or a short link: its URL names nothing that can be fetched. */
  | { readonly kind: "other"; readonly url: string; readonly site: string };

const CANDIDATE = /https?:\/\/[^\s<>"'`\\^{}|]+/gi;
const SITE = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.atlassian\.net$/;
const ISSUE_KEY = /^[A-Z][A-Z0-9_]+-[1-9]\d*$/;
/** Characters that may follow a URL without being part of it. */
const BEFORE_END = ".,;:!?*_~…";

/** No real URL is longer. */
const MAX_ADDRESS = 4_000;

/**
 * The distinct Atlassian URLs of a Markdown text, in order, without trailing punctuation. A URL counts by its
 * *host* (`<site>.atlassian.net`), or by a path that only a Data Center's issues and pages have. It may stand in
 * plain text, angle brackets, parentheses and Markdown links, but not in sections that Expecto added.
 */
export function parseAtlassianUrls(text: string): readonly string[] {
  const addresses = new Set<string>();
  for (const [candidate] of withoutFetched(text).matchAll(CANDIDATE)) {
    for (const part of splitLabel(candidate)) {
      const url = part.length > MAX_ADDRESS ? "" : trimEnd(part);
      if (isAtlassian(url)) addresses.add(url);
    }
  }
  return [...addresses];
}

/** The text's URLs that `.atlassian-refs` does not list. */
export function unprocessedUrls(text: string, refs: string): readonly string[] {
  const processed = new Set(parseRefs(refs).map(addressOf));
  return parseAtlassianUrls(text).filter((url) => !processed.has(addressOf(url)));
}

/** The lines of `.atlassian-refs`: one processed URL per line; blank lines and `#` comments are skipped. */
export function parseRefs(text: string): readonly string[] {
  // Trimming also removes a BOM.
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** The target of a URL that `parseAtlassianUrls` found. */
export function parseAtlassianLink(url: string): AtlassianLink {
  const { host: site, pathname, searchParams } = new URL(url);
  const segments = pathname.split("/").filter((segment) => segment !== "");
  const isCloud = SITE.test(site);
  const page = isCloud ? pageOf(segments, searchParams) : ownPageOf(segments, searchParams);
  if (page !== null) return { kind: "page", url, site, page };
  const key = isCloud ? issueOf(segments, searchParams) : ownIssueOf(segments, searchParams);
  return key === null ? { kind: "other", url, site } : { kind: "issue", url, site, key };
}

const FETCHED = "## Fetched from http";
const OPENING = /^(`{3,})markdown\r?$/;

/**
 * Removes the sections that Expecto added, because links in fetched text lead ever further, and are not the
 * person's. A section ends with its fence; if the fence was removed, the section is the person's text.
 */
function withoutFetched(text: string): string {
  if (!text.includes(FETCHED)) return text;
  const lines = text.split("\n");
  const closings = closingsOf(lines);
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const end = lines[at]?.startsWith(FETCHED) ? endOfSection(lines, at, closings) : null;
    if (end === null) kept.push(lines[at] ?? "");
    else at = end;
  }
  return kept.join("\n");
}

/** By the line that opens a fence: the line that closes it. In one pass from the end, because others wrote the text. */
function closingsOf(lines: readonly string[]): ReadonlyMap<number, number> {
  const closings = new Map<number, number>();
  const next = new Map<number, number>();
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at] ?? "";
    const closing = next.get(OPENING.exec(line)?.[1]?.length ?? 0);
    if (closing !== undefined) closings.set(at, closing);
    const fence = line.trimEnd();
    if (fence.length >= 3 && longestRun(fence) === fence.length) next.set(fence.length, at);
  }
  return closings;
}

function endOfSection(
  lines: readonly string[],
  heading: number,
  closings: ReadonlyMap<number, number>,
): number | null {
  for (let at = heading + 1; at < lines.length && !lines[at]?.startsWith("## "); at++)
    if (OPENING.test(lines[at] ?? "")) return closings.get(at) ?? null;
  return null;
}

/** `[https://a](https://b)` is one candidate so far; a URL never contains `](`. */
function splitLabel(candidate: string): readonly string[] {
  return candidate.split(/\]\(|\)\[|\](?=https?:)/).filter((part) => /^https?:/i.test(part));
}

/** Removes punctuation at the end, and a closing bracket there that the URL does not open. */
function trimEnd(candidate: string): string {
  const unopened = { ")": surplus(candidate, "(", ")"), "]": surplus(candidate, "[", "]") };
  let end = candidate.length;
  for (; end > 0; end--) {
    const last = candidate.charAt(end - 1);
    if (BEFORE_END.includes(last)) continue;
    if ((last !== ")" && last !== "]") || unopened[last]-- <= 0) break;
  }
  return candidate.slice(0, end);
}

function surplus(text: string, open: string, close: string): number {
  return text.split(close).length - text.split(open).length;
}

function isAtlassian(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { host, password, protocol, username } = new URL(url);
  if (username !== "" || password !== "") return false;
  return SITE.test(host) ? protocol === "https:" : parseAtlassianLink(url).kind !== "other";
}

/** Normalized, because two spellings of one URL count as one. */
function addressOf(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}

/** The key after `browse` or `issues`, at the end of a queue's or a portal's URL, or selected on a board. */
function issueOf(segments: readonly string[], query: URLSearchParams): string | null {
  const after = segments.findLastIndex((segment) => segment === "browse" || segment === "issues");
  const ofDesk = segments.some((segment) => segment === "queues" || segment === "portal");
  const candidates = [
    query.get("selectedIssue"),
    after >= 0 ? segments[after + 1] : null,
    ofDesk ? segments.at(-1) : null,
  ];
  return candidates.map((key) => key?.toUpperCase()).find((key) => key && ISSUE_KEY.test(key)) ?? null;
}

function pageOf(segments: readonly string[], query: URLSearchParams): string | null {
  if (segments[0] !== "wiki") return null;
  const after = segments.indexOf("pages");
  const named = after >= 0 ? segments.slice(after + 1) : [];
  // The URL of a blog post has the date before the id: blog/2026/01/02/123457/Title.
  const blog = segments.indexOf("blog");
  const post = blog >= 0 ? segments.slice(blog + 4) : [];
  return [query.get("pageId"), ...named, ...post].find((id) => id && /^\d+$/.test(id)) ?? null;
}

// ── A Data Center, on any host and below any path ────────────────────────────────────────────────────────────────

function ownIssueOf(segments: readonly string[], query: URLSearchParams): string | null {
  const last = segments.at(-1) ?? "";
  const [before = "", project = ""] = [segments.at(-2), segments.at(-3)];
  const isIssue =
    before === "browse" ||
    (before === "issues" && last.startsWith(`${project}-`)) ||
    (segments.includes("servicedesk") && segments.includes("portal"));
  const key = last.endsWith(".jspa") ? query.get("selectedIssue") : isIssue ? last : null;
  return key !== null && ISSUE_KEY.test(key) ? key : null;
}

/** A page's id, `SPACE/Title`, or for a blog post `SPACE/2026/01/02/Title`. */
function ownPageOf(segments: readonly string[], query: URLSearchParams): string | null {
  const from = segments.findLastIndex((segment) => ["pages", "display", "blog"].includes(segment));
  const [at, first = "", ...rest] = from < 0 ? [] : segments.slice(from);
  const isOfSpace = segments[from - 2] === "spaces";
  if (first === "viewpage.action") {
    const [id, title] = [query.get("pageId") ?? "", query.get("title") ?? ""];
    if (/^\d+$/.test(id)) return id;
    return title === "" ? null : `${query.get("spaceKey") ?? ""}/${title}`;
  }
  const id = at === "pages" ? first : at === "blog" ? (rest[2] ?? "") : null;
  if (id !== null) return isOfSpace && /^\d+$/.test(id) ? id : null;
  const isTitled = at === "display" && /^~?[\w.-]+$/.test(first) && NAMED.test(rest.join("/"));
  return isTitled ? `${first}/${titleIn(rest.join("/"))}` : null;
}

/** A title, or a blog post's day and title. */
const NAMED = /^(?:\d{4}\/\d\d\/\d\d\/)?[^/]+$/;

function titleIn(segment: string): string {
  const words = segment.replaceAll("+", " ");
  return attempt(() => decodeURIComponent(words), words);
}

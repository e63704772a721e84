/** What a link into Atlassian's cloud leads to, as far as its address tells. */
export type AtlassianLink =
  | { readonly kind: "issue"; readonly url: string; readonly site: string; readonly key: string }
  | { readonly kind: "page"; readonly url: string; readonly site: string; readonly page: string }
  /** A board, a space, a short link: there is nothing that could be fetched by its address. */
  | { readonly kind: "other"; readonly url: string; readonly site: string };

const CANDIDATE = /https:\/\/[^\s<>"'`\\^{}|]+/gi;
const SITE = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.atlassian\.net$/;
const ISSUE_KEY = /^[A-Z][A-Z0-9_]+-[1-9]\d*$/;
const BEFORE_END = /[.,;:!?*_~…]$/;

/** A section that Expecto added: the links in what was fetched lead on and on, and are not the person's. */
const FETCHED = /^## Fetched from https:\/\/\S+\r?\n[\s\S]*?^(`{3,})markdown\r?\n[\s\S]*?^\1[ \t]*\r?$/gm;

/**
 * The Atlassian URLs of a markdown text, each once, in order. They count by their *host* (`<site>.atlassian.net`), in
 * plain text, angle brackets, parentheses and markdown links, without trailing punctuation; not in what Expecto added.
 */
export function parseAtlassianUrls(text: string): readonly string[] {
  const found = new Set<string>();
  for (const [candidate] of text.replace(FETCHED, "").matchAll(CANDIDATE)) {
    for (const part of splitLabel(candidate)) {
      const url = trimEnd(part);
      if (isAtlassian(url)) found.add(url);
    }
  }
  return [...found];
}

/** Those of the text that `.atlassian-refs` does not list. */
export function unprocessedUrls(text: string, refs: string): readonly string[] {
  const processed = new Set(parseRefs(refs).map(addressOf));
  return parseAtlassianUrls(text).filter((url) => !processed.has(addressOf(url)));
}

/** The lines of `.atlassian-refs`: one processed URL a line; blank lines and `#` comments are skipped. */
export function parseRefs(text: string): readonly string[] {
  // Trimming takes a BOM away too.
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** What the URL, one that `parseAtlassianUrls` found, leads to. */
export function parseAtlassianLink(url: string): AtlassianLink {
  const { host: site, pathname, searchParams } = new URL(url);
  const segments = pathname.split("/").filter((segment) => segment !== "");
  const page = pageOf(segments, searchParams);
  if (page !== null) return { kind: "page", url, site, page };
  const key = issueOf(segments, searchParams);
  return key === null ? { kind: "other", url, site } : { kind: "issue", url, site, key };
}

/** `[https://a](https://b)` reads as one candidate; `](` never stands inside a URL. */
function splitLabel(candidate: string): readonly string[] {
  return candidate.split(/\]\(|\)\[|\](?=https:)/).filter((part) => /^https:/i.test(part));
}

function trimEnd(candidate: string): string {
  let url = candidate;
  while (BEFORE_END.test(url) || isUnopened(url, "(", ")") || isUnopened(url, "[", "]"))
    url = url.slice(0, -1);
  return url;
}

function isUnopened(url: string, open: string, close: string): boolean {
  return url.endsWith(close) && url.split(close).length > url.split(open).length;
}

function isAtlassian(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { host, username, password } = new URL(url);
  return username === "" && password === "" && SITE.test(host);
}

/** Two spellings of one address are one URL. */
function addressOf(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}

function issueOf(segments: readonly string[], query: URLSearchParams): string | null {
  const after = segments.findLastIndex((segment) => segment === "browse" || segment === "issues");
  const candidates = [query.get("selectedIssue"), after >= 0 ? segments[after + 1] : null];
  return candidates.map((key) => key?.toUpperCase()).find((key) => key && ISSUE_KEY.test(key)) ?? null;
}

function pageOf(segments: readonly string[], query: URLSearchParams): string | null {
  if (segments[0] !== "wiki") return null;
  const after = segments.indexOf("pages");
  const named = after >= 0 ? segments.slice(after + 1) : [];
  return [query.get("pageId"), ...named].find((id) => id && /^\d+$/.test(id)) ?? null;
}

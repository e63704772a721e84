/**
 * The parts that Jira and Confluence share: address, credentials and requests. Both are Atlassian's Cloud or
 * a Data Center.
 *
 * A1  Credentials go only to the configured address. A link gives an issue's key or a page's id, never a host
 *     to contact.
 * A2  With a user (the Cloud's email address, Data Center's user name) the token is sent as its password;
 *     alone it is a personal access token, which only Data Center has.
 */
import type { FetchFailure } from "../../core/ports/references.ts";
import { HttpFailure, httpFailureIn } from "../net/failure.ts";
import type { Http } from "../net/http.ts";
import { askJson } from "../net/json.ts";

export interface AtlassianAccess {
  /** The site's address: `https://acme.atlassian.net`, `https://jira.acme.example/jira`. */
  readonly address: URL;
  /** `ATLASSIAN_EMAIL` */
  readonly user: string | undefined;
  readonly token: string;
  readonly http: Http;
}

/**
 * Whether the configured address is a different site of Atlassian's cloud than the link's: the same key would
 * name another issue there. Any other address (a proxy, a company's own domain) stands for the link's site.
 */
export function isOtherSite({ address }: AtlassianAccess, site: string): boolean {
  return address.host.endsWith(".atlassian.net") && address.host !== site;
}

/** One product at its address. Paths begin after the address's own: `rest/api/2/serverInfo`. */
export interface Site {
  /** Without a slash at its end. */
  readonly base: string;
  get(path: string, query?: Query): Promise<unknown>;
  post(path: string, body: unknown): Promise<unknown>;
  /** Queried once. */
  isCloud(): Promise<boolean>;
}

type Query = Readonly<Record<string, string | number>>;

/** `known`: finds out whether it is the Cloud, for an address that does not show it. */
export function openSite(access: AtlassianAccess, known: (site: Site) => Promise<boolean>): Site {
  const { address, http, token, user } = access;
  const base = `${address.origin}${address.pathname.replace(/\/+$/, "")}`;
  const authorization = user
    ? `Basic ${Buffer.from(`${user}:${token}`).toString("base64")}`
    : `Bearer ${token}`;
  // Atlassian's servers answer a browser's request with a page, and refuse writes of an unknown one.
  const headers = { authorization, "x-atlassian-token": "no-check" };
  let cloud: Promise<boolean> | undefined;
  const site: Site = {
    base,
    get: (path, query = {}) => {
      const url = new URL(`${base}/${path}`);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
      return askJson(http, url, { headers });
    },
    post: (path, body) => askJson(http, new URL(`${base}/${path}`), { headers, body }),
    isCloud() {
      cloud ??= /\.(?:atlassian|jira)\.(?:net|com)$/.test(address.hostname)
        ? Promise.resolve(true)
        : user === undefined
          ? Promise.resolve(false)
          : known(site);
      // A failure is not kept: the next call repeats the query.
      cloud.catch(() => {
        cloud = undefined;
      });
      return cloud;
    },
  };
  return site;
}

/** The answer, or null if the server has no such thing. */
export async function orNull(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (thrown) {
    if (thrown instanceof HttpFailure && thrown.failure.reason === "not-found") return null;
    throw thrown;
  }
}

/** Describes an error in Pawl's own words. The detail never repeats what was sent. */
export function failureOf(thrown: unknown): FetchFailure {
  return (
    httpFailureIn(thrown)?.failure ?? {
      reason: "unexpected",
      detail: "the answer does not have the shape that Atlassian's API describes",
    }
  );
}

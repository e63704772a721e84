/**
 * The parts that Jira and Confluence share: address, credentials and requests. Both are Atlassian's Cloud or
 * a Data Center.
 *
 * A1  Credentials go only to the configured address. A link gives an issue's key or a page's id, never a host
 *     to contact.
 * A2  With a user (the Cloud's email address, Data Center's user name) the token is sent as its password;
 *     alone it is a personal access token, which only Data Center has.
 * A3  An answer for an anonymous user counts as a refused login, whatever its status: after an unknown login, Jira
 *     answers as for an anonymous user, with no issues or without the requested one.
 */
import { HttpFailure } from "../net/failure.ts";
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
 * name another issue there. Any other address (a proxy, a company's own domain) stands for a site of the
 * cloud; a Data Center only for itself.
 */
export function isOtherSite({ address }: AtlassianAccess, site: string): boolean {
  const isCloud = (host: string) => host.endsWith(".atlassian.net");
  return address.host !== site && (isCloud(address.host) || !isCloud(site));
}

/** Whether this address is the Cloud's, which knows no token without its user. */
export function needsUser(address: string): boolean {
  return URL.parse(address)?.hostname.endsWith(".atlassian.net") ?? false;
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

/** `accepts`: finds out whether it is the Cloud, for an address that does not show it. */
export function openSite(access: AtlassianAccess, accepts: (site: Site) => Promise<boolean>): Site {
  const { address, token, user } = access;
  const http = refusingAnonymous(access.http);
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
          : accepts(site);
      // A failure is not kept: the next call repeats the query.
      cloud.catch(() => {
        cloud = undefined;
      });
      return cloud;
    },
  };
  return site;
}

/** Reads from Jira's and Confluence's headers whether the login was accepted; the body is often only a sign-in page. */
function refusingAnonymous(http: Http): Http {
  return async (url, order) => {
    const answer = await http(url, order);
    const { headers, status } = answer;
    const loginFailure = (message: string) =>
      new HttpFailure({ reason: "unauthorized", detail: `${new URL(url).host} ${message}` });
    if (/captcha/i.test(headers.get("x-authentication-denied-reason") ?? ""))
      throw loginFailure(
        "asks for a CAPTCHA after failed logins; sign in there once in a browser, as the same user",
      );
    const isFailed = /FAILED|DENIED/.test(headers.get("x-seraph-loginreason") ?? "");
    const isAnonymous = headers.get("x-ausername")?.toLowerCase() === "anonymous";
    if ((isFailed || isAnonymous) && (status <= 400 || status === 404))
      throw loginFailure("did not accept the login, and answered as to a stranger");
    return answer;
  };
}

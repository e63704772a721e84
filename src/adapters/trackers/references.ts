import type { Reference, ReferenceFetch, References } from "../../core/ports/references.ts";
import { LIMITS, type Limits, withinLimits } from "../net/limits.ts";
import { type AtlassianAccess, addressFault, failureOf, isOtherSite } from "./atlassian.ts";

/** From the environment; each may be missing. */
export interface AtlassianCredentials {
  /** `JIRA_BASE_URL` */
  readonly jira?: string | undefined;
  /** `CONFLUENCE_BASE_URL` */
  readonly confluence?: string | undefined;
  /** `ATLASSIAN_EMAIL` */
  readonly email?: string | undefined;
  /** `ATLASSIAN_API_TOKEN` */
  readonly token?: string | undefined;
}

const LIMIT = 20_000;

const SETTINGS = {
  issue: { variable: "JIRA_BASE_URL", key: "jira" },
  page: { variable: "CONFLUENCE_BASE_URL", key: "confluence" },
} as const;

/** Fetches Jira issues and Confluence pages. The first fetch loads the clients. */
export function openReferences(
  credentials: AtlassianCredentials,
  limit = LIMIT,
  limits: Limits = LIMITS,
): References {
  return {
    async fetch(reference): Promise<ReferenceFetch> {
      const access = accessFor(reference, credentials, limit);
      if (typeof access === "string") return { kind: "not-configured", detail: access };
      if (isOtherSite(access, reference.site))
        return {
          kind: "not-configured",
          detail: `It belongs to ${reference.site}, but ${SETTINGS[reference.kind].variable} names ${access.address.host}.`,
        };
      try {
        return { kind: "fetched", markdown: await withinLimits(limits, () => fetchIt(reference, access)) };
      } catch (thrown) {
        return { kind: "failed", failure: failureOf(thrown) };
      }
    },
  };
}

async function fetchIt(reference: Reference, access: AtlassianAccess): Promise<string> {
  if (reference.kind === "issue") return (await import("./jira-issue.ts")).fetchIssue(access, reference.key);
  return (await import("./confluence-page.ts")).fetchPage(access, reference.page);
}

/** What the fetch needs, or a sentence that says what is missing. */
function accessFor(
  { kind }: Reference,
  credentials: AtlassianCredentials,
  limit: number,
): AtlassianAccess | string {
  const { variable, key } = SETTINGS[kind];
  const { email, token } = credentials;
  const address = credentials[key];
  const missing = [
    ...(address ? [] : [variable]),
    ...(email ? [] : ["ATLASSIAN_EMAIL"]),
    ...(token ? [] : ["ATLASSIAN_API_TOKEN"]),
  ];
  if (!address || !email || !token) return `Not set: ${missing.map((name) => `\`${name}\``).join(", ")}.`;
  const fault = addressFault(address);
  if (fault !== null) return `\`${variable}\` cannot be used: ${fault}.`;
  return { address: new URL(address), email, token, limit };
}

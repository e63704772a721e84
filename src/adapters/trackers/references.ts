import type { Reference, ReferenceFetch, References } from "../../core/ports/references.ts";
import { addressFault, openHttp } from "../net/http.ts";
import { failureIn, LIMITS, type Limits, withinLimits } from "../net/limits.ts";
import type { Environment } from "../process/environment.ts";
import { type AtlassianAccess, isOtherSite, needsUser } from "./atlassian.ts";

const SETTINGS = { issue: "JIRA_BASE_URL", page: "CONFLUENCE_BASE_URL" } as const;

/** Fetches Jira issues and Confluence pages, with the addresses and credentials of the environment. */
export function openReferences(environment: Environment, limits: Limits = LIMITS): References {
  return {
    async fetch(reference): Promise<ReferenceFetch> {
      const access = accessFor(reference, environment);
      if (typeof access === "string") return { kind: "not-configured", detail: access };
      if (isOtherSite(access, reference.site))
        return {
          kind: "not-configured",
          detail: `It belongs to ${reference.site}, but ${SETTINGS[reference.kind]} names ${access.address.host}.`,
        };
      try {
        return { kind: "fetched", markdown: await withinLimits(limits, () => fetchIt(reference, access)) };
      } catch (thrown) {
        return { kind: "failed", failure: failureIn(thrown) };
      }
    },
  };
}

async function fetchIt(reference: Reference, access: AtlassianAccess): Promise<string> {
  if (reference.kind === "issue") return (await import("./jira-issue.ts")).fetchIssue(access, reference.key);
  return (await import("./confluence-page.ts")).fetchPage(access, reference.page);
}

/** The access for the fetch, or a sentence that names what is missing. */
function accessFor({ kind }: Reference, environment: Environment): AtlassianAccess | string {
  const variable = SETTINGS[kind];
  const { ATLASSIAN_API_TOKEN: token, ATLASSIAN_EMAIL: user } = environment;
  const address = environment[variable];
  const missing = [
    ...(address ? [] : [variable]),
    ...(user || (address && !needsUser(address)) ? [] : ["ATLASSIAN_EMAIL"]),
    ...(token ? [] : ["ATLASSIAN_API_TOKEN"]),
  ];
  if (!address || !token || missing.length > 0)
    return `Not set: ${missing.map((name) => `\`${name}\``).join(", ")}.`;
  const fault = addressFault(address, "https://acme.atlassian.net");
  if (fault !== null) return `\`${variable}\` cannot be used: ${fault}.`;
  return { address: new URL(address), user: user || undefined, token, http: openHttp(environment) };
}

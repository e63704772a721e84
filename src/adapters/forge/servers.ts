/**
 * The servers of pull requests.
 *
 * F1  A token goes only to the address that its own variable names, or to its forge's own server: a remote's
 *     address decides which repository is meant, never which server gets a token.
 */
import { addressFault, openHttp } from "../net/http.ts";
import { withinLimits } from "../net/limits.ts";
import type { Environment } from "../process/environment.ts";
import type { Address } from "./remotes.ts";

export type ForgeKind = keyof typeof FORGES;

/** `api`: its path below the address. `version`: a path that answers without a token. */
const FORGES = {
  gitlab: {
    name: "GitLab",
    token: "GITLAB_TOKEN",
    address: "GITLAB_HOST",
    home: "https://gitlab.com",
    api: "/api/v4",
    version: "/api/v4/version",
  },
  forgejo: {
    name: "Forgejo",
    token: "FORGEJO_TOKEN",
    address: "FORGEJO_URL",
    home: "https://codeberg.org",
    api: "/api/v1",
    version: "/api/forgejo/v1/version",
  },
  gitea: {
    name: "Gitea",
    token: "GITEA_TOKEN",
    address: "GITEA_INSTANCE_URL",
    home: "https://gitea.com",
    api: "/api/v1",
    version: "/api/v1/version",
  },
  // GitHub's variable names the API itself.
  github: {
    name: "GitHub",
    token: "GITHUB_TOKEN",
    address: "GITHUB_API_URL",
    home: "https://api.github.com",
    api: "",
    version: "/api/v3/meta",
  },
} as const;

const KINDS = Object.keys(FORGES) as readonly ForgeKind[];

export interface ForgeServer {
  readonly kind: ForgeKind;
  /** `GitLab` */
  readonly name: string;
  readonly api: string;
  /** The address of its pages; null: any remote's, for a self-hosted GitHub. */
  readonly web: string | null;
  readonly token: string | undefined;
  /** The token's variable. */
  readonly variable: string;
}

/** What is missing, and the fix. */
export interface Lacking {
  readonly detail: string;
  readonly help: string;
}

/** The servers that the environment names, and errors for those with an unusable address. */
export function serversIn(environment: Environment): {
  readonly servers: readonly ForgeServer[];
  readonly faults: readonly Lacking[];
} {
  const servers: ForgeServer[] = [];
  const faults: Lacking[] = [];
  for (const kind of KINDS) {
    const server = serverOf(kind, environment);
    if ("detail" in server) faults.push(server);
    else servers.push(server);
  }
  return { servers, faults };
}

export function serverOf(kind: ForgeKind, environment: Environment): ForgeServer | Lacking {
  const { address: variable, api, home, name, token } = FORGES[kind];
  const written = (environment[variable] || home).replace(/\/+$/, "");
  const address = written.includes("://") || kind === "github" ? written : `https://${written}`;
  const fault = addressFault(address, kind === "github" ? "https://github.example.com/api/v3" : home);
  if (fault !== null)
    return {
      detail: `\`${variable}\` cannot be used: ${fault}.`,
      help: `Correct \`${variable}\`, or unset it.`,
    };
  const web = kind !== "github" ? address : address === home ? "https://github.com" : null;
  return { kind, name, api: address + api, web, token: environment[token] || undefined, variable: token };
}

/** The repository that an address names on this server: `acme/app`; null: none. */
export function pathOn({ kind, web }: ForgeServer, { host, segments }: Address): string | null {
  if (web === null) return named(segments.slice(-2));
  const { hostname, pathname } = new URL(web);
  if (host !== hostname && host.replace(/^(?:www|ssh|altssh)\./, "") !== hostname) return null;
  const below = pathname.split("/").filter((segment) => segment !== "");
  const rest = below.every((segment, at) => segment === segments[at])
    ? segments.slice(below.length)
    : segments;
  // GitLab's groups may contain groups.
  return named(kind === "gitlab" ? rest : rest.slice(-2));
}

function named(segments: readonly string[]): string | null {
  const isName = (segment: string) => /^[A-Za-z0-9._-]+$/.test(segment) && !/^\.\.?$/.test(segment);
  return segments.length >= 2 && segments.every(isName) ? segments.join("/") : null;
}

const ASKING = { bytes: 100_000, milliseconds: 10_000, silence: 5_000 };

/** The kind of forge at this address, queried without a token. Null: an unknown one, or no answer. */
export async function askKind(origin: string, environment: Environment): Promise<ForgeKind | null> {
  if (addressFault(origin, "https://forge.example.com") !== null) return null;
  const http = openHttp(environment);
  const answers = async (kind: ForgeKind) => {
    const answer = await http(origin + FORGES[kind].version, { headers: { accept: "application/json" } });
    if (kind === "github") return answer.headers.has("x-github-request-id");
    const body = ((await answer.json().catch(() => null)) ?? {}) as { message?: unknown; version?: unknown };
    if (answer.ok) return typeof body.version === "string";
    return kind === "gitlab" && body.message === "401 Unauthorized";
  };
  try {
    return await withinLimits(ASKING, async () => {
      for (const kind of KINDS) if (await answers(kind)) return kind;
      return null;
    });
  } catch {
    return null;
  }
}

/** The fix that gives this server a token. */
export function howToName(kind: ForgeKind, origin: string): string {
  const { address, token } = FORGES[kind];
  const value = kind === "github" ? `${origin}/api/v3` : origin;
  return `Set \`${address}=${value}\`, and \`${token}\` to a token of that server.`;
}

/** For a sentence: the variables that name a self-hosted server. */
export const ADDRESS_VARIABLES = KINDS.map((kind) => `\`${FORGES[kind].address}\``).join(", ");

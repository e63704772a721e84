import { PawlError } from "../../core/error.ts";
import type { Trackers } from "../../core/ports/trackers.ts";
import { serverOf } from "../forge/servers.ts";
import { addressFault, openHttp } from "../net/http.ts";
import type { Environment } from "../process/environment.ts";
import { needsUser } from "./atlassian.ts";

/**
 * The trackers that the environment gives access to. Each client is loaded on its tracker's first use.
 * `root`: the checkout, whose remote may name the repository on GitHub.
 */
export function openTrackers(environment: Environment, root: string): Trackers {
  return {
    async open(provider, { project, statuses }) {
      if (provider === "jira") {
        const { ATLASSIAN_API_TOKEN: token, ATLASSIAN_EMAIL: user, JIRA_BASE_URL: host } = environment;
        if (!host || !token || (!user && needsUser(host)))
          throw unconfiguredError(
            "Jira",
            "JIRA_BASE_URL and ATLASSIAN_API_TOKEN (for the Cloud ATLASSIAN_EMAIL too)",
          );
        const fault = addressFault(host, "https://acme.atlassian.net");
        if (fault !== null)
          throw new PawlError(
            "tracker-unconfigured",
            `JIRA_BASE_URL cannot be used: ${fault}.`,
            "Correct JIRA_BASE_URL.",
          );
        const { openJira } = await import("./jira.ts");
        return openJira({
          address: new URL(host),
          user: user || undefined,
          token,
          http: openHttp(environment),
        });
      }
      if (provider === "github") {
        const access = await gitHubAccess(environment, root, project);
        const { openGitHub } = await import("./github.ts");
        return openGitHub({ ...access, environment, statuses: Object.values(statuses) });
      }
      const { LINEAR_API_KEY, LINEAR_API_URL } = environment;
      if (!LINEAR_API_KEY) throw unconfiguredError("Linear", "LINEAR_API_KEY");
      const { openLinear } = await import("./linear.ts");
      return openLinear({
        key: LINEAR_API_KEY,
        http: openHttp(environment),
        ...(LINEAR_API_URL && { url: LINEAR_API_URL }),
      });
    },
  };
}

async function gitHubAccess(environment: Environment, root: string, project: string | null) {
  const { GITHUB_TOKEN: token } = environment;
  if (!token) throw unconfiguredError("GitHub", "GITHUB_TOKEN");
  const server = serverOf("github", environment);
  if ("detail" in server) throw new PawlError("tracker-unconfigured", server.detail, server.help);
  const { api } = server;
  if (project !== null) return { token, api, repository: repositoryOf(project) };
  const { accessOf } = await import("../forge/github-access.ts");
  const access = await accessOf(root, environment);
  const [repository] = "repositories" in access ? access.repositories : [];
  if (repository) return { token, api, repository };
  throw new PawlError(
    "tracker-unconfigured",
    "GitHub is the provider of tasks, but neither the configuration nor a remote of the checkout names a repository there.",
    "Name it: `tracker: {project: owner/name}` in the configuration.",
  );
}

function repositoryOf(project: string): string {
  if (/^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(project)) return project;
  throw new PawlError(
    "tracker-unconfigured",
    `The project of the tracker names no repository on GitHub: expected owner/name, found ${project}.`,
    "Correct `tracker: {project: owner/name}` in the configuration.",
  );
}

function unconfiguredError(tracker: string, names: string): PawlError {
  return new PawlError(
    "tracker-unconfigured",
    `${tracker} is the provider of tasks, but the environment does not say how to reach it: expected ${names}, found no value.`,
    `Set ${names} in the environment of the program, or use the provider local.`,
  );
}

import { PawlError } from "../../core/error.ts";
import type { Trackers } from "../../core/ports/trackers.ts";
import { readJira } from "./atlassian-environment.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The trackers that the environment gives access to. Each client is loaded on its tracker's first use. */
export function openTrackers(environment: Environment): Trackers {
  return {
    async open(provider) {
      if (provider === "jira") {
        const { address, email, token, tokenVariable } = readJira(environment);
        if (!address || !token)
          throw unconfigured(
            "Jira",
            "JIRA_BASE_URL and ATLASSIAN_API_TOKEN (for the Cloud ATLASSIAN_EMAIL too)",
          );
        const { openJira } = await import("./jira.ts");
        return openJira({ host: address, token, tokenVariable, ...(email && { email }) });
      }
      const { LINEAR_API_KEY, LINEAR_API_URL } = environment;
      if (!LINEAR_API_KEY) throw unconfigured("Linear", "LINEAR_API_KEY");
      const { openLinear } = await import("./linear.ts");
      return openLinear({ key: LINEAR_API_KEY, ...(LINEAR_API_URL && { url: LINEAR_API_URL }) });
    },
  };
}

function unconfigured(tracker: string, names: string): PawlError {
  return new PawlError(
    "tracker-unconfigured",
    `${tracker} is the provider of tasks, but the environment does not say how to reach it: expected ${names}, found no value.`,
    `Set ${names} in the environment of the program, or use the provider local.`,
  );
}

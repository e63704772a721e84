/** The adapters behind `Outside`, each loaded when it is first asked: nothing is paid for what is not used. */
import type { Outside } from "./base/ports.ts";
import type { Environment } from "./config.ts";

export function openOutside(root: string, environment: Environment): Outside {
  return {
    git: {
      look: async () => (await import("./adapters/git/look.ts")).look(root, environment),
      changes: async (base) => (await import("./adapters/git/changes.ts")).changes(root, environment, base),
    },
    files: {
      missing: async (paths) => (await import("./adapters/files/missing.ts")).missing(root, paths),
    },
    checks: {
      async run(key, command) {
        const { openChecks } = await import("./adapters/checks/checks.ts");
        return openChecks({ root, environment }).run(key, command);
      },
    },
  };
}

/** The guard's data outside of the project's files. */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { AGENT_VARIABLES } from "../adapters/agents/ancestry.ts";
import { discover } from "../adapters/git/discover.ts";
import { openGitHooks } from "../adapters/git/workspace/git-hooks.ts";
import { lastCall } from "../adapters/guard/calls.ts";
import { openProofs } from "../adapters/guard/proofs.ts";
import { tryCommand, tryGitHooks, tryPlugin } from "../adapters/guard/try.ts";
import { openStateHome, stateFolder } from "../config/state-home.ts";
import { attempt } from "../core/attempt.ts";
import { hashOf } from "../core/hash.ts";
import { arrangeShell } from "../services/guard/claude-shell.ts";
import type { ProjectLocation } from "../services/with-project.ts";
import { shellLine } from "../surfaces/cli/guard/setup.ts";
import type { GuardOutside } from "../surfaces/cli/line/command.ts";
import { ownProgramOf, sharedProgramOf } from "./launch.ts";

export function openGuardOutside({ environment, home, root }: ProjectLocation): GuardOutside {
  return {
    gitHooks: openGitHooks({
      ...{ root, environment },
      own: shellLine(ownProgramOf({ home, cwd: root })),
      shared: shellLine(sharedProgramOf({ home, cwd: root })),
      marks: AGENT_VARIABLES,
    }),
    proofs: openProofs(openStateHome(root, environment)),
    lastCall: (client) => lastCall(stateFolder(root, environment), client),
    openShells: async () => {
      await arrangeShell({ root, folder: root, environment }, false);
    },
    hash: hashOf,
    tryCommand: (command, input) => tryCommand(command, input, root, environment),
    tryPlugin: (text, call) => tryPlugin(text, call, root, environment),
    tryGitHooks: (hooks) => tryGitHooks(hooks, root, environment),
    settingsAtHome: (path) =>
      attempt(() => readFileSync(join(environment.HOME || homedir(), path), "utf8"), null),
    isOwnPush: /core\.hookspath/i.test(environment.GIT_CONFIG_PARAMETERS ?? ""),
    mainCheckout: () => mainCheckoutOf(root),
  };
}

function mainCheckoutOf(root: string): string | null {
  const found = discover(root);
  if (!found || found.own === found.common || basename(found.common) !== ".git") return null;
  return dirname(found.common);
}

/** Implements the port `Agents` with real programs. */
import { readOnce } from "../../core/once.ts";
import type { Agents } from "../../core/ports/agents.ts";
import { masked } from "../../core/text/masked.ts";
import { openProjectRedactor } from "../process/included-secrets.ts";
import { accountOf } from "./account.ts";
import { provenTask, revokeCapability } from "./capability.ts";
import { markOf } from "./mark.ts";
import { missing } from "./missing.ts";
import { takeCalls } from "./outbox.ts";
import { endTree } from "./process-tree.ts";
import { lastSign, loadSession, loadUsage, runFolder } from "./run-folder.ts";
import type { AgentsSetup } from "./setup.ts";
import { start } from "./start.ts";

export type { AgentsSetup } from "./setup.ts";

export function openAgents(setup: AgentsSetup): Agents {
  // A workspace may have got new files since.
  const redactor = () => openProjectRedactor(setup.projectRoot, setup.environment);
  return {
    start: (order, onEvent) => start(setup, { ...order, prompt: redactor().text(order.prompt) }, onEvent),
    endLeftovers: async (run) => (await endTree({ mark: markOf(setup.projectRoot, run) })).ended,
    async takeCalls(run, take) {
      const isOfRun = (capability: unknown) => provenTask(setup.stateFolder, capability)?.run === run;
      const mask = readOnce(() => redactor().text);
      await takeCalls(runFolder(setup.projectRoot, "agents", run), ({ capability, ...call }) =>
        take(masked(call, mask()), isOfRun(capability)),
      );
      revokeCapability(setup.stateFolder, run);
    },
    spentBy: async (run) => loadUsage(runFolder(setup.projectRoot, "agents", run)),
    sessionOf: async (run) => loadSession(runFolder(setup.projectRoot, "agents", run)),
    lastSignOf: async (run) => lastSign(runFolder(setup.projectRoot, "agents", run)),
    accountOf: (name) => accountOf(setup, name),
    missing: (name) => missing(setup, name),
    survey: async (allow) => (await import("./survey.ts")).survey(setup, allow),
    tryOut: async (name, signal) => (await import("./try-out.ts")).tryOut(setup, name, signal),
  };
}

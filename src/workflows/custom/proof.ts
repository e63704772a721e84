/** What `pawl verify` checks runs of your own workflow against. */
import { hashOfPolicy } from "../../core/policy.ts";
import { isSignedLevel, levelOf } from "../../core/strength.ts";
import type { GateProof } from "../../runtime/module.ts";
import { replayTable } from "../../runtime/run-log/gate-replay.ts";
import { gateName, type Loaded } from "./definition/definition.ts";
import { policyOf } from "./govern.ts";

export function openProof({ definition, hash }: Loaded): GateProof {
  const { gates = {}, table } = definition;
  return {
    tables: [hash],
    policy: (settings) => hashOfPolicy(policyOf(definition, settings.gates)),
    replay: async (records, settings) =>
      replayTable(table, records, ({ event, from }) => {
        const gate = gateName(definition, from);
        const isGate = Object.hasOwn(gates, event) && isSignedLevel(levelOf(settings.gates, gate));
        return isGate ? { gate, verdict: gates[event] === "reject" ? "reject" : "approve" } : null;
      }),
    artifacts: async () => [],
  };
}

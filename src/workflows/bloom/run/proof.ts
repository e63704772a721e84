/** What `pawl verify` checks about the tasks of the loop. */
import { hashOfPolicy } from "../../../core/policy.ts";
import { isSignedLevel, levelOf } from "../../../core/strength.ts";
import type { GateProof } from "../../../runtime/module.ts";
import { replayTable } from "../../../runtime/run-log/gate-replay.ts";
import { hashOfTable } from "../../../runtime/run-log/record.ts";
import { APPROVAL, loopPolicy } from "../govern.ts";
import { BLOOM } from "./table.ts";

export async function openProof(): Promise<GateProof> {
  return {
    tables: hashOfTable(BLOOM),
    policy: (settings) => hashOfPolicy(loopPolicy(settings)),
    replay: async (records, settings) => {
      const isSigned = isSignedLevel(levelOf(settings.gates, APPROVAL));
      // A person's rejection halts the task, as an edit of tasks.yaml does: only a record shows that it was a
      // rejection.
      const rejected = records.filter(({ verdict }) => verdict === "reject");
      return replayTable(BLOOM, records, (move) => {
        if (isSigned && move.event === "approved") return { gate: APPROVAL, verdict: "approve" };
        return rejected.some((record) => record === move) ? { gate: APPROVAL, verdict: "reject" } : null;
      });
    },
    artifacts: async () => [],
  };
}

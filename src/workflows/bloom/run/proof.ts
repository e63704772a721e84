/** What `pawl verify` checks about the tasks of the loop. */
import type { GateRecord } from "../../../core/gate-record.ts";
import { hashOfPolicy } from "../../../core/policy.ts";
import { isSignedLevel, levelOf } from "../../../core/strength.ts";
import type { GateProof } from "../../../runtime/module.ts";
import { replayTable } from "../../../runtime/run-log/gate-replay.ts";
import { hashOfTable } from "../../../runtime/run-log/history.ts";
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
      const moved = records.map(withMoves);
      const rejected = moved.filter(({ verdict }) => verdict === "reject");
      return replayTable(BLOOM, moved, (move) => {
        if (isSigned && move.event === "approved") return { gate: APPROVAL, verdict: "approve" };
        return rejected.some((record) => record === move) ? { gate: APPROVAL, verdict: "reject" } : null;
      });
    },
    artifacts: async () => [],
  };
}

/** The record without the steps that move nothing: a run begins, and a person goes on from others' steps. */
function withMoves(record: GateRecord): GateRecord {
  const steps = record.steps.filter(
    ({ kind }, index) => kind !== "adopted" && !(kind === "begun" && index === 0 && record.start !== null),
  );
  return { ...record, steps };
}

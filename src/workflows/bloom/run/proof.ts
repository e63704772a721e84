/** What `pawl verify` checks about the tasks of the loop. */
import { ownFile } from "../../../core/own-file.ts";
import { hashOfPolicy } from "../../../core/policy.ts";
import type { View } from "../../../core/ports/store.ts";
import { isSignedLevel, levelOf } from "../../../core/strength.ts";
import type { Workflow } from "../../../engine/workflow.ts";
import type { GateProof, ProofBase } from "../../../runtime/module.ts";
import { replayTable } from "../../../runtime/run-log/gate-replay.ts";
import { hashOfTable } from "../../../runtime/run-log/history.ts";
import { APPROVAL, loopPolicy } from "../govern.ts";
import { openFoundLives, tableOf } from "./life.ts";
import { BLOOM } from "./table.ts";

/** `base`: where the lives of its tasks are. */
export async function openProof({ lives: find, settings, view }: ProofBase): Promise<GateProof> {
  const lives = await livesIn(find, view, settings.workflows);
  const tables = new Map([BLOOM, ...lives].map((table) => [hashOfTable(table), table]));
  return {
    tables: [...tables.keys()],
    policy: (settings) => hashOfPolicy(loopPolicy(settings)),
    replay: async (records, settings) => {
      const isSigned = isSignedLevel(levelOf(settings.gates, APPROVAL));
      // A person's rejection halts the task, as an edit of tasks.yaml does: only a record shows that it was a
      // rejection.
      const rejected = records.filter(({ verdict }) => verdict === "reject");
      return replayTable(tables.get(records[0]?.workflow ?? "") ?? BLOOM, records, (move) => {
        if (isSigned && move.event === "approved") return { gate: APPROVAL, verdict: "approve" };
        return rejected.some((record) => record === move) ? { gate: APPROVAL, verdict: "reject" } : null;
      });
    },
    artifacts: async () => [],
  };
}

/** The tables of all lives among the workflows, as their files have them. A faulty one has none. */
async function livesIn(
  find: ProofBase["lives"],
  view: View,
  workflows: readonly string[],
): Promise<readonly Workflow[]> {
  const named = openFoundLives(find);
  const violations = await Promise.all(
    workflows.map((each) => named(view, workflows, ownFile(each).name).catch(() => null)),
  );
  return violations.flatMap((life) => (life ? [tableOf({ life })] : []));
}

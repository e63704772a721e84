/** A record of a run, as a clone brings it. */
import { projectPath } from "../../../src/core/path.ts";
import { hashOfStep, type Step } from "../../../src/runtime/run-log/step.ts";
import { branchesOf, newRecords, parseRecord } from "../../../src/runtime/run-log/team-records.ts";
import { RECORDED_STATE } from "../../../src/workflows/custom/run-file.ts";
import type { Target } from "../target.ts";

const RUN = "release:1.2.0";
const first: Step = {
  ...{ v: 1, run: RUN, seq: 1, prev: null, time: "2026-01-01T00:00:00.000Z", kind: "begun" },
  ...{ machine: "release", from: "", to: "a", set: { rounds: 0 }, by: { channel: "mcp" } },
};
const second: Step = {
  ...{ ...first, seq: 2, prev: hashOfStep(first), kind: "moved", from: "a", to: "b", event: "submit" },
  ...{ rule: "submitted", set: { rounds: 1 }, by: { channel: "terminal" } },
};
const recordedState = {
  ...{ table_hash: "", state: "b", kept: { rounds: 1 }, awaits: "human", next: "", created_at: first.time },
};
const [record] = newRecords(RUN, [first, second], 0, recordedState);

export const teamRecord: Target = {
  name: "team-record",
  seeds: record?.type === "write" ? [record.text] : [],
  run(bytes) {
    const name = `.alfred/records/release/1.2.0/0001-0002-${hashOfStep(second).slice(0, 16)}.jsonl`;
    const text = Buffer.from(bytes).toString("utf8");
    branchesOf(RUN, [parseRecord(projectPath(name), RUN, text, RECORDED_STATE)]);
  },
};

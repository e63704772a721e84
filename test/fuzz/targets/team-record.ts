/** A record of a run, as a clone brings it. */
import { projectPath } from "../../../src/core/path.ts";
import { hashOfStep } from "../../../src/runtime/run-log/history.ts";
import { branchesOf, newRecords, parseRecord } from "../../../src/runtime/run-log/team-records.ts";
import { SHARED } from "../../../src/workflows/custom/run-file.ts";
import type { Target } from "../target.ts";

const RUN = "release:1.2.0";
const first = {
  time: "2026-01-01T00:00:00.000Z",
  event: "submit",
  row: "submitted",
  from: "a",
  to: "b",
  by: { channel: "cli" },
  prev: null,
};
const second = { ...first, event: "reject", by: { channel: "terminal" }, prev: hashOfStep(first) };
const recordedState = {
  ...{ table_hash: "", state: "b", kept: { rounds: 1 }, awaits: "human", next: "", created_at: first.time },
  origin: { state: "a", kept: { rounds: 0 }, at: 0 },
};
const [record] = newRecords(RUN, [first, second], 0, recordedState);

export const teamRecord: Target = {
  name: "team-record",
  seeds: record?.type === "write" ? [record.text] : [],
  run(bytes) {
    const name = `.alfred/records/release/1.2.0/0001-0002-${hashOfStep(second).slice(0, 16)}.jsonl`;
    const found = parseRecord(projectPath(name), RUN, Buffer.from(bytes).toString("utf8"), SHARED);
    branchesOf(RUN, [found]);
  },
};

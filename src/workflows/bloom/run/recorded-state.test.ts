import { expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { RECORDED_STATE, sharedIn } from "./recorded-state.ts";

it("what git shares of a run keeps that a check ran no test", () => {
  promise("bloom.no-test");
  const evidence = ["npm test", "true"].map((command, at) => ({
    ...{ step: null, command, exit: 0, commit: "c", log: "l", duration: 1, time: "t", on: "worktree" },
    ...(at === 0 ? { empty: true } : {}),
  }));
  const run = {
    ...{ title: "t", state: "done", kept: {}, row: null, since: "t", reason: null, status: "done", runs: 2 },
    ...{ evidence, work: null, pullRequest: null },
  };
  const { recordedState } = sharedIn(JSON.stringify(run)) ?? {};
  expect(recordedState?.evidence.map(({ command, empty }) => [command, empty])).toEqual([
    ["npm test", true],
    ["true", undefined],
  ]);
  expect(RECORDED_STATE(recordedState, [])).toBeNull();
  const forged = { ...recordedState, evidence: [{ ...recordedState?.evidence[0], empty: "no" }] };
  expect(RECORDED_STATE(forged, [])).toMatchObject({ problem: 'expected true, found "no"' });
});

import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import type { View } from "../../../core/ports/store.ts";
import { DEFAULT_SETTINGS } from "../../../core/settings.ts";
import { standingIn } from "../state/history.ts";
import { statePath } from "../state/paths.ts";
import { newTaskState, renderState } from "../state/state-file.ts";
import type { TaskStatus } from "../state/status.ts";
import { policyIn } from "./govern.ts";

function viewWith(text: string | null): View {
  const path: string = statePath("T1");
  return {
    read: async (file) => (file === path ? text : null),
    list: async () => [],
    lastLine: async () => null,
    isCurrent: async () => true,
    packaged: async () => null,
  };
}

/** A state that follows from its history: a person accepted it as it is. */
function stateAt(task_status: TaskStatus): string {
  const time = "2026-01-02T03:04:05.000Z";
  const state = { ...newTaskState("T1", time), task_status };
  const standing = standingIn(state);
  const step = {
    time,
    type: "accepted-edit",
    tool: null,
    status: task_status,
    prev: null,
    standing,
  } as const;
  return renderState({ ...state, history: [step] });
}

const policyOfState = (text: string | null) => policyIn(viewWith(text), DEFAULT_SETTINGS, "T1");

describe("what governs a task of Alfred", () => {
  it("is what the configuration says, until the task is over", async () => {
    promise("policy.shown");
    const open = await policyOfState(stateAt("in_development"));
    expect(open?.policy).toHaveProperty(["alfred.human_review"], DEFAULT_SETTINGS.alfred.human_review);
    expect(await policyOfState(stateAt("done"))).toBeNull();
  });

  it("is so, too, where nothing is known of the task, or its state cannot be read", async () => {
    promise("policy.shown");
    expect(await policyOfState(null)).not.toBeNull();
    expect(await policyOfState("{ half")).not.toBeNull();
  });
});

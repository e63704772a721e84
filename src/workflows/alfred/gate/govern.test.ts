import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import type { View } from "../../../core/ports/store.ts";
import {
  type AlfredSettings,
  DEFAULT_SETTINGS,
  type Settings,
  SIZED_REVIEWS,
  type Size,
} from "../../../core/settings.ts";
import { logChanges } from "../../../runtime/run-log/append.ts";
import { statePath } from "../state/paths.ts";
import { TASK_RUNS } from "../state/run-kind.ts";
import { newTaskState, renderState } from "../state/state-file.ts";
import type { TaskStatus } from "../state/status.ts";
import { policyIn, sizedSettings } from "./govern.ts";

function viewWith(text: string | null, line: string | null): View {
  const path: string = statePath("T1");
  return {
    read: async (file) => (file === path ? text : null),
    list: async () => [],
    lastLine: async () => line,
    isCurrent: async () => true,
    packaged: async () => null,
  };
}

const TIME = "2026-01-02T03:04:05.000Z";

/** The last line of the log of a task whose state is so. */
async function lineAt(text: string): Promise<string> {
  const write = { type: "write", path: statePath("T1"), text } as const;
  const committing = {
    changes: [write],
    events: [],
    caller: { channel: "terminal" },
    time: TIME,
    id: "1",
    shares: async () => false,
  } as const;
  const found = { machine: "alfred", state: "new", variables: {} };
  const view = viewWith(null, null);
  const [change] = await logChanges(view, TASK_RUNS, { ...committing, details: { found } });
  return change?.type === "append" ? change.text.trim() : "";
}

function stateAt(task_status: TaskStatus): string {
  return renderState({ ...newTaskState("T1", TIME), task_status });
}

async function policyOfState(text: string | null) {
  const line = text === null ? null : await lineAt(text);
  return policyIn(viewWith(text, line), DEFAULT_SETTINGS, "T1");
}

describe("what governs a task of Alfred", () => {
  it("is what the configuration says, until the task is over", async () => {
    promise("policy.shown");
    const open = await policyOfState(stateAt("in_development"));
    expect(open?.policy).toHaveProperty(["alfred.human_review"], DEFAULT_SETTINGS.alfred.human_review);
    expect(await policyOfState(stateAt("done"))).toBeNull();
  });

  it("is so, too, if nothing is known of the task, or its state cannot be read", async () => {
    promise("policy.shown");
    expect(await policyOfState(null)).not.toBeNull();
    expect(await policyOfState("{ half")).not.toBeNull();
  });
});

function withAlfred(alfred: Partial<AlfredSettings>, gates: Settings["gates"] = {}): Settings {
  return { ...DEFAULT_SETTINGS, gates, alfred: { ...DEFAULT_SETTINGS.alfred, ...alfred } };
}

const of = (size: Size) => ({ size, reviews: SIZED_REVIEWS[size] });

describe("a task's own size", () => {
  const SIZED: readonly (readonly [string, Settings, Size, Size | null])[] = [
    ["counts where the project says nothing", DEFAULT_SETTINGS, "light", "light"],
    [
      "counts so, too, where a person must confirm",
      withAlfred({ human_review: "confirm" }),
      "light",
      "light",
    ],
    [
      "counts where it asks for more",
      withAlfred({ ...of("light"), human_review: "confirm" }),
      "careful",
      "careful",
    ],
    ["counts where a verdict may be relayed anyway", withAlfred(of("careful")), "light", "light"],
    [
      "does not count for less",
      withAlfred({ ...of("standard"), human_review: "elicit" }),
      "light",
      "standard",
    ],
    ["does not count where gates are signed", withAlfred({}, { default: "signed" }), "light", null],
  ];
  it.each(SIZED)("%s", (_, settings, size, expected) => {
    promise("alfred.sizes");
    expect(sizedSettings(settings, { size }).alfred.size).toBe(expected);
  });
});

import { expect, test } from "vitest";
import { newTaskState, parseState, renderState } from "./state-file.ts";

const PATH = ".alfred/workspace/A-1/task_state.json";
const TIME = "2026-01-01T00:00:00.000Z";
const text = renderState(newTaskState("A-1", TIME));

test("what is written is read back, with keys that are not known", () => {
  const more = text.replace('"task_id"', '"note": "mine",\n  "task_id"');
  expect(parseState(more, "A-1", PATH)).toEqual({ ...JSON.parse(text), note: "mine" });
});

test("a cut at any place is an error that names the file and a line, never a state", () => {
  for (let length = 0; length < text.trimEnd().length; length++)
    expect(() => parseState(text.slice(0, length), "A-1", PATH), `cut at ${length}`).toThrow(
      /task_state\.json, line \d+: the task's state cannot be read/,
    );
});

const FAULTS: readonly [string, string, RegExp][] = [
  ['"new"', '"nwe"', /line 3: .*task_status: expected a task status, found "nwe"/],
  ['"active_tool_state": null', '"active_tool_state": 1', /line 4: .*expected an object, found 1/],
  ['"A-1"', '"B-2"', /line 2: .*task_id: expected "A-1", found "B-2"/],
  ["{}", "[]", /line 5: .*completed_tool_outputs: expected an object/],
];

test.each(FAULTS)("%s → %s is told with its line", (from, to, message) => {
  expect(() => parseState(text.replace(from, to), "A-1", PATH)).toThrow(message);
});

test("the fault of an item of a list is reported with that item's line", () => {
  const note = { state: "plan", stage: "ai", notes: "" };
  const run = {
    ...{ started_at: TIME, finished_at: TIME, task_status: "planning" },
    accepted: [],
    verdicts: [],
  };
  const outputs = { plan_task: { ...run, notes: [note, { ...note, stage: "nwe" }] } };
  const lines = renderState({ ...JSON.parse(text), completed_tool_outputs: outputs }).split("\n");
  const line = lines.findIndex((each) => each.includes("nwe")) + 1;
  expect(() => parseState(lines.join("\n"), "A-1", PATH)).toThrow(
    `line ${line}: the task's state cannot be read: completed_tool_outputs.plan_task.notes.1.stage: expected "ai" or "human", found "nwe"`,
  );
});

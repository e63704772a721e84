import { newTaskState, parseState, renderState } from "../../../src/workflows/alfred/state-file.ts";
import type { Target } from "../target.ts";

export const taskState: Target = {
  name: "task-state",
  seeds: [renderState(newTaskState("TS-01", "2026-01-01T00:00:00.000Z"))],
  run: (bytes) => parseState(Buffer.from(bytes).toString("utf8"), "TS-01", "task_state.json"),
};

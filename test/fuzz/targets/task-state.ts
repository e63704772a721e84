import { newTaskState, parseState, renderState } from "../../../src/workflows/alfred/state/state-file.ts";
import type { Target } from "../target.ts";

const TIME = "2026-01-01T00:00:00.000Z";

export const taskState: Target = {
  name: "task-state",
  seeds: [renderState(newTaskState("TS-01", TIME))],
  run: (bytes) => parseState(Buffer.from(bytes).toString("utf8"), "TS-01", "task_state.json"),
};

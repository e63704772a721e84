import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { BRANCH, FROM_LOOP, ID, plannedTask } from "../rig/alfred-loop.ts";
import { rigProgram, testEnvironment } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

const HAND_IN = rigProgram("alfred-hand-in");

/** The nth move of the task in the loop's table is the merge. */
const MERGED = 7;

test.each(["before", "after"] as const)(
  "a loop that is killed just %s it tells of the merge loses no evidence, nor does a hand-in that is killed",
  { timeout: 60_000 },
  async (side) => {
    promise("alfred.loop");
    await using task = await plannedTask();
    const { project } = task;
    await task.call("implement_task", { task_id: ID, hand_over: true });
    const killed = await project.runKilledAt(MERGED, side);
    expect(killed.signal).toBe("SIGKILL");
    expect(project.git("log", "-1", "--format=%s")).toContain(`Merge ${ID}`);
    expect((await task.submit(FROM_LOOP)).data.data).toMatchObject({ code: "loop-not-done" });
    expect((await project.run()).code).toBe(0);
    expect(project.git("log", "--format=%s", BRANCH).match(/Merge/g)).toHaveLength(1);

    const handIn = spawn(process.execPath, [HAND_IN, ID, side], {
      cwd: project.root,
      env: testEnvironment({ DOOR_ONLY: "" }),
    });
    expect(await once(handIn, "exit")).toEqual([null, "SIGKILL"]);
    const { data } = await task.submit(FROM_LOOP);
    expect(data.message).toContain(
      side === "before" ? "is handed in, from the loop's" : "was handed in before",
    );
    expect(data.data).toMatchObject({ current_state: "awaiting_ai_review" });
    expect(task.state().active_tool_state.context_store.submitted.from).toBe("loop");
  },
);

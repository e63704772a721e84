import { describe, expect, it } from "vitest";
import { NOTHING } from "../../engine/scope.ts";
import { DEFINITIONS } from "./tools/definitions.ts";
import { machineOf } from "./tools/machine.ts";
import { runOfCall } from "./tools/run-of-call.ts";
import { TOOLS } from "./tools/tools.ts";

/** Every state in which something may be written, or done with git. */
const ALLOWED: Readonly<Record<string, object>> = {
  "implement_task: dispatched": { writes: "worktree", forbids: ["commit", "push"] },
  "finalize_task: dispatched": { writes: "none", forbids: [] },
  "start_task: initialized": { writes: "none", forbids: ["push"] },
  "start_task: git_status_checked": { writes: "none", forbids: ["push"] },
  "start_task: branch_created": { writes: "none", forbids: ["push"] },
  "start_task: awaiting_ai_review": { writes: "none", forbids: ["push"] },
  "start_task: awaiting_human_review": { writes: "none", forbids: ["push"] },
};

describe("the scopes of Alfred's states", () => {
  it("let work be written only while it is built, committed before the branch and delivered at the end", () => {
    const found: Record<string, object> = {};
    for (const definition of DEFINITIONS)
      for (const [name, { final, forbids, writes }] of Object.entries(machineOf(definition).workflow.states))
        if (!final) found[`${definition.name}: ${name}`] = { writes, forbids };
    const others = Object.keys(found).filter((state) => !(state in ALLOWED));
    expect(others.length).toBeGreaterThan(15);
    expect(found).toEqual({
      ...ALLOWED,
      ...Object.fromEntries(others.map((state) => [state, NOTHING])),
    });
  });
});

describe("the run of a call", () => {
  it("is the task of every tool that has one", () => {
    const about = TOOLS.filter(({ input }) => "task_id" in input.shape).map(({ name }) => name);
    expect(about.length).toBeGreaterThan(8);
    for (const { name } of TOOLS)
      expect([name, runOfCall(name, { task_id: "TS-01" })]).toEqual([
        name,
        about.includes(name) ? "TS-01" : null,
      ]);
  });

  it.each([{}, { task_id: 7 }, { task_id: "../TS-01" }, { task_id: "" }, { id: "TS-01" }])(
    "is none for %j",
    (input) => {
      expect(runOfCall("submit_work", input)).toBeNull();
    },
  );

  it("is none for a tool of another workflow", () => {
    expect(runOfCall("advance", { task_id: "TS-01" })).toBeNull();
  });
});

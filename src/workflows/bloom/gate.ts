import type { View } from "../../base/ports.ts";
import type { Context, GateInput } from "../module.ts";
import { taskOf } from "./tasks-file.ts";
import { changing, type Desk, readDesk } from "./verbs/desk.ts";
import { statusEdit } from "./verbs/edits.ts";
import { told } from "./verbs/person.ts";

/** A person's verdict on a task that waits for approval: `pawl approve`, `bloom approve`, `pawl reject`. */
export const gate = changing(
  (view: View, context: Context) => readDesk(view, context),
  (desk: Desk, { id, approve, notes }: GateInput, context) => {
    const task = taskOf(desk.file.tasks, id);
    const run = desk.runs.get(id);
    const approval = run?.state === "waiting_for_human" && run.kept.awaits === "approval";
    if (!run || !desk.states.has(id) || !(approval || run.state === "opening_pr"))
      return {
        text: `${id} waits for no approval${run ? `: it is ${run.state}` : ""}.`,
        data: { task: id, state: run?.state ?? null },
        refused: true,
      };
    if (approve) return told(desk, task, run, { event: "approved" }, context);
    const note = {
      type: "append" as const,
      id,
      key: "ai_notes" as const,
      value: `rejected: ${notes ?? "no reason given"}`,
    };
    const edits = [note, statusEdit(task, "blocked")];
    const reason = `rejected by a person${notes ? `: ${notes}` : ""}`;
    const result = told(desk, { ...task, status: "blocked" }, run, { event: "halted", reason }, context);
    return { ...result, text: `${id} is rejected and blocked.`, edits };
  },
);

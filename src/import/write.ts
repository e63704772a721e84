/** An import into tasks.yaml, as one commit. */
import type { Reply, Transaction } from "../runtime/module.ts";
import { changesOf, readTasksText, type TasksText } from "../tasks-file/grow.ts";
import { TASKS_RUN } from "../tasks-file/load.ts";
import { type ImportPlan, planImport } from "./plan.ts";
import type { Format, Read } from "./source.ts";

export interface ImportInput {
  readonly format: Format;
  readonly read: Read;
  readonly repo?: string | undefined;
  /** Only say what would be written. */
  readonly dryRun?: boolean;
}

export const importTasks: Transaction<ImportInput, TasksText, undefined, Reply> = {
  run: ({ dryRun }) => (dryRun ? null : TASKS_RUN),
  read: (view, _, context) => readTasksText(view, context),
  propose(seen, _, { dryRun, format, read, repo }, { caller, now, settings }) {
    const plan = planImport(seen.tasks, read, { format, repo });
    const changes = changesOf(seen, plan.edits, settings);
    const { added, updated } = countsOf(plan);
    const { remarks, rows } = plan;
    const reply = { text: "", data: { format, into: seen.path, rows, remarks } };
    if (dryRun || changes.length === 0) return { reply };
    const by = caller.who ?? caller.channel;
    const happened = { type: "tasks:imported", format, into: seen.path, added, updated, by } as const;
    return { reply, changes, events: [{ id: `${now.id}-0`, time: now.time, ...happened }] };
  },
};

export function countsOf({ rows }: Pick<ImportPlan, "rows">) {
  return {
    added: rows.filter(({ change }) => change === "new").length,
    updated: rows.filter(({ change }) => change === "updated").length,
    unchanged: rows.filter(({ change }) => change === "unchanged").length,
  };
}

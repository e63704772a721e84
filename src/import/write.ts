/** An import into tasks.yaml, as one commit. */
import type { Change } from "../core/ports/store.ts";
import type { Context, Proposal, Reply, Transaction } from "../runtime/module.ts";
import { changesOf, readTasksText, type TasksText } from "../tasks-file/grow.ts";
import { checkLimit } from "../tasks-file/limit.ts";
import { TASKS_RUN } from "../tasks-file/load.ts";
import { eachTask } from "../tasks-file/task.ts";
import { addWords, loadWords, type Words } from "./kept-statuses.ts";
import { type ImportRow, planImport } from "./plan.ts";
import type { Format, Read } from "./source.ts";
import { settleStates } from "./states.ts";

export interface ImportInput {
  readonly format: Format;
  readonly read: Read;
  readonly repo?: string | undefined;
  /** The meanings of the source's words that a person gives now. */
  readonly words?: Words;
  /** Only reports what would be written. */
  readonly dryRun?: boolean;
}

interface LoadedTasks {
  readonly file: TasksText;
  readonly kept: Words;
}

export const importTasks: Transaction<ImportInput, LoadedTasks, undefined, Reply> = {
  run: ({ dryRun }) => (dryRun ? null : TASKS_RUN),
  read: async (view, _, context) => ({
    file: await readTasksText(view, context),
    kept: await loadWords(view),
  }),
  propose({ file, kept }, _, { dryRun, format, read, repo, words = {} }, context) {
    const { settings } = context;
    const text = addWords(kept, words);
    const plan = planImport(file.tasks, settleStates(read, text.statuses), { format, repo });
    // Before the text of them all is made.
    const count = eachTask(file.tasks).length + countsOf(plan).added;
    checkLimit(settings, { path: file.path, text: "", tasks: count, by: "change" });
    const changes = [...changesOf(file, plan.edits, settings), ...text.changes];
    const { remarks, rows } = plan;
    const reply = { text: "", data: { format, into: file.path, rows, remarks } };
    return imported(reply, dryRun ? [] : changes, context);
  },
};

interface ImportReply extends Reply {
  readonly data: {
    readonly format: string;
    readonly into: string;
    readonly rows: readonly Pick<ImportRow, "change">[];
  };
}

/** The proposal of an import; without changes, only what it would do. */
export function imported(
  reply: ImportReply,
  changes: readonly Change[],
  { caller, now }: Context,
): Proposal<Reply> {
  if (changes.length === 0) return { reply };
  const { format, into, rows } = reply.data;
  const { added, updated } = countsOf({ rows });
  const by = caller.who ?? caller.channel;
  const event = { type: "tasks:imported", format, into, added, updated, by } as const;
  return { reply, changes, events: [{ id: `${now.id}-0`, time: now.time, ...event }] };
}

export function countsOf({ rows }: { readonly rows: readonly Pick<ImportRow, "change">[] }) {
  return {
    added: rows.filter(({ change }) => change === "new").length,
    updated: rows.filter(({ change }) => change === "updated").length,
    unchanged: rows.filter(({ change }) => change === "unchanged").length,
  };
}

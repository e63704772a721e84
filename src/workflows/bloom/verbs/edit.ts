/** `task edit ID`: a person changes the keys of a task. Other lines of the file stay as they are. */
import { stringify } from "yaml";
import { PawlError } from "../../../core/error.ts";
import { canonical } from "../../../core/json.ts";
import { clean } from "../../../core/text/clean.ts";
import type { EditedTask, EditInput } from "../../../runtime/board.ts";
import type { Context, Proposal, Reply, Transaction } from "../../../runtime/module.ts";
import { hasAnswered } from "../../../runtime/transaction/person.ts";
import { definedWith, definitionEdits, definitionOf } from "../../../tasks-file/definition.ts";
import { renderDiff } from "../../../tasks-file/diff.ts";
import type { TasksEdit } from "../../../tasks-file/edit.ts";
import { changedTasks, changesOf, readTasksText, type TasksText } from "../../../tasks-file/grow.ts";
import { TASKS_RUN, taskOf } from "../../../tasks-file/load.ts";
import { itemsIn } from "../../../tasks-file/put.ts";
import { dangersBetween } from "./dangers.ts";
import { isAgentCall } from "./persons-word.ts";
import { eventOf } from "./snapshot.ts";

export const editTask: Transaction<EditInput, TasksText, undefined, Reply> = {
  run: ({ dryRun }) => (dryRun ? null : TASKS_RUN),
  read: (view, _, context) => readTasksText(view, context),
  propose(tasks, _, input, context) {
    const { dryRun, id, isWhole, seen } = input;
    if (!dryRun && isAgentCall(context)) throw agentEditError(id);
    const { file, text } = { file: taskOf(tasks.tasks, id), text: tasks.text ?? "" };
    const item = itemsIn(text).get(file.id) ?? {};
    const definition = definitionOf(item);
    const now = canonical(definition);
    if (seen !== undefined && seen !== now) throw changedTaskError(id);
    const wanted = definedWith(isWhole ? { id } : definition, input.values);
    const edits = definitionEdits(item, wanted);
    const changed = proposeTaskEdits(tasks, edits, context);
    const keys = [...new Set(edits.map((edit) => ("key" in edit ? edit.key : "steps")))];
    const data: EditedTask = {
      ...{
        task: id,
        path: tasks.path,
        seen: now,
        definition,
        keys,
        yaml: stringify(definition, { lineWidth: 0 }),
      },
      ...{ diff: changed.diff, dangers: changed.dangers },
    };
    const reply = { text: editedWords(data), data: { ...data } };
    if (dryRun || keys.length === 0) return { reply };
    const message = `${editedWords(data)}\n\nSave it?`;
    if (input.asks && !hasAnswered(context, message)) return { reply, ask: { message } };
    const by = context.caller.who ?? context.caller.channel;
    return {
      reply: {
        ...reply,
        text: `${editedWords(data)}\n\n${id} is changed in ${tasks.path}: ${keys.join(", ")}.`,
      },
      changes: changed.changes,
      events: [eventOf(context, { type: "task:edited", taskId: id, keys, by }, 0)],
    };
  },
};

export interface TaskEdits extends Pick<EditedTask, "diff" | "dangers"> {
  readonly changes: NonNullable<Proposal<Reply>["changes"]>;
}

/** The edits with their difference, and what is dangerous in it. */
export function proposeTaskEdits(
  before: TasksText,
  edits: readonly TasksEdit[],
  { settings }: Pick<Context, "settings">,
): TaskEdits {
  const changes = changesOf(before, edits, settings);
  const after = changedTasks(before, changes);
  return {
    changes,
    diff: after.text === before.text ? "" : renderDiff(before.path, before.text, after.text ?? ""),
    dangers: dangersBetween(before.tasks, after.tasks),
  };
}

/** The difference, and below it the dangerous keys, where a person does not overlook them. */
export function editedWords({ dangers, diff }: Pick<EditedTask, "diff" | "dangers">): string {
  if (diff === "") return "Nothing would be changed.";
  const named =
    dangers.length === 0
      ? []
      : ["", "It changes what decides how the work is judged:", ...dangers.map((each) => `  ! ${each}`)];
  return clean([diff, ...named].join("\n"));
}

function agentEditError(id: string): PawlError {
  return new PawlError(
    "caller-not-allowed",
    `Only a person edits a task, and this call comes from an agent. ${id} was not changed.`,
    `Ask a person to run \`pawl task edit ${id}\`.`,
  );
}

function changedTaskError(id: string): PawlError {
  return new PawlError(
    "review-changed",
    `Somebody else has changed ${id} since you were shown it. Nothing was saved.`,
    "Look at it again, and repeat your edit there.",
  );
}

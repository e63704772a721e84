/** `add TEXT`: one more task at the end of tasks.yaml. */
import { PawlError } from "../../../core/error.ts";
import { checkId } from "../../../core/id.ts";
import type { Fields } from "../../../core/json.ts";
import type { Reply, Transaction } from "../../../runtime/module.ts";
import { definedWith, parseDefinition, parseSets } from "../../../tasks-file/definition.ts";
import { changesOf, readTasksText, type TasksText } from "../../../tasks-file/grow.ts";
import { TASKS_RUN, taskOf } from "../../../tasks-file/load.ts";
import { idsIn, type Task } from "../../../tasks-file/task.ts";
import { eventOf } from "./snapshot.ts";

interface AddInput {
  /** Its title; absent: the YAML says it. */
  readonly text?: string;
  /** `KEY=VALUE` each. */
  readonly set?: readonly string[];
  /** The task as YAML. */
  readonly yaml?: string;
  readonly id?: string;
  readonly after?: readonly string[];
  readonly repo?: string;
}

export const add: Transaction<AddInput, TasksText, undefined, Reply> = {
  run: () => TASKS_RUN,
  read: (view, _, context) => readTasksText(view, context),
  propose(seen, _, { after = [], id: wanted, repo, set = [], text, yaml }, context) {
    const { tasks, path } = seen;
    const written = yaml === undefined ? {} : parseDefinition(yaml);
    const { title, ...keys } = definedWith({}, { ...withoutId(written), ...parseSets(set) });
    const words = String(text ?? title ?? "").trim();
    if (words === "" || words.includes("\n"))
      throw new PawlError(
        "usage",
        "Expected a title of one line, found none or several.",
        'Run `pawl task add "title"`.',
      );
    const depends_on = [...new Set([...after, ...listOf(keys.depends_on)])].map(
      (each) => taskOf(tasks, each).id,
    );
    const taken = idsIn(tasks);
    const given = wanted ?? (written.id === undefined ? undefined : String(written.id));
    const id = given === undefined ? nextId(tasks, taken) : checkId(given, "task's id");
    if (taken.has(id))
      throw new PawlError(
        "usage",
        `The id ${id} is used in ${path} already.`,
        "Give another with --id, or none.",
      );
    const item = {
      id,
      title: words,
      ...keys,
      ...(repo === undefined ? {} : { repo }),
      ...(depends_on.length > 0 ? { depends_on } : {}),
    };
    const by = context.caller.who ?? context.caller.channel;
    const waits = depends_on.length > 0 ? `, after ${depends_on.join(", ")}` : "";
    return {
      reply: {
        text: `${id} is in ${path}${waits}: ${words}`,
        data: { task: id, title: words, after: depends_on, path },
      },
      changes: changesOf(
        seen,
        [{ type: "add-items", into: null, list: "tasks", items: [item] }],
        context.settings,
      ),
      events: [eventOf(context, { type: "task:added", taskId: id, title: words, by }, 0)],
    };
  },
};

function withoutId({ id: _, ...rest }: Fields): Fields {
  return rest;
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/**
 * The id after the highest of the last numbered task's kind: `API-07` follows `API-06`. `support-node-24` has
 * no kind.
 */
function nextId(tasks: readonly Task[], taken: ReadonlySet<string>): string {
  const last = tasks.findLast(({ id }) => NUMBERED.test(id))?.id ?? "";
  const [, prefix = "T"] = NUMBERED.exec(last) ?? [];
  const numbers = tasks.flatMap(({ id }) => {
    const [, idPrefix, digits] = NUMBERED.exec(id) ?? [];
    return idPrefix === prefix && digits ? [digits] : [];
  });
  const width = numbers.at(-1)?.length ?? 1;
  let next = numbers.reduce((most, each) => Math.max(most, Number(each)), 0) + 1;
  while (taken.has(prefix + String(next).padStart(width, "0"))) next++;
  return prefix + String(next).padStart(width, "0");
}

const NUMBERED = /^((?:[A-Za-z]{1,16}[-_.]?)?)(\d{1,9})$/;

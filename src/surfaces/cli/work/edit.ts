/** `pawl task edit ID`: changes a task's keys, wherever the tasks are. */
import { PawlError, toPawlError } from "../../../core/error.ts";
import type { EditedTask, EditInput } from "../../../runtime/board.ts";
import { runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import { parseDefinition, parseSets } from "../../../tasks-file/definition.ts";
import { editTask } from "../../../workflows/bloom/verbs/edit.ts";
import type { Answer, Host, Run } from "../line/command.ts";
import { answerOf } from "../line/run-verb.ts";
import { refuseAgent, runAsking } from "../terminal/person.ts";

export const edit: Run = async (host, { arguments: given, options }) => {
  const id = String(given.id);
  const sets = (options.set ?? []) as readonly string[];
  const dryRun = options.dryRun === true;
  if (!dryRun) refuseAgent(host, "edit a task", `pawl task edit ${id}`);
  const { runtime } = await host.projects.open();
  const run = (input: EditInput) => runTransaction(runtime, editTask, input, host.person.caller());
  if (sets.length > 0) return answerOf((await run({ id, values: parseSets(sets), dryRun })).reply);
  const shown = (await run({ id, values: {}, dryRun: true })).reply.data as unknown as EditedTask;
  if (dryRun) return { text: shown.yaml, data: shown };
  return inEditor(host, shown, async (input) => (await runAsking(host, runtime, editTask, input)).reply);
};

function headingFor(id: string): string {
  return `# ${id}: save and leave the editor. You see the difference before anything is changed.\n# Status, worker and notes have commands of their own (pawl task --help); subtasks have their own ids.\n`;
}

/** What the person wrote stays in its file until it is saved. */
async function inEditor(
  host: Host,
  { seen, task: id, yaml }: EditedTask,
  save: (input: EditInput) => Promise<Parameters<typeof answerOf>[0]>,
): Promise<Answer> {
  const { file, forget, text } = await host.person.edit(headingFor(id) + yaml, "yaml");
  if (text === headingFor(id) + yaml) {
    forget();
    return { text: `${id} is as it was.\n`, data: { task: id, keys: [] } };
  }
  try {
    const { id: named = id, ...values } = parseDefinition(text);
    if (named !== id)
      throw new PawlError(
        "usage",
        `An edit cannot change a task's id: expected ${id}, found ${String(named)}.`,
        "Leave the id as it is.",
      );
    const answer = answerOf(await save({ id, values, isWhole: true, seen, asks: true }));
    forget();
    return answer;
  } catch (thrown) {
    const { code, fix, message } = toPawlError(thrown);
    throw new PawlError(code, message, `${fix} Your text is in ${file}.`, thrown);
  }
}

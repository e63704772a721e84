/**
 * Brings a proposal into tasks.yaml: a file keeps it until a person at a terminal has seen the diff and
 * agreed to exactly that.
 */
import { PawlError } from "../../../core/error.ts";
import { jsonText } from "../../../core/json.ts";
import { type ProjectPath, projectPath } from "../../../core/path.ts";
import { clean, cleanLine } from "../../../core/text/clean.ts";
import type { Reply, Transaction } from "../../../runtime/module.ts";
import { hasAnswered } from "../../../runtime/transaction/person.ts";
import { renderDiff } from "../../../tasks-file/diff.ts";
import { changesOf, readTasksText, type TasksText } from "../../../tasks-file/grow.ts";
import { TASKS_RUN } from "../../../tasks-file/load.ts";
import { itemsOf, type Proposed, readProposed } from "../../../tasks-file/proposal.ts";
import { eventOf } from "../verbs/snapshot.ts";

export const PLANS = ".pawl/plans";

interface KeepInput extends Proposed {
  readonly name: string;
}

/** Writes a proposal's file. Throws `proposal-invalid` if it does not fit tasks.yaml. */
export const keepProposal: Transaction<KeepInput, TasksText, undefined, Reply> = {
  run: () => TASKS_RUN,
  read: (view, _, context) => readTasksText(view, context),
  propose({ tasks }, _, { name, ...proposed }) {
    itemsOf(proposed, tasks);
    const path = projectPath(PLANS, `${name}.json`);
    return {
      reply: { text: "", data: { file: path } },
      changes: [{ type: "write", path, text: `${jsonText(proposed)}\n` }],
    };
  },
};

interface ProposalFile {
  readonly file: ProjectPath;
}

interface LoadedProposal extends TasksText {
  readonly kept: string | null;
}

/** Asks a person first; with their yes, adds the tasks and removes the proposal's own file. */
export const takeProposal: Transaction<ProposalFile, LoadedProposal, undefined, Reply> = {
  run: () => TASKS_RUN,
  async read(view, { file }, context) {
    return { ...(await readTasksText(view, context)), kept: await view.read(file) };
  },
  propose(seen, _, { file }, context) {
    const { kept, path, tasks, text } = seen;
    if (kept === null)
      throw new PawlError(
        "usage",
        `There is no proposal ${file}: it was taken already, or never made.`,
        'Run `pawl plan "what you want"`.',
      );
    const proposed = readProposed(file, kept);
    const items = itemsOf(proposed, tasks);
    const additions = [{ type: "add-items", into: null, list: "tasks", items }] as const;
    const edits = changesOf(seen, additions, context.settings);
    const after = edits[0]?.type === "edit" ? edits[0].text : "";
    const diff = clean(renderDiff(path, text, after));
    const ids = items.map((item) => item.id);
    const data = { file, path, tasks: ids, agent: proposed.agent, diff };
    const message = questionOf(proposed, ids.length, path, diff);
    if (!hasAnswered(context, message)) return { reply: { text: message, data }, ask: { message } };
    const by = context.caller.who ?? context.caller.channel;
    return {
      reply: { text: `${ids.join(", ")}: now in ${path}.`, data: { ...data, taken: true } },
      changes: [...edits, ...(file.startsWith(`${PLANS}/`) ? [{ type: "remove", path: file } as const] : [])],
      events: items.map((item, at) =>
        eventOf(context, { type: "task:added", taskId: item.id, title: item.title, by }, at),
      ),
    };
  },
};

/** Every line of the agent's text follows a mark of the diff, so none can pass for one of Pawl's. */
function questionOf({ agent, description }: Proposed, count: number, path: string, diff: string): string {
  const words = cleanLine(description);
  const asked = words.length > 200 ? `${words.slice(0, 200).toWellFormed()} …` : words;
  return `${diff}\n\n${clean(agent)} proposes ${count === 1 ? "this task" : `these ${count} tasks`} for: ${asked}\nAdd ${count === 1 ? "it" : "them"} to ${path}?`;
}

/**
 * A person's actions on the board: the same transactions as those of the commands, with the channel `board`.
 */
import { PawlError } from "../../../core/error.ts";
import type { Caller } from "../../../core/event.ts";
import { TASK_ACTS, type TaskAct } from "../../../runtime/board.ts";
import { loadWorkflows, type Project } from "../../../runtime/project.ts";
import { doneOf, openVerdicts } from "../../../runtime/review/give-verdict.ts";
import { runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import type { Done, VerdictOrder, VerdictQuestion } from "../wire.ts";

export interface Acts {
  verdict(project: Project, run: string, order: VerdictOrder): Promise<Done | VerdictQuestion>;
  task(project: Project, act: TaskAct, id: string, words: string): Promise<Done>;
}

export function openActs(caller: Caller): Acts {
  const verdicts = openVerdicts();
  return {
    verdict: (project, run, order) => verdicts.give(project, run, order, caller),
    async task(project, act, id, words) {
      const board = await boardOf(project);
      const plan = await board.acts[act]();
      const proposal = await runTransaction(project.runtime, plan, { id, words }, caller);
      if (proposal.ask) throw atTerminal();
      return doneOf(proposal, caller, project.runtime.now());
    },
  };
}

export function isTaskAct(word: string): word is TaskAct {
  return TASK_ACTS.some((act) => act === word);
}

/** The first workflow whose runs are tasks. */
async function boardOf({ workflows }: Project) {
  const modules = await loadWorkflows(workflows);
  const load = modules.find(({ board }) => board)?.board;
  if (load) return load();
  throw new PawlError("no-effect", "This project has no tasks of agents.", "See its runs instead.");
}

function atTerminal(): PawlError {
  return new PawlError(
    "terminal-missing",
    "A person must confirm this at a terminal. Nothing was changed.",
    "Run the command of the same name in a terminal.",
  );
}

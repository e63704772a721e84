/** The verbs that count as a person's decision: who may use them, and what Pawl asks the person first. */
import { PawlError } from "../../../core/error.ts";
import type { Context, HumanQuestion } from "../../../runtime/module.ts";
import { type ReviewQuestion, renderReview } from "../../../runtime/review/question.ts";
import { hasAnswered, isPersonHere } from "../../../runtime/transaction/person.ts";
import { spentWords } from "../../../scheduler/budget.ts";
import type { TaskRun } from "../run/task-run.ts";
import type { Done } from "./snapshot.ts";

/** Whether the call comes from an agent's process: the loop's agent or a person's assistant. */
export function isAgentCall({ caller }: Pick<Context, "caller">): boolean {
  return caller.channel === "agent";
}

/**
 * Checks whether the caller may resume a run that waits for a person. Returns the question to ask first if
 * that lifts a limit or skips an approval; null: it is allowed. Throws `caller-not-allowed` if the caller is
 * an agent.
 */
export function liftsRest(run: TaskRun | undefined, verb: string, context: Context): Done | null {
  if (!run || !(run.state in REST)) return null;
  const awaitsApproval = run.state === "waiting_for_human" && run.kept.awaits === "approval";
  if (run.state === "waiting_for_human" && !awaitsApproval) return null;
  if (isAgentCall(context)) throw agentCallError(run, verb);
  // A script lifts no limit: what was spent stays spent.
  if (
    run.state === "blocked" ||
    run.state === "target_red" ||
    run.state === "agent_rests" ||
    (run.state === "budget_exhausted" && !isPersonHere(context))
  )
    return null;
  return askFirst(context, {
    question: `Let ${run.task} (${run.title}) continue, by \`${verb}\`?`,
    facts: [
      awaitsApproval
        ? "It waits for your approval. It would start over, and its work would not be approved."
        : "It has spent its budget; it would get a fresh one.",
      `Spent so far: ${spentWords(run.spent)}.`,
    ],
    whole: `bloom show ${run.task}`,
  });
}

const REST = { target_red: 1, agent_rests: 1, blocked: 1, budget_exhausted: 1, waiting_for_human: 1 };

function agentCallError(run: TaskRun, verb: string): PawlError {
  return new PawlError(
    "caller-not-allowed",
    `${run.task} is ${run.state}: only a person can let it continue, and this call of \`${verb}\` comes from an agent. Nothing was changed.`,
    `A person runs \`bloom ${verb} ${run.task}\` in a terminal of their own.`,
  );
}

/** The question to ask a person first; null: they have agreed to exactly this. */
export function askFirst(context: Context, review: ReviewQuestion): Done | null {
  const ask: HumanQuestion = { message: renderReview(review) };
  return hasAnswered(context, ask.message) ? null : { text: "", ask };
}

/** An agent's answer to an order of an own workflow, with its lists of tasks. */
import { type AgentAnswers, type Answer, readAnswer } from "../../../runtime/agent-order.ts";
import { readList } from "../../../tasks-file/proposal.ts";
import { ANY_TASKS, type AnswerLimits } from "./answer-words.ts";

/** `faults`: what is wrong with it, for the agent. */
export function parseAnswer(
  text: string,
  answers: AgentAnswers,
  limits: AnswerLimits = {},
): Answer | { readonly faults: readonly string[] } {
  return readAnswer(text, answers, (field, value) => {
    const list = readList(value, limits[field] ?? ANY_TASKS);
    return "faults" in list ? list : { text: JSON.stringify(list) };
  });
}

/**
 * One order of a task's life to one of its agents, in the task's workspace: from its prompt to its answer, which is the next
 * event of the table. An invalid answer is refused once, in the same session, with its faults.
 *
 * An order's cost counts in the task's budget and in its own.
 */
import {
  permissionOf,
  permitted,
  readAnswer,
  refusedTwice,
  refusedWords,
} from "../../../runtime/agent-order.ts";
import { lastQuestion } from "../../../scheduler/agent-run.ts";
import { added, budgetOf, overspent, shownSpent, spentWords } from "../../../scheduler/budget.ts";
import { withCost } from "../costs.ts";
import {
  type ExecutionContext,
  type StepResult,
  type TaskSnapshot,
  taskFolder,
} from "../execution-context.ts";
import { orderContext } from "../prompt.ts";
import { type LifeOrder, orderOf, type RuledOrder, textOf } from "../run/life.ts";
import type { TaskEvent } from "../run/table.ts";
import { accountAfter, limitOf, openQuestion, budgetSpent as taskSpent } from "./run-agent.ts";
import { setUp } from "./set-up.ts";
import { runInWorkspace, type WorkspaceRunEnd } from "./workspace-run.ts";

export async function runOrder(context: ExecutionContext): Promise<StepResult> {
  for (;;) {
    const ordered = orderOf(context.known.run);
    // The row's order is lost only with its run.
    if (ordered === null) return { event: "agent_failed", reason: "its order is gone" };
    const before = checkFirst(context, ordered);
    if (before) return before;
    const result = await runOnce(context, ordered);
    if (result.event !== undefined) return result;
    await context.note(result);
  }
}

/** Who works for the order, and in which session it goes on. */
interface Working {
  readonly agent: string;
  readonly session: string | null;
  /** The session has its prompt. */
  readonly isDelivered: boolean;
}

function workingOn(
  { known: { run, settings } }: ExecutionContext,
  { command, entry, order }: RuledOrder,
): Working {
  const agent = entry.agent ?? settings.agent;
  const isSame = (command.session ?? entry.session) === "same";
  const kept = isSame ? run.sessions?.[command.agent] : undefined;
  const session = order.session ?? kept;
  const isOurs = session?.agent === agent;
  return { agent, session: isOurs ? session.id : null, isDelivered: isOurs && order.session !== null };
}

/** The result without a run, if a question is open, a budget is spent or the agent rests; else null. */
function checkFirst(context: ExecutionContext, ordered: RuledOrder): StepResult | null {
  const { known } = context;
  const { resting, run, settings, task } = known;
  const asks = openQuestion(known);
  if (asks) return asks;
  const limit = overspent(budgetOf(task, settings), run.spent);
  if (limit !== null) return taskSpent(task, run, limit);
  if (overspent(ordered.entry.budget, ordered.order.spent) !== null)
    return orderSpent(task.id, ordered, ordered.order);
  return resting.has(workingOn(context, ordered).agent) ? { event: "agent_limited" } : null;
}

function orderSpent(
  taskId: string,
  { command, entry }: Pick<RuledOrder, "command" | "entry">,
  { spent }: LifeOrder,
): StepResult {
  const limit = overspent(entry.budget, spent) ?? "turns";
  return {
    event: "budget_spent",
    events: [{ type: "budget:exhausted", taskId, limit, spent: shownSpent(spent) }],
    reason: `the budget of ${limit} for the order of ${command.agent} is spent: ${spentWords(spent)}`,
  };
}

async function runOnce(context: ExecutionContext, ordered: RuledOrder): Promise<StepResult> {
  const place = await taskFolder(context);
  if ((await setUp(context, place.folder, place.isNew ? "fresh" : "worked")) === "stopped")
    return { event: "interrupted" };
  const { run, settings, task } = context.known;
  const { command, entry, order } = ordered;
  const working = workingOn(context, ordered);
  const { agent, session } = working;
  const ended = await runInWorkspace(context, place, {
    agent,
    started: {
      ...{ purpose: command.agent, permission: permissionOf(entry) },
      resumed: session !== null,
    },
    budgets: [
      [budgetOf(task, settings), run.spent],
      [entry.budget, order.spent],
    ],
    order: () => ({
      ...permitted(entry),
      prompt: promptOf(context, ordered, working),
      session: session === null ? { type: "new" } : { type: "resume", id: session },
      ...(entry.model === undefined ? {} : { model: entry.model }),
      environment: { ...context.ports.environment, ...context.environment },
    }),
  });
  if ("result" in ended) return ended.result;
  const result = await resultOf(context, ordered, ended);
  const isReceived = result.event === undefined || !AGAIN.has(result.event);
  const paths = ended.before.messages.map(({ path }) => path);
  return {
    ...(ended.unsaved ?? result),
    patch: { underway: [], agentRun: null, ...(isReceived && { message: null }), ...result.patch },
    events: [...ended.events, ...(result.events ?? [])],
    removes: [...(isReceived ? paths : []), ...(result.removes ?? [])],
  };
}

/** After these its agent has not worked with what people said. */
const AGAIN: ReadonlySet<string> = new Set(["agent_failed", "agent_limited", "interrupted", "session_lost"]);

function promptOf(
  context: ExecutionContext,
  { command, life, order }: RuledOrder,
  { isDelivered }: Working,
): string {
  const { messages, run, task } = context.known;
  const answers = life.words[order.row] ?? "";
  const words = [...(run.message === null ? [] : [run.message]), ...messages.map(({ text }) => text)];
  const said = words.length === 0 ? [] : [`A person says:\n\n${words.join("\n\n")}`];
  if (isDelivered)
    return [...said, order.refused ?? "Go on where you were interrupted.", answers].join("\n\n");
  return [orderContext(task), textOf(life, command.prompt, run, task), ...said, answers].join("\n\n");
}

/** Without an event: its answer was refused, and it is asked again. */
async function resultOf(
  context: ExecutionContext,
  ordered: RuledOrder,
  ended: WorkspaceRunEnd,
): Promise<StepResult> {
  // Reads the questions and messages that came meanwhile.
  const known = await context.note({});
  const { run, task } = known;
  const { command, order: before } = ordered;
  const { agent, end } = ended;
  const session = end.session === null ? before.session : { id: end.session, agent };
  const { refused: _, ...rest } = before;
  const order: LifeOrder = { ...rest, session, spent: added(before.spent, end.usage, end.duration) };
  const cost = {
    purpose: "order",
    step: command.agent,
    usage: end.usage,
    milliseconds: end.duration,
  } as const;
  const spent = added(run.spent, end.usage, end.duration);
  const sessions = session === null ? run.sessions : { ...run.sessions, [command.agent]: session };
  const outcome = outcomeOf({ ...known, run: { ...run, spent } }, ordered, ended, order);
  return {
    ...outcome,
    patch: {
      ...{ order, spent, costs: withCost(run, task, cost) },
      ...(sessions && { sessions }),
      ...outcome.patch,
    },
    ...accountAfter(ended, limitOf(end)),
  };
}

/** `after`: the order with what was spent on it. */
function outcomeOf(
  known: TaskSnapshot,
  { command, entry, order: { refused, session } }: RuledOrder,
  { byMinutes, end, stop }: WorkspaceRunEnd,
  after: LifeOrder,
): StepResult {
  const { run, settings, task } = known;
  const limit = overspent(budgetOf(task, settings), run.spent);
  const isOver = limit !== null || overspent(entry.budget, after.spent) !== null;
  const spent = () =>
    limit === null ? orderSpent(task.id, { command, entry }, after) : taskSpent(task, run, limit);
  if (end.outcome === "succeeded") {
    const answer = readAnswer(end.text, command.answers, NO_TASKS);
    if (!("faults" in answer)) {
      const said = { ...run.said, [command.agent]: answer.texts };
      return { event: answer.event as TaskEvent, patch: { said } };
    }
    const asks = openQuestion(known);
    if (asks) return asks;
    const question = lastQuestion(end);
    if (question !== null) return { event: "question_asked", reason: question, asks: question };
    if (refused !== undefined)
      return {
        event: "agent_unclear" as TaskEvent,
        reason: `the answer of ${command.agent} was refused twice: ${refusedTwice(refused, answer.faults)}`,
      };
    return isOver ? spent() : { patch: { order: { ...after, refused: refusedWords(answer.faults) } } };
  }
  if (stop === "budget" || (end.reason === "timed-out" && byMinutes)) return spent();
  // What was wrong is said again to an agent that has not worked with it.
  const order = { ...after, ...(refused === undefined ? {} : { refused }) };
  const patch = { order };
  if (stop === "interjected") return { event: "interjected", reason: "a person has something to say", patch };
  if (stop !== null) return { event: "interrupted", patch };
  if (end.reason === "not-installed") return { event: "agent_missing", reason: end.detail, patch };
  if (end.limited) return { event: "agent_limited", patch };
  if (end.reason === "bad-session" && session !== null)
    return { event: "session_lost", reason: end.detail, patch: { order: { ...order, session: null } } };
  return isOver ? spent() : { event: "agent_failed", reason: `${end.reason}: ${end.detail}`, patch };
}

/** No life's agent answers with tasks. */
const NO_TASKS = (field: string) => ({ faults: [`${field}: expected no tasks.`] });

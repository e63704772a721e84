import { type PawlError, toPawlError } from "../../../core/error.ts";
import { isId } from "../../../core/id.ts";
import type { View } from "../../../core/ports/store.ts";
import type { Context, LogLine, Proposal, Reply, Transaction } from "../../../runtime/module.ts";
import { logPath, transactionsPath } from "../state/paths.ts";
import { loadState } from "../state/resolve-run.ts";
import { TASK_RUNS } from "../state/run-kind.ts";
import type { TaskState } from "../state/state-file.ts";
import { followedBySync } from "./sync.ts";

/** The answer of every tool. */
export interface Response {
  readonly status: "success" | "error" | "choices_needed";
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly next_prompt?: string;
}

/** A tool's answer, and the call's entry in its log. */
export interface Answer {
  readonly response: Response;
  /** The run's state before and after, for the transactions log. */
  readonly before?: string;
  readonly after?: string;
  /** What was done. */
  readonly note?: string;
}

export function success(message: string, data?: Response["data"]): Answer {
  return { response: { status: "success", message, ...(data && { data }) } };
}

/** A tool's transaction before `toolTransaction` makes answers of its errors and logs its calls. */
// biome-ignore lint/suspicious/noExplicitAny: each tool has types of its own; `toolTransaction` passes them through unread
export interface ToolPlan<Input, Snapshot = any, Gathered = any>
  extends Transaction<Input, Snapshot, Gathered, Answer> {
  readonly tool: string;
  /** The task that it concerns, as passed; null: none. */
  task(input: Input): string | null;
  /** Afterwards, the tracker is updated about the task. */
  readonly syncs?: true;
}

/** The error, and the task's state; null if there is no task, or its state is unreadable. */
export interface Failed {
  readonly error: PawlError;
  readonly state: string | null;
}

/**
 * The transaction of a tool: an error becomes its answer, with nothing committed, and every call is logged.
 * Unexpected errors are rethrown.
 */
export function toolTransaction<Input>(
  plan: ToolPlan<Input>,
): Transaction<Input, View, Proposal<Answer> | Failed, Reply> {
  return {
    runs: TASK_RUNS,
    run: (input) => {
      const task = plan.task(input);
      return task !== null && !isId(task) ? null : plan.run(input);
    },
    read: async (view) => view,
    async observe(view, input, outside, context) {
      try {
        const seen = await plan.read(view, input, context);
        const gathered = await plan.observe?.(seen, input, outside, context);
        return plan.propose(seen, gathered, input, context);
      } catch (thrown) {
        const error = toPawlError(thrown);
        if (error.code === "internal") throw thrown;
        return { error, state: await findShownState(view, plan.task(input)) };
      }
    },
    propose: (_, settled, input, context) =>
      "error" in settled ? refusal(plan, settled, input, context) : answered(plan, settled, input, context),
  };
}

async function findShownState(view: View, task: string | null): Promise<string | null> {
  if (!isId(task)) return null;
  try {
    return shownState(await loadState(view, task));
  } catch {
    return null;
  }
}

/** The state of the active run, or the task's status if none is active. */
function shownState({ active_tool_state, task_status }: TaskState): string {
  return active_tool_state?.current_state ?? task_status;
}

function answered<Input>(
  plan: ToolPlan<Input>,
  { afterCommit: _, reply: answer, ...proposal }: Proposal<Answer>,
  input: Input,
  context: Context,
): Proposal<Reply> {
  const task = plan.task(input);
  const afterCommit = plan.syncs && task !== null ? followedBySync(task, context) : undefined;
  return {
    ...proposal,
    reply: replyOf(answer.response),
    ...(afterCommit && { afterCommit }),
    ...(!proposal.ask && { logs: logsOf(plan, answer, input, context) }),
  };
}

function refusal<Input>(
  plan: ToolPlan<Input>,
  { error, state }: Failed,
  input: Input,
  context: Context,
): Proposal<Reply> {
  const response: Response = {
    status: "error",
    message: error.message,
    data: { code: error.code, fix: error.fix },
  };
  const answer = { response, ...(state !== null && { before: state }) };
  return {
    reply: { text: `${error.message}\n${error.fix}`, data: { ...response }, refused: true },
    ...(!WITHOUT_TASK.includes(error.code) && { logs: logsOf(plan, answer, input, context) }),
  };
}

/** After these errors, no task exists whose log could record the call. */
const WITHOUT_TASK: readonly string[] = ["id-invalid", "task-invalid", "task-missing"];

function replyOf(response: Response): Reply {
  const text = response.next_prompt ?? response.message;
  return {
    text,
    data: { ...response },
    ...(response.status === "error" && { refused: true as const }),
  };
}

function logsOf<Input>(
  plan: ToolPlan<Input>,
  answer: Answer,
  input: Input,
  { now }: Context,
): readonly LogLine[] {
  const task = plan.task(input);
  if (!isId(task)) return [];
  const { response } = answer;
  const level = response.status === "error" ? "ERROR" : "INFO";
  const words = (answer.note ?? response.message)
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .join(" | ");
  const transaction = {
    time: now.time,
    tool: plan.tool,
    request: input,
    response,
    state_before: answer.before ?? null,
    state_after: answer.after ?? answer.before ?? null,
  };
  return [
    { path: logPath(task), line: `${now.time} - alfred.${plan.tool} - ${level} - ${words}` },
    { path: transactionsPath(task), line: JSON.stringify(transaction) },
  ];
}

import { type PawlError, toPawlError } from "../../core/error.ts";
import type { PawlEvent } from "../../core/event.ts";
import { isId } from "../../core/id.ts";
import type { Outside } from "../../core/ports/outside.ts";
import type { Change, View } from "../../core/ports/store.ts";
import type {
  Advance,
  Context,
  FollowUp,
  HumanQuestion,
  LogLine,
  Prepared,
  Reply,
} from "../../runtime/module.ts";
import { loadState } from "./live-state.ts";
import { logPath, transactionsPath } from "./paths.ts";
import type { TaskState } from "./state-file.ts";

/** What every tool answers. */
export interface Response {
  readonly status: "success" | "error" | "choices_needed";
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly next_prompt?: string;
}

/** What a tool has prepared: its answer, and what is to be committed with it. */
export interface Answer {
  readonly response: Response;
  readonly changes?: readonly Change[];
  readonly events?: readonly PawlEvent[];
  readonly ask?: HumanQuestion;
  readonly followUp?: FollowUp<Reply>;
  /** Where the task's run stood and stands, for the transactions log. */
  readonly before?: string;
  readonly after?: string;
  /** What was done, for the log. */
  readonly note?: string;
}

/** A tool's advance, before its edge is put round it. */
export interface ToolPlan<Input, Seen, Gathered> {
  readonly tool: string;
  /** The task that it is about, as it came; null where it is about none. */
  task(input: Input): string | null;
  /** The run to lock; null where the tool only reads. */
  run(input: Input): string | null;
  read(view: View, input: Input, context: Context): Promise<Seen>;
  gather?(seen: Seen, input: Input, outside: Outside, context: Context): Promise<Gathered>;
  prepare(seen: Seen, gathered: Gathered, input: Input, context: Context): Answer;
  /** Where the task stood when it was read, for the log of a call that is refused later. */
  standing?(seen: Seen): string;
}

type Edge<Input> = Pick<ToolPlan<Input, never, never>, "tool" | "task">;
type Attempt<T> = { readonly value: T } | Failed;
interface Failed {
  readonly error: PawlError;
  /** Where the task stood; null where there is no task, or its state cannot be read. */
  readonly standing?: string | null;
}

/**
 * The edge of a tool: what was thrown inside becomes its answer, with nothing committed, and every call is logged.
 * What was not foreseen is thrown on.
 */
export function atTheEdge<Input, Seen, Gathered>(
  plan: ToolPlan<Input, Seen, Gathered>,
): Advance<Input, Attempt<Seen>, Attempt<Gathered>, Reply> {
  const { gather } = plan;
  return {
    run: (input) => {
      const task = plan.task(input);
      return task !== null && !isId(task) ? null : plan.run(input);
    },
    read: async (view, input, context) => {
      const seen = await attempt(() => plan.read(view, input, context));
      return "error" in seen ? { ...seen, standing: await loadStanding(view, plan.task(input)) } : seen;
    },
    ...(gather && {
      gather: (seen: Attempt<Seen>, input: Input, outside: Outside, context: Context) =>
        "error" in seen
          ? Promise.resolve({ error: seen.error })
          : attempt(() => gather.call(plan, seen.value, input, outside, context)),
    }),
    prepare: (seen, gathered, input, context) => {
      if ("error" in seen) return refusal(plan, seen, input, context);
      const standing = plan.standing?.(seen.value) ?? null;
      if (gather && "error" in gathered) return refusal(plan, { ...gathered, standing }, input, context);
      const value = gather && "value" in gathered ? gathered.value : (undefined as Gathered);
      try {
        return prepared(plan, plan.prepare(seen.value, value, input, context), input, context);
      } catch (thrown) {
        return refusal(plan, { error: foreseen(thrown), standing }, input, context);
      }
    },
  };
}

async function loadStanding(view: View, task: string | null): Promise<string | null> {
  if (!isId(task)) return null;
  try {
    return standingOf(await loadState(view, task));
  } catch {
    return null;
  }
}

/** The state of the active run, or the task's status where none is active. */
export function standingOf({ active_tool_state, task_status }: TaskState): string {
  return active_tool_state?.current_state ?? task_status;
}

async function attempt<T>(work: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { value: await work() };
  } catch (thrown) {
    return { error: foreseen(thrown) };
  }
}

function foreseen(thrown: unknown): PawlError {
  const error = toPawlError(thrown);
  if (error.code === "internal") throw thrown;
  return error;
}

function prepared<Input>(plan: Edge<Input>, answer: Answer, input: Input, context: Context): Prepared<Reply> {
  return {
    reply: replyOf(answer.response),
    ...(answer.changes && { changes: answer.changes }),
    ...(answer.events && { events: answer.events }),
    ...(answer.ask && { ask: answer.ask }),
    ...(answer.followUp && { followUp: answer.followUp }),
    ...(!answer.ask && { logs: logsOf(plan, answer, input, context) }),
  };
}

function refusal<Input>(
  plan: Edge<Input>,
  { error, standing }: Failed,
  input: Input,
  context: Context,
): Prepared<Reply> {
  const response: Response = {
    status: "error",
    message: error.message,
    data: { code: error.code, fix: error.fix },
  };
  const answer = { response, ...(standing && { before: standing }) };
  return {
    reply: { text: `${error.message}\n${error.fix}`, data: { ...response }, refused: true },
    ...(!WITHOUT_TASK.includes(error.code) && { logs: logsOf(plan, answer, input, context) }),
  };
}

/** There is no task whose log could tell of it. */
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
  plan: Edge<Input>,
  answer: Answer,
  input: Input,
  { moment }: Context,
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
    time: moment.time,
    tool: plan.tool,
    request: input,
    response,
    state_before: answer.before ?? null,
    state_after: answer.after ?? answer.before ?? null,
  };
  return [
    { path: logPath(task), line: `${moment.time} - alfred.${plan.tool} - ${level} - ${words}` },
    { path: transactionsPath(task), line: JSON.stringify(transaction) },
  ];
}

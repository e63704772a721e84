/** The data of a board for a workflow whose runs are tasks of agents. */
import type { Fields } from "../core/json.ts";
import type { AgentAccount, RestingAccount } from "../core/ports/agents.ts";
import type { View } from "../core/ports/store.ts";
import type { Configuration, Workflow } from "../engine/workflow.ts";
import type { Costs } from "./reports/costs.ts";
import type { OverviewContext } from "./reports/overview-context.ts";
import type { Owners } from "./transaction/check-event.ts";
import type { HeldOrder, Reply, Transaction } from "./transaction/transaction.ts";

/** A run's state in a table. */
export interface TableState {
  readonly workflow: Workflow;
  readonly configuration: Configuration;
  readonly owners?: Owners;
}

export interface TaskBoard {
  load(view: View, context: OverviewContext): Promise<BoardTasks>;
  /** A person's actions on a task under way; the same transactions as the verbs of the command line. */
  readonly acts: Readonly<Record<TaskAct, () => Promise<Transaction<ActInput, unknown, unknown, Reply>>>>;
  /** A person changes the keys of a task; `asks` shows them the difference first. */
  edit(): Promise<Transaction<EditInput, unknown, unknown, Reply>>;
  /** The costs of agents' runs, from the events of the log in order. */
  costs(): Costs;
}

export interface EditInput {
  readonly id: string;
  /** The keys to change; null takes one away. */
  readonly values: Fields;
  /** The other keys are taken away. */
  readonly isWhole?: boolean;
  /** `seen` of the answer that the person was shown. If the definition is another one by now, the edit is refused. */
  readonly seen?: string;
  /** Changes nothing; the answer has the task's definition, the difference and what is dangerous in it. */
  readonly dryRun?: boolean;
  /** Shows the difference to the person, and asks. */
  readonly asks?: boolean;
}

/** The answer's data. */
export interface EditedTask {
  readonly task: string;
  readonly path: string;
  /** The task as it was, as YAML. */
  readonly yaml: string;
  readonly definition: Fields;
  readonly seen: string;
  readonly keys: readonly string[];
  readonly diff: string;
  /** The changed keys that decide how the work is judged. */
  readonly dangers: readonly string[];
}

/** `answer` needs a question, the others a task. */
export const TASK_ACTS = ["answer", "interject", "stop", "retry", "hint", "take", "cancel"] as const;
export type TaskAct = (typeof TASK_ACTS)[number];

export interface ActInput {
  readonly id: string;
  readonly words: string;
}

export interface BoardTasks {
  readonly tasks: readonly TaskCard[];
  /** The accounts with which agents have worked. */
  readonly accounts: readonly AgentAccount[];
  /** Open tasks whose texts name the same files. */
  readonly overlaps: readonly Overlap[];
  /** How many of the tasks a free worker could take now. */
  readonly queued: number;
}

export interface Overlap {
  readonly tasks: readonly [string, string];
  readonly files: readonly string[];
}

export interface TaskCard {
  readonly id: string;
  readonly title: string;
  readonly column: "open" | "working" | "waiting" | "blocked" | "done";
  readonly state: string;
  readonly dependsOn: readonly string[];
  /** Its parent, if it is a subtask. */
  readonly parent: string | null;
  readonly agent: string | null;
  /** The agent run under way; null: there is none. */
  readonly agentRun: string | null;
  /** The agent run that began last; null: none has begun. */
  readonly lastRun: string | null;
  /** Its present step, and the number of steps. */
  readonly step: { readonly title: string; readonly index: number; readonly of: number } | null;
  /** The account of its agent for which it waits. Absent: it waits for none. */
  readonly rest?: RestingAccount;
  /** It waits for a person's verdict. */
  readonly awaitsVerdict: boolean;
  /** The last command that failed, with the end of its output; null: none did, or the task is not stuck. */
  readonly failed: { readonly command: string; readonly exit: number | null; readonly tail: string } | null;
  /** Why it waits, is blocked or is retried. */
  readonly reason: string | null;
  readonly since: string | null;
  readonly usd: number | null;
  /** Its agent's unanswered questions. */
  readonly questions: readonly { readonly id: string; readonly text: string; readonly since: string }[];
}

/** What a person can do about a task, or about an agent's order in a run of your own workflow, on every surface. */
export interface TaskDeed {
  readonly act: TaskAct;
  readonly label: string;
  /** What the words that it needs are about; absent: it needs none. */
  readonly words?: string;
  /** It is asked about once more. */
  readonly isSure?: true;
}

const HINT: TaskDeed = {
  act: "hint",
  label: "Try again with a hint",
  words: "What the agent should know",
};

export function orderDeeds({ why }: HeldOrder): readonly TaskDeed[] {
  if (why === "asks") return [{ act: "answer", label: "Answer", words: "Your answer" }];
  return [{ act: "retry", label: why === "budget" ? MORE_BUDGET : TRY_AGAIN }, HINT];
}

const TRY_AGAIN = "Try again";
const MORE_BUDGET = "Give more budget";

const WAITS_FOR_OTHERS: Readonly<Record<string, string>> = {
  target_red: "Continue anyway",
  agent_rests: "Ask its agent again",
};

/** Besides answers to its questions. */
export function taskDeeds({ column, reason, state }: TaskCard): readonly TaskDeed[] {
  if (column === "working")
    return [
      { act: "interject", label: "Interject", words: "The agent reads this before its next step" },
      { act: "stop", label: "Stop", isSure: true },
    ];
  if (column !== "blocked" && !WAITS_FOR_OTHERS[state]) return [];
  const isRejected = reason?.startsWith("rejected") === true;
  const retry =
    WAITS_FOR_OTHERS[state] ??
    (state === "budget_exhausted" ? MORE_BUDGET : isRejected ? "Send back to the agent" : TRY_AGAIN);
  return [
    { act: "retry", label: retry },
    HINT,
    { act: "take", label: "Take over" },
    { act: "cancel", label: "Cancel", words: "Why it will not be done" },
  ];
}

/** The data of a board for a workflow whose runs are tasks of agents. */
import type { RestingAccount } from "../core/ports/agents.ts";
import type { View } from "../core/ports/store.ts";
import type { Configuration, Workflow } from "../engine/workflow.ts";
import type { Costs } from "./reports/costs.ts";
import type { OverviewContext } from "./reports/overview-context.ts";
import type { Owners } from "./transaction/check-event.ts";
import type { Reply, Transaction } from "./transaction/transaction.ts";

/** A run's state in a table. */
export interface TablePlace {
  readonly workflow: Workflow;
  readonly configuration: Configuration;
  readonly owners?: Owners;
}

export interface TaskBoard {
  load(view: View, around: OverviewContext): Promise<BoardTasks>;
  /** A person's actions on a task under way; the same transactions as the verbs of the command line. */
  readonly acts: Readonly<Record<TaskAct, () => Promise<Transaction<ActInput, unknown, unknown, Reply>>>>;
  /** The costs of agents' runs, from the events of the log in order. */
  costs(): Costs;
}

/** `answer` needs a question, the others a task. */
export const TASK_ACTS = ["answer", "interject", "stop"] as const;
export type TaskAct = (typeof TASK_ACTS)[number];

export interface ActInput {
  readonly id: string;
  readonly words: string;
}

export interface BoardTasks {
  readonly tasks: readonly TaskCard[];
  /** Open tasks whose texts name the same files. */
  readonly overlaps: readonly Overlap[];
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
  /** Its present step, and the number of steps. */
  readonly step: { readonly title: string; readonly index: number; readonly of: number } | null;
  /** The account of its agent for which it waits. Absent: it waits for none. */
  readonly rest?: RestingAccount;
  /** Why it waits, is blocked or is retried. */
  readonly reason: string | null;
  readonly since: string | null;
  readonly usd: number | null;
  /** Its agent's unanswered questions. */
  readonly questions: readonly { readonly id: string; readonly text: string; readonly since: string }[];
}

/** What a workflow whose runs are tasks of agents gives to a board, as data. */
import type { View } from "../core/ports/store.ts";
import type { Configuration, Workflow } from "../engine/workflow.ts";
import type { Costs } from "./reports/costs.ts";
import type { OverviewContext } from "./reports/overview-context.ts";
import type { Owners } from "./transaction/check-event.ts";
import type { Reply, Transaction } from "./transaction/transaction.ts";

/** Where a run stands in a table. */
export interface TablePlace {
  readonly workflow: Workflow;
  readonly configuration: Configuration;
  readonly owners?: Owners;
}

export interface TaskBoard {
  load(view: View, around: OverviewContext): Promise<BoardTasks>;
  /** What a person may do with a task under way; the same transactions as the verbs of the command line. */
  readonly acts: Readonly<Record<TaskAct, () => Promise<Transaction<ActInput, unknown, unknown, Reply>>>>;
  /** What the runs of agents cost, from the events of the log in their order. */
  costs(): Costs;
}

/** `answer` is about a question, the others about a task. */
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
  /** The run of its agent that is under way; null: none is. */
  readonly agentRun: string | null;
  /** The step that it is at, and of how many. */
  readonly step: { readonly title: string; readonly index: number; readonly of: number } | null;
  /** Why it waits, is blocked or is tried again. */
  readonly reason: string | null;
  readonly since: string | null;
  readonly usd: number | null;
  /** What its agent asked and nobody has answered. */
  readonly questions: readonly { readonly id: string; readonly text: string; readonly since: string }[];
}

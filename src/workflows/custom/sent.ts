/** What is sent to a run of your own workflow, and what is observed for it. */
import type { ProjectEvent } from "../../core/event.ts";
import type { Snapshot } from "../../core/ports/git.ts";
import type { Facts } from "../../engine/workflow.ts";
import type { Sent, TypesOf } from "../../runtime/transaction/run-event.ts";
import type { RunUsage } from "../../scheduler/costs.ts";
import type { Gate } from "./definition/definition.ts";
import type { OwnRun } from "./load-run.ts";
import type { CommandEnd } from "./reply.ts";
import type { Looks } from "./run-file.ts";

export interface Note {
  /** For a fact that a command answers: the key under which it runs and is found again. */
  readonly look?: Looks[string];
  readonly end?: CommandEnd;
  /** What the reply says about the fact. */
  readonly remark?: string;
}

export interface SendInput {
  /** `release:1.2.0` */
  readonly run: string;
  /** Absent: only finishes what is under way. */
  readonly event?: string | undefined;
  /** Instead of an event: selects the state's event for this verdict. */
  readonly verdict?: Exclude<Gate, "human">;
  readonly given?: Facts | undefined;
  /** Facts in a terminal's form: `risk=low`. */
  readonly fact?: readonly string[] | undefined;
  readonly notes?: string | undefined;
  /** The version of the review that the person read. */
  readonly version?: string | undefined;
  /** A person's answer, given through the client. */
  readonly is_approved?: boolean | undefined;
  readonly feedback_notes?: string | undefined;
  /** The replies of the sends before this one. */
  readonly said?: readonly string[];
  /** Only continues an agent's order that waits for a person; `answer`: an order whose agent asks. */
  readonly again?: "any" | "answer";
  /** The end of an agent's order. Only the loop sends it. */
  readonly answer?: AgentAnswer;
  /** Another run begins this one, with what it is to do. */
  readonly begins?: string;
  /** The event is only for a run that has not moved. */
  readonly isFirst?: true;
}

/** What an agent answered to an order. */
export interface AgentAnswer {
  /** The order's. */
  readonly key: string;
  readonly event: string;
  /** By field. */
  readonly texts: Readonly<Record<string, string>>;
  /** The agent's run, as a command that ended. */
  readonly ended: CommandEnd;
  readonly cost: RunUsage;
  /** The session that its next order continues. */
  readonly session?: { readonly id: string; readonly agent: string };
  /** What is stored with the move. */
  readonly events: readonly ProjectEvent[];
}

export interface OwnSent extends Sent {
  /** The facts that came with it. */
  readonly given: Facts;
  /** Whether a person must agree. */
  readonly gated: boolean;
  /** The work that they agree to; absent: it was not inspected. */
  readonly work?: Snapshot;
  /** The command or agent whose end the event reports; null: it reports none. */
  readonly ended: CommandEnd | null;
  /** Of an agent. */
  readonly byAgent?: AgentAnswer & { readonly agent: string };
  readonly events?: readonly ProjectEvent[];
  /** How the runs stand that it began. */
  readonly gathered?: string;
}

export type SendTypes = TypesOf<{ input: SendInput; run: OwnRun; sent: OwnSent; note: Note }>;

/** What a send is given, and what it reads before it decides. */
import type { ProjectPath } from "../../core/path.ts";
import type { CheckOutcome } from "../../core/ports/checks.ts";
import type { GitChanges } from "../../core/ports/git.ts";
import type { Facts, Position } from "../../engine/workflow.ts";
import type { DefinitionSource, Loaded } from "./definition.ts";
import type { Observed } from "./observe.ts";
import type { Order, RunFile } from "./run-file.ts";

export interface SendInput {
  /** `release:1.2.0` */
  readonly run: string;
  /** Absent: only what is under way is brought to its end. */
  readonly event?: string | undefined;
  readonly given?: Facts | undefined;
  /** As a terminal passes facts: `risk=low`. */
  readonly fact?: readonly string[] | undefined;
  readonly notes?: string | undefined;
  /** A person's answer, asked through the client. */
  readonly is_approved?: boolean | undefined;
  readonly feedback_notes?: string | undefined;
  /** What was said by the sends that this one follows. */
  readonly said?: readonly string[];
}

export interface Seen {
  readonly source: DefinitionSource;
  readonly loaded: Loaded;
  readonly run: string;
  readonly id: string;
  readonly path: ProjectPath;
  /** Null: the run begins with this. */
  readonly file: RunFile | null;
  /** The hash of the last entry of its history. */
  readonly head: string | null;
  readonly position: Position;
  /** What the caller wants to be decided; null: nothing, or the end of a command comes first. */
  readonly event: string | null;
  readonly given: Facts;
  /** The facts that the project's files answer. */
  readonly facts: Facts;
  /** The event is a person's. */
  readonly gated: boolean;
}

export interface Gathered {
  readonly observed: Observed;
  /** What the work changes, for the person who is asked. */
  readonly changes?: GitChanges | null;
  /** How the row's command stands. */
  readonly pending?: { readonly order: Order; readonly outcome: CheckOutcome };
}

/**
 * Whether an event can be sent to a run: one wording for every refusal, with the events that the run takes
 * and their senders.
 */
import { PawlError } from "../../core/error.ts";
import { nearest } from "../../core/text/nearest.ts";
import { isFinal } from "../../engine/lookup.ts";
import { movingEvents } from "../../engine/reach.ts";
import type { Configuration, Workflow } from "../../engine/workflow.ts";

/** A run as its codec loaded it. */
export interface TableRun {
  /** `workflow:id` */
  readonly run: string;
  readonly workflow: Workflow;
  readonly configuration: Configuration;
}

/**
 * Events with a restricted sender: the engine sends one when a command has ended; a person must agree to the
 * other.
 */
export type Owners = Readonly<Record<string, "engine" | "person">>;

/** Throws `usage`, `caller-not-allowed` or `no-effect`. */
export function checkEvent(run: TableRun, event: string, owners: Owners = {}, byEngine = false): void {
  const { configuration, workflow } = run;
  if (!Object.hasOwn(workflow.events, event)) throw unknownEventError(run, event, owners);
  if (owners[event] === "engine" && !byEngine)
    throw new PawlError(
      "caller-not-allowed",
      `${event} says how a command ended: the engine runs that command, and sends ${event} itself.`,
      `Send the event whose row runs the command. ${takes(run, owners)}`,
    );
  if (isFinal(workflow, configuration.state))
    throw new PawlError(
      "no-effect",
      `${run.run} has ended in ${configuration.state}; it takes no ${event} any more.`,
      "Nothing to do: the run is complete.",
    );
}

function unknownEventError(run: TableRun, event: string, owners: Owners): PawlError {
  const events = Object.keys(run.workflow.events).filter((name) => owners[name] !== "engine");
  const near = nearest(event, events);
  return new PawlError(
    "usage",
    `${run.workflow.name} has no event ${JSON.stringify(event)}: expected one of ${events.join(", ")}.`,
    `${near ? `Send ${near}.` : `Send one of ${events.join(", ")}.`} ${takes(run, owners)}`,
  );
}

/**
 * The events that can move the run now, for the fix of a refusal: `In draft it takes submit, or approve (a
 * person's).`
 */
export function takes({ configuration, run, workflow }: TableRun, owners: Owners = {}): string {
  const events = movingEvents(workflow, configuration).filter((event) => owners[event] !== "engine");
  if (events.length === 0) return `${run} is in ${configuration.state}, where no event moves it.`;
  const named = events.map((event) => (owners[event] === "person" ? `${event} (a person's)` : event));
  return `In ${configuration.state} it takes ${named.join(", ")}.`;
}

/**
 * A process's part in telemetry: it notes what it commits. Loaded by every command, so it costs nothing, and loads nothing of
 * OpenTelemetry, unless the environment names a receiver.
 */

import { MARK } from "../adapters/agents/mark.ts";
import { ownPlace } from "../adapters/files/own-folder.ts";
import type { Live } from "../adapters/telemetry/live.ts";
import { type Environment, isTelemetryOn } from "../adapters/telemetry/variables.ts";
import { EVENTS, type PawlEvent } from "../core/event.ts";
import type { EventLog } from "../core/ports/event-log.ts";
import type { Change } from "../core/ports/store.ts";
import type { Workflows } from "../runtime/project.ts";
import { eventIn } from "./committed.ts";
import type { LoopPlace } from "./loop-ports.ts";

/** The commits of this time are one look at the log and one request: each costs the work some milliseconds. */
const SOON_MILLISECONDS = 5000;

export interface TelemetryPlace {
  readonly root: string;
  readonly environment: Environment;
  readonly version: () => string;
  readonly newId: () => string;
  readonly workflows: Workflows;
  readonly log: () => Promise<EventLog>;
  readonly warn?: (line: string) => void;
}

export interface Telemetry {
  /** What was committed. Never fails. */
  saw(changes: readonly Change[]): void;
  /** What the work loop hands to its agents. */
  loop(): Promise<Pick<LoopPlace, "traceparentOf">>;
  /** Sends what is left, waiting a moment at most. */
  close(): Promise<void>;
}

/** Does nothing in an agent's process: it has no address of a receiver, and the loop reports its work. */
export function openTelemetry(place: TelemetryPlace): Telemetry {
  const { environment } = place;
  if (!isTelemetryOn(environment) || environment[MARK] !== undefined) return OFF;
  const warn = (line: string) => place.warn?.(line);
  let committed: PawlEvent[] = [];
  let timer: NodeJS.Timeout | undefined;
  let live: Live | undefined;
  let sending: Promise<unknown> = Promise.resolve();
  const send = async (isEnding: boolean) => {
    clearTimeout(timer);
    timer = undefined;
    const events = committed;
    committed = [];
    if (events.length === 0) return;
    const { openLive } = await import("../adapters/telemetry/live.ts");
    live ??= openLive({ ...place, version: place.version(), instance: place.newId(), warn, isEnding });
    await live.take(events);
  };
  // A trace never stands in the way of the work.
  const queue = (isEnding: boolean) => {
    sending = sending.then(() => send(isEnding)).catch(() => {});
    return sending;
  };
  return {
    saw(changes) {
      committed.push(...changes.flatMap((change) => eventIn(change) ?? []));
      if (committed.length > 0) timer ??= setTimeout(() => void queue(false), SOON_MILLISECONDS).unref();
    },
    loop: async () => ({ traceparentOf: await agentTraces(ownPlace(place.root, EVENTS)) }),
    async close() {
      await queue(true);
      await live?.close();
    },
  };
}

const OFF: Telemetry = { saw() {}, loop: async () => ({}), close: async () => {} };

/** Which span an agent's run will be: its children, if it makes any, belong below it. */
async function agentTraces(events: string): Promise<(task: string, agentRun: string) => string | null> {
  const { generationNow } = await import("../adapters/events/event-log.ts");
  const { traceparentOf } = await import("../runtime/trace.ts");
  return (task, agentRun) => {
    const origin = generationNow(events);
    return origin === null ? null : traceparentOf({ origin, run: `bloom:${task}` }, agentRun);
  };
}

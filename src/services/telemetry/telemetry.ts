/**
 * A process's part in telemetry: it records its commits. Loaded by every command, so it costs nothing, and
 * loads nothing of OpenTelemetry, unless the environment names a receiver.
 */

import { MARK } from "../../adapters/agents/mark.ts";
import { ownPath } from "../../adapters/files/own-folder.ts";
import type { Live } from "../../adapters/telemetry/live.ts";
import { isTelemetryOn } from "../../adapters/telemetry/variables.ts";
import { EVENTS, type PawlEvent } from "../../core/event.ts";
import type { EventLog } from "../../core/ports/event-log.ts";
import type { Change } from "../../core/ports/store.ts";
import type { Workflows } from "../../runtime/project.ts";
import { eventIn } from "../committed.ts";
import type { ProjectLocation } from "../with-project.ts";

/**
 * The commits of this time cause one read of the log and one request, each of which costs the work some
 * milliseconds.
 */
const SOON_MILLISECONDS = 5000;

export interface TelemetryContext extends ProjectLocation {
  readonly version: () => string;
  readonly newId: () => string;
  readonly workflows: Workflows;
  readonly log: () => Promise<EventLog>;
  readonly warn?: (line: string) => void;
}

/** The `traceparent` of an agent's run or a check. Null: it is not known. */
export type TraceparentOf = (task: string, kind: "agent" | "check", id: string) => string | null;

export interface Telemetry {
  /** Takes committed changes. Never fails. */
  onCommit(changes: readonly Change[]): void;
  /** Trace data for the loop's agents and checks. From now on the export runs in a separate process. */
  loop(): Promise<{ readonly traceparentOf?: TraceparentOf }>;
  /** Sends the rest, waiting a moment at most. */
  close(): Promise<void>;
}

/** Does nothing in an agent's process, which has no receiver's address: the loop reports its work. */
export function openTelemetry(context: TelemetryContext): Telemetry {
  const { environment } = context;
  if (!isTelemetryOn(environment) || environment[MARK] !== undefined) return OFF;
  const warn = (line: string) => context.warn?.(line);
  let committed: PawlEvent[] = [];
  let timer: NodeJS.Timeout | undefined;
  let live: Live | undefined;
  let isLoop = false;
  let sending: Promise<unknown> = Promise.resolve();
  const open = async (isEnding: boolean): Promise<Live> => {
    const version = context.version();
    if (isLoop) return (await import("./apart.ts")).openLiveApart({ ...context, version, warn });
    const { openLive } = await import("../../adapters/telemetry/live.ts");
    return openLive({ ...context, version, instance: context.newId(), warn, isEnding });
  };
  const send = async (isEnding: boolean) => {
    clearTimeout(timer);
    timer = undefined;
    const events = committed;
    committed = [];
    if (events.length === 0) return;
    live ??= await open(isEnding);
    await live.take(events);
  };
  // Tracing must not disturb the work.
  const queue = (isEnding: boolean) => {
    sending = sending.then(() => send(isEnding)).catch(() => {});
    return sending;
  };
  return {
    onCommit(changes) {
      committed.push(...changes.flatMap((change) => eventIn(change) ?? []));
      if (committed.length === 0) return;
      // Starts while the first agents work, so that it is ready when the loop ends.
      if (isLoop && live === undefined) void queue(false);
      else timer ??= setTimeout(() => void queue(false), SOON_MILLISECONDS).unref();
    },
    async loop() {
      isLoop = true;
      return { traceparentOf: await loopTraces(context) };
    },
    async close() {
      await queue(true);
      await live?.close();
    },
  };
}

const OFF: Telemetry = { onCommit() {}, loop: async () => ({}), close: async () => {} };

/** The future span of an agent's run or a check: their own traces belong below it. */
async function loopTraces({ log, root }: TelemetryContext): Promise<TraceparentOf> {
  const { generationNow } = await import("../../adapters/events/log-parts.ts");
  const { traceparentOf } = await import("../../runtime/reports/trace.ts");
  const events = ownPath(root, EVENTS);
  const elsewhere = await (await log()).origin?.("bloom:");
  return (task, kind, id) => {
    const origin = elsewhere ?? generationNow(events);
    return origin === null ? null : traceparentOf({ origin, run: `bloom:${task}` }, kind, id);
  };
}

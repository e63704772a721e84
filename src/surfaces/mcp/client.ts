/** The data about a client and a call, in either generation of the protocol. */
import { getUiCapability, RESOURCE_MIME_TYPE } from "@modelcontextprotocol/ext-apps/server";
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  SdkError,
  SdkErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Caller } from "../../core/event.ts";
import type { Waiting } from "../../core/ports/checks.ts";
import { parseTraceparent } from "../../runtime/reports/trace.ts";
import type { Runtime } from "../../runtime/transaction/run-transaction.ts";
import type { Connection } from "./connection.ts";

type Connected = Pick<Connection, "server">;

export function capabilitiesOf(
  { server }: Connected,
  { mcpReq }: ServerContext,
): ClientCapabilities | undefined {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  return (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities()) as
    | ClientCapabilities
    | undefined;
}

/** Whether the client shows apps, and this program has one. */
export function showsApp(connection: Pick<Connection, "app" | "server">, context: ServerContext): boolean {
  return (
    connection.app !== null &&
    getUiCapability(capabilitiesOf(connection, context))?.mimeTypes?.includes(RESOURCE_MIME_TYPE) === true
  );
}

/** The client's name and version; absent: it did not send them. */
export function clientOf({ server }: Connected, { mcpReq }: ServerContext): Implementation | undefined {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  return (envelope?.[CLIENT_INFO_META_KEY] ?? server.server.getClientVersion()) as Implementation | undefined;
}

/** The caller, by the client's own name. */
export function callerOf(
  connection: Connected,
  context: ServerContext,
  channel: "mcp" | "elicitation",
): Caller {
  const client = clientOf(connection, context);
  return client ? { channel, who: `${client.name} ${client.version}` } : { channel };
}

/** Continues the client's trace, if the call has one (W3C Trace Context in `_meta`). */
export function tracedBy(runtime: Runtime, { mcpReq }: ServerContext): Runtime {
  const { traceparent } = (mcpReq._meta ?? {}) as { readonly traceparent?: unknown };
  return parseTraceparent(traceparent) === null ? runtime : { ...runtime, trace: String(traceparent) };
}

/**
 * How a call waits for others: meanwhile the client can cancel it, and gets progress notifications if it
 * requested them.
 */
export function waitingOf({ mcpReq }: ServerContext): Required<Pick<Waiting, "stop">> & Waiting {
  const stop = cancellationOf(mcpReq.signal);
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { stop };
  let progress = 0;
  const onWait = (message: string) => {
    progress += 1;
    const params = { progressToken, progress, message };
    // A client that has gone must not turn a wait into a failure.
    void mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
  return { stop, onWait };
}

/** A closed connection is not a cancellation: the call still runs to its end. */
function cancellationOf(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    const isGone = signal.reason instanceof SdkError && signal.reason.code === SdkErrorCode.ConnectionClosed;
    if (!isGone) controller.abort(signal.reason);
  };
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return controller.signal;
}

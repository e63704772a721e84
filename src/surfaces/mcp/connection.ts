/** One connection: what is needed to answer its calls, and the data about its client, in either generation of the protocol. */
import { getUiCapability, RESOURCE_MIME_TYPE } from "@modelcontextprotocol/ext-apps/server";
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  type Resource as ListedResource,
  type LoggingLevel,
  type McpServer,
  type RegisteredTool,
  type RequestStateCodec,
  SdkError,
  SdkErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Caller } from "../../core/event.ts";
import type { Waiting } from "../../core/ports/checks.ts";
import type { Resource } from "../../runtime/module.ts";
import type { Project } from "../../runtime/project.ts";
import { parseTraceparent } from "../../runtime/reports/trace.ts";
import type { Colouring } from "../../runtime/review/pages.ts";
import type { Runtime } from "../../runtime/transaction/run-transaction.ts";

export interface Connection {
  readonly project: Project;
  readonly runtime: Runtime;
  readonly server: McpServer;
  readonly codec: RequestStateCodec<Question>;
  readonly work: Work;
  /** Null: this program has no app for clients. */
  readonly app: AppPorts | null;
  /** In the order of the list. */
  readonly tools: Listed[];
  /** Lists the workflows' resources. */
  readonly listings: (() => Promise<readonly ListedResource[]>)[];
  /** The resource templates by their URIs. */
  readonly templates: Map<string, Resource>;
  /**
   * The lowest level of log messages that a client of the 2025 protocol requested; null: it requested none.
   */
  logLevel: LoggingLevel | null;
}

export interface Listed {
  readonly name: string;
  readonly tool: RegisteredTool;
  /** `gate`: a call of it may lead to a review, which an app shows. `app`: only the app calls it. */
  readonly audience: "model" | "gate" | "app";
}

/** The content of an open question's signed state. */
export interface Question {
  readonly tool: string;
  readonly input: string;
  readonly message: string;
  /** The person was sent to the board, so the answer is in the run. */
  readonly byUrl?: true;
}

/** The active calls: the process waits for them before it ends, and settles the store when there are none. */
export interface Work {
  /** Runs a call. The store is settled once no call has been active for a moment. */
  run<T>(call: () => Promise<T>): Promise<T>;
  /** Resolves once no call is active. */
  done(): Promise<void>;
}

const QUIET = 200;

export function openWork(settle: () => Promise<void>): Work {
  const under = new Set<Promise<unknown>>();
  let timer: NodeJS.Timeout | undefined;
  return {
    async run(call) {
      clearTimeout(timer);
      const running = call();
      under.add(running);
      try {
        return await running;
      } finally {
        under.delete(running);
        // Settling is never needed for correctness: the next start does what this one could not.
        if (under.size === 0) timer = setTimeout(() => void settle().catch(() => {}), QUIET).unref();
      }
    },
    async done() {
      do {
        // A request that has just been read has not begun yet.
        await new Promise((resolve) => setImmediate(resolve));
        await Promise.allSettled(under);
      } while (under.size > 0);
      clearTimeout(timer);
    },
  };
}

/** What the app needs from outside. */
export interface AppPorts {
  /** The app, as one HTML document. Throws if this installation lacks it. */
  document(): string;
  readonly coloursOf: Colouring;
  /** The board's page of the run's review; null: no board runs. */
  reviewAddress(run: string): string | null;
}

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

/**
 * Notifies clients of a gate that was answered elsewhere: a client that subscribed to a resource of the run
 * gets an update, and one that wants log messages gets one. Both only wake the client; the decision is in the
 * run.
 */
import {
  InMemoryServerEventBus,
  isJSONRPCRequest,
  type JSONRPCErrorResponse,
  type ProtocolError,
  type ServerEventBus,
  type Transport,
} from "@modelcontextprotocol/server";
import { PawlError } from "../../core/error.ts";
import type { PawlEvent, RunAdvanced } from "../../core/event.ts";
import type { Resource, WorkflowModule } from "../../runtime/module.ts";
import type { Project } from "../../runtime/project.ts";
import { openDigest, type Taking } from "../../runtime/reports/log-digest.ts";
import type { Runtime } from "../../runtime/transaction/run-transaction.ts";
import { isLogged } from "./call.ts";
import type { Connection } from "./connection.ts";
import { uriFor, withFix } from "./resources.ts";

export interface Decided {
  /** `workflow:id` */
  readonly run: string;
  readonly summary: string;
}

/** Follows the event log for listeners to verdicts, from the first call of `follow` to `end`. */
export interface Follower {
  /**
   * Calls `listener` for each verdict of a person while the log is followed. Returns a function that
   * unsubscribes.
   */
  onEachDecision(listener: (decided: Decided) => void): () => void;
  /** Resolves once no later verdict can be missed. Rejects if the log is unreadable; the next call tries again. */
  follow(): Promise<void>;
  end(): void;
}

export function openFollower({ eventLog }: Pick<Project, "eventLog">): Follower {
  const listeners = new Set<(decided: Decided) => void>();
  let following: Promise<void> | null = null;
  let isOver = false;
  let end = () => {};
  const begin = async () => {
    const log = await eventLog();
    const verdicts: Taking<null> = {
      containing: ['"strength"'],
      make: () => null,
      take(_, event) {
        const decided = decidedIn(event);
        if (decided !== null && !isOver) for (const heard of listeners) heard(decided);
      },
    };
    const digest = openDigest(verdicts, await log.position());
    // A failed read is repeated with the next event.
    const soon = () => void digest.of(log).catch(() => {});
    if (isOver) return;
    const watch = log.watch(soon);
    end = () => watch.close();
    // Reads what was written between the position and the start of the watch.
    soon();
  };
  return {
    onEachDecision(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    follow() {
      following ??= begin().catch((thrown) => {
        following = null;
        throw thrown;
      });
      return following;
    },
    end() {
      isOver = true;
      end();
    },
  };
}

/**
 * Any process that can write the file could have made these lines, so they only wake clients, and decide
 * nothing.
 */
function decidedIn(event: PawlEvent): Decided | null {
  const { by, run, strength, summary, type } = event as Partial<RunAdvanced>;
  const isVerdict = type === "run:advanced" && typeof strength === "string" && typeof run === "string";
  // The assistant already knows a verdict that it passed on itself.
  if (!isVerdict || by?.channel === "mcp") return null;
  return { run, summary: typeof summary === "string" ? summary : "" };
}

/** Maximum subscriptions of one connection. */
const MAX_SUBSCRIBED = 256;

/** The parts of a connection that notifications need. */
type Woken = Pick<Connection, "logLevel" | "server" | "templates"> & { readonly runtime: Masking };
type Masking = Pick<Runtime, "mask">;

/**
 * For a connection whose server lives as long as it does. For clients of 2026, `followingFirst` starts
 * following the log.
 */
export function wakeOn(connection: Woken, follower: Follower, era: "legacy" | "modern"): void {
  const { runtime, server } = connection;
  const subscribed = new Set<string>();
  const leave = follower.onEachDecision(({ run, summary }) => {
    // For a client of 2026, the SDK's connection knows the subscribers.
    for (const uri of urisOf(connection.templates.values(), run))
      if (era === "modern" || subscribed.has(uri))
        void server.server.sendResourceUpdated({ uri }).catch(() => {});
    if (!isLogged(connection, "notice")) return;
    const data = { run, message: `A person decided: ${summary}` };
    void server.server.sendLoggingMessage({ level: "notice", logger: "pawl", data }).catch(() => {});
  });
  const { setRequestHandler } = server.server;
  const on: typeof setRequestHandler = setRequestHandler.bind(server.server);
  on("logging/setLevel", async ({ params }) => {
    connection.logLevel = params.level;
    // Other messages are sent even if verdicts cannot be followed.
    await follower.follow().catch(() => {});
    return {};
  });
  on("resources/subscribe", async ({ params: { uri } }) => {
    await withFix(runtime, async () => {
      await follower.follow();
      if (subscribed.size >= MAX_SUBSCRIBED && !subscribed.has(uri)) throw tooManySubscriptionsError();
      subscribed.add(uri);
    });
    return {};
  });
  on("resources/unsubscribe", ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  server.server.onclose = leave;
}

function tooManySubscriptionsError(): PawlError {
  return new PawlError(
    "usage",
    `Too many subscriptions: one connection has at most ${MAX_SUBSCRIBED}.`,
    "Unsubscribe from a resource first.",
  );
}

const LISTEN = "subscriptions/listen";

/**
 * Wraps the transport for a client of 2026: lets a subscription through once no later verdict can be missed,
 * or refuses it, because the SDK answers subscriptions before any server can. Later messages wait behind it.
 */
export function followingFirst(wire: Transport, follower: Follower, runtime: Masking): Transport {
  const transport: Transport = {
    start: () => wire.start(),
    close: () => wire.close(),
    send: (message, options) => wire.send(message, options),
  };
  let before: Promise<void> = Promise.resolve();
  wire.onmessage = (message, extra) => {
    const deliver = async () => {
      if (isJSONRPCRequest(message) && message.method === LISTEN) {
        const error = await errorOf(runtime, follower.follow);
        if (error !== null) return wire.send({ jsonrpc: "2.0", id: message.id, error });
      }
      transport.onmessage?.(message, extra);
    };
    before = before.then(deliver).catch((error) => transport.onerror?.(error));
  };
  wire.onclose = () => transport.onclose?.();
  wire.onerror = (error) => transport.onerror?.(error);
  return transport;
}

type RpcError = JSONRPCErrorResponse["error"];

/** Null: the work succeeded. */
async function errorOf(runtime: Masking, work: () => Promise<void>): Promise<RpcError | null> {
  try {
    await withFix(runtime, work);
    return null;
  } catch (thrown) {
    const { code, data, message } = thrown as ProtocolError;
    return { code, message, data };
  }
}

export interface Bus extends ServerEventBus {
  /** Handles a request. A subscription is handled once no later verdict can be missed. */
  during(method: string | null, work: () => Promise<Response>): Promise<Response>;
}

/** For clients of 2026 over HTTP, whose subscriptions are separate streams. */
export function openBus(modules: readonly WorkflowModule[], follower: Follower, runtime: Masking): Bus {
  const bus = new InMemoryServerEventBus();
  const onDecided = async ({ run }: Decided) => {
    const resources = (await Promise.all(modules.map(({ mcp }) => mcp?.resources?.() ?? []))).flat();
    for (const uri of urisOf(resources, run)) bus.publish({ kind: "resource_updated", uri });
  };
  follower.onEachDecision((decided) => void onDecided(decided).catch(() => {}));
  return {
    publish: (event) => bus.publish(event),
    subscribe: (listener) => bus.subscribe(listener),
    async during(method, work) {
      const error = method === LISTEN ? await errorOf(runtime, follower.follow) : null;
      if (error === null) return work();
      return Response.json({ jsonrpc: "2.0", error, id: null }, { status: 500 });
    },
  };
}

/** The resources that concern the run. */
function* urisOf(resources: Iterable<Resource>, run: string): Iterable<string> {
  const [, workflow = "", id = ""] = /^([^:]*):(.*)$/s.exec(run) ?? [];
  for (const { uri, ids } of resources)
    if (ids !== undefined && uri.startsWith(`pawl://${workflow}/`)) yield uriFor(uri, id);
}

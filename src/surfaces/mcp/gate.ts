/**
 * Between the wire and the server: what a handshake does not need is loaded after it. The first message outside a
 * handshake waits until the tools are loaded, and all later ones wait behind it.
 */
import type {
  JSONRPCErrorResponse,
  JSONRPCMessage,
  MessageExtraInfo,
  Transport,
} from "@modelcontextprotocol/server";
import type { RequestId } from "./handshake.ts";

const HANDSHAKE: ReadonlySet<string> = new Set(["initialize", "server/discover", "ping"]);

/** The `error` of an answer. */
export type RpcError = JSONRPCErrorResponse["error"];

export interface Gate {
  readonly transport: Transport;
  /** Whether the current message belongs to a handshake. */
  isHandshake(): boolean;
  /** Does the work before it lets a request of the method through, or refuses it. */
  before(method: string, work: () => Promise<RpcError | null>): void;
  /** Calls `load` before it lets the first message outside a handshake through. */
  await(load: () => Promise<void>): void;
}

/** `answered`: the handshake that was answered before the server existed. */
export function openGate(wire: Transport, answered: RequestId | null = null): Gate {
  const loads: (() => Promise<void>)[] = [];
  const waiting: { readonly message: JSONRPCMessage; readonly extra: MessageExtraInfo | undefined }[] = [];
  const works = new Map<string, () => Promise<RpcError | null>>();
  let handshake = false;
  let isLoading = false;
  let unsent = answered;

  const transport: Transport = {
    start: () => wire.start(),
    close: () => wire.close(),
    // The lists never change while the server runs, so nobody notices that they are filled late.
    send: async (message, options) => {
      if ("method" in message && message.method.endsWith("/list_changed")) return;
      if (!("method" in message) && message.id === unsent) {
        unsent = null;
        return;
      }
      await wire.send(message, options);
    },
  };
  const deliver = (message: JSONRPCMessage, extra: MessageExtraInfo | undefined) => {
    handshake = "method" in message && HANDSHAKE.has(message.method);
    transport.onmessage?.(message, extra);
  };
  const workBefore = (message: JSONRPCMessage) =>
    "method" in message && "id" in message ? works.get(message.method) : undefined;
  const drain = async () => {
    isLoading = true;
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { extra, message } = next;
      if (!("method" in message && HANDSHAKE.has(message.method))) {
        // The lists lack what could not be loaded; the connection stays.
        await Promise.all(loads.splice(0).map((load) => load().catch((error) => transport.onerror?.(error))));
      }
      const error = await workBefore(message)?.();
      if (error) await refuse(message, error);
      else deliver(message, extra);
    }
    isLoading = false;
  };
  const refuse = async (message: JSONRPCMessage, error: RpcError) => {
    if ("id" in message && message.id !== undefined)
      await wire.send({ jsonrpc: "2.0", id: message.id, error }).catch((error) => transport.onerror?.(error));
  };
  wire.onmessage = (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
    if (!isLoading && loads.length === 0 && !workBefore(message)) return deliver(message, extra);
    waiting.push({ message, extra });
    if (!isLoading) void drain();
  };
  wire.onclose = () => transport.onclose?.();
  wire.onerror = (error) => transport.onerror?.(error);
  return {
    transport,
    isHandshake: () => handshake,
    before: (method, work) => void works.set(method, work),
    await: (load) => void loads.push(load),
  };
}

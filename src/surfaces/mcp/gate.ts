/**
 * Between the wire and the server: what a handshake does not need is loaded after it. The first message outside a
 * handshake waits until the tools are loaded, and all later ones wait behind it.
 */
import type { JSONRPCMessage, MessageExtraInfo, Transport } from "@modelcontextprotocol/server";
import type { RequestId } from "./handshake.ts";

const HANDSHAKE: ReadonlySet<string> = new Set(["initialize", "server/discover", "ping"]);

export interface Gate {
  readonly transport: Transport;
  /** Whether the current message belongs to a handshake. */
  isHandshake(): boolean;
  /** Calls back with each message of the method. */
  hear(method: string, heard: () => void): void;
  /** Calls `load` before it lets the first message outside a handshake through. */
  await(load: () => Promise<void>): void;
}

/** `answered`: the handshake that was answered before the server existed. */
export function openGate(wire: Transport, answered: RequestId | null = null): Gate {
  const loads: (() => Promise<void>)[] = [];
  const waiting: { readonly message: JSONRPCMessage; readonly extra: MessageExtraInfo | undefined }[] = [];
  const ears: { readonly method: string; readonly heard: () => void }[] = [];
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
    for (const { heard, method } of ears) if ("method" in message && message.method === method) heard();
    transport.onmessage?.(message, extra);
  };
  const drain = async () => {
    isLoading = true;
    while (waiting.length > 0) {
      const next = waiting[0];
      if (next && !("method" in next.message && HANDSHAKE.has(next.message.method))) {
        // The lists lack what could not be loaded; the connection stays.
        await Promise.all(loads.splice(0).map((load) => load().catch((error) => transport.onerror?.(error))));
      }
      waiting.shift();
      if (next) deliver(next.message, next.extra);
    }
    isLoading = false;
  };
  wire.onmessage = (message: JSONRPCMessage, extra?: MessageExtraInfo) => {
    if (!isLoading && loads.length === 0) return deliver(message, extra);
    waiting.push({ message, extra });
    if (!isLoading) void drain();
  };
  wire.onclose = () => transport.onclose?.();
  wire.onerror = (error) => transport.onerror?.(error);
  return {
    transport,
    isHandshake: () => handshake,
    hear: (method, heard) => void ears.push({ method, heard }),
    await: (load) => void loads.push(load),
  };
}

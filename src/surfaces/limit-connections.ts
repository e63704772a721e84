/** Limits the connections of a server that any program on the machine may open. */
import type { EventEmitter } from "node:events";
import type { Duplex } from "node:stream";

/** At most this many without a request: a new one closes the oldest, so that silent ones keep no one out. */
const MAX_SILENT = 32;

/** Returns the open connections without a request. `opened`: the event of a new one; with TLS, after the handshake. */
export function limitConnections(
  server: EventEmitter & { maxConnections: number },
  most: number,
  opened: "connection" | "secureConnection" = "connection",
): ReadonlySet<Duplex> {
  const silent = new Set<Duplex>();
  server.maxConnections = most;
  server.on(opened, (socket: Duplex) => {
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
    const [oldest] = silent;
    if (silent.size > MAX_SILENT) oldest?.destroy();
  });
  server.prependListener("request", ({ socket }: { readonly socket: Duplex }) => silent.delete(socket));
  return silent;
}

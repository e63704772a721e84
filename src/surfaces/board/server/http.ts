/** The board's server: bound to loopback, with limits sized for one machine's browsers. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { PawlError } from "../../../core/error.ts";

export interface BoardServer {
  /** `127.0.0.1:4000` */
  readonly host: string;
  /** Ends every connection. */
  close(): Promise<void>;
}

const HOST = "127.0.0.1";
const MOST_CONNECTIONS = 128;
/**
 * At most this many connections without a request: a new one closes the oldest, so that silent ones block no
 * one.
 */
const MOST_SILENT = 32;
/** Milliseconds until a request must have arrived in full. */
const REQUEST_LIMIT = 5000;

/**
 * `admits`: whether the peer of a connection may use the board at all. Throws `usage` if the port is taken.
 */
export async function listenHttp(
  port: number,
  fetch: (request: Request, bindings: object) => Response | Promise<Response>,
  admits: (socket: Socket) => boolean,
): Promise<BoardServer> {
  const answer = getRequestListener(fetch, { overrideGlobalObjects: false });
  const server: Server = createServer(
    { requestTimeout: REQUEST_LIMIT, headersTimeout: REQUEST_LIMIT, connectionsCheckingInterval: 1000 },
    (request: IncomingMessage, response) => {
      silent.delete(request.socket);
      void answer(request, response);
    },
  );
  const silent = new Set<Socket>();
  server.maxConnections = MOST_CONNECTIONS;
  server.on("connection", (socket) => {
    if (!admits(socket)) return void socket.destroy();
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
    const [oldest] = silent;
    if (silent.size > MOST_SILENT) oldest?.destroy();
  });
  server.listen(port, HOST);
  try {
    await once(server, "listening");
  } catch (cause) {
    throw portError(port, cause as NodeJS.ErrnoException);
  }
  return {
    host: `${HOST}:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function portError(port: number, cause: NodeJS.ErrnoException): unknown {
  if (cause.code !== "EADDRINUSE" && cause.code !== "EACCES") return cause;
  const why = cause.code === "EADDRINUSE" ? "is taken" : "may not be used";
  return new PawlError(
    "usage",
    `Port ${port} of ${HOST} ${why}.`,
    "Choose another with --port; 0 takes any free port.",
  );
}

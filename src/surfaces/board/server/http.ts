/** The board's server, with limits sized for one person's browsers. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { PawlError } from "../../../core/error.ts";
import { limitConnections } from "../../limit-connections.ts";

export interface BoardServer {
  /** `127.0.0.1:4000` */
  readonly host: string;
  /** Ends every connection. */
  close(): Promise<void>;
}

export const LOOPBACK = "127.0.0.1";
const MAX_CONNECTIONS = 128;
/** Milliseconds until a request must have arrived in full. */
const REQUEST_LIMIT = 5000;

export interface HttpAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Null: plain http. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null;
}

/**
 * `admits`: whether the peer of a connection may use the board at all. Throws `usage` if the address cannot be
 * had.
 */
export async function listenHttp(
  { host, port, tls }: HttpAddress,
  fetch: (request: Request, bindings: object) => Response | Promise<Response>,
  admits: (socket: Socket) => boolean,
): Promise<BoardServer> {
  const answer = getRequestListener(fetch, { overrideGlobalObjects: false });
  const limits = {
    requestTimeout: REQUEST_LIMIT,
    headersTimeout: REQUEST_LIMIT,
    connectionsCheckingInterval: 1000,
  };
  // Looked at once it asks: the look takes long where a machine has many connections, and anyone can open them.
  const admitted = new WeakSet<Socket>();
  const answered = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    if (!admitted.has(socket) && !admits(socket)) return void socket.destroy();
    admitted.add(socket);
    void answer(request, response);
  };
  const server = tls ? tlsServer({ ...limits, ...tls }, answered) : createServer(limits, answered);
  limitConnections(server, MAX_CONNECTIONS, tls ? "secureConnection" : "connection");
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    throw addressError(host, port, cause as NodeJS.ErrnoException);
  }
  return {
    host: `${host.includes(":") ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Throws `usage` if that is no certificate with its key. */
function tlsServer(
  options: ServerOptions,
  answered: (request: IncomingMessage, response: ServerResponse) => void,
) {
  try {
    return createTlsServer({ ...options, handshakeTimeout: REQUEST_LIMIT }, answered);
  } catch (thrown) {
    throw new PawlError(
      "usage",
      `The certificate cannot serve https: expected a certificate and its own key, in PEM, found ${(thrown as Error).message}.`,
      "Name a certificate for this machine's name, such as one of `tailscale cert` or mkcert.",
      thrown,
    );
  }
}

const WHY: Readonly<Record<string, string>> = {
  EADDRINUSE: "is taken",
  EACCES: "may not be used",
  EADDRNOTAVAIL: "is not of this machine: no network here has that address",
  ENOTFOUND: "is no address that this machine knows",
};

function addressError(host: string, port: number, cause: NodeJS.ErrnoException): unknown {
  const why = WHY[cause.code ?? ""];
  if (why === undefined) return cause;
  const isPort = cause.code === "EADDRINUSE" || cause.code === "EACCES";
  return new PawlError(
    "usage",
    isPort ? `Port ${port} of ${host} ${why}.` : `${host} ${why}.`,
    isPort
      ? "Choose another with --port (or --listen HOST:PORT); 0 takes any free port."
      : "Name an address of this machine.",
  );
}

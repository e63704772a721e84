/**
 * `pawl mcp --http`: serves many clients of this machine over streamable HTTP, until a signal ends the process.
 * Bound to loopback, closed to clients without the token, and to browsers that reached it under another host
 * name.
 */
import { createHash, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  localhostHostValidation,
  localhostOriginValidation,
  type NodeIncomingMessageLike,
  toNodeHandler,
} from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { PawlError } from "../../core/error.ts";
import { loadWorkflows, type Project } from "../../runtime/project.ts";
import { firstSignal } from "../ending-signals.ts";
import { limitConnections } from "../limit-connections.ts";
import { type AppPorts, openWork } from "./connection.ts";
import { declaredBy, openServers } from "./server.ts";
import { type Bus, openBus, openFollower } from "./wake.ts";

export interface HttpServing {
  readonly port: number;
  /** From the environment; absent: a new one is created. */
  readonly token: string | undefined;
  readonly version: string;
  readonly app: AppPorts | null;
  /** Called once, when clients may connect. `made`: the token was created for this process. */
  readonly onOpen: (served: { readonly url: string; readonly token: string; readonly made: boolean }) => void;
  readonly onError: (message: string) => void;
}

/** A token that fits into a header and is too long to guess. */
const TOKEN = /^[A-Za-z0-9._~+/-]{16,512}=*$/;

export async function serveHttp(
  project: Project,
  names: readonly string[],
  connection: HttpServing,
): Promise<NodeJS.Signals> {
  const { app, port, version, onOpen, onError } = connection;
  const token = connection.token ?? randomBytes(24).toString("base64url");
  if (!TOKEN.test(token))
    throw new PawlError(
      "usage",
      "$PAWL_MCP_TOKEN is not a valid token: expected at least 16 letters, digits or any of . _ ~ + / - without spaces.",
      "Set a longer one, or unset it to let Pawl make one.",
    );
  const modules = await loadWorkflows(project.workflows, names);
  const work = openWork(() => project.runtime.store.settle());
  const follower = openFollower(project);
  const makeServer = openServers({ project, modules, version, work, app, follower, over: "http" });
  const factory: McpServerFactory = async ({ era }) =>
    makeServer(era, await declaredBy(modules, project.runtime));
  const bus = openBus(modules, follower, project.runtime);
  const onerror = ({ message }: Error) => onError(message.split("\n")[0] ?? "");
  // A signal during the start ends it, too.
  const ended = firstSignal();
  const http = await listenHttp(port, () => openHttp({ factory, bus, port, token, onerror }));
  onOpen({ url: http.url, token, made: connection.token === undefined });
  const signal = await ended;
  follower.end();
  await http.close(() => work.done());
  return signal;
}

async function listenHttp(port: number, open: () => Promise<Http>): Promise<Http> {
  try {
    return await open();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== "EADDRINUSE" && code !== "EACCES") throw cause;
    const why = code === "EADDRINUSE" ? "is taken" : "may not be used";
    throw new PawlError(
      "usage",
      `Port ${port} of 127.0.0.1 ${why}.`,
      "Choose another with --port; 0 takes any free port.",
    );
  }
}

interface HttpOptions {
  readonly factory: McpServerFactory;
  /** Delivers the notifications to which clients of 2026 subscribed. */
  readonly bus: Bus;
  /** 0: any free port. */
  readonly port: number;
  readonly token: string;
  readonly onerror?: (error: Error) => void;
}

interface Http {
  readonly url: string;
  /** Accepts no more requests, calls `finish`, and ends when every answer is sent. */
  close(finish: () => Promise<void>): Promise<void>;
}

const HOST = "127.0.0.1";
const PATH = "/mcp";
/** The largest request, in bytes. */
const LIMITS = { maxRequestBodySize: 4 * 1024 * 1024 };
const MAX_CONNECTIONS = 256;
/** Milliseconds to wait at the end for unsent answers. */
const CLOSING_LIMIT = 2000;

/** Rejects with Node's own error if the port is taken. */
export async function openHttp({
  bus,
  factory,
  port,
  token,
  onerror = () => {},
}: HttpOptions): Promise<Http> {
  const modern = createMcpHandler(factory, { legacy: "reject", bus, onerror, ...LIMITS });
  const sessions = openSessions(factory, onerror);
  const fetch = async (request: Request) =>
    (await isLegacyRequest(request, undefined, LIMITS))
      ? sessions.fetch(request)
      : bus.during(request.headers.get("mcp-method"), () => modern.fetch(request));
  const answer = toNodeHandler({ fetch }, { onerror, ...LIMITS });
  const admit = openRequestGuard(token);

  let closing = false;
  const server: Server = createServer((request, response) => {
    response.once("close", () => {
      if (closing) setImmediate(() => server.closeIdleConnections());
    });
    if (admit(request, response)) {
      void answer(request as NodeIncomingMessageLike, response).catch(onerror);
    }
  });
  const silent = limitConnections(server, MAX_CONNECTIONS);
  server.listen(port, HOST);
  await once(server, "listening");
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}${PATH}`,
    async close(finish) {
      closing = true;
      const closed = new Promise((resolve) => server.close(resolve));
      await finish();
      // The answers to the last calls are still being written to their streams.
      await new Promise((resolve) => setTimeout(resolve, 10));
      await Promise.allSettled([sessions.close(), modern.close()]);
      server.closeIdleConnections();
      // Some clients open a connection before they need it, and Node does not count one without a request as idle.
      for (const socket of silent) socket.destroy();
      const timer = setTimeout(() => server.closeAllConnections(), CLOSING_LIMIT);
      await closed;
      clearTimeout(timer);
    },
  };
}

type RequestGuard = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Decides whether to handle a request; a refused one is answered without reading its body, and ends its connection. */
function openRequestGuard(token: string): RequestGuard {
  const isHost = localhostHostValidation();
  const isOrigin = localhostOriginValidation();
  const expected = digest(`Bearer ${token}`);
  return (request, response) => {
    response.setHeader("connection", "close");
    if (!isHost(request, response) || !isOrigin(request, response)) return false;
    const { authorization = "" } = request.headers;
    const scheme = authorization.replace(/^bearer +/i, "Bearer ");
    if (!timingSafeEqual(digest(scheme), expected)) {
      refuse(
        response,
        401,
        "The token is missing or wrong: expected the header Authorization: Bearer TOKEN.",
      );
      return false;
    }
    if (request.url?.split("?")[0] !== PATH) {
      refuse(response, 404, `Nothing is served here: expected ${PATH}.`);
      return false;
    }
    response.removeHeader("connection");
    return true;
  };
}

function refuse(response: ServerResponse, status: 401 | 404, message: string): void {
  response.writeHead(status, {
    "content-type": "application/json",
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
  });
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code: -32000, message }, id: null }));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** The most sessions at a time. */
const MAX_SESSIONS = 64;

/**
 * The sessions of clients of the 2025 protocol: one server each, so that it knows its client's capabilities
 * and can ask its human. Clients of 2026 send their capabilities with each request and need no session.
 */
function openSessions(factory: McpServerFactory, onerror: (error: Error) => void) {
  /** Ordered by their last use. */
  const open = new Map<string, WebStandardStreamableHTTPServerTransport>();

  const begin = async (request: Request) => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      ...LIMITS,
      onsessioninitialized: (id) => void open.set(id, transport),
      onsessionclosed: (id) => void open.delete(id),
    });
    const server = await factory({ era: "legacy", requestInfo: request });
    await server.connect(transport);
    const response = await transport.handleRequest(request);
    // A request that does not begin with a handshake was refused.
    if (transport.sessionId === undefined) await server.close();
    else await forget();
    return response;
  };
  // Many clients leave without closing their session. A client that returns to a dropped one gets an error
  // and initializes again.
  const forget = async () => {
    for (const [id, transport] of [...open].slice(0, Math.max(0, open.size - MAX_SESSIONS))) {
      open.delete(id);
      await transport.close().catch(onerror);
    }
  };
  return {
    async fetch(request: Request): Promise<Response> {
      const id = request.headers.get("mcp-session-id");
      if (id === null) return begin(request);
      const transport = open.get(id);
      if (!transport) return notFound();
      open.delete(id);
      open.set(id, transport);
      return transport.handleRequest(request);
    },
    async close(): Promise<void> {
      const transports = [...open.values()];
      open.clear();
      await Promise.allSettled(transports.map((transport) => transport.close()));
    },
  };
}

function notFound(): Response {
  const error = { code: -32001, message: "Unknown session: send initialize first." };
  return Response.json({ jsonrpc: "2.0", error, id: null }, { status: 404 });
}

/**
 * The sessions of clients of the 2025 protocol: one server each, so that it knows what its client can do, and can ask
 * its human. Clients of 2026 send that with each request and need none.
 */
import {
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

export interface Sessions {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

export interface SessionOptions {
  readonly factory: McpServerFactory;
  readonly newId: () => string;
  readonly maxRequestBodySize: number;
  readonly onerror: (error: Error) => void;
  /** Most sessions at a time. */
  readonly most?: number;
}

export function openSessions(options: SessionOptions): Sessions {
  const { factory, newId, maxRequestBodySize, onerror, most = 64 } = options;
  /** In the order of their last use. */
  const open = new Map<string, WebStandardStreamableHTTPServerTransport>();

  const begin = async (request: Request) => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: newId,
      maxRequestBodySize,
      onsessioninitialized: (id) => void open.set(id, transport),
      onsessionclosed: (id) => void open.delete(id),
    });
    const server = await factory({ era: "legacy", requestInfo: request });
    await server.connect(transport);
    const response = await transport.handleRequest(request);
    // What does not begin with a handshake was refused.
    if (transport.sessionId === undefined) await server.close();
    else await forget();
    return response;
  };
  // Many clients leave without closing. One that returns gets an error and initializes again.
  const forget = async () => {
    for (const [id, transport] of [...open].slice(0, Math.max(0, open.size - most))) {
      open.delete(id);
      await transport.close().catch(onerror);
    }
  };
  return {
    async fetch(request) {
      const id = request.headers.get("mcp-session-id");
      if (id === null) return begin(request);
      const transport = open.get(id);
      if (!transport) return notFound();
      open.delete(id);
      open.set(id, transport);
      return transport.handleRequest(request);
    },
    async close() {
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

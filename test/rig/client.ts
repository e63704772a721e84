/** A real MCP client on the real server, over standard input and output, or over HTTP where it serves there. */
import { Client, type ElicitResult, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { HttpServer } from "./http-server.ts";
import { MAIN, type TemporaryProject, testEnvironment } from "./project.ts";

/** The two eras of the protocol that clients speak. */
export const ERAS = ["2025", "2026"] as const;
export type Era = (typeof ERAS)[number];

export interface ConnectOptions {
  readonly era?: Era;
  /** As the client names itself. */
  readonly name?: string;
  /** How the human answers; absent: the client cannot ask. */
  readonly human?: (message: string) => ElicitResult | Promise<ElicitResult>;
  /** `door` and so on; all without it. */
  readonly workflows?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The program's file; default: the rig's. */
  readonly program?: string;
}

export interface Connected extends Spoken {
  readonly transport: StdioClientTransport;
}

interface Spoken {
  readonly client: Client;
  /** Log messages, in the order told. */
  readonly logs: readonly { readonly level: string; readonly data: unknown }[];
  call(tool: string, input?: Record<string, unknown>): Promise<Answered>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Answered {
  readonly text: string;
  readonly data: { readonly status?: string; readonly message?: string; readonly [key: string]: unknown };
  readonly isError: boolean;
}

export async function connect(
  project: Pick<TemporaryProject, "root">,
  options: ConnectOptions = {},
): Promise<Connected> {
  const { workflows = [], environment = {}, program = MAIN } = options;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "mcp", ...workflows],
    cwd: project.root,
    env: testEnvironment(environment),
    stderr: "pipe",
  });
  return Object.assign(await speak(transport, options), { transport });
}

/** A client of a server that serves over HTTP. */
export function connectOver(
  { url, token }: HttpServer,
  options: Pick<ConnectOptions, "era" | "human"> = {},
): Promise<Spoken> {
  const headers = { authorization: `Bearer ${token}` };
  return speak(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }), options);
}

async function speak(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  { era = "2025", human, name = "rig" }: ConnectOptions,
): Promise<Spoken> {
  const client = new Client(
    { name, version: "1.0.0" },
    {
      capabilities: human ? { elicitation: { form: {} } } : {},
      versionNegotiation: { mode: era === "2025" ? "legacy" : { pin: "2026-07-28" } },
    },
  );
  const logs: { level: string; data: unknown }[] = [];
  client.setNotificationHandler("notifications/message", ({ params }) => void logs.push(params));
  if (human) client.setRequestHandler("elicitation/create", ({ params }) => human(params.message));
  await client.connect(transport);
  return {
    client,
    logs,
    async call(tool, input = {}) {
      const { content, structuredContent, isError } = await client.callTool({ name: tool, arguments: input });
      return {
        text: content.map((part) => (part.type === "text" ? part.text : "")).join("\n"),
        data: (structuredContent ?? {}) as Answered["data"],
        isError: isError === true,
      };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

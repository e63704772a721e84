/** A real MCP client on the real server, over standard input and output, or over HTTP where it serves there. */
import { Client, type ElicitResult, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { EXTENSION_ID, RESOURCE_MIME_TYPE } from "@modelcontextprotocol/ext-apps/server";
import { type Part, SHOWN } from "../../src/surfaces/mcp/answer.ts";
import type { HttpServer } from "./http-server.ts";
import { MAIN, type TemporaryProject, testEnvironment } from "./project.ts";

/** The two eras of the protocol that clients speak. */
export const ERAS = ["2025", "2026"] as const;
export type Era = (typeof ERAS)[number];

export interface ConnectOptions {
  readonly era?: Era;
  /** As the client names itself, and its version. */
  readonly name?: string;
  readonly version?: string;
  /** How the human answers; absent: the client cannot ask. */
  readonly human?: (message: string) => ElicitResult | Promise<ElicitResult>;
  /** It shows apps inside itself. */
  readonly showsApps?: boolean;
  /** How the human answers an address that they are led to; absent: the client leads nobody to one. */
  readonly led?: (url: string, message: string) => ElicitResult | Promise<ElicitResult>;
  /** `door` and so on; all without it. */
  readonly workflows?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The program's file; default: the rig's. */
  readonly program?: string;
}

/** A client that shows its model this part of an answer. */
export function clientThatShows(part: Part): { readonly name: string; readonly version: string } {
  const row = SHOWN.find(({ shows }) => shows === part);
  if (!row) throw new Error(`No client is known to show ${part}.`);
  return { name: row.client, version: row.to };
}

export interface Connected extends Spoken {
  readonly transport: StdioClientTransport;
}

interface Spoken {
  readonly client: Client;
  /** Log messages, in the order told. */
  readonly logs: readonly { readonly level: string; readonly data: unknown }[];
  call(tool: string, input?: Record<string, unknown>): Promise<Answered>;
  callWithMeta(tool: string, input?: Record<string, unknown>): Promise<WithMeta>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Answered {
  readonly text: string;
  readonly data: { readonly status?: string; readonly message?: string; readonly [key: string]: unknown };
  readonly isError: boolean;
}

export interface WithMeta extends Answered {
  /** What no model is shown. */
  readonly meta: Readonly<Record<string, unknown>>;
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
  options: Pick<ConnectOptions, "era" | "human" | "led" | "showsApps"> = {},
): Promise<Spoken> {
  const headers = { authorization: `Bearer ${token}` };
  return speak(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }), options);
}

async function speak(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  { era = "2025", human, led, name = "rig", version = "1.0.0", showsApps = false }: ConnectOptions,
): Promise<Spoken> {
  const asks = { ...(human && { form: {} }), ...(led && { url: {} }) };
  const client = new Client(
    { name, version },
    {
      capabilities: {
        ...((human || led) && { elicitation: asks }),
        ...(showsApps && { extensions: { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } } }),
      },
      versionNegotiation: { mode: era === "2025" ? "legacy" : { pin: "2026-07-28" } },
    },
  );
  const logs: { level: string; data: unknown }[] = [];
  client.setNotificationHandler("notifications/message", ({ params }) => void logs.push(params));
  if (human || led)
    client.setRequestHandler("elicitation/create", ({ params }) => {
      const answer = "url" in params ? led?.(params.url, params.message) : human?.(params.message);
      return answer ?? { action: "cancel" };
    });
  await client.connect(transport);
  const callWithMeta: Spoken["callWithMeta"] = async (tool, input = {}) => {
    const answer = await client.callTool({ name: tool, arguments: input });
    const { _meta, content, structuredContent, isError } = answer;
    return {
      text: content.map((part) => (part.type === "text" ? part.text : "")).join("\n"),
      data: (structuredContent ?? {}) as Answered["data"],
      meta: _meta ?? {},
      isError: isError === true,
    };
  };
  return {
    ...{ client, logs, callWithMeta },
    async call(tool, input) {
      const { meta: _, ...answer } = await callWithMeta(tool, input);
      return answer;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

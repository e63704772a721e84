/** The scripted model as a server on loopback that speaks the four model APIs. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Answer, answer, at, type ModelRequest } from "./conversation.ts";
import { type Event, MODEL_APIS, type ModelApi } from "./dialects.ts";

export interface ModelServer {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Every request that offered a shell, in order, with what was answered. */
  readonly asked: readonly (ModelRequest & { readonly answer: Answer })[];
  /** How many requests were answered, those without a shell, too. */
  answered(): number;
  /** Paths that no API answers: an agent that wants something else of its model's host. */
  readonly unknown: readonly string[];
  close(): Promise<void>;
}

/** What it says of the account to codex. */
const QUOTA = {
  "used-percent": "41.5",
  "window-minutes": "300",
  "reset-at": String(Math.floor(Date.now() / 1000) + 7200),
};

/** `steer`: what a person's words without steering mean to this model; null: nothing. */
export async function openModelServer(
  steer: (text: string) => string | null = () => null,
): Promise<ModelServer> {
  const asked: (ModelRequest & { answer: Answer })[] = [];
  const unknown: string[] = [];
  let answered = 0;
  const server = createServer(async (request, response) => {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    const api = MODEL_APIS.find((one) => one.matches(path));
    const body = await readJson(request);
    if (!api || request.method !== "POST") {
      unknown.push(`${request.method} ${path}`);
      return send(response, path.endsWith("/models") ? 200 : 404, {
        data: [],
        error: { message: "unknown path" },
      });
    }
    const question = steered(api.parse(body, path), steer);
    const reply = answer(question);
    if (question.shell !== null) asked.push({ ...question, answer: reply });
    answered += 1;
    if (path.endsWith("/responses"))
      for (const [name, value] of Object.entries(QUOTA)) response.setHeader(`x-codex-primary-${name}`, value);
    give(response, api, question, reply, wantsStream(path, body));
  });
  // Closed after some seconds of rest, a connection would now and then break under a client's next question.
  server.keepAliveTimeout = 0;
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answered: () => answered,
    unknown,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

function steered(asked: ModelRequest, steer: (text: string) => string | null): ModelRequest {
  const said = asked.said.map((one) =>
    one.by === "user" ? { ...one, text: steer(one.text) ?? one.text } : one,
  );
  return { ...asked, said };
}

function give(
  response: ServerResponse,
  api: ModelApi,
  asked: ModelRequest,
  reply: Answer,
  stream: boolean,
): void {
  const events = api.events(reply, asked);
  if (reply.type === "status") refuse(response, reply.status, api.error(reply.status));
  else if (reply.type === "cut") sendCut(response, events);
  else if (reply.type !== "hang") {
    if (stream) startStream(response).end(events.map(rendered).join(""));
    else send(response, 200, events[0]?.data);
  }
}

function sendCut(response: ServerResponse, events: readonly Event[]): void {
  const some = events.slice(0, Math.max(1, events.length - 2));
  startStream(response).write(some.map(rendered).join(""), () => response.destroy());
}

function startStream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
}

function rendered({ event, data }: Event): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${event ? `event: ${event}\n` : ""}data: ${text}\n\n`;
}

function wantsStream(path: string, body: unknown): boolean {
  return at(body, "stream") === true || /:streamGenerateContent$/.test(path);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return null;
  }
}

/** Agents that try again by themselves are not to wait long. */
function refuse(response: ServerResponse, status: number, body: unknown): void {
  if (status === 429) response.setHeader("retry-after-ms", "20");
  send(response, status, body);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

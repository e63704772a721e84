/** A server on the loopback address that answers as a real service does, and can be told to misbehave. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface LoopbackRequest {
  readonly method: string;
  readonly path: string;
  /** The path's, each decoded by itself. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** Not JSON. */
  readonly text?: string;
  /** Nothing is answered: the connection stays open. */
  readonly silent?: true;
}

/** A misbehaviour: for requests whose path matches, as often as said (for ever by default). */
export interface Fault {
  readonly path: RegExp;
  readonly answer: Answer;
  times?: number;
}

export class Loopback implements AsyncDisposable {
  readonly asked: LoopbackRequest[] = [];
  readonly faults: Fault[] = [];
  readonly #server: Server;
  readonly #answer: (asked: LoopbackRequest) => Answer;

  protected constructor(answer: (asked: LoopbackRequest) => Answer) {
    this.#answer = answer;
    this.#server = createServer((request, response) => void this.#handle(request, response));
    // Closed after some seconds of rest, a connection would now and then break under a client's next question.
    this.#server.keepAliveTimeout = 0;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  protected listen(): Promise<this> {
    return new Promise((resolve) => this.#server.listen(0, "127.0.0.1", () => resolve(this)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
    const asked: LoopbackRequest = {
      method: request.method ?? "GET",
      path: decodeURIComponent(pathname),
      segments: pathname.slice(1).split("/").map(decodeURIComponent),
      query: searchParams,
      headers: request.headers,
      body: Buffer.concat(chunks).toString("utf8"),
    };
    this.asked.push(asked);
    const { status = 200, headers = {}, json, silent, text } = this.#faultFor(asked) ?? this.#answer(asked);
    if (silent) return;
    const type = text === undefined ? "application/json; charset=utf-8" : "text/plain; charset=utf-8";
    response.writeHead(status, { "content-type": type, ...headers });
    response.end(text ?? (json === undefined ? "" : JSON.stringify(json)));
  }

  #faultFor({ path, query }: LoopbackRequest): Answer | null {
    const fault = this.faults.find((one) => one.path.test(`${path}?${query}`) && (one.times ?? 1) > 0);
    if (fault?.times !== undefined) fault.times -= 1;
    return fault?.answer ?? null;
  }
}

/**
 * A forward proxy on loopback, as a company has one: CONNECT for https, whole addresses for http, a login if it wants one.
 * Every name leads to this machine, so that a test may ask for `tracker.test`.
 */
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { type Duplex, pipeline } from "node:stream";

export class ForwardProxy implements AsyncDisposable {
  /** The request lines that came, without the version. */
  readonly asked: string[] = [];
  readonly #login: string | null;
  readonly #server: Server;

  private constructor(login: string | null) {
    this.#login = login;
    this.#server = createServer((asked, answer) => {
      this.asked.push(`${asked.method} ${asked.url}`);
      if (!this.#isLetIn(asked)) return answer.writeHead(407).end();
      const { port, pathname, search } = new URL(asked.url ?? "");
      const { "proxy-authorization": _, ...headers } = asked.headers;
      const far = request({
        host: "127.0.0.1",
        port,
        path: pathname + search,
        method: asked.method,
        headers,
      });
      far.on("response", (got) => {
        answer.writeHead(got.statusCode ?? 502, got.headers);
        pipeline(got, answer, () => {});
      });
      far.on("error", () => answer.writeHead(502).end());
      pipeline(asked, far, () => {});
    });
    this.#server.on("connect", (asked: IncomingMessage, socket: Duplex) => {
      this.asked.push(`CONNECT ${asked.url}`);
      if (!this.#isLetIn(asked)) return socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      const far = connect(Number(asked.url?.split(":").at(-1)), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        pipeline(socket, far, socket, () => {});
      });
      far.on("error", () => socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
    });
  }

  /** `login`: `user:password`. */
  static async open(login: string | null = null): Promise<ForwardProxy> {
    const proxy = new ForwardProxy(login);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get place(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #isLetIn({ headers }: IncomingMessage): boolean {
    const wanted = this.#login && `Basic ${Buffer.from(this.#login).toString("base64")}`;
    return wanted === null || headers["proxy-authorization"] === wanted;
  }
}

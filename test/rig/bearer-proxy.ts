/** Passes requests on as they are, with the token added: for programs that cannot be given one. */
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface BearerProxy {
  readonly url: string;
  close(): void;
}

export async function openBearerProxy(target: {
  readonly url: string;
  readonly token: string;
}): Promise<BearerProxy> {
  const { hostname, port, pathname } = new URL(target.url);
  const server = createServer((asked, response) => {
    const { url: path = "/", method = "GET", headers } = asked;
    const passed = request(
      { hostname, port, path, method, headers: { ...headers, authorization: `Bearer ${target.token}` } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.on("error", () => response.destroy());
        answer.pipe(response);
      },
    );
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    asked.pipe(passed);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}${pathname}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

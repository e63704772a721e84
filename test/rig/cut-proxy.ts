/** A way to a server that a test can cut: what is asked, or what is answered, never arrives. */
import { createServer, connect as dial, type Socket } from "node:net";

export interface CutProxy {
  /** The address, with the proxy's port in place of the server's. */
  readonly url: string;
  /** How many connections were cut. */
  readonly cuts: number;
  /** How many bytes the server answered. */
  readonly answered: number;
  /**
   * The next message of the kind that contains the text, and its connection, are lost. `reply`: the answer to it, once the server
   * has given it. `request`: the message itself.
   */
  cut(what: "request" | "reply", containing: string): void;
  /** Every connection breaks, at any point of what it does. */
  cutAll(): void;
  /** From now on nothing arrives over the connections that are open, and neither side is told. */
  swallow(): void;
  close(): void;
}

export async function openCutProxy(to: string): Promise<CutProxy> {
  const target = new URL(to);
  const open = new Set<Socket>();
  const swallowed = new Set<Socket>();
  let order: { readonly what: "request" | "reply"; readonly containing: string } | null = null;
  let cuts = 0;
  let answered = 0;
  const server = createServer((client) => {
    const upstream = dial(Number(target.port), target.hostname);
    let isLosing = false;
    const end = () => {
      client.destroy();
      upstream.destroy();
      open.delete(client);
    };
    open.add(client);
    for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
    client.on("data", (bytes) => {
      if (swallowed.has(client)) return;
      if (order !== null && bytes.includes(order.containing)) {
        const { what } = order;
        order = null;
        cuts += 1;
        if (what === "request") return end();
        isLosing = true;
      }
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (swallowed.has(client)) return;
      answered += bytes.length;
      // The server has committed before it answers.
      if (isLosing) end();
      else client.write(bytes);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: Object.assign(new URL(to), { port: String(port) }).href,
    get cuts() {
      return cuts;
    },
    get answered() {
      return answered;
    },
    cut(what, containing) {
      order = { what, containing };
    },
    cutAll() {
      cuts += open.size;
      for (const client of open) client.destroy();
    },
    swallow() {
      for (const client of open) swallowed.add(client);
    },
    close() {
      for (const client of open) client.destroy();
      server.close();
    },
  };
}

/** That nothing reaches beyond loopback: a proxy that refuses and keeps count, and the kernel's own count. */
import { readFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";

export interface Guard {
  /** For the environment of whatever is watched: all but loopback goes to the proxy. */
  readonly environment: Readonly<Record<string, string>>;
  /** What was asked of the proxy, in order: the first line of each request. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

const DIRECT = "127.0.0.1,localhost,::1";

export async function openGuard(): Promise<Guard> {
  const asked: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => {});
    socket.once("data", (chunk) => {
      asked.push(chunk.toString("latin1").split("\r\n", 1)[0] ?? "");
      socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
  const proxies = names.flatMap((name) => [name, name.toLowerCase()]).map((name) => [name, url]);
  return {
    environment: { ...Object.fromEntries(proxies), NO_PROXY: DIRECT, no_proxy: DIRECT },
    asked,
    close: () =>
      new Promise((done) => {
        for (const socket of open) socket.destroy();
        server.close(() => done());
      }),
  };
}

/**
 * How often anything in this network asked for an address that it has no way to: connections as well as look-ups of
 * names. In a network that has nothing but loopback that is everything that wanted out.
 */
export function withoutWay(): number {
  return countOf("/proc/net/snmp", "Ip", "OutNoRoutes") + countOf("/proc/net/snmp6", "", "Ip6OutNoRoutes");
}

function countOf(file: string, group: string, name: string): number {
  const lines = readFileSync(file, "utf8").split("\n");
  if (group === "") return Number(lines.find((line) => line.startsWith(name))?.split(/\s+/)[1] ?? 0);
  const [names = "", values = ""] = lines.filter((line) => line.startsWith(`${group}: `));
  return Number(values.split(" ")[names.split(" ").indexOf(name)]);
}

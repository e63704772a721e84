/**
 * The way out of a wall whose network is `model`: a proxy that connects to the named hosts alone. It listens
 * on a socket in a private folder, which is the only network inside.
 *
 * O1  A host is compared by its requested name; resolving it is up to the person's resolver.
 * O2  Without a port in its name, a host may be reached at 443 and 80.
 * O3  The person's own proxy (`HTTPS_PROXY`) is the way to an allowed host, as for Pawl's own requests.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { request as requestHttps } from "node:https";
import { connect, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Duplex, pipeline } from "node:stream";
import { tunnel as openTunnel, proxyFor } from "../net/proxy.ts";
import type { Environment } from "../process/environment.ts";

export interface Egress {
  /** The folder that holds the socket, and the socket's name in it. */
  readonly folder: string;
  readonly socket: string;
  close(): void;
}

export const SOCKET = "out";
const MAX_PLACE = 80;
const USUAL_PORTS: readonly number[] = [443, 80];
/** Milliseconds, longer than any model thinks without sending a byte. */
const SILENCE = 30 * 60_000;

/** Never keeps the process alive; its folder is removed when the process ends. */
export function openEgress(hosts: readonly string[], environment: Environment): Egress {
  const folder = mkdtempSync(join(shortPlace(), "pawl-out-"));
  const way = { hosts, environment };
  const server = createServer({ requestTimeout: 0 }, (request, answer) => pass(request, answer, way));
  server.on("connect", (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    tunnel(request.url ?? "", socket, head, way),
  );
  server.on("clientError", (_, socket) => socket.destroy());
  // Programs inside then find no way out, and report it.
  server.on("error", () => {});
  server.listen(join(folder, SOCKET));
  server.unref();
  removedAtExit(folder);
  return {
    folder,
    socket: join(folder, SOCKET),
    close() {
      folders?.delete(folder);
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

let folders: Set<string> | null = null;

function removedAtExit(folder: string): void {
  if (folders === null)
    process.once("exit", () => {
      for (const each of folders ?? []) rmSync(each, { recursive: true, force: true });
    });
  folders ??= new Set();
  folders.add(folder);
}

/** A socket's path has at most 107 bytes. */
function shortPlace(): string {
  return Buffer.byteLength(tmpdir()) <= MAX_PLACE ? tmpdir() : "/tmp";
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** `name:port` or `[::1]:port`; null if it is neither. */
function addressIn(text: string): Address | null {
  const [, six, name, port] = /^(?:\[([^\]]+)\]|([^:/]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = six ?? name;
  return host === undefined ? null : { host: host.toLowerCase(), port: Number(port) };
}

export function isAllowed({ host, port }: Address, hosts: readonly string[]): boolean {
  return hosts.some((entry) => {
    const named = addressIn(entry);
    const name = (named?.host ?? entry).toLowerCase();
    if (named ? named.port !== port : !USUAL_PORTS.includes(port)) return false;
    return name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name;
  });
}

function refusal(what: string): string {
  return `Pawl's wall lets this run reach only its model (\`sandbox.network: model\`), not ${what}. If the run needs that host, name it in \`sandbox.hosts\` of pawl.yaml.\n`;
}

interface Way {
  readonly hosts: readonly string[];
  readonly environment: Environment;
}

function tunnel(to: string, socket: Duplex, head: Buffer, { environment, hosts }: Way): void {
  socket.on("error", () => socket.destroy());
  const address = addressIn(to);
  if (address === null || !isAllowed(address, hosts)) {
    socket.end(answerOf("403 Forbidden", refusal(to)));
    return;
  }
  const end = new AbortController();
  socket.on("close", () => end.abort());
  connectTo(address, environment, end.signal).then(
    (far) => {
      // After CONNECT the stream is opaque: close it without a response.
      far.on("error", () => socket.destroy());
      far.on("close", () => socket.destroy());
      socket.on("close", () => far.destroy());
      if (far instanceof Socket) far.setTimeout(SILENCE, () => far.destroy());
      if (socket.destroyed) return void far.destroy();
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      if (head.length > 0) far.write(head);
      socket.pipe(far).pipe(socket);
    },
    (thrown: Error) => socket.end(answerOf("502 Bad Gateway", `${thrown.message}\n`)),
  );
}

async function connectTo(
  { host, port }: Address,
  environment: Environment,
  signal: AbortSignal,
): Promise<Duplex> {
  const name = host.includes(":") ? `[${host}]` : host;
  const proxy = proxyFor(new URL(`https://${name}:${port}`), environment);
  if (proxy !== null) return openTunnel(proxy, host, port, signal);
  const far = connect({ host, port, allowHalfOpen: true });
  const stop = () => far.destroy();
  signal.addEventListener("abort", stop);
  return new Promise((resolve, reject) => {
    far.once("connect", () => resolve(far));
    far.once("error", reject);
    far.once("close", () => reject(new Error("closed")));
  });
}

function answerOf(status: string, words: string): string {
  return `HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(words)}\r\nconnection: close\r\n\r\n${words}`;
}

/** A plain request names its whole address. */
function pass(request: IncomingMessage, answer: ServerResponse, { environment, hosts }: Way): void {
  const url = URL.parse(request.url ?? "");
  const address = url && { host: url.hostname.toLowerCase(), port: Number(url.port || 80) };
  if (!url || !address || url.protocol !== "http:" || !isAllowed(address, hosts)) {
    answer.writeHead(403, { "content-type": "text/plain" }).end(refusal(url?.host ?? request.url ?? ""));
    return;
  }
  const far = openRequest(request, url, environment);
  if (far instanceof Error) {
    answer.writeHead(502, { "content-type": "text/plain" }).end(`${far.message}\n`);
    return;
  }
  far.on("response", (got) => {
    answer.writeHead(got.statusCode ?? 502, got.headers);
    // A response that is cut off upstream is cut off here.
    pipeline(got, answer, () => {});
  });
  far.on("error", () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
  answer.on("close", () => far.destroy());
  request.on("error", () => far.destroy());
  request.pipe(far);
}

function openRequest(incoming: IncomingMessage, url: URL, environment: Environment) {
  const { "proxy-authorization": _, "proxy-connection": __, ...headers } = incoming.headers;
  const { method } = incoming;
  try {
    const proxy = proxyFor(url, environment);
    if (proxy === null) return request(url, { method, headers });
    const { host, isSecure, port } = proxy;
    const sent = { ...headers, host: url.host, ...proxy.headers };
    return (isSecure ? requestHttps : request)({ host, port, path: url.href, method, headers: sent });
  } catch (thrown) {
    return thrown as Error;
  }
}

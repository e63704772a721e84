/**
 * The way out of a wall whose network is `model`: a proxy that connects to the named hosts alone. It listens
 * on a socket in a private folder, which is the only network inside.
 *
 * O1  A host is compared by its requested name; resolving it is up to the person's resolver.
 * O2  Without a port in its name, a host may be reached at 443 and 80.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Duplex, pipeline } from "node:stream";

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
export function openEgress(hosts: readonly string[]): Egress {
  const folder = mkdtempSync(join(shortPlace(), "pawl-out-"));
  const server = createServer({ requestTimeout: 0 }, (asked, answer) => pass(asked, answer, hosts));
  server.on("connect", (asked: IncomingMessage, socket: Duplex, head: Buffer) =>
    tunnel(asked.url ?? "", socket, head, hosts),
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

function tunnel(to: string, socket: Duplex, head: Buffer, hosts: readonly string[]): void {
  socket.on("error", () => socket.destroy());
  const address = addressIn(to);
  if (address === null || !isAllowed(address, hosts)) {
    const words = refusal(to);
    socket.end(
      `HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(words)}\r\nconnection: close\r\n\r\n${words}`,
    );
    return;
  }
  const far = connect({ ...address, allowHalfOpen: true });
  let isOpen = false;
  far.setTimeout(SILENCE, () => far.destroy());
  far.on("connect", () => {
    isOpen = true;
    socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    if (head.length > 0) far.write(head);
    socket.pipe(far).pipe(socket);
  });
  // After CONNECT the stream is opaque: close it without a response.
  far.on("error", () => (isOpen ? socket.destroy() : socket.end(BAD_GATEWAY)));
  far.on("close", () => (isOpen ? socket.destroy() : undefined));
  socket.on("close", () => far.destroy());
}

const BAD_GATEWAY = "HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/** A plain request names its whole address. */
function pass(asked: IncomingMessage, answer: ServerResponse, hosts: readonly string[]): void {
  const url = URL.parse(asked.url ?? "");
  const address = url && { host: url.hostname.toLowerCase(), port: Number(url.port || 80) };
  if (!url || !address || url.protocol !== "http:" || !isAllowed(address, hosts)) {
    answer.writeHead(403, { "content-type": "text/plain" }).end(refusal(url?.host ?? asked.url ?? ""));
    return;
  }
  const { "proxy-connection": _, ...headers } = asked.headers;
  const far = request(url, { method: asked.method, headers }, (got) => {
    answer.writeHead(got.statusCode ?? 502, got.headers);
    // A response that is cut off upstream is cut off here.
    pipeline(got, answer, () => {});
  });
  far.on("error", () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
  answer.on("close", () => far.destroy());
  asked.on("error", () => far.destroy());
  asked.pipe(far);
}

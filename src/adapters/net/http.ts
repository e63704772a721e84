/**
 * Every HTTP request of Pawl's goes through this.
 *
 * H1  It uses the proxy that the environment names (`proxy.ts`). Node trusts the certificates of
 *     `NODE_EXTRA_CA_CERTS`, too.
 * H2  It ends: after a while without a byte, and at the limits of the work that it belongs to (`limits.ts`).
 *     The body is read to its end before the response is returned, so nothing fails later.
 * H3  Only GET and HEAD follow a redirect, a few times, never from https to http. No other origin gets
 *     credentials.
 * H4  Failures throw `HttpFailure`. A response of any status is no failure here.
 */
import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { pipeline } from "node:stream";
import { connect as connectTls } from "node:tls";
import { createGunzip } from "node:zlib";
import type { Environment } from "../process/environment.ts";
import { failureOfConnection, HttpFailure } from "./failure.ts";
import { type Budget, LimitExceeded, underLimits } from "./limits.ts";
import {
  bare,
  type ForwardProxy,
  failureOfProxy,
  isThisMachine,
  proxyFor,
  refusalOf,
  tunnel,
} from "./proxy.ts";

interface Order {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | null | undefined;
  readonly signal?: AbortSignal | null | undefined;
  /** Follows no redirect, and reads only the response's status. */
  readonly statusOnly?: boolean;
  /** Resolves the host in place of the system, unless a proxy does. */
  readonly lookup?: LookupFunction;
}

/** A subset of `fetch`. */
export type Http = (url: string | URL, order?: Order) => Promise<Response>;

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const WITHOUT_BODY = new Set([204, 205, 304]);
const CREDENTIALS = /^(?:authorization|cookie|proxy-authorization|private-token)$/i;

export function openHttp(environment: Environment): Http {
  return (url, order = {}) =>
    underLimits(async (budget) => {
      let at = new URL(url);
      let sent = order;
      for (let hop = 0; ; hop++) {
        const answer = await send(at, sent, proxyFor(at, environment), budget);
        const next = order.statusOnly ? null : redirectOf(answer, at, sent);
        if (next === null) return answer;
        if (hop >= MAX_REDIRECTS)
          throw unexpectedFailure(`${at.host} redirects in a circle; check the address`);
        if (next.origin !== at.origin) sent = { ...sent, headers: withoutCredentials(sent.headers) };
        at = next;
      }
    });
}

function redirectOf({ headers, status }: Response, from: URL, { method = "GET" }: Order): URL | null {
  const location = headers.get("location");
  if (!REDIRECTS.has(status) || location === null) return null;
  if (!URL.canParse(location, from.href)) throw unexpectedFailure(`${from.host} redirects to no address`);
  const to = new URL(location, from);
  if (method !== "GET" && method !== "HEAD")
    throw unexpectedFailure(
      `${from.host} redirects to ${to.host}, and Pawl follows redirects only for reads`,
    );
  if (to.protocol !== "https:" && !(to.protocol === "http:" && from.protocol === "http:"))
    throw unexpectedFailure(`${from.host} redirects to ${to.protocol}//${to.host}, which is not safe`);
  return to;
}

function withoutCredentials(headers: Order["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => !CREDENTIALS.test(name)));
}

async function send(url: URL, order: Order, proxy: ForwardProxy | null, budget: Budget): Promise<Response> {
  const silenceWatch = watchSilence(url.host, budget);
  const signal = AbortSignal.any([
    budget.signal,
    silenceWatch.signal,
    ...(order.signal ? [order.signal] : []),
  ]);
  try {
    for (let tries = 1; ; tries++) {
      const request = await open(url, order, proxy, signal);
      try {
        const response = await answerOf(request, order.body);
        silenceWatch.heard();
        if (proxy !== null && response.statusCode === 407) throw refusalOf(proxy, 407, url.host);
        return await read(response, order, budget, silenceWatch.heard);
      } catch (thrown) {
        // The server had closed the kept connection before it read the request.
        if (!request.reusedSocket || !isBroken(thrown) || !isRead(order) || tries > 2) throw thrown;
      } finally {
        if (order.statusOnly) request.destroy();
      }
    }
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    if (thrown instanceof HttpFailure) throw thrown;
    // A plain request goes to the proxy itself.
    throw proxy !== null && url.protocol === "http:"
      ? failureOfProxy(thrown, proxy)
      : failureOfConnection(thrown, url.host);
  } finally {
    silenceWatch.end();
  }
}

const isRead = ({ method = "GET" }: Order) => method === "GET" || method === "HEAD";
const isBroken = (thrown: unknown) => /^(?:ECONNRESET|EPIPE)$/.test((thrown as { code?: string }).code ?? "");

function watchSilence(host: string, { silence }: Budget) {
  const end = new AbortController();
  const late = () =>
    end.abort(new LimitExceeded("timed-out", `${host} sent nothing for ${silence / 1000} s`));
  const timer = setTimeout(late, silence);
  return { signal: end.signal, heard: () => void timer.refresh(), end: () => clearTimeout(timer) };
}

async function open(
  url: URL,
  order: Order,
  proxy: ForwardProxy | null,
  signal: AbortSignal,
): Promise<ClientRequest> {
  const { lookup, method = "GET" } = order;
  const host = bare(url.hostname);
  const body = order.body ?? "";
  const headers: Record<string, string> = {
    "user-agent": "pawl",
    "accept-encoding": "gzip",
    ...order.headers,
    ...(body !== "" && { "content-length": String(Buffer.byteLength(body)) }),
  };
  const how = { method, headers, signal };
  if (url.protocol === "http:") {
    if (proxy === null) return requestHttp(url, { ...how, ...(lookup && { lookup }) });
    return (proxy.isSecure ? requestHttps : requestHttp)({
      ...how,
      host: proxy.host,
      port: proxy.port,
      path: url.href,
      headers: { ...headers, host: url.host, ...proxy.headers },
    });
  }
  if (proxy === null) return requestHttps(url, { ...how, ...(lookup && { lookup }) });
  const socket = await tunnel(proxy, host, Number(url.port || 443), signal);
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const createConnection = () => connectTls({ socket, host, ...servername, ALPNProtocols: ["http/1.1"] });
  return requestHttps(url, { ...how, createConnection });
}

function answerOf(request: ClientRequest, body: Order["body"]): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on("error", reject);
    request.on("response", resolve);
    request.end(body ?? undefined);
  });
}

async function read(
  response: IncomingMessage,
  order: Order,
  budget: Budget,
  onData: () => void,
): Promise<Response> {
  const { rawHeaders, statusCode: status = 0, statusMessage: statusText = "" } = response;
  if (status < 200 || status > 599) throw unexpectedFailure(`the status ${status} is not one of HTTP`);
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string);
  if (order.statusOnly) return new Response(null, { status, headers });
  const isZipped = headers.get("content-encoding")?.trim().toLowerCase() === "gzip";
  const chunks: Buffer[] = [];
  const source =
    isZipped && order.method !== "HEAD" ? pipeline(response, createGunzip(), () => {}) : response;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    onData();
    budget.take(chunk.byteLength);
    chunks.push(chunk);
  }
  if (isZipped) headers.delete("content-encoding");
  headers.delete("content-length");
  return new Response(WITHOUT_BODY.has(status) ? null : Buffer.concat(chunks), {
    status,
    statusText: statusText.replace(/[^\t\x20-\x7e]/g, ""),
    headers,
  });
}

function unexpectedFailure(detail: string): HttpFailure {
  return new HttpFailure({ reason: "unexpected", detail });
}

/** Why an address of a service cannot be used, or null: it will get credentials. */
export function addressFault(text: string, example: string): string | null {
  if (!URL.canParse(text)) return `it is not an address such as ${example}`;
  const { protocol, hostname, username } = new URL(text);
  if (username !== "") return "it must not hold credentials";
  if (protocol === "https:" || (protocol === "http:" && isThisMachine(hostname))) return null;
  return "it must begin with https://, since credentials are sent to it";
}

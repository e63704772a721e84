/**
 * The proxy for a host, as the environment names it: `HTTPS_PROXY` for https, `HTTP_PROXY` for http,
 * `NO_PROXY` for hosts without one; each also in lower case, which comes first, as for curl. This machine
 * never has one.
 */
import { type ClientRequest, Agent as HttpAgent, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { BlockList, isIP } from "node:net";
import type { Duplex } from "node:stream";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { attempt } from "../../core/attempt.ts";
import type { Environment } from "../process/environment.ts";
import { failureOfConnection, HttpFailure } from "./failure.ts";

export interface ForwardProxy {
  /** The variable that names it. */
  readonly variable: string;
  readonly isSecure: boolean;
  readonly host: string;
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Null: no proxy. Throws `HttpFailure` if Pawl cannot use the proxy that the variable names. */
export function proxyFor(url: URL, environment: Environment): ForwardProxy | null {
  const host = bare(url.hostname);
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  if (isThisMachine(host) || isExcepted(host, port, settingIn(environment, "NO_PROXY")?.value ?? ""))
    return null;
  const set = settingIn(environment, url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY");
  return set === null ? null : proxyIn(set.value, set.name);
}

/** Whether a proxy is named at all. */
export function hasProxy(environment: Environment): boolean {
  return ["HTTPS_PROXY", "HTTP_PROXY"].some((name) => settingIn(environment, name) !== null);
}

function settingIn(environment: Environment, name: string): { name: string; value: string } | null {
  for (const each of [name.toLowerCase(), name]) {
    const value = environment[each]?.trim();
    if (value) return { name: each, value };
  }
  return null;
}

function proxyIn(value: string, variable: string): ForwardProxy {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isSecure = url?.protocol === "https:";
  if (!url || !(isSecure || url.protocol === "http:") || url.hostname === "")
    throw new HttpFailure({
      reason: "unreachable",
      detail: `${variable} names no proxy that Pawl can use; it takes http://host:port, with a login http://user:password@host:port`,
    });
  const login = `${decoded(url.username)}:${decoded(url.password)}`;
  return {
    variable,
    isSecure,
    host: bare(url.hostname),
    port: Number(url.port || (isSecure ? 443 : 80)),
    headers: login === ":" ? {} : { "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}` },
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Opens a connection to `host:port` through the proxy (CONNECT, RFC 9110, 9.3.6). */
export function tunnel(
  proxy: ForwardProxy,
  host: string,
  port: number,
  signal?: AbortSignal,
): Promise<Duplex> {
  const to = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const request = (proxy.isSecure ? requestHttps : requestHttp)({
    host: proxy.host,
    port: proxy.port,
    method: "CONNECT",
    path: to,
    headers: { host: to, ...proxy.headers },
    agent: false,
    ...(signal && { signal }),
  });
  return new Promise((resolve, reject) => {
    request.on("error", (thrown) => reject(failureOfProxy(thrown, proxy)));
    request.on("connect", ({ statusCode = 0 }, socket, head) => {
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(refusalOf(proxy, statusCode, to));
    });
    request.end();
  });
}

/** An agent for clients that send requests themselves. It uses proxies as `http.ts` does. */
export function openAgent(protocol: string, environment: Environment): HttpAgent {
  if (protocol !== "https:") return openPlainAgent(environment);
  const agent = new HttpsAgent();
  const direct = agent.createConnection.bind(agent);
  agent.createConnection = (options, done) => {
    const host = bare(options.host ?? "localhost");
    const port = Number(options.port ?? 443);
    const name = isIP(host) === 6 ? `[${host}]` : host;
    const connectBy = async (proxy: ForwardProxy) => {
      const socket = await tunnel(proxy, host, port);
      const { ca } = options as ConnectionOptions;
      return connectTls({ socket, host, ...(ca && { ca }), ...(isIP(host) === 0 && { servername: host }) });
    };
    const proxy = attempt(() => proxyFor(new URL(`https://${name}:${port}`), environment), "unusable");
    if (proxy === null) return direct(options, done);
    const connection =
      proxy === "unusable" ? Promise.reject(new Error("the proxy cannot be used")) : connectBy(proxy);
    connection.then(
      (socket) => done?.(null, socket),
      (thrown: Error) => done?.(thrown, undefined as never),
    );
    return undefined;
  };
  return agent;
}

interface Hop {
  readonly host?: string;
  readonly port?: number;
  readonly proxy?: ForwardProxy | "unusable";
}

/** The part of Node's agent that hands a request to a connection. */
interface Handing {
  addRequest(request: ClientRequest, to: Hop): void;
}

/** A plain request goes to the proxy itself, with its whole address. */
function openPlainAgent(environment: Environment): HttpAgent {
  const agent = new HttpAgent({ keepAlive: true }) as HttpAgent & Handing;
  const hand = agent.addRequest.bind(agent);
  const connect = agent.createConnection.bind(agent);
  agent.addRequest = (request, to) => {
    const origin = `http://${request.getHeader("host")}`;
    const proxy = attempt(() => proxyFor(new URL(origin), environment), "unusable");
    if (proxy === null || proxy === "unusable") return hand(request, { ...to, ...(proxy && { proxy }) });
    request.path = origin + request.path;
    for (const [name, value] of Object.entries(proxy.headers)) request.setHeader(name, value);
    hand(request, { ...to, host: proxy.host, port: proxy.port, proxy });
  };
  agent.createConnection = (options, done) => {
    const { proxy } = options as Hop;
    if (proxy === "unusable") done?.(new Error("the proxy cannot be used"), undefined as never);
    else if (proxy?.isSecure) {
      // Node would expect the target's name in the proxy's certificate.
      const servername = isIP(proxy.host) === 0 ? proxy.host : "";
      return connectTls({ ...(options as ConnectionOptions), servername });
    } else return connect(options, done);
    return undefined;
  };
  return agent;
}

/** The proxy itself is unreachable. */
export function failureOfProxy(thrown: unknown, proxy: ForwardProxy): HttpFailure {
  const { detail } = failureOfConnection(thrown, `${proxy.host}:${proxy.port}`).failure;
  return new HttpFailure(
    { reason: "unreachable", detail: `the proxy of ${proxy.variable}: ${detail}` },
    { cause: thrown },
  );
}

/** The proxy refused: the answer is not the host's. */
export function refusalOf(proxy: ForwardProxy, status: number, to: string): HttpFailure {
  const at = `the proxy at ${proxy.host}:${proxy.port}`;
  const detail =
    status === 407
      ? `${at} requires a login: write it in ${proxy.variable}, as http://user:password@host:port`
      : `${at} refused to connect to ${to} (HTTP ${status})`;
  return new HttpFailure({ reason: "unreachable", detail }, { status });
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

export function isThisMachine(host: string): boolean {
  const name = bare(host);
  if (isIP(name) !== 0) return LOOPBACK.check(name, familyOf(name));
  return name === "localhost" || name.endsWith(".localhost");
}

/**
 * An entry: `*`, a name (with all below it), an address, a range of addresses; each but `*` may have a port.
 */
function isExcepted(host: string, port: number, list: string): boolean {
  return list
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      if (entry === "*") return true;
      const [, name = entry, at] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
      if (at !== undefined && Number(at) !== port) return false;
      const wanted = bare(name).toLowerCase().replace(/\.$/, "");
      if (isIP(host) !== 0) return isWithin(host, wanted);
      const domain = wanted.replace(/^\*?\./, "");
      return domain !== "" && (host === domain || host.endsWith(`.${domain}`));
    });
}

function isWithin(address: string, range: string): boolean {
  const [network = "", prefix] = range.split("/");
  if (isIP(network) !== isIP(address)) return false;
  const list = new BlockList();
  const most = isIP(network) === 6 ? 128 : 32;
  const length = prefix === undefined ? most : Number(prefix);
  if (!Number.isInteger(length) || length < 0 || length > most) return false;
  list.addSubnet(network, length, familyOf(network));
  return list.check(address, familyOf(address));
}

export const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");

/** Without the brackets of an IPv6 address in a URL. */
export const bare = (host: string): string => host.replace(/^\[|\]$/g, "").toLowerCase();

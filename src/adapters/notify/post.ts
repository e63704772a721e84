/**
 * One POST to an address of the person's own environment.
 *
 * W1  Over https only to public addresses, over http only to this machine: the address to which a name
 *     resolves counts, at the time of the connection. Behind a proxy of the environment, only the proxy knows
 *     that address.
 * W2  No redirect is followed, and only the status of the receiver's answer is read or shown.
 * W3  It ends after ten seconds, however slow the receiver is.
 * W4  The address is a secret: errors contain only the name of its variable.
 */
import { lookup as lookUp } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { PawlError } from "../../core/error.ts";
import type { ReceiverName } from "../../core/notice.ts";
import { httpFailureIn } from "../net/failure.ts";
import { openHttp } from "../net/http.ts";
import { bare, familyOf, isThisMachine } from "../net/proxy.ts";
import type { Environment } from "../process/environment.ts";
import { unsentNoticeError } from "./unsent.ts";

export interface Post {
  readonly receiver: ReceiverName;
  /** The variable that holds the address. */
  readonly variable: string;
  readonly environment: Environment;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

const MILLISECONDS = 10_000;

/** Throws `notice-unsent`. */
export async function post(order: Post): Promise<void> {
  const address = addressOf(order);
  try {
    const status = await statusOf(order, address);
    if (status >= 200 && status < 300) return;
    const isRedirect = status >= 300 && status < 400;
    throw postError(
      order,
      `the receiver answered ${status}${isRedirect ? ", a redirect; Pawl follows none" : ""}`,
    );
  } catch (thrown) {
    if (thrown instanceof PawlError) throw thrown;
    throw postError(order, whyOf(thrown), thrown);
  }
}

/** The value of a variable that a setting names. Throws `notice-unsent` if it is not set. */
export function secretIn(environment: Environment, receiver: ReceiverName, variable: string): string {
  const value = environment[variable]?.trim();
  if (value) return value;
  throw unsentNoticeError(
    receiver,
    `$${variable} is not set in the environment of this process`,
    `Set ${variable} where Pawl is started: in your shell, and in your client's configuration of the MCP server.`,
  );
}

function addressOf({ receiver, environment, variable }: Post): URL {
  const text = secretIn(environment, receiver, variable);
  const address = URL.canParse(text) ? new URL(text) : null;
  if (address && (address.protocol === "https:" || address.protocol === "http:")) return address;
  throw unsentNoticeError(
    receiver,
    `$${variable} is not an address that begins with https://`,
    `Set ${variable} to the whole address that the receiver gave you.`,
  );
}

async function statusOf({ body, environment, headers }: Post, address: URL): Promise<number> {
  const isSecure = address.protocol === "https:";
  const host = bare(address.hostname);
  // A name is resolved below; an address is not.
  if (isIP(host) !== 0 && !mayReach(host, isSecure)) throw new Elsewhere();
  const { status } = await openHttp(environment)(address, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
    statusOnly: true,
    lookup: guardedLookup(isSecure),
    signal: AbortSignal.timeout(MILLISECONDS),
  });
  return status;
}

function guardedLookup(isSecure: boolean): LookupFunction {
  return (name, options, answer) => {
    lookUp(name, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || first === undefined) answer(error ?? new Elsewhere(), "", 0);
      else if (!addresses.every(({ address }) => mayReach(address, isSecure))) answer(new Elsewhere(), "", 0);
      else if (options.all) answer(null, addresses);
      else answer(null, first.address, first.family);
    });
  };
}

/** The address is one to which Pawl does not send. */
class Elsewhere extends Error {}

/** Addresses that are not of the internet. */
const INNER = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const)
  INNER.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 127],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  INNER.addSubnet(network, prefix, "ipv6");

export function mayReach(address: string, isSecure: boolean): boolean {
  return isSecure ? !INNER.check(address, familyOf(address)) : isThisMachine(address);
}

function postError(order: Post, why: string, cause?: unknown): PawlError {
  return unsentNoticeError(
    order.receiver,
    why,
    `Check the address in ${order.variable}, then try again with \`pawl config notify --test\`.`,
    cause,
  );
}

/** In Pawl's own words: a message of the system, or of the HTTP client, may contain the address. */
function whyOf(thrown: unknown): string {
  const failure = httpFailureIn(thrown);
  const cause = failure?.cause ?? thrown;
  if (cause instanceof Elsewhere)
    return "Pawl does not send to its address: https is for the internet, http for this machine alone";
  if (failure?.status === 407) return "the proxy requires a login: write it in HTTPS_PROXY";
  if (failure?.status !== undefined) return `the proxy refused to connect to it (HTTP ${failure.status})`;
  const { code, name } = cause as NodeJS.ErrnoException;
  if (name === "AbortError" || name === "TimeoutError")
    return `the receiver did not answer within ${MILLISECONDS / 1000} s`;
  return code === undefined ? "the request failed" : `the request failed (${code})`;
}

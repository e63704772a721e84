/**
 * The conditions that every request must meet.
 *
 * D1  Its `Host` is the board's own address: a foreign name that resolves to this machine (DNS rebinding) is
 *     refused.
 * D2  If the browser names the origin (`Origin`, `Sec-Fetch-Site`), it is the board's own page. A POST must
 *     name it.
 * D3  It has the session's cookie, except for the exchange of the address's token and a device's entrance.
 * D4  Neither the exchange nor a change comes from an agent's process, as far as the system shows which
 *     process owns a connection.
 * D5  A change is a POST of JSON with the session's CSRF token, and is refused on a read-only board.
 */
import type { IncomingMessage } from "node:http";
import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { getCookie, setCookie } from "hono/cookie";
import { secureHeaders } from "hono/secure-headers";
import { type BoardError, errorAnswer, refusal } from "./errors.ts";
import type { BoardOptions } from "./options.ts";
import { isSame, type Sessions } from "./sessions.ts";

export interface GuardOptions {
  readonly sessions: Pick<Sessions, "csrfOf">;
  /** `http://127.0.0.1:4000`; the port is known once the server listens. */
  readonly origin: () => string;
  /** The name of the session's cookie. */
  readonly cookie: () => string;
  readonly readOnly: boolean;
  readonly agentBehind: BoardOptions["agentBehind"];
  /** The way in, as the fix of a refusal; absent: by the address that `pawl board` prints. */
  readonly wayIn?: string;
}

/** The largest request, in bytes. */
const MAX_BYTES = 256 * 1024;

export const HEADERS: MiddlewareHandler = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", "data:"],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
  crossOriginEmbedderPolicy: "require-corp",
  crossOriginOpenerPolicy: "same-origin",
  crossOriginResourcePolicy: "same-origin",
  referrerPolicy: "no-referrer",
  xFrameOptions: "DENY",
  // Applies to HTTPS only.
  strictTransportSecurity: false,
});

/** Ends a connection without a session after its answer, so that strangers cannot keep the board busy. */
export function endStrangers({ cookie, sessions }: GuardOptions): MiddlewareHandler {
  return async (context, next) => {
    await next();
    if (sessions.csrfOf(sessionIn(context, cookie)) === null) context.header("connection", "close");
  };
}

export function admitAddress({ origin: ownOrigin }: GuardOptions): MiddlewareHandler {
  const host = () => new URL(ownOrigin()).host;
  return async (context, next) => {
    const { method } = context.req;
    const own = ownOrigin();
    const origin = context.req.header("origin");
    const site = context.req.header("sec-fetch-site");
    if (context.req.header("host") !== host())
      return answer(context, 421, "its Host is not the board's own address");
    if (method !== "GET" && method !== "HEAD" && method !== "POST")
      return answer(context, 405, `the board does not accept ${method}`);
    if ((origin !== undefined && origin !== own) || (method === "POST" && origin === undefined))
      return answer(context, 403, "its Origin is not the board's own page");
    if (site !== undefined && site !== "same-origin" && !(site === "none" && method === "GET"))
      return answer(context, 403, "the request comes from another site");
    return next();
  };
}

export function admitSession({ cookie, sessions, wayIn }: GuardOptions): MiddlewareHandler {
  return async (context, next) => {
    if (sessions.csrfOf(sessionIn(context, cookie)) === null)
      return answer(context, 401, "it has no session of this board", wayIn);
    return next();
  };
}

/**
 * Guards the figures of `/metrics`: for a program with a token that allows nothing else, or for a session of a
 * board.
 */
export function admitFigures(
  metricsToken: BoardOptions["metricsToken"],
  board?: Pick<GuardOptions, "cookie" | "sessions">,
): MiddlewareHandler {
  const lacks = board ? "neither a session of this board nor" : "not";
  return async (context, next) => {
    const [, given] = /^Bearer (\S+)$/i.exec(context.req.header("authorization") ?? "") ?? [];
    const isKnown = metricsToken !== null && given !== undefined && isSame(given, metricsToken);
    const hasSession =
      board !== undefined && board.sessions.csrfOf(sessionIn(context, board.cookie)) !== null;
    if (isKnown || hasSession) return next();
    const wayIn = board
      ? undefined
      : "Set PAWL_METRICS_TOKEN where it starts, and send `Authorization: Bearer …`.";
    return answer(context, 401, `it has ${lacks} the token of $PAWL_METRICS_TOKEN`, wayIn);
  };
}

export function admitPerson({ agentBehind }: GuardOptions): MiddlewareHandler {
  return async (context, next) => {
    const { incoming } = context.env as { readonly incoming?: IncomingMessage };
    const agent = incoming ? agentBehind(incoming.socket) : null;
    if (agent !== null)
      return answer(context, 403, `it comes from a process of ${agent}, and only a person decides here`);
    return next();
  };
}

export function admitChange(guards: GuardOptions): MiddlewareHandler {
  const { cookie, sessions, readOnly } = guards;
  const person = admitPerson(guards);
  return async (context, next) => {
    if (context.req.method !== "POST") return next();
    const csrf = sessions.csrfOf(sessionIn(context, cookie));
    const given = context.req.header("x-pawl-csrf");
    if (csrf === null || given === undefined || !isSame(given, csrf))
      return answer(context, 403, "it lacks the page's x-pawl-csrf");
    if (!isJson(context)) return answer(context, 415, "its body is not application/json");
    const isDryRun = context.req.path.endsWith("/try");
    if (readOnly && !isDryRun) return answer(context, 403, "this board only shows (`--read-only`)");
    return person(context, next);
  };
}

export function isJson(context: Context): boolean {
  return context.req.header("content-type")?.split(";")[0]?.trim().toLowerCase() === "application/json";
}

export const admitBody: MiddlewareHandler = bodyLimit({
  maxSize: MAX_BYTES,
  onError: (context) => answer(context, 413, `it is larger than ${MAX_BYTES} bytes`),
});

/** Exchanges the address's token for the session's cookie, and redirects to the page. */
export function enter({ cookie }: GuardOptions, sessions: Sessions) {
  return (context: Context) => {
    // A program that previews links must not use the token up.
    if (context.req.method !== "GET") return answer(context, 405, "its address is opened by a GET");
    const session = sessions.enter(context.req.param("token") ?? "");
    if (session === null) return answer(context, 401, "its address was used already, or is too old");
    setCookie(context, cookie(), session, { httpOnly: true, sameSite: "Strict", path: "/" });
    // Not a redirect: the browser would still count the linking site as the origin, and would not send a
    // strict cookie.
    context.header("refresh", "0; url=/");
    context.header("cache-control", "no-store");
    return context.html('<!doctype html><title>Pawl</title><a href="/">Open the board</a>\n');
  };
}

/** The session's CSRF token. */
export function csrfIn(context: Context, { cookie, sessions }: GuardOptions): string {
  return sessions.csrfOf(sessionIn(context, cookie)) ?? "";
}

export function sessionIn(context: Context, cookie: () => string): string | undefined {
  return getCookie(context, cookie());
}

export function answer(context: Context, status: BoardError["status"], why: string, fix?: string) {
  return errorAnswer(context, refusal(status, why, fix));
}

/**
 * Sends requests to the board's server, or to the client that embeds the page. A refusal is thrown unchanged:
 * the same two lines as everywhere.
 */
import { signal } from "@preact/signals";
import type { Refused, Session } from "../wire.ts";

/** Null until the server's first answer. */
export const session = signal<Session | null>(null);

/** The server's refusal, or why there was no answer. */
export class RefusedError extends Error {
  readonly refused: Refused;
  /** The HTTP status; 0: there was no answer. */
  readonly status: number;

  constructor(refused: Refused, status: number) {
    super(refused.message);
    this.refused = refused;
    this.status = status;
  }
}

const OFFLINE: Refused = {
  code: "board-unreachable",
  message: "The board's server does not answer.",
  fix: "Start it again in the project's folder: pawl board. Your notes are kept in this browser.",
};

export function refusedOf(failure: unknown): Refused {
  if (failure instanceof RefusedError) return failure.refused;
  return { code: "board-page", message: String(failure), fix: "Reload the page." };
}

/** Answers a request. One with a body changes something. Throws a `RefusedError`. */
export type Answerer = (path: string, options: RequestOptions) => Promise<unknown>;

interface RequestOptions {
  readonly body?: unknown;
  readonly abort?: AbortSignal | undefined;
}

let answerer: Answerer = overHttp;

/** Replaces the board's server: from now on, `other` answers the requests. */
export function setAnswerer(other: Answerer): void {
  answerer = other;
}

export async function get<T>(path: string, abort?: AbortSignal): Promise<T> {
  return (await answerer(path, { abort })) as T;
}

/**
 * Sends a change. After a restart the server rejects the old token, so this opens the session again, once.
 */
export async function post<T>(path: string, body: unknown): Promise<T> {
  const attempt = async () => (await answerer(path, { body })) as T;
  try {
    return await attempt();
  } catch (failure) {
    const before = session.value?.csrf;
    if (!(failure instanceof RefusedError) || failure.status !== 403 || before === undefined) throw failure;
    await openSession();
    if (session.value?.csrf === before) throw failure;
    return await attempt();
  }
}

export async function openSession(): Promise<void> {
  session.value = await get<Session>("/api/session");
}

/** The path of a project's request, with each part encoded. */
export function projectPath(project: string, ...parts: readonly string[]): string {
  return ["/api", project, ...parts].map((part, at) => (at ? encodeURIComponent(part) : part)).join("/");
}

async function overHttp(path: string, { abort, body }: RequestOptions): Promise<unknown> {
  const headers = { "content-type": "application/json", "x-pawl-csrf": session.value?.csrf ?? "" };
  // A GET has no headers of its own, because the page's markup preloads its first requests, and a preload is
  // reused only for an identical request.
  const init = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
  const signal = abort ? { signal: abort } : {};
  const answer = await fetch(path, { credentials: "same-origin", ...init, ...signal }).catch((failure) => {
    if (abort?.aborted) throw failure;
    throw new RefusedError(OFFLINE, 0);
  });
  const found: unknown = await answer.json().catch(() => null);
  if (answer.ok && found !== null) return found;
  throw new RefusedError(isRefused(found) ? found : unexplained(path, answer.status), answer.status);
}

function isRefused(body: unknown): body is Refused {
  return typeof body === "object" && body !== null && "message" in body && "fix" in body;
}

function unexplained(path: string, status: number): Refused {
  return {
    code: "board-answer",
    message: `The server answered ${path} with ${status} and no message.`,
    fix: "Reload the page; if that does not help, start the board again: pawl board",
  };
}

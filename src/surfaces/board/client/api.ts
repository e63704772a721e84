/** Asks the board's server. A refusal is thrown as it came: the same two lines as everywhere. */
import { signal } from "@preact/signals";
import type { Refused, Session } from "../wire.ts";

/** Null until the server has answered for the first time. */
export const session = signal<Session | null>(null);

/** What the server answered instead, or why it did not. */
export class RefusedError extends Error {
  readonly refused: Refused;
  /** Of HTTP; 0: there was no answer. */
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

export async function get<T>(path: string, abort?: AbortSignal): Promise<T> {
  return await send<T>(path, abort ? { signal: abort } : {});
}

/** A server that has started anew knows no token of the one before: asks for the session again, once. */
export async function post<T>(path: string, body: unknown): Promise<T> {
  const attempt = () =>
    send<T>(path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-pawl-csrf": session.value?.csrf ?? "" },
      body: JSON.stringify(body),
    });
  try {
    return await attempt();
  } catch (failure) {
    if (!(failure instanceof RefusedError) || failure.status !== 403) throw failure;
    const before = session.value?.csrf;
    await openSession();
    if (session.value?.csrf === before) throw failure;
    return await attempt();
  }
}

export async function openSession(): Promise<void> {
  session.value = await get<Session>("/api/session");
}

/** The path of a project's page, with each part encoded. */
export function projectPath(project: string, ...parts: readonly string[]): string {
  return ["/api", project, ...parts].map((part, at) => (at ? encodeURIComponent(part) : part)).join("/");
}

async function send<T>(path: string, init: RequestInit): Promise<T> {
  const answer = await fetch(path, { credentials: "same-origin", ...init }).catch((failure) => {
    if (init.signal?.aborted) throw failure;
    throw new RefusedError(OFFLINE, 0);
  });
  const body: unknown = await answer.json().catch(() => null);
  if (answer.ok && body !== null) return body as T;
  throw new RefusedError(isRefused(body) ? body : unexplained(path, answer.status), answer.status);
}

function isRefused(body: unknown): body is Refused {
  return typeof body === "object" && body !== null && "message" in body && "fix" in body;
}

function unexplained(path: string, status: number): Refused {
  return {
    code: "board-answer",
    message: `The server answered ${path} with ${status} and no words of its own.`,
    fix: "Reload the page; if it stays, start the board again: pawl board",
  };
}

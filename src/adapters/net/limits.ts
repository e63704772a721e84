/**
 * Limits what a service may cost: the bytes and time of everything that one piece of work fetches, in any number of
 * requests. The clients of Jira, Confluence and Linear accept no custom fetch, and read any body to its end. So the
 * process's fetch is wrapped once; outside such work it does nothing else.
 */
import { AsyncLocalStorage } from "node:async_hooks";

export interface Limits {
  readonly bytes: number;
  readonly milliseconds: number;
}

export const LIMITS: Limits = { bytes: 10_000_000, milliseconds: 30_000 };

/** The work was cut off because it reached a limit. */
export class LimitExceeded extends Error {
  readonly reason: "too-large" | "timed-out";

  constructor(reason: "too-large" | "timed-out", { bytes, milliseconds }: Limits) {
    const found =
      reason === "too-large" ? `more than ${bytes} bytes` : `not done within ${milliseconds / 1000} s`;
    super(`cut off: ${found}`);
    this.reason = reason;
  }
}

class Budget {
  readonly limits: Limits;
  readonly #end = new AbortController();
  #left: number;

  constructor(limits: Limits) {
    this.limits = limits;
    this.#left = limits.bytes;
  }

  /** Why it ended; undefined if it did not. */
  get exceeded(): LimitExceeded | undefined {
    const { reason } = this.#end.signal;
    return reason instanceof LimitExceeded ? reason : undefined;
  }

  /** The work is over: nobody waits any more for what it still fetches. */
  close(): void {
    this.#end.abort(new Error("given up"));
  }

  exceed(reason: LimitExceeded["reason"]): void {
    this.#end.abort(new LimitExceeded(reason, this.limits));
  }

  async fetch(
    send: typeof fetch,
    input: Parameters<typeof fetch>[0],
    init: RequestInit = {},
  ): Promise<Response> {
    const own = this.#end.signal;
    const signal = init.signal ? AbortSignal.any([own, init.signal]) : own;
    const answer = await send(input, { ...init, signal });
    if (answer.body === null) return answer;
    const counted = answer.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          this.#left -= chunk.byteLength;
          if (this.#left < 0) this.exceed("too-large");
          else controller.enqueue(chunk);
        },
      }),
      { signal: own },
    );
    const { status, statusText, headers } = answer;
    return new Response(counted, { status, statusText, headers });
  }
}

const scope = new AsyncLocalStorage<Budget>();
let isWrapped = false;

/**
 * Runs work that fetches. When a limit is exceeded, the present request fails, and the work fails with `LimitExceeded`.
 * What it still fetches when it is over, because it gave that up, is aborted.
 */
export async function withinLimits<T>(limits: Limits, work: () => Promise<T>): Promise<T> {
  wrapFetch();
  const budget = new Budget(limits);
  const timer = setTimeout(() => budget.exceed("timed-out"), limits.milliseconds);
  try {
    return await scope.run(budget, work);
  } catch (thrown) {
    throw budget.exceeded ?? thrown;
  } finally {
    clearTimeout(timer);
    budget.close();
  }
}

/** Why the present work was cut off, for code that keeps partial results in spite of a failure. */
export function exceededHere(): LimitExceeded | undefined {
  return scope.getStore()?.exceeded;
}

function wrapFetch(): void {
  if (isWrapped) return;
  isWrapped = true;
  const send = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const budget = scope.getStore();
    return budget ? budget.fetch(send, input, init) : send(input, init);
  };
}

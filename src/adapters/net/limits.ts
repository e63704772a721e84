/**
 * Limits the cost of a service: the bytes and time of everything that one piece of work fetches, in any
 * number of requests. `http.ts` queries them for each request.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { FetchFailure } from "../../core/ports/references.ts";
import { HttpFailure, httpFailureIn } from "./failure.ts";

export interface Limits {
  readonly bytes: number;
  readonly milliseconds: number;
  /** Milliseconds that may pass without a byte; default: `SILENCE`. */
  readonly silence?: number;
}

export const LIMITS: Limits = { bytes: 10_000_000, milliseconds: 120_000 };
const SILENCE = 30_000;

/** The work was cut off because it reached a limit. */
export class LimitExceeded extends HttpFailure {
  constructor(reason: "too-large" | "timed-out", found: string) {
    super({ reason, detail: `cut off: ${found}` });
  }

  get reason(): "too-large" | "timed-out" {
    return this.failure.reason === "too-large" ? "too-large" : "timed-out";
  }
}

export class Budget {
  readonly #limits: Limits;
  readonly #end = new AbortController();
  #left: number;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#left = limits.bytes;
  }

  /** Aborted when a limit is exceeded or the work is over. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  get silence(): number {
    return this.#limits.silence ?? SILENCE;
  }

  /** Why it ended; undefined if it did not. */
  get exceeded(): LimitExceeded | undefined {
    const { reason } = this.#end.signal;
    return reason instanceof LimitExceeded ? reason : undefined;
  }

  /** Counts received bytes. */
  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left >= 0) return;
    this.#end.abort(new LimitExceeded("too-large", `more than ${this.#limits.bytes} bytes`));
    this.#end.signal.throwIfAborted();
  }

  late(): void {
    this.#end.abort(new LimitExceeded("timed-out", `not done within ${this.#limits.milliseconds / 1000} s`));
  }

  /** Aborts the requests that are still open: the work is over. */
  close(): void {
    this.#end.abort(new Error("given up"));
  }
}

const scope = new AsyncLocalStorage<Budget>();

/**
 * Runs work that fetches. Beyond a limit, the present request fails, and the work fails with `LimitExceeded`.
 * Requests that are still open when the work ends are aborted.
 */
export async function withinLimits<T>(limits: Limits, work: () => Promise<T>): Promise<T> {
  const budget = new Budget(limits);
  const timer = setTimeout(() => budget.late(), limits.milliseconds);
  try {
    return await scope.run(budget, work);
  } catch (thrown) {
    throw budget.exceeded ?? thrown;
  } finally {
    clearTimeout(timer);
    budget.close();
  }
}

/** Runs one request under the limits of its work; a single request has limits of its own. */
export function underLimits<T>(request: (budget: Budget) => Promise<T>): Promise<T> {
  const budget = scope.getStore();
  if (budget) return request(budget);
  return withinLimits(LIMITS, () => underLimits(request));
}

/** Why a request failed, in Pawl's own words and the service's; first of all, because the present work was cut off. */
export function failureIn(thrown: unknown): FetchFailure {
  const exceeded = scope.getStore()?.exceeded ?? httpFailureIn(thrown);
  if (exceeded) return exceeded.failure;
  const { name } = thrown as { readonly name?: string };
  if (name === "TimeoutError" || name === "AbortError")
    return { reason: "timed-out", detail: "no answer in time" };
  // The engine's words name the line's own expression: the fault may as well be Pawl's.
  const cause = thrown instanceof TypeError || thrown instanceof ReferenceError ? ` (${thrown.message})` : "";
  return {
    reason: "unexpected",
    detail: `its answer does not have the shape that its API describes${cause}`,
  };
}

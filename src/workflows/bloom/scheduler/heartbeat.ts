/** A worker's signs of life among others, and what it is asked for in return. */
import type { Clock } from "../../../core/ports/clock.ts";
import type { Registration, WorkerOrder } from "../../../core/ports/workers.ts";

export interface HeartbeatSetup {
  readonly registration: Registration;
  readonly clock: Clock;
  readonly atWork: () => number;
  /** Aborted here if the worker is to take nothing more; whoever else aborts it is told of. */
  readonly drain: AbortController;
  /** Aborted here if the worker is to end at once. */
  readonly stop: AbortController;
  /** Each order once. */
  readonly hear: (order: Exclude<WorkerOrder, "go-on">) => void;
}

export interface Heartbeat {
  /** The worker has ended. */
  close(): Promise<void>;
}

/** So many signs of life are sent in the time after which a worker counts as gone. */
const BEATS = 3;

export function openHeartbeat(setup: HeartbeatSetup): Heartbeat {
  const { atWork, clock, drain, hear, registration, stop } = setup;
  const heard = new Set<WorkerOrder>();
  let isClosed = false;
  let beating = Promise.resolve();
  let timer: { cancel(): void } | undefined;

  const obey = (order: WorkerOrder) => {
    if (order === "go-on" || heard.has(order)) return;
    heard.add(order);
    // Its own drain, which it told of, is no news.
    if (order === "drain" && drain.signal.aborted) return;
    hear(order);
    (order === "replaced" ? stop : drain).abort();
  };
  const beat = async () => {
    timer?.cancel();
    try {
      obey(await registration.beat({ atWork: atWork(), drains: drain.signal.aborted }));
    } catch {
      // The next one may reach the database. Until then its leases say what it may go on with.
    }
    if (!isClosed) timer = clock.after(registration.lasting / BEATS, next);
  };
  const next = () => {
    beating = beating.then(() => (isClosed ? undefined : beat()));
  };
  drain.signal.addEventListener("abort", next);
  next();
  return {
    async close() {
      isClosed = true;
      timer?.cancel();
      drain.signal.removeEventListener("abort", next);
      await beating;
      // Where the database cannot be reached, it counts as gone a little later.
      await registration.leave().catch(() => {});
    },
  };
}

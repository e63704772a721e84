/** A worker's signs of life, and the orders that it gets in return. */
import type { Clock } from "../core/ports/clock.ts";
import type { Registration, WorkerOrder } from "../core/ports/workers.ts";

export interface HeartbeatSetup {
  readonly registration: Registration;
  readonly clock: Clock;
  readonly atWork: () => number;
  /** Aborted by an order to take no new tasks. A drain from elsewhere is reported at once. */
  readonly drain: AbortController;
  /** Aborted by an order to end at once. */
  readonly stop: AbortController;
  /** Called once for each order. */
  readonly onOrder: (order: Exclude<WorkerOrder, "go-on">) => void;
}

export interface Heartbeat {
  /** The worker has ended. */
  close(): Promise<void>;
}

/** How many signs of life a worker sends in the time after which it counts as gone. */
const BEATS = 3;

export function openHeartbeat(setup: HeartbeatSetup): Heartbeat {
  const { atWork, clock, drain, onOrder, registration, stop } = setup;
  const reported = new Set<WorkerOrder>();
  let isClosed = false;
  let beating = Promise.resolve();
  let timer: { cancel(): void } | undefined;

  const applyOrder = (order: WorkerOrder) => {
    if (order === "go-on" || reported.has(order)) return;
    reported.add(order);
    // The answer to its own drain is no order.
    if (order === "drain" && drain.signal.aborted) return;
    onOrder(order);
    (order === "replaced" ? stop : drain).abort();
  };
  const beat = async () => {
    timer?.cancel();
    try {
      applyOrder(await registration.beat({ atWork: atWork(), drains: drain.signal.aborted }));
    } catch {
      // The next one may reach the database. Until then its leases decide what it may continue.
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
      // If the database cannot be reached, the worker counts as gone a little later.
      await registration.leave().catch(() => {});
    },
  };
}

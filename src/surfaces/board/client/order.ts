import { useState } from "preact/hooks";
import type { Done, Refused, VerdictQuestion } from "../wire.ts";
import { post, refusedOf } from "./api.ts";

/** The server's question before an order counts. */
export interface AskedBack<Order> {
  readonly order: Order;
  readonly asked: VerdictQuestion["asked"];
}

/** Sends a person's order; the server may ask once more before it counts. */
export function useOrder<Order extends object>(
  finish: (done: Done, order: Order) => void,
  failed: (failure: unknown) => Promise<void> | void = () => {},
) {
  const [back, setBack] = useState<(AskedBack<Order> & { readonly path: string }) | null>(null);
  const [problem, setProblem] = useState<Refused | null>(null);
  const [sending, setSending] = useState<Order | null>(null);
  const send = async (
    path: string,
    order: Order,
    proof?: () => Promise<Partial<Order>>,
  ): Promise<boolean> => {
    if (sending !== null) return false;
    setSending(order);
    setProblem(null);
    try {
      const done = await post<Done | VerdictQuestion>(path, { ...order, ...(await proof?.()) });
      setBack("asked" in done ? { path, order, asked: done.asked } : null);
      if (!("asked" in done)) finish(done, order);
      return true;
    } catch (failure) {
      setProblem(refusedOf(failure));
      await failed(failure);
      return false;
    } finally {
      setSending(null);
    }
  };
  return { back, leave: () => setBack(null), problem, send, sending, setProblem };
}

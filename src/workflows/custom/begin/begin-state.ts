/** The state of an order to begin runs, in words; and who acts next on any order that outlasts a call. */
import { orderNext } from "../agents/order-state.ts";
import type { BeginOrder, Order } from "../run-file.ts";
import { type Child, childrenWords } from "./children.ts";

/** `children` absent: they are not known. */
export function beginWords(
  { begin, recorded: { begun, held } }: BeginOrder,
  children?: readonly Child[],
): string {
  if (held) return `it began nothing: ${held.words.replace(/\.$/, "")}`;
  if (begun === undefined) return `runs of ${begin.workflow} are to begin`;
  return children ? childrenWords(children) : `the runs of ${begin.workflow} that it began are at work`;
}

/**
 * Who acts next on the run's order (for an agent, or to begin runs), and how; null: the run has none. `held`: why
 * the order waits for a person.
 */
export function turnOf(run: string, order: Order | null, children?: readonly Child[]) {
  if (order?.agent !== undefined) return { ...orderNext(run, order), held: order.work?.held };
  if (order?.begin === undefined) return null;
  return { ...beginNext(run, order, children), held: order.recorded.held };
}

function beginNext(
  run: string,
  order: BeginOrder,
  children?: readonly Child[],
): { readonly awaits: "agent" | "human"; readonly next: string } {
  const words = beginWords(order, children);
  if (order.recorded.held) return { awaits: "human", next: `${words}; \`pawl cast ${run}\` tries again` };
  return {
    awaits: "agent",
    next: order.recorded.begun === undefined ? `\`pawl cast ${run}\`: ${words}` : words,
  };
}

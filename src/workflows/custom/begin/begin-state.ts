/** How an order to begin runs stands, for people. */
import type { BeginOrder } from "../run-file.ts";
import { type Child, childrenWords } from "./children.ts";

/** `children`: not known, where absent. */
export function beginWords(
  { begin, stands: { begun, held } }: BeginOrder,
  children?: readonly Child[],
): string {
  if (held) return `it began nothing: ${held.words.replace(/\.$/, "")}`;
  if (begun === undefined) return `runs of ${begin.workflow} are to begin`;
  return children ? childrenWords(children) : `the runs of ${begin.workflow} that it began are at work`;
}

/** Who acts next, and how. */
export function beginNext(
  run: string,
  order: BeginOrder,
  children?: readonly Child[],
): { readonly awaits: "agent" | "human"; readonly next: string } {
  const words = beginWords(order, children);
  if (order.stands.held) return { awaits: "human", next: `${words}; \`pawl cast ${run}\` tries again` };
  return {
    awaits: "agent",
    next: order.stands.begun === undefined ? `\`pawl cast ${run}\`: ${words}` : words,
  };
}

import { toPawlError } from "../../core/error.ts";
import type { RunOverview } from "../transaction/transaction.ts";

/**
 * The overview of a run whose state is unreadable or does not count: a person must act; the problem says how.
 */
export function unreadableRun(
  run: string,
  title: string,
  thrown: unknown,
  more: Partial<Pick<RunOverview, "command" | "next">> = {},
): RunOverview {
  const { code, fix, message } = toPawlError(thrown);
  const recordedState = { state: "unreadable", awaits: "human", next: "", since: null } as const;
  return { run, title, ...recordedState, ...more, problem: { code, message, fix } };
}

import type { GuardAccepted, GuardStrayed } from "../core/event.ts";
import { appended } from "../runtime/transaction/run-transaction.ts";
import type { Transaction } from "../runtime/transaction/transaction.ts";

/** Appends found or accepted edits to the event log. */
export const outOfScopeEvent: Transaction<GuardStrayed | GuardAccepted, null, undefined, null> = {
  run: ({ run }) => `guard:${run}`,
  read: async () => null,
  propose: (_snapshot, _observations, event, { now }) => ({
    reply: null,
    changes: [appended({ id: now.id, time: now.time, ...event })],
  }),
};

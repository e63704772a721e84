import type { GuardAccepted, GuardStrayed } from "../core/event.ts";
import { projectPath } from "../core/path.ts";
import type { Transaction } from "../runtime/transaction.ts";

const EVENTS = projectPath(".pawl/events.jsonl");

/** Appends what was found, or accepted, to the event log. */
export const strayEvent: Transaction<GuardStrayed | GuardAccepted, null, undefined, null> = {
  run: ({ run }) => `guard:${run}`,
  read: async () => null,
  propose(_snapshot, _observations, said, { now }) {
    const event = { id: now.id, time: now.time, ...said };
    return {
      reply: null,
      changes: [{ type: "append", path: EVENTS, id: now.id, text: `${JSON.stringify(event)}\n` }],
    };
  },
};
